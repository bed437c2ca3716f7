/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WC_CLI_VERSION_H
#define WC_CLI_VERSION_H

void wc_cmd__print_version(void);

#endif
