/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WC_PROBE_VERSION_H
#define WC_PROBE_VERSION_H

const char *wc_probe__libbpf_version(void); /* "1.1", of the library running, not built with */

#endif
