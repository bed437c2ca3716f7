/* SPDX-License-Identifier: BSD-2-Clause */
/* What held a server back, in a word and why. */
#include <errno.h>

#include "user/model/bottleneck.h"
#include "user/output/table_impl.h"

static void put_verdict(struct wc_grid *g, const struct wc_bottleneck_verdict *v)
{
	char why[WC_BOTTLENECK_SZ];

	wc_grid__put(g, "%s", wc_bottleneck__name(v->verdict));
	wc_grid__put(g, "%u of %u", v->agreeing, v->rounds);
	wc_grid__put(g, "%s", wc_bottleneck__sentence(v, why));
}

int table__bottleneck(const struct table *t)
{
	char columns[LABEL_COLUMN_MAX + 4];
	struct wc_bottleneck_verdict v;
	struct labels l;
	struct wc_grid *g;

	if (!t->shown_cnt || !wc_bottleneck__of(t->r, &t->r->cells[t->order[0]], &v))
		return 0;
	table__find_labels(t, &l);
	snprintf(columns, sizeof(columns), "%sllw", l.columns);
	g = wc_grid__new(columns);
	if (!g)
		return -ENOMEM;
	table__head_labels(&l, g);
	wc_grid__head(g, "limit");
	wc_grid__head(g, "rounds");
	wc_grid__head(g, "why");
	for (size_t i = 0; i < t->shown_cnt; i++) {
		const struct wc_cell *cell = &t->r->cells[t->order[i]];

		wc_bottleneck__of(t->r, cell, &v);
		table__put_labels(&l, g, cell);
		put_verdict(g, &v);
	}
	table__heading(t, "What held it back");
	return wc_grid__print(g, t->f, "", t->opts->colour);
}
