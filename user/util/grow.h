/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WC_UTIL_GROW_H
#define WC_UTIL_GROW_H

#include <stdlib.h>

/* Room for one more item, by doubling: an array is full exactly when cnt is 0 or a power of two. */
static inline void *wc_grow(void *items, size_t cnt, size_t item_sz)
{
	if (cnt & (cnt - 1))
		return items;
	return reallocarray(items, cnt ? cnt * 2 : 1, item_sz);
}

#endif
