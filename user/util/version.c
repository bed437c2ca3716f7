// SPDX-License-Identifier: BSD-2-Clause
#include "user/util/version.h"

#include <wakecost-version.h> /* made by the build */

const char *wc_version(void)
{
	return WC_VERSION;
}

const char *wc_version__git(void)
{
	return WC_GIT_ID;
}
