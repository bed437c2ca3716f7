/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a command leaves what it makes. */
#ifndef WC_CLI_DEST_H
#define WC_CLI_DEST_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Runs print on standard output for "-", else on a file that appears whole or not at all;
 * is_ours as in struct wc_outfile_opts. 0 or -errno.
 */
int wc_dest__print(const char *path, bool (*is_ours)(int fd, void *ctx),
		   int (*print)(FILE *f, void *ctx), void *ctx);
/* Says why that failed, and what to do about it: hint for a file that is not ours. */
void wc_dest__complain(const char *path, int err, const char *hint);

#endif
