/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a flame graph: what it is called, its frames, its text. */
#ifndef WC_OUTPUT_FLAME_IMPL_H
#define WC_OUTPUT_FLAME_IMPL_H

#include <stdio.h>

#include "user/output/flame_tree.h"
#include "user/output/output.h"

extern const char wc_flame_css[], wc_flame_js[];

#define FLAME_ROW	18   /* px from one row to the next */
#define FLAME_CHAR	7.25 /* px, of the widest of the usual monospace fonts at 12 px */
#define FLAME_PAD	10
#define FLAME_DRAWN_MAX 30000
#define FLAME_FACT_MAX	24

struct flame {
	const struct wc_result *r, *base; /* base: NULL for one alone */
	bool compared;			  /* nodes have two values */
	struct wc_flame_opts opts;	  /* defaults filled in */
	struct flame_tree tree;
	uint64_t num, den; /* the base was scaled by */
	/* values that are no time: what they count, and by how many they are divided to be shown */
	const char *unit; /* NULL: time or wakes, by opts.weigh */
	double per;
	uint64_t width_min;
	size_t drawn_cnt, hidden_cnt;
	char *title;
	char *facts[FLAME_FACT_MAX];
	size_t fact_cnt;
};

/* 0 or -ENOMEM: the tree is in place and scaled; gives frames their places. */
int flame__lay_out(struct flame *fl);
/* 0 or -ENOMEM: one more fact below the title. */
int flame__fact(struct flame *fl, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void flame__free(struct flame *fl);
/* 0 or -ENOMEM: title and facts. */
int flame__describe(struct flame *fl);
int flame__write(const struct flame *fl, FILE *f);

/* What sums up a profile. */
uint64_t flame__wakes(const struct wc_profile *p);

/* Escaped for XML, text as wc_text__safe() leaves it. */
void flame__put(FILE *f, const char *text);
/* Allocated: wc_text__safe() of text; NULL: no memory. */
char *flame__safe(const char *text);
/* At most so many columns, the rest an ellipsis, at the front when the tail says more. */
void flame__put_cut(FILE *f, const char *safe, size_t columns, bool keep_tail);
size_t flame__columns(const char *safe);
/* "1.23 ms" or "1,234" */
const char *flame__format(const struct flame *fl, char *buf, size_t sz, uint64_t value);

/* How a node has changed. */
struct flame_change {
	const char *css; /* "more2" */
	char text[24];	 /* "+23 %", "new", "gone"; "" when the same */
};
struct flame_change flame__change(const struct flame *fl, const struct flame_node *n);

#endif
