// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/lab_growth.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/util/grow.h"

/* What orders functions: a line from L2 costs some ten instructions, one from beyond a hundred. */
#define L1D_WEIGHT 10
#define L2_WEIGHT  100

double wc_lab_change__more(const struct wc_lab_change *c, enum wc_lab_count count)
{
	return c->now[count] - c->base[count];
}

double wc_lab_growth__more(const struct wc_lab_growth *g, enum wc_lab_count count)
{
	return g->now[count] - g->base[count];
}

static double weight(const struct wc_lab_change *c)
{
	return fabs(wc_lab_change__more(c, WC_LAB_INSNS)) +
	       fabs(wc_lab_change__more(c, WC_LAB_L1D)) * L1D_WEIGHT +
	       fabs(wc_lab_change__more(c, WC_LAB_L2)) * L2_WEIGHT;
}

static int by_name(const void *a, const void *b)
{
	const struct wc_lab_change *x = a, *y = b;
	int order = strcmp(x->stage, y->stage);

	return order ? order : strcmp(x->function, y->function);
}

static int by_weight(const void *a, const void *b)
{
	double x = weight(a), y = weight(b);

	return x < y ? 1 : x > y ? -1 : by_name(a, b);
}

static bool alike(const struct wc_lab_cell *a, const struct wc_lab_cell *b)
{
	return !strcmp(a->kernel, b->kernel) && !strcmp(a->params, b->params);
}

static unsigned int seeds_of(const struct wc_lab *lab, const struct wc_lab_cell *like)
{
	unsigned int cnt = 0;
	size_t i;

	for (i = 0; i < lab->cell_cnt; i++)
		cnt += alike(&lab->cells[i], like) && lab->cells[i].handoffs;
	return cnt;
}

/* One item for each row of each seed, with its share of the mean. */
static int take(struct wc_lab_growth *g, const struct wc_lab *lab, const struct wc_lab_cell *like,
		bool is_base)
{
	unsigned int seeds = seeds_of(lab, like), c;
	double *least = is_base ? &g->base_min : &g->now_min;
	double *most = is_base ? &g->base_max : &g->now_max;
	size_t i, r;

	for (i = 0; i < lab->cell_cnt; i++) {
		const struct wc_lab_cell *cell = &lab->cells[i];
		double insns = wc_lab_cell__per_handoff(cell, NULL, NULL, WC_LAB_INSNS);

		if (!alike(cell, like) || !cell->handoffs)
			continue;
		*least = *least > 0 ? fmin(*least, insns) : insns;
		*most = fmax(*most, insns);
		for (r = 0; r < cell->row_cnt; r++) {
			struct wc_lab_change *items = wc_grow(g->items, g->cnt, sizeof(*items));
			double *to;

			if (!items)
				return -ENOMEM;
			g->items = items;
			items += g->cnt++;
			*items = (struct wc_lab_change){ .stage = cell->rows[r].stage,
							 .function = cell->rows[r].function };
			to = is_base ? items->base : items->now;
			for (c = 0; c < WC_LAB_COUNT_CNT; c++)
				to[c] = (double)cell->rows[r].counts[c] / (double)cell->handoffs /
					seeds;
		}
	}
	return 0;
}

/* Items of the same function become one. */
static void fold(struct wc_lab_growth *g)
{
	size_t from, to = 0;
	unsigned int c;

	if (!g->cnt)
		return;
	qsort(g->items, g->cnt, sizeof(*g->items), by_name);
	for (from = 1; from < g->cnt; from++) {
		if (by_name(&g->items[to], &g->items[from])) {
			g->items[++to] = g->items[from];
			continue;
		}
		for (c = 0; c < WC_LAB_COUNT_CNT; c++) {
			g->items[to].base[c] += g->items[from].base[c];
			g->items[to].now[c] += g->items[from].now[c];
		}
	}
	g->cnt = to + 1;
}

static void sum(struct wc_lab_growth *g)
{
	unsigned int c;
	size_t i;

	for (i = 0; i < g->cnt; i++) {
		struct wc_lab_change *item = &g->items[i];

		item->path = fabs(wc_lab_change__more(item, WC_LAB_INSNS)) >= WC_LAB_PATH_INSNS;
		for (c = 0; c < WC_LAB_COUNT_CNT; c++) {
			g->base[c] += item->base[c];
			g->now[c] += item->now[c];
			*(item->path ? &g->path[c] : &g->same[c]) += wc_lab_change__more(item, c);
		}
	}
}

int wc_lab_growth__of(const struct wc_lab *lab, const struct wc_lab_cell *cell,
		      const struct wc_lab_cell *base, struct wc_lab_growth *out)
{
	int err;

	memset(out, 0, sizeof(*out));
	err = take(out, lab, base, true);
	err = err ?: take(out, lab, cell, false);
	if (err)
		return err;
	fold(out);
	sum(out);
	qsort(out->items, out->cnt, sizeof(*out->items), by_weight);
	return 0;
}

void wc_lab_growth__free(struct wc_lab_growth *g)
{
	free(g->items);
	memset(g, 0, sizeof(*g));
}
