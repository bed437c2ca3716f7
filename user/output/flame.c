// SPDX-License-Identifier: BSD-2-Clause
/* A flame graph: paths to a tree, the tree to an SVG that needs nothing beside itself. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/flame_impl.h"

static int check(const struct wc_result *r, const struct wc_result *base,
		 const struct wc_flame_opts *o)
{
	if (!r->profile || (base && !base->profile))
		return -ENODATA;
	if (o->view > WC_VIEW_STAGE || o->per > WC_PER_NONE ||
	    o->weigh >= WC_WEIGH_STAGE + WC_STAGE_CNT)
		return -EINVAL;
	return 0;
}

/* What the base is multiplied by: num / den, never by nothing. */
static void choose_scale(struct flame *fl)
{
	const struct flame_node *root = &fl->tree.nodes[0];

	fl->num = fl->den = 1;
	switch (fl->opts.per) {
	case WC_PER_WAKE:
		fl->num = flame__wakes(fl->r->profile);
		fl->den = flame__wakes(fl->base->profile);
		break;
	case WC_PER_SECOND:
		fl->num = fl->r->profile->window_ns;
		fl->den = fl->base->profile->window_ns;
		break;
	case WC_PER_SHARE:
		fl->num = root->value[FLAME_NEW];
		fl->den = root->value[FLAME_BASE];
		break;
	case WC_PER_NONE:
		break;
	}
	if (!fl->num || !fl->den)
		fl->num = fl->den = 1;
}

static int by_width(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* The narrowest that is drawn: as asked for, and no more than a browser can bear. */
static int choose_width_min(struct flame *fl)
{
	const struct flame_tree *t = &fl->tree;
	double least = (double)t->nodes[0].width * fl->opts.min_width_pct / 100;
	uint64_t *widths = malloc(t->cnt * sizeof(*widths));

	if (!widths)
		return -ENOMEM;
	fl->width_min = (uint64_t)least;
	fl->width_min += (double)fl->width_min < least;
	if (!fl->width_min)
		fl->width_min = 1;
	for (size_t i = 0; i < t->cnt; i++)
		widths[i] = t->nodes[i].width;
	qsort(widths, t->cnt, sizeof(*widths), by_width);
	if (t->cnt > FLAME_DRAWN_MAX && widths[FLAME_DRAWN_MAX] >= fl->width_min)
		fl->width_min = widths[FLAME_DRAWN_MAX] + 1;
	while (fl->drawn_cnt < t->cnt && widths[fl->drawn_cnt] >= fl->width_min)
		fl->drawn_cnt++;
	for (fl->hidden_cnt = 0; fl->drawn_cnt + fl->hidden_cnt < t->cnt; fl->hidden_cnt++)
		if (!widths[fl->drawn_cnt + fl->hidden_cnt])
			break;
	free(widths);
	return 0;
}

static int build(struct flame *fl)
{
	const struct wc_flame_opts *o = &fl->opts;
	int err = flame_tree__init(&fl->tree);

	if (!err)
		err = flame_tree__add(&fl->tree, fl->r, FLAME_NEW, o->view, o->weigh, o->threads);
	if (!err && fl->base)
		err = flame_tree__add(&fl->tree, fl->base, FLAME_BASE, o->view, o->weigh,
				      o->threads);
	if (err)
		return err;
	if (fl->base) {
		choose_scale(fl);
		flame_tree__scale_base(&fl->tree, fl->num, fl->den);
	}
	return flame__lay_out(fl);
}

int flame__lay_out(struct flame *fl)
{
	int err = flame_tree__lay_out(&fl->tree);

	if (fl->opts.min_width_pct <= 0)
		fl->opts.min_width_pct = WC_FLAME_MIN_WIDTH_PCT;
	if (fl->opts.min_delta_pct <= 0)
		fl->opts.min_delta_pct = WC_FLAME_MIN_DELTA_PCT;
	return err ? err : choose_width_min(fl);
}

void flame__free(struct flame *fl)
{
	flame_tree__free(&fl->tree);
	free(fl->title);
	for (size_t i = 0; i < fl->fact_cnt; i++)
		free(fl->facts[i]);
}

int wc_out_flame(FILE *f, const struct wc_result *r, const struct wc_result *base,
		 const struct wc_flame_opts *opts)
{
	struct flame fl = { .r = r, .base = base, .compared = base, .opts = *opts };
	int err = check(r, base, opts);

	if (err)
		return err;
	err = build(&fl);
	if (!err)
		err = flame__describe(&fl);
	if (!err)
		err = flame__write(&fl, f);
	flame__free(&fl);
	return err;
}
