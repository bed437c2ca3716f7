/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a workload without handoffs counted: a block for each group of gauges, in their order. The
 * first of a block has its interval, and the same with the probes detached beside it.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "user/output/gauge.h"
#include "user/output/table_impl.h"

/* Without the probes there is one kind of phase, and it is the figure itself. */
static struct wc_figure figure_of(const struct table *t, size_t cell, size_t gauge)
{
	struct wc_figure f = wc_cell__gauge(&t->r->cells[cell], gauge, true);

	return f.n ? f : wc_cell__gauge(&t->r->cells[cell], gauge, false);
}

static bool any_probed(const struct table *t)
{
	for (size_t i = 0; i < t->shown_cnt; i++)
		if (wc_cell__gauge(&t->r->cells[t->order[i]], 0, true).n)
			return true;
	return false;
}

/* Worth a column: measured somewhere, and not nothing everywhere. */
static bool is_shown(const struct table *t, size_t gauge, bool lead)
{
	for (size_t i = 0; i < t->shown_cnt; i++) {
		struct wc_figure f = figure_of(t, t->order[i], gauge);

		if (f.n && (lead || t->opts->wide || f.max != 0 || f.min != 0))
			return true;
	}
	return false;
}

struct block {
	size_t first, end; /* gauges of one group */
	size_t lead;	   /* the one with the interval */
	bool bare;
	bool shown[WC_GAUGE_MAX];
	size_t shown_cnt;
};

/* What a block is about: in the first not the number of pieces of work, which leads it. */
static size_t lead_of(const struct block *b)
{
	return !b->first && b->end > 1 ? 1 : b->first;
}

static struct wc_grid *new_grid(const struct table *t, const struct labels *l,
				const struct block *b)
{
	char columns[LABEL_COLUMN_MAX + WC_GAUGE_MAX + 2];
	size_t n = (size_t)snprintf(columns, sizeof(columns), "%s", l->columns);
	struct wc_grid *g;

	for (size_t i = b->first; i < b->end; i++) {
		if (!b->shown[i])
			continue;
		columns[n++] = 'r';
		if (i == b->lead && b->bare)
			columns[n++] = 'r';
	}
	columns[n] = '\0';
	g = wc_grid__new(columns);
	if (!g)
		return NULL;
	table__head_labels(l, g);
	for (size_t i = b->first; i < b->end; i++) {
		if (!b->shown[i])
			continue;
		wc_gauge__head(&t->r->gauges[i], g, i == b->lead ? "[95 % interval]" : NULL);
		if (i == b->lead && b->bare)
			wc_gauge__head(&t->r->gauges[i], g, "bare");
	}
	return g;
}

static void put_gauge(const struct table *t, struct wc_grid *g, const struct block *b, size_t cell,
		      size_t gauge)
{
	const struct wc_gauge *info = &t->r->gauges[gauge];
	struct wc_figure f = figure_of(t, cell, gauge), bare;
	char buf[WC_GAUGE_FIGURE_SZ];

	if (gauge != b->lead && !t->opts->wide)
		f.has_ci = false;
	wc_grid__put(g, "%s", wc_gauge__figure(info, &f, buf));
	if (gauge != b->lead || !b->bare)
		return;
	bare = wc_cell__gauge(&t->r->cells[cell], gauge, false);
	bare.has_ci = false;
	wc_grid__put(g, "%s", wc_gauge__figure(info, &bare, buf));
}

static int print_block(const struct table *t, struct block *b)
{
	struct labels l;
	struct wc_grid *g;

	b->lead = lead_of(b);
	for (size_t i = b->first; i < b->end; i++) {
		b->shown[i] = is_shown(t, i, i == b->lead);
		b->shown_cnt += b->shown[i];
	}
	if (!b->shown_cnt)
		return 0;
	table__find_labels(t, &l);
	g = new_grid(t, &l, b);
	if (!g)
		return -ENOMEM;
	for (size_t k = 0; k < t->shown_cnt; k++) {
		table__put_labels(&l, g, &t->r->cells[t->order[k]]);
		for (size_t i = b->first; i < b->end; i++)
			if (b->shown[i])
				put_gauge(t, g, b, t->order[k], i);
	}
	table__heading(t, t->r->gauges[b->first].group);
	return wc_grid__print(g, t->f, "", t->opts->colour);
}

/* Nobody need guess what a column is. */
static int print_meanings(const struct table *t)
{
	struct wc_grid *g;

	if (!t->opts->wide)
		return 0;
	g = wc_grid__new("llw");
	if (!g)
		return -ENOMEM;
	for (size_t i = 0; i < t->r->gauge_cnt; i++) {
		wc_grid__put(g, "%s", t->r->gauges[i].name);
		wc_grid__put(g, "%s", t->r->gauges[i].unit);
		wc_grid__put(g, "%s", t->r->gauges[i].help);
	}
	table__heading(t, "Gauges");
	return wc_grid__print(g, t->f, "", t->opts->colour);
}

int table__gauges(const struct table *t)
{
	bool bare = any_probed(t);
	int err = 0;

	for (size_t i = 0; i < t->r->gauge_cnt && !err;) {
		struct block b = { .first = i, .bare = bare };

		while (i < t->r->gauge_cnt &&
		       !strcmp(t->r->gauges[i].group, t->r->gauges[b.first].group))
			i++;
		b.end = i;
		err = print_block(t, &b);
	}
	return err ? err : print_meanings(t);
}

/* ---- the wakes behind it ---- */

static void put_plain(struct wc_grid *g, const struct wc_figure *f)
{
	if (f->n)
		wc_grid__put(g, "%.2f", f->median);
	else
		wc_grid__put(g, "-");
}

int table__work_wakes(const struct table *t)
{
	char columns[LABEL_COLUMN_MAX + 8], heading[128], buf[FIGURE_SZ];
	struct labels l;
	struct wc_grid *g;

	if (!any_probed(t))
		return 0;
	table__find_labels(t, &l);
	snprintf(columns, sizeof(columns), "%srrrrr", l.columns);
	g = wc_grid__new(columns);
	if (!g)
		return -ENOMEM;
	table__head_labels(&l, g);
	snprintf(heading, sizeof(heading), "wakes\na %s", t->r->work);
	wc_grid__head(g, heading);
	wc_grid__head(g, "timers\nended");
	wc_grid__head(g, "p50 [95 % interval]");
	wc_grid__head(g, "p90");
	wc_grid__head(g, "p99");
	for (size_t i = 0; i < t->shown_cnt; i++) {
		const struct wc_cell_summary *s = &t->s[t->order[i]];

		table__put_labels(&l, g, &t->r->cells[t->order[i]]);
		put_plain(g, &s->wakes_per_work);
		put_plain(g, &s->timed_per_work);
		wc_grid__put(g, "%s", table__figure(t, &s->handoff.p50_ns, buf));
		wc_grid__put(g, "%s",
			     s->slept_cnt ? table__time(t, s->handoff.p90_ns.median, buf) : "-");
		wc_grid__put(g, "%s",
			     s->slept_cnt ? table__time(t, s->handoff.p99_ns.median, buf) : "-");
	}
	snprintf(heading, sizeof(heading), "Wakes of its process for a %s, and their cost in %s",
		 t->r->work, t->unit->name);
	table__heading(t, heading);
	return wc_grid__print(g, t->f, "", t->opts->colour);
}
