/* SPDX-License-Identifier: BSD-2-Clause */
/* One boot of an emulated machine with one CPU, whose clock counts instructions. */
#ifndef WC_LAB_GUEST_H
#define WC_LAB_GUEST_H

#include <stddef.h>
#include <stdint.h>

struct wc_guest {
	const char *vmlinuz, *initrd;
	const char *args;   /* for the first process, words apart by blanks */
	const char *plugin; /* NULL: none; "FILE,sym=FILE,out=FILE" */
	const char *dir;    /* for what it says: DIR/console, DIR/serial */
	uint64_t seed;
	unsigned int memory_mb, timeout_s;
};

/*
 * 0, or -errno with a sentence in error: -ENOENT no emulator, -ETIMEDOUT it hung, -EFAULT its
 * kernel failed, -EINTR interrupted, -EIO anything else. No process is left behind.
 */
int wc_guest__run(const struct wc_guest *g, char *error, size_t error_sz);
/* "QEMU emulator version ..."; -ENOENT: there is none. */
int wc_guest__emulator(char *out, size_t sz);

#endif
