/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process says of the code it made: lines of "START SIZE NAME", numbers in hex. */
#ifndef WC_SYMBOL_JITMAP_H
#define WC_SYMBOL_JITMAP_H

#include <stddef.h>
#include <stdint.h>

#include "user/symbol/pool.h"
#include "user/symbol/ranges.h"

struct wc_jit {
	const char *name; /* in the pool */
	uint64_t start;
};

struct wc_jitmap {
	struct wc_ranges ranges; /* value: index of codes */
	struct wc_jit *codes;
	size_t cnt, cap;
	size_t read_len; /* whole lines read so far, and their hash */
	uint64_t read_hash;
};

/*
 * Adds what fd holds; later lines win over earlier ones, and over what was there. Lines that make
 * no sense are passed over. 0 or -errno; -EFBIG: too large, and read as far as allowed.
 */
int wc_jitmap__read(struct wc_jitmap *m, struct wc_pool *pool, int fd);
const struct wc_jit *wc_jitmap__find(const struct wc_jitmap *m, uint64_t at);
void wc_jitmap__clear(struct wc_jitmap *m);

#endif
