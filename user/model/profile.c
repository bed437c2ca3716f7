// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/profile.h"

#include <stdlib.h>
#include <string.h>

#include "user/util/grow.h"

/*
 * Open addressing: each slot holds an index + 1, 0 where free. Items are never removed; those
 * that were appended without it are taken in at the next look-up.
 */
struct intern {
	uint32_t *slots;
	size_t slot_cnt, item_cnt;
};

/* What a profile is while it is built. */
struct box {
	struct wc_profile profile; /* first: wc_profile__free() takes its address */
	struct intern frames, stacks;
};

struct wc_profile *wc_profile__new(void)
{
	struct box *box = calloc(1, sizeof(*box));

	return (struct wc_profile *)box;
}

static void frame_clear(struct wc_frame *f)
{
	free(f->name);
	free(f->module);
	free(f->build_id);
	free(f->file);
}

void wc_profile__free(struct wc_profile *p)
{
	struct box *box = (struct box *)p;

	if (!p)
		return;
	for (size_t i = 0; i < p->task_cnt; i++) {
		free(p->tasks[i].comm);
		free(p->tasks[i].process);
	}
	for (size_t i = 0; i < p->edge_cnt; i++)
		for (unsigned int m = 0; m < WC_METRIC_CNT; m++)
			free(p->edges[i].hists[m]);
	for (size_t i = 0; i < p->frame_cnt; i++)
		frame_clear(&p->frames[i]);
	for (size_t i = 0; i < p->stack_cnt; i++)
		free(p->stacks[i].frames);
	free(p->tasks);
	free(p->edges);
	free(p->frames);
	free(p->stacks);
	free(p->chains);
	free(p->opens);
	free(p->cpus);
	free(p->events);
	free(box->frames.slots);
	free(box->stacks.slots);
	free(box);
}

static uint64_t hash_bytes(uint64_t h, const void *data, size_t len)
{
	const unsigned char *s = data;

	for (size_t i = 0; i < len; i++)
		h = (h ^ s[i]) * 0x100000001b3ull;
	return h;
}

static uint64_t hash_number(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x100000001b3ull;
	return h ^ h >> 29;
}

/* The low bits pick the slot, so every bit has to reach them. */
static uint64_t hash_end(uint64_t h)
{
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ull;
	return h ^ h >> 32;
}

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

/* With its terminator, so that two strings do not run into each other. */
static uint64_t hash_text(uint64_t h, const char *s)
{
	s = or_empty(s);
	return hash_bytes(h, s, strlen(s) + 1);
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(or_empty(a), or_empty(b));
}

#define HASH_START 0xcbf29ce484222325ull

static uint64_t frame_hash(const void *item)
{
	const struct wc_frame *f = item;
	uint64_t h = hash_number(HASH_START, f->addr);

	h = hash_number(h, f->line);
	h = hash_number(h, f->kind);
	h = hash_text(h, f->name);
	h = hash_text(h, f->module);
	h = hash_text(h, f->build_id);
	return hash_end(hash_text(h, f->file));
}

static bool frame_same(const void *a, const void *b)
{
	const struct wc_frame *x = a, *y = b;

	return x->kind == y->kind && x->addr == y->addr && x->line == y->line &&
	       same_text(x->name, y->name) && same_text(x->module, y->module) &&
	       same_text(x->build_id, y->build_id) && same_text(x->file, y->file);
}

static uint64_t stack_hash(const void *item)
{
	const struct wc_stack *s = item;
	uint64_t h = hash_number(HASH_START, s->frame_cnt);

	h = hash_number(h, s->user * 2u + s->truncated);
	return hash_end(hash_bytes(h, s->frames, s->frame_cnt * sizeof(*s->frames)));
}

static bool stack_same(const void *a, const void *b)
{
	const struct wc_stack *x = a, *y = b;

	return x->frame_cnt == y->frame_cnt && x->user == y->user && x->truncated == y->truncated &&
	       (!x->frame_cnt || !memcmp(x->frames, y->frames, x->frame_cnt * sizeof(*x->frames)));
}

/* What is interned: where the items lie and how they are told apart. */
struct kind {
	const void *items;
	size_t item_cnt, item_sz;
	uint64_t (*hash)(const void *item);
	bool (*same)(const void *a, const void *b);
};

static const void *kind_item(const struct kind *k, size_t i)
{
	return (const char *)k->items + i * k->item_sz;
}

