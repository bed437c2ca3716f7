// SPDX-License-Identifier: BSD-2-Clause
#include "user/util/arena.h"

#include <stdlib.h>

#define BLOCK_SZ ((size_t)64 << 10)

struct wc_arena_block {
	struct wc_arena_block *next;
	size_t used, sz;
	max_align_t data[];
};

static struct wc_arena_block *block__new(struct wc_arena *a, size_t sz)
{
	struct wc_arena_block *b = calloc(1, sizeof(*b) + sz);

	if (!b)
		return NULL;
	b->sz = sz;
	b->next = a->blocks;
	a->blocks = b;
	return b;
}

void *wc_arena__alloc(struct wc_arena *a, size_t sz)
{
	const size_t align = sizeof(max_align_t);
	struct wc_arena_block *b = a->blocks;
	void *p;

	if (sz > (size_t)-1 / 2)
		return NULL;
	sz = (sz + align - 1) / align * align;
	if (!b || b->sz - b->used < sz)
		b = block__new(a, sz > BLOCK_SZ ? sz : BLOCK_SZ);
	if (!b)
		return NULL;
	p = (char *)b->data + b->used;
	b->used += sz;
	return p;
}

void wc_arena__free(struct wc_arena *a)
{
	while (a->blocks) {
		struct wc_arena_block *b = a->blocks;

		a->blocks = b->next;
		free(b);
	}
}
