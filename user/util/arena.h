/* SPDX-License-Identifier: BSD-2-Clause */
/* Many small things that live and die together. */
#ifndef WC_UTIL_ARENA_H
#define WC_UTIL_ARENA_H

#include <stddef.h>

struct wc_arena {
	struct wc_arena_block *blocks;
};

/* Zeroed, aligned for anything; NULL: no memory. */
void *wc_arena__alloc(struct wc_arena *a, size_t sz);
void wc_arena__free(struct wc_arena *a);

#endif