/* The slot that holds an equal item, or the free one it belongs into. */
static uint32_t *intern_slot(const struct intern *t, const struct kind *k, const void *item)
{
	size_t i = k->hash(item) & (t->slot_cnt - 1);

	while (t->slots[i] && !k->same(kind_item(k, t->slots[i] - 1), item))
		i = (i + 1) & (t->slot_cnt - 1);
	return &t->slots[i];
}

/* Makes every item known, and room for one more. */
static bool intern_ready(struct intern *t, const struct kind *k)
{
	size_t slot_cnt = t->slot_cnt ? t->slot_cnt : 64;

	while (k->item_cnt + 1 > slot_cnt / 2)
		slot_cnt *= 2;
	if (k->item_cnt >= UINT32_MAX - 1)
		return false;
	if (slot_cnt != t->slot_cnt) {
		uint32_t *slots = calloc(slot_cnt, sizeof(*slots));

		if (!slots)
			return false;
		free(t->slots);
		*t = (struct intern){ .slots = slots, .slot_cnt = slot_cnt };
	}
	for (; t->item_cnt < k->item_cnt; t->item_cnt++) {
		uint32_t *slot = intern_slot(t, k, kind_item(k, t->item_cnt));

		if (!*slot)
			*slot = (uint32_t)t->item_cnt + 1;
	}
	return true;
}

static char *copy(const char *s)
{
	return strdup(or_empty(s));
}

uint32_t wc_profile__frame(struct wc_profile *p, const struct wc_frame *f)
{
	struct intern *t = &((struct box *)p)->frames;
	struct kind k = { p->frames, p->frame_cnt, sizeof(*f), frame_hash, frame_same };
	struct wc_frame own = *f, *frames;
	uint32_t *slot;

	if (!intern_ready(t, &k))
		return WC_NONE;
	slot = intern_slot(t, &k, f);
	if (*slot)
		return *slot - 1;
	frames = wc_grow(p->frames, p->frame_cnt, sizeof(*frames));
	if (!frames)
		return WC_NONE;
	p->frames = frames;
	own.name = copy(f->name);
	own.module = copy(f->module);
	own.build_id = copy(f->build_id);
	own.file = copy(f->file);
	if (!own.name || !own.module || !own.build_id || !own.file) {
		frame_clear(&own);
		return WC_NONE;
	}
	frames[p->frame_cnt++] = own;
	*slot = (uint32_t)++t->item_cnt;
	return *slot - 1;
}

uint32_t wc_profile__stack(struct wc_profile *p, const uint32_t *frames, uint32_t cnt, bool user,
			   bool truncated)
{
	struct intern *t = &((struct box *)p)->stacks;
	struct kind k = { p->stacks, p->stack_cnt, sizeof(*p->stacks), stack_hash, stack_same };
	struct wc_stack key = { (uint32_t *)frames, cnt, user, truncated }, *stacks;
	uint32_t *slot;

	if (!intern_ready(t, &k))
		return WC_NONE;
	slot = intern_slot(t, &k, &key);
	if (*slot)
		return *slot - 1;
	stacks = wc_grow(p->stacks, p->stack_cnt, sizeof(*stacks));
	if (!stacks)
		return WC_NONE;
	p->stacks = stacks;
	key.frames = NULL;
	if (cnt) {
		key.frames = reallocarray(NULL, cnt, sizeof(*frames));
		if (!key.frames)
			return WC_NONE;
		memcpy(key.frames, frames, cnt * sizeof(*frames));
	}
	stacks[p->stack_cnt++] = key;
	*slot = (uint32_t)++t->item_cnt;
	return *slot - 1;
}

#define ADD(items, cnt)                                                   \
	do {                                                              \
		void *grown_ = wc_grow((items), (cnt), sizeof(*(items))); \
		if (!grown_)                                              \
			return NULL;                                      \
		(items) = grown_;                                         \
		memset(&(items)[cnt], 0, sizeof(*(items)));               \
		return &(items)[(cnt)++];                                 \
	} while (0)

struct wc_task *wc_profile__add_task(struct wc_profile *p)
{
	ADD(p->tasks, p->task_cnt);
}

struct wc_edge *wc_profile__add_edge(struct wc_profile *p)
{
	ADD(p->edges, p->edge_cnt);
}

struct wc_chain *wc_profile__add_chain(struct wc_profile *p)
{
	ADD(p->chains, p->chain_cnt);
}

struct wc_open *wc_profile__add_open(struct wc_profile *p)
{
	ADD(p->opens, p->open_cnt);
}
