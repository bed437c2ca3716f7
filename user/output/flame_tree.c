// SPDX-License-Identifier: BSD-2-Clause
#include "user/output/flame_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/paths.h"
#include "user/util/grow.h"

static uint32_t add_node(struct flame_tree *t, const struct flame_node *like)
{
	struct flame_node *nodes;

	if (t->cnt >= FLAME_NONE - 1)
		return FLAME_NONE;
	nodes = wc_grow(t->nodes, t->cnt, sizeof(*nodes));
	if (!nodes)
		return FLAME_NONE;
	t->nodes = nodes;
	nodes[t->cnt] = *like;
	return (uint32_t)t->cnt++;
}

int flame_tree__init(struct flame_tree *t)
{
	struct flame_node root = {
		.name = "all",
		.module = "",
		.path_class = WC_PATH_PROCESS,
		.kind = WC_FRAME_NOTE,
		.parent = FLAME_NONE,
		.child = FLAME_NONE,
		.next = FLAME_NONE,
	};

	*t = (struct flame_tree){ .slot_cnt = 1024 };
	t->slots = calloc(t->slot_cnt, sizeof(*t->slots));
	return t->slots && add_node(t, &root) != FLAME_NONE ? 0 : -ENOMEM;
}

void flame_tree__free(struct flame_tree *t)
{
	free(t->nodes);
	free(t->slots);
}

