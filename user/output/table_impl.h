/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the sections of the table and nobody else. */
#ifndef WC_OUTPUT_TABLE_IMPL_H
#define WC_OUTPUT_TABLE_IMPL_H

#include "user/output/grid.h"
#include "user/output/output.h"
#include "user/util/units.h"

struct table {
	FILE *f;
	const struct wc_result *r;
	const struct wc_cell_summary *s;
	const struct wc_table_opts *opts;
	const struct wc_unit *unit; /* of every time in the blocks by cell */
	size_t *order;		    /* cells to show */
	size_t shown_cnt;
};

/* A time in the unit of the table, three significant digits. Returns buf. */
#define TIME_SZ 32
const char *table__time(const struct table *t, double ns, char buf[TIME_SZ]);
/* "1.83 [1.80, 1.86]" */
#define FIGURE_SZ 112
const char *table__figure(const struct table *t, const struct wc_figure *fig, char buf[FIGURE_SZ]);
/* A mean of counts: as many digits as say something. */
const char *table__count(double v, char buf[TIME_SZ]);
void table__heading(const struct table *t, const char *text);

/* Columns and fields of the parameters that tell cells apart. */
#define LABEL_COLUMN_MAX 12
struct labels {
	const char *keys[LABEL_COLUMN_MAX];
	size_t cnt;
	char columns[LABEL_COLUMN_MAX + 1]; /* letters for wc_grid__new */
};

void table__find_labels(const struct table *t, struct labels *l);
void table__head_labels(const struct labels *l, struct wc_grid *g);
void table__put_labels(const struct labels *l, struct wc_grid *g, const struct wc_cell *cell);

/* Sections; 0 or -ENOMEM. */
int table__gauges(const struct table *t);
int table__bottleneck(const struct table *t);
int table__work_wakes(const struct table *t);
int table__work_stages(const struct table *t);
int table__stages(const struct table *t);
int table__classes(const struct table *t);
int table__pairs(const struct table *t);
int table__kinds(const struct table *t);
int table__cost(const struct table *t);
int table__probes(const struct table *t);
int table__losses(const struct table *t);
int table__counters(const struct table *t);
int table__counted(const struct table *t);
void table__environment(const struct table *t);

#endif
