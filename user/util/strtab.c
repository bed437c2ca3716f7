// SPDX-License-Identifier: BSD-2-Clause
#include "user/util/strtab.h"

#include <stdlib.h>
#include <string.h>

#include "user/util/grow.h"

/* Open addressing: a slot holds number + 1, 0 where free. */
static uint32_t *find(const struct wc_strtab *t, const char *s)
{
	uint64_t h = 0xcbf29ce484222325ull;
	size_t i;

	for (const char *c = s; *c; c++)
		h = (h ^ (unsigned char)*c) * 0x100000001b3ull;
	h ^= h >> 32;
	i = h & (t->slot_cnt - 1);
	while (t->slots[i] && strcmp(t->items[t->slots[i] - 1], s) != 0)
		i = (i + 1) & (t->slot_cnt - 1);
	return &t->slots[i];
}

static int make_room(struct wc_strtab *t)
{
	struct wc_strtab bigger = *t;

	if (t->cnt < t->slot_cnt / 2)
		return 0;
	bigger.slot_cnt = t->slot_cnt ? t->slot_cnt * 2 : 64;
	bigger.slots = calloc(bigger.slot_cnt, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -1;
	for (uint32_t i = 0; i < t->cnt; i++)
		*find(&bigger, t->items[i]) = i + 1;
	free(t->slots);
	*t = bigger;
	return 0;
}

uint32_t wc_strtab__add(struct wc_strtab *t, const char *s)
{
	uint32_t *slot;
	char **items;

	if (t->cnt >= WC_STRTAB_NONE - 1 || make_room(t))
		return WC_STRTAB_NONE;
	slot = find(t, s);
	if (*slot)
		return *slot - 1;
	items = wc_grow(t->items, t->cnt, sizeof(*items));
	if (!items)
		return WC_STRTAB_NONE;
	t->items = items;
	items[t->cnt] = strdup(s);
	if (!items[t->cnt])
		return WC_STRTAB_NONE;
	*slot = ++t->cnt;
	return t->cnt - 1;
}

void wc_strtab__free(struct wc_strtab *t)
{
	for (uint32_t i = 0; i < t->cnt; i++)
		free(t->items[i]);
	free(t->items);
	free(t->slots);
	*t = (struct wc_strtab){ 0 };
}
