/* SPDX-License-Identifier: BSD-2-Clause */
/* Root file systems of guests: the kernel unpacks a "newc" archive. */
#ifndef WC_LAB_CPIO_H
#define WC_LAB_CPIO_H

struct wc_cpio_file {
	const char *name; /* in the guest, without the leading slash */
	const char *from; /* contents; NULL: a directory */
};

/*
 * Files, executable, in the order given, and /dev/console. The same files make the same bytes:
 * what is in memory before the guest runs must not differ from one boot to the next.
 */
int wc_cpio__write(const char *path, const struct wc_cpio_file *files, unsigned int cnt);

#endif
