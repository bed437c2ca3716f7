// SPDX-License-Identifier: BSD-2-Clause
/* Counters read at the boundaries: the mean of each in each span, by cell. */
#include <errno.h>
#include <math.h>

#include "user/model/counted.h"
#include "user/output/table_impl.h"
#include "user/util/text.h"

const char *table__count(double v, char buf[TIME_SZ])
{
	double size = fabs(v);

	snprintf(buf, TIME_SZ, "%.*f",
		 size >= 99.95 || size == 0 ? 0
		 : size >= 9.995	    ? 1
		 : size >= 0.0995	    ? 2
					    : 4,
		 v);
	return buf;
}

static void put_row(const struct table *t, struct wc_grid *g, size_t cell, unsigned int counter)
{
	char buf[TIME_SZ];

	wc_grid__put(g, "%s", t->r->counters.items[counter].key);
	for (unsigned int span = 0; span < WC_SPAN_CNT; span++) {
		struct wc_counted c = wc_cell__counted(&t->r->cells[cell], span, counter);

		wc_grid__put(g, "%s", c.count ? table__count(c.mean, buf) : "-");
	}
}

static void print_losses(const struct table *t)
{
	uint64_t count = 0, discarded = 0, failed = 0;
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ], c[WC_UNITS_BUF_SZ], text[256];

	for (size_t i = 0; i < t->shown_cnt; i++) {
		for (unsigned int span = 0; span < WC_SPAN_CNT; span++) {
			struct wc_counted one =
				wc_cell__counted(&t->r->cells[t->order[i]], span, 0);

			count += one.count;
			discarded += one.discarded;
			failed += one.failed;
		}
	}
	snprintf(text, sizeof(text),
		 "of %s spans; %s left out because a counter was shared with others meanwhile, %s "
		 "because it could not be read",
		 wc_units__format_count(a, sizeof(a), count),
		 wc_units__format_count(b, sizeof(b), discarded),
		 wc_units__format_count(c, sizeof(c), failed));
	wc_grid__paragraph(t->f, "means ", text);
}

int table__counted(const struct table *t)
{
	char columns[LABEL_COLUMN_MAX + WC_SPAN_CNT + 2];
	struct labels l;
	struct wc_grid *g;
	int err;

	if (!t->r->counters.cnt)
		return 0;
	table__find_labels(t, &l);
	snprintf(columns, sizeof(columns), "%slrrrrrrr", l.columns);
	g = wc_grid__new(columns);
	if (!g)
		return -ENOMEM;
	table__head_labels(&l, g);
	wc_grid__head(g, "counter");
	for (unsigned int span = 0; span < WC_SPAN_CNT; span++)
		wc_grid__head(g, span == WC_SPAN_SELECT ? "select\n+enqueue" : wc_span__name(span));
	for (size_t i = 0; i < t->shown_cnt; i++) {
		for (unsigned int k = 0; k < t->r->counters.cnt; k++) {
			table__put_labels(&l, g, &t->r->cells[t->order[i]]);
			put_row(t, g, t->order[i], k);
		}
	}
	table__heading(t, "Counted on one CPU, mean of each time through a stage");
	err = wc_grid__print(g, t->f, "", t->opts->colour);
	print_losses(t);
	for (unsigned int k = 0; k < t->r->counters.cnt; k++) {
		char name[64];

		snprintf(name, sizeof(name), "%s: ", t->r->counters.items[k].key);
		wc_grid__paragraph(t->f, name, t->r->counters.items[k].value);
	}
	return err;
}
