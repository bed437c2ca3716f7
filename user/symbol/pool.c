// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "user/symbol/pool.h"

#define CHUNK_SZ (64 * 1024)

struct chunk {
	struct chunk *next;
	size_t used, sz;
	char bytes[];
};

struct wc_pool {
	struct chunk *chunks;
	const char **slots; /* open addressing; sz is a power of two */
	size_t cnt, sz;
};

struct wc_pool *wc_pool__new(void)
{
	struct wc_pool *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->sz = 256;
	p->slots = calloc(p->sz, sizeof(*p->slots));
	if (!p->slots) {
		free(p);
		return NULL;
	}
	return p;
}

void wc_pool__free(struct wc_pool *p)
{
	struct chunk *c;

	if (!p)
		return;
	while ((c = p->chunks)) {
		p->chunks = c->next;
		free(c);
	}
	free(p->slots);
	free(p);
}

uint64_t wc_hash(const char *s, size_t len)
{
	uint64_t h = 0xcbf29ce484222325u;

	while (len--)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3u;
	return h ^ h >> 29;
}

static int grow(struct wc_pool *p)
{
	size_t sz = p->sz * 2, i, at;
	const char **slots = calloc(sz, sizeof(*slots));

	if (!slots)
		return -1;
	for (i = 0; i < p->sz; i++) {
		if (!p->slots[i])
			continue;
		at = wc_hash(p->slots[i], strlen(p->slots[i])) & (sz - 1);
		while (slots[at])
			at = (at + 1) & (sz - 1);
		slots[at] = p->slots[i];
	}
	free(p->slots);
	p->slots = slots;
	p->sz = sz;
	return 0;
}

static char *take(struct wc_pool *p, size_t len)
{
	struct chunk *c = p->chunks;
	size_t sz = len > CHUNK_SZ ? len : CHUNK_SZ;

	if (!c || c->sz - c->used < len) {
		c = malloc(sizeof(*c) + sz);
		if (!c)
			return NULL;
		c->sz = sz;
		c->used = 0;
		c->next = p->chunks;
		p->chunks = c;
	}
	c->used += len;
	return c->bytes + c->used - len;
}

const char *wc_pool__add_len(struct wc_pool *p, const char *s, size_t len)
{
	size_t at;
	char *kept;

	len = strnlen(s, len);
	if (p->cnt * 2 >= p->sz && grow(p))
		return NULL;
	for (at = wc_hash(s, len) & (p->sz - 1); p->slots[at]; at = (at + 1) & (p->sz - 1)) {
		if (!strncmp(p->slots[at], s, len) && !p->slots[at][len])
			return p->slots[at];
	}
	kept = take(p, len + 1);
	if (!kept)
		return NULL;
	memcpy(kept, s, len);
	kept[len] = '\0';
	p->slots[at] = kept;
	p->cnt++;
	return kept;
}

const char *wc_pool__add(struct wc_pool *p, const char *s)
{
	return wc_pool__add_len(p, s, strlen(s));
}
