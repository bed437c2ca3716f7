// SPDX-License-Identifier: BSD-2-Clause
#include "user/probe/version.h"

#include <bpf/libbpf.h>

const char *wc_probe__libbpf_version(void)
{
	const char *version = libbpf_version_string();

	return *version == 'v' ? version + 1 : version;
}
