/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WC_UTIL_VERSION_H
#define WC_UTIL_VERSION_H

const char *wc_version(void);	   /* "0.1.0" */
const char *wc_version__git(void); /* "4a09a8c-dirty"; "" when not built from a clone */

#endif
