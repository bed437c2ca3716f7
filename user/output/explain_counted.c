// SPDX-License-Identifier: BSD-2-Clause
/* Counters of the cells that the verdict is about: what grows in which stage, in counts. */
#include <stdio.h>
#include <string.h>

#include "user/model/counted.h"
#include "user/model/explain_cells.h"
#include "user/output/explain_impl.h"
#include "user/output/grid.h"
#include "user/output/table_impl.h"

static void put_cell(struct wc_grid *g, const struct wc_result *r, const struct wc_cell *cell,
		     const char *what)
{
	char buf[TIME_SZ];

	for (unsigned int k = 0; cell && k < r->counters.cnt; k++) {
		wc_grid__put(g, "%s", what);
		wc_grid__put(g, "%s", r->counters.items[k].key);
		for (unsigned int span = 0; span < WC_SPAN_CNT; span++) {
			struct wc_counted c = wc_cell__counted(cell, span, k);

			wc_grid__put(g, "%s", c.count ? table__count(c.mean, buf) : "-");
		}
	}
}

/* The largest of a role, by a key. */
static const struct wc_cell *largest(const struct wc_result *r, const char *role, const char *key)
{
	const struct wc_cell *best = NULL, *cell;

	for (size_t i = 0; (cell = wc_role__cell(r, role, i)); i++) {
		if (!best || wc_cell__number(cell, key) > wc_cell__number(best, key))
			best = cell;
	}
	return best;
}

int explain__counted(FILE *f, const struct wc_result *r, bool colour)
{
	const struct wc_cell *top = largest(r, WC_ROLE_SUBJECT, "parked");
	const struct wc_cell *tasks = largest(r, WC_ROLE_TASKS, "parked");
	const struct wc_cell *ring = largest(r, WC_ROLE_RING, "threads");
	uint64_t discarded = 0, failed = 0;
	struct wc_grid *g;
	char what[64];
	int err;

	if (!r->counters.cnt)
		return 0;
	g = wc_grid__new("llrrrrrrr");
	wc_grid__head(g, "with");
	wc_grid__head(g, "counter");
	for (unsigned int span = 0; span < WC_SPAN_CNT; span++)
		wc_grid__head(g, span == WC_SPAN_SELECT ? "select\n+enqueue" : wc_span__name(span));
	put_cell(g, r, wc_role__cell(r, WC_ROLE_BASE, 0), "nobody parked");
	if (top) {
		snprintf(what, sizeof(what), "%llu parked",
			 (unsigned long long)wc_cell__number(top, "parked"));
		put_cell(g, r, top, what);
	}
	put_cell(g, r, tasks, "as many that only exist");
	if (ring) {
		snprintf(what, sizeof(what), "a ring of %llu",
			 (unsigned long long)wc_cell__number(ring, "threads"));
		put_cell(g, r, ring, what);
	}
	fprintf(f, "\n%sCounted on one CPU, mean of each time through a stage%s\n", WC_BOLD(colour),
		WC_PLAIN(colour));
	err = wc_grid__print(g, f, "", colour);
	for (size_t i = 0; i < r->cell_cnt; i++) {
		for (unsigned int span = 0; span < WC_SPAN_CNT; span++) {
			struct wc_counted c = wc_cell__counted(&r->cells[i], span, 0);

			discarded += c.discarded;
			failed += c.failed;
		}
	}
	fprintf(f,
		"left out, all cells: %llu spans in which a counter was shared, %llu unreadable\n",
		(unsigned long long)discarded, (unsigned long long)failed);
	for (unsigned int k = 0; k < r->counters.cnt; k++) {
		snprintf(what, sizeof(what), "%s: ", r->counters.items[k].key);
		wc_grid__paragraph(f, what, r->counters.items[k].value);
	}
	return err;
}