static uint64_t node_hash(const struct flame_node *n)
{
	uint64_t h = 0xcbf29ce484222325ull ^ ((uint64_t)n->parent << 8 | n->path_class);

	for (const char *s = n->name; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ull;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ull;
	return h ^ h >> 32;
}

static bool node_same(const struct flame_node *a, const struct flame_node *b)
{
	return a->parent == b->parent && a->path_class == b->path_class && a->kind == b->kind &&
	       !strcmp(a->name, b->name) && !strcmp(a->module, b->module);
}

static uint32_t *node_slot(const struct flame_tree *t, const struct flame_node *n)
{
	size_t i = node_hash(n) & (t->slot_cnt - 1);

	while (t->slots[i] && !node_same(&t->nodes[t->slots[i] - 1], n))
		i = (i + 1) & (t->slot_cnt - 1);
	return &t->slots[i];
}

static int grow_slots(struct flame_tree *t)
{
	uint32_t *slots;

	if (t->cnt + 1 <= t->slot_cnt / 2)
		return 0;
	slots = calloc(t->slot_cnt * 2, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(t->slots);
	t->slots = slots;
	t->slot_cnt *= 2;
	for (size_t i = 1; i < t->cnt; i++)
		*node_slot(t, &t->nodes[i]) = (uint32_t)i + 1;
	return 0;
}

static uint32_t child_of(struct flame_tree *t, uint32_t parent, const struct flame_node *like)
{
	struct flame_node n = *like;
	uint32_t *slot;

	n.parent = parent;
	n.depth = t->nodes[parent].depth + 1;
	n.child = FLAME_NONE;
	if (grow_slots(t))
		return FLAME_NONE;
	slot = node_slot(t, &n);
	if (*slot)
		return *slot - 1;
	n.next = t->nodes[parent].child;
	*slot = add_node(t, &n) + 1;
	if (*slot == FLAME_NONE + 1u)
		return FLAME_NONE;
	t->nodes[parent].child = *slot - 1;
	return *slot - 1;
}

int flame_tree__put(struct flame_tree *t, enum flame_side side, const struct flame_node *frames,
		    size_t cnt, uint64_t value)
{
	uint32_t at = 0;

	t->nodes[0].value[side] += value;
	for (size_t i = 0; i < cnt; i++) {
		at = child_of(t, at, &frames[i]);
		if (at == FLAME_NONE)
			return -ENOMEM;
		t->nodes[at].value[side] += value;
	}
	t->nodes[at].self[side] += value;
	return 0;
}

struct adding {
	struct flame_tree *t;
	const struct wc_result *r;
	enum flame_side side;
};

static int add_path(void *ctx, const struct wc_path *path)
{
	struct adding *a = ctx;
	struct flame_tree *t = a->t;
	uint32_t at = 0;

	t->nodes[0].value[a->side] += path->value;
	for (size_t i = 0; i < path->frame_cnt; i++) {
		const struct wc_path_frame *f = &path->frames[i];
		struct flame_node like = {
			.name = wc_paths__name(a->r, f),
			.module = f->frame && f->frame->module ? f->frame->module : "",
			.path_class = f->path_class,
			.kind = f->kind,
		};

		/* colours tell user from kernel */
		if (f->path_class == WC_PATH_SEPARATOR && !strcmp(f->name, "-"))
			continue;
		if (t->nodes[at].depth >= FLAME_DEPTH_MAX)
			break;
		at = child_of(t, at, &like);
		if (at == FLAME_NONE)
			return -ENOMEM;
		t->nodes[at].value[a->side] += path->value;
	}
	t->nodes[at].self[a->side] += path->value;
	return 0;
}

int flame_tree__add(struct flame_tree *t, const struct wc_result *r, enum flame_side side,
		    enum wc_view view, unsigned int weigh, bool threads)
{
	struct adding a = { t, r, side };

	return wc_profile__paths(r->profile, view, weigh, threads, add_path, &a);
}

void flame_tree__scale_base(struct flame_tree *t, uint64_t num, uint64_t den)
{
	for (size_t i = 0; i < t->cnt; i++) {
		struct flame_node *n = &t->nodes[i];

		n->value[FLAME_BASE] =
			(uint64_t)((unsigned __int128)n->value[FLAME_BASE] * num / den);
		n->self[FLAME_BASE] =
			(uint64_t)((unsigned __int128)n->self[FLAME_BASE] * num / den);
	}
}

/* By class and name, stages in their own order: the same picture from the same data, always. */
static int by_place(const void *a, const void *b, void *ctx)
{
	const struct flame_node *nodes = ctx;
	const struct flame_node *x = &nodes[*(const uint32_t *)a],
				*y = &nodes[*(const uint32_t *)b];
	int order;

	if (x->path_class == WC_PATH_STAGE && y->path_class == WC_PATH_STAGE) {
		order = (int)wc_paths__stage_order(x->name) - (int)wc_paths__stage_order(y->name);
		if (order)
			return order;
	}
	order = strcmp(x->name, y->name);
	if (order)
		return order;
	if (x->path_class != y->path_class)
		return x->path_class < y->path_class ? -1 : 1;
	order = strcmp(x->module, y->module);
	return order ? order : (int)x->kind - (int)y->kind;
}

static void sort_children(struct flame_tree *t, uint32_t parent, uint32_t *order)
{
	size_t cnt = 0;

	for (uint32_t i = t->nodes[parent].child; i != FLAME_NONE; i = t->nodes[i].next)
		order[cnt++] = i;
	if (!cnt)
		return;
	qsort_r(order, cnt, sizeof(*order), by_place, t->nodes);
	t->nodes[parent].child = order[0];
	for (size_t i = 0; i < cnt; i++)
		t->nodes[order[i]].next = i + 1 < cnt ? order[i + 1] : FLAME_NONE;
}

int flame_tree__lay_out(struct flame_tree *t)
{
	uint32_t *order = malloc(t->cnt * sizeof(*order));

	if (!order)
		return -ENOMEM;
	/* A child stands behind its parent in the array: backwards, children are done first. */
	for (size_t i = t->cnt; i-- > 0;) {
		struct flame_node *n = &t->nodes[i];

		n->ghost = i && !n->value[FLAME_NEW];
		if (n->ghost)
			n->width = n->value[FLAME_BASE];
		else
			n->width += n->value[FLAME_NEW];
		/* what is gone stands beside what there is, and so widens all that hold it */
		if (i && n->ghost && n->parent && !t->nodes[n->parent].value[FLAME_NEW])
			continue;
		if (i)
			t->nodes[n->parent].width +=
				n->ghost ? n->width : n->width - n->value[FLAME_NEW];
	}
	for (size_t i = 0; i < t->cnt; i++) {
		uint64_t x = t->nodes[i].x;

		sort_children(t, (uint32_t)i, order);
		for (uint32_t c = t->nodes[i].child; c != FLAME_NONE; c = t->nodes[c].next) {
			t->nodes[c].x = x;
			x += t->nodes[c].width;
		}
		if (t->nodes[i].depth > t->depth_max)
			t->depth_max = t->nodes[i].depth;
	}
	free(order);
	return 0;
}
