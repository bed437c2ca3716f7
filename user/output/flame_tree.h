/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree behind a flame graph: paths that begin alike are one. With a base, every node has two
 * values, and those that only the base has are ghosts, kept beside the living.
 */
#ifndef WC_OUTPUT_FLAME_TREE_H
#define WC_OUTPUT_FLAME_TREE_H

#include "user/model/profile.h"

#define FLAME_NONE	UINT32_MAX
#define FLAME_DEPTH_MAX 400 /* deeper frames are left out, their time is not */

enum flame_side {
	FLAME_NEW = 0,
	FLAME_BASE = 1,
};

struct flame_node {
	const char *name, *module;
	enum wc_path_class path_class;
	enum wc_frame_kind kind;
	uint32_t parent, child, next; /* after sorting: in drawing order */
	uint32_t depth;		      /* 0: the root */
	uint64_t value[2], self[2];   /* the base's scaled */
	uint64_t x, width;	      /* in the unit of the values */
	bool ghost;		      /* only the base has it */
};

struct flame_tree {
	struct flame_node *nodes; /* the first is the root */
	size_t cnt;
	uint32_t *slots; /* hash of parent and name to node + 1 */
	size_t slot_cnt;
	uint32_t depth_max;
};

/* 0 or -ENOMEM; free it in either case. */
int flame_tree__init(struct flame_tree *t);
int flame_tree__add(struct flame_tree *t, const struct wc_result *r, enum flame_side side,
		    enum wc_view view, unsigned int weigh, bool threads);
/* One path, from the root; of a frame name, module, class and kind are taken. 0 or -ENOMEM. */
int flame_tree__put(struct flame_tree *t, enum flame_side side, const struct flame_node *frames,
		    size_t cnt, uint64_t value);
/* Base times num / den, rounded down at each node, so that children stay within parents. */
void flame_tree__scale_base(struct flame_tree *t, uint64_t num, uint64_t den);
/* Sorts, and gives every node its place. */
int flame_tree__lay_out(struct flame_tree *t);
void flame_tree__free(struct flame_tree *t);

#endif
