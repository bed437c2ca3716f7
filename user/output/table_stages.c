/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the time of a handoff goes: by cell, by kind of wake, and who woke whom. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/table_impl.h"

/* Stages some cell has time in; in *minor those that are nowhere worth a column of 80. */
static unsigned int used_stages(const struct table *t, unsigned int *minor)
{
	unsigned int used = 0, major = 0;

	for (size_t i = 0; i < t->shown_cnt; i++) {
		for (unsigned int k = 0; k < WC_STAGE_CNT; k++) {
			const struct wc_stage_summary *st = &t->s[t->order[i]].stages[k];

			used |= st->count ? 1u << k : 0;
			major |= st->share >= 0.005 ? 1u << k : 0;
		}
	}
	*minor = t->opts->wide ? 0 : used & ~major;
	return used & ~*minor;
}

static void note_minor(const struct table *t, unsigned int minor)
{
	for (unsigned int k = 0; k < WC_STAGE_CNT; k++)
		if (minor & (1u << k))
			fprintf(t->f, "%s: under 0.5 %% everywhere; -v shows it\n",
				t->s[0].stages[k].name);
}

/* A long name is broken at the plus nearest its middle. */
static void head_stage(struct wc_grid *g, const char *name)
{
	char text[64];
	size_t len = strlen(name), best = 0;

	for (size_t i = 1; i < len; i++)
		if (name[i] == '+' &&
		    (!best || labs((long)(2 * i) - (long)len) < labs((long)(2 * best) - (long)len)))
			best = i;
	if (best)
		snprintf(text, sizeof(text), "%.*s\n%s", (int)best, name, name + best);
	else
		snprintf(text, sizeof(text), "%s", name);
	wc_grid__head(g, text);
}

static struct wc_grid *new_grid(const struct table *t, const struct labels *l, unsigned int used,
				const char *more)
{
	char columns[LABEL_COLUMN_MAX + WC_STAGE_CNT + 8];
	struct wc_grid *g;
	size_t n = (size_t)snprintf(columns, sizeof(columns), "%s%s", l->columns, more);

	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		if (used & (1u << i))
			columns[n++] = 'r';
	columns[n++] = 'r';
	columns[n] = '\0';
	g = wc_grid__new(columns);
	if (!g)
		return NULL;
	table__head_labels(l, g);
	if (strchr(more, 'l')) {
		wc_grid__head(g, "kind");
		wc_grid__head(g, t->r->work ? "wakes" : "handoffs");
		wc_grid__head(g, "p50");
	}
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		if (used & (1u << i))
			head_stage(g, t->s[0].stages[i].name);
	wc_grid__head(g, "unattri-\nbuted");
	return g;
}

static void put_part(const struct table *t, struct wc_grid *g, bool any, double ns, double share)
{
	char buf[TIME_SZ];
	double percent = share * 100;

	if (!any)
		wc_grid__put(g, "-");
	else /* no "-0 %" */
		wc_grid__put(g, "%s %2.0f%%", table__time(t, ns, buf),
			     fabs(percent) < 0.5 ? 0 : percent);
}

int table__stages(const struct table *t)
{
	unsigned int minor, used = used_stages(t, &minor);
	struct labels l;
	struct wc_grid *g;
	char heading[128];
	int err;

	if (!used)
		return 0;
	table__find_labels(t, &l);
	g = new_grid(t, &l, used, "");
	for (size_t i = 0; i < t->shown_cnt; i++) {
		const struct wc_cell_summary *s = &t->s[t->order[i]];

		table__put_labels(&l, g, &t->r->cells[t->order[i]]);
		for (unsigned int k = 0; k < WC_STAGE_CNT; k++)
			if (used & (1u << k))
				put_part(t, g, s->stages[k].count != 0, s->stages[k].p50_ns.median,
					 s->stages[k].share);
		put_part(t, g, s->slept_cnt != 0, s->unattributed_mean_ns, s->unattributed_share);
	}
	snprintf(heading, sizeof(heading), "Stages, p50 in %s and share of the mean %s",
		 t->unit->name, t->r->work ? "wake" : "handoff");
	table__heading(t, heading);
	err = wc_grid__print(g, t->f, "", t->opts->colour);
	note_minor(t, minor);
	return err;
}

/* All wakes for one piece of work together: what waking costs it, and where. */
int table__work_stages(const struct table *t)
{
	unsigned int minor, used = used_stages(t, &minor);
	char heading[128], buf[TIME_SZ];
	struct labels l;
	struct wc_grid *g;

	used |= minor;
	if (!used)
		return 0;
	table__find_labels(t, &l);
	g = new_grid(t, &l, used, "");
	for (size_t i = 0; i < t->shown_cnt; i++) {
		const struct wc_cell_summary *s = &t->s[t->order[i]];
		double wakes = s->wakes_per_work.median;

		table__put_labels(&l, g, &t->r->cells[t->order[i]]);
		for (unsigned int k = 0; k < WC_STAGE_CNT; k++)
			if (used & (1u << k))
				wc_grid__put(g, "%s",
					     table__time(t, s->stages[k].mean_ns * wakes, buf));
		wc_grid__put(g, "%s", table__time(t, s->unattributed_mean_ns * wakes, buf));
	}
	snprintf(heading, sizeof(heading), "Stages of all wakes for a %s, mean in %s", t->r->work,
		 t->unit->name);
	table__heading(t, heading);
	return wc_grid__print(g, t->f, "", t->opts->colour);
}

/* ---- by kind of wake ---- */

static void put_class(const struct table *t, struct wc_grid *g, const struct labels *l, size_t cell,
		      unsigned int wake_class, unsigned int used)
{
	const struct wc_cell *c = &t->r->cells[cell];
	struct wc_stage_summary total, st;
	char buf[WC_UNITS_BUF_SZ];
	double rest;

	wc_cell__class_stage(c, wake_class, WC_METRIC_TOTAL, &total);
	if (!total.count)
		return;
	table__put_labels(l, g, c);
	wc_grid__put(g, "%s", wc_class__name(wake_class));
	wc_grid__put(g, "%s", wc_units__format_count(buf, sizeof(buf), total.count));
	wc_grid__put(g, "%s", table__time(t, total.p50_ns.median, buf));
	rest = total.mean_ns;
	for (unsigned int k = 0; k < WC_STAGE_CNT; k++) {
		wc_cell__class_stage(c, wake_class, k, &st);
		rest -= st.mean_ns;
		if (used & (1u << k))
			put_part(t, g, st.present, st.p50_ns.median, st.share);
	}
	put_part(t, g, true, rest, total.mean_ns > 0 ? rest / total.mean_ns : 0);
}

int table__classes(const struct table *t)
{
	unsigned int minor, used = used_stages(t, &minor) | minor;
	struct labels l;
	struct wc_grid *g;
	char heading[128];

	if (t->opts->by != WC_TABLE_BY_CLASS)
		return 0;
	table__find_labels(t, &l);
	g = new_grid(t, &l, used, "lrr");
	for (size_t i = 0; i < t->shown_cnt; i++)
		for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
			put_class(t, g, &l, t->order[i], c, used);
	snprintf(heading, sizeof(heading), "By kind of wake, p50 in %s and share of its mean",
		 t->unit->name);
	table__heading(t, heading);
	return wc_grid__print(g, t->f, "", t->opts->colour);
}

/* ---- by pair ---- */

/* Tasks of a round are gone in the next: what stays the same is their name. */
struct pair_row {
	const struct wc_pair *pair;
	uint64_t wakes, handoffs, count;
	double sum_ns;
};

static uint64_t wakes_of(const struct wc_pair *p)
{
	uint64_t sum = 0;

	for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
		sum += p->wakes[c];
	return sum;
}

static int compare_names(const void *a, const void *b)
{
	const struct wc_pair *x = ((const struct pair_row *)a)->pair;
	const struct wc_pair *y = ((const struct pair_row *)b)->pair;
	int d = strncmp(x->waker_comm, y->waker_comm, sizeof(x->waker_comm));

	if (!d)
		d = strncmp(x->wakee_comm, y->wakee_comm, sizeof(x->wakee_comm));
	return d ? d
		 : (x->key.waker_context > y->key.waker_context) -
			       (x->key.waker_context < y->key.waker_context);
}

static int compare_wakes(const void *a, const void *b)
{
	const struct pair_row *x = a, *y = b;

	return x->wakes != y->wakes ? (x->wakes < y->wakes ? 1 : -1) : compare_names(a, b);
}

/* Rows of a cell with the same names added up, most wakes first. 0 or -ENOMEM. */
static int collect_pairs(const struct wc_cell *cell, struct pair_row **list, size_t *cnt)
{
	struct pair_row *rows;
	size_t n = 0, out = 0;

	*cnt = 0;
	*list = NULL;
	for (size_t i = 0; i < cell->round_cnt; i++)
		n += cell->rounds[i].pair_cnt;
	if (!n)
		return 0;
	rows = calloc(n, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	n = 0;
	for (size_t i = 0; i < cell->round_cnt; i++) {
		const struct wc_round *round = &cell->rounds[i];

		for (size_t k = 0; round->complete && !round->warmup && k < round->pair_cnt; k++) {
			const struct wc_pair *p = &round->pairs[k];

			rows[n++] = (struct pair_row){ p, wakes_of(p), p->handoff_cnt,
						       p->total.count, (double)p->total.sum };
		}
	}
	qsort(rows, n, sizeof(*rows), compare_names);
	for (size_t i = 0; i < n; i++) {
		if (out && !compare_names(&rows[out - 1], &rows[i])) {
			rows[out - 1].wakes += rows[i].wakes;
			rows[out - 1].handoffs += rows[i].handoffs;
			rows[out - 1].count += rows[i].count;
			rows[out - 1].sum_ns += rows[i].sum_ns;
		} else {
			rows[out++] = rows[i];
		}
	}
	qsort(rows, out, sizeof(*rows), compare_wakes);
	*list = rows;
	*cnt = out;
	return 0;
}

static void put_pair(const struct table *t, struct wc_grid *g, const struct pair_row *row)
{
	const struct wc_pair *p = row->pair;
	char buf[WC_UNITS_BUF_SZ];

	if (p->key.waker_context == WC_CTX_TASK)
		wc_grid__put(g, "%.16s", p->waker_comm);
	else
		wc_grid__put(g, "[%s]", wc_context__name(p->key.waker_context));
	wc_grid__put(g, "%.16s", p->wakee_comm);
	wc_grid__put(g, "%s", wc_units__format_count(buf, sizeof(buf), row->wakes));
	if (!t->r->work)
		wc_grid__put(g, "%s", wc_units__format_count(buf, sizeof(buf), row->handoffs));
	wc_grid__put(g, "%s",
		     row->count ? table__time(t, row->sum_ns / (double)row->count, buf) : "-");
}

int table__pairs(const struct table *t)
{
	size_t limit = t->opts->limit ? t->opts->limit : 20, cnt;
	char columns[LABEL_COLUMN_MAX + 8], heading[128];
	struct labels l;
	struct wc_grid *g;
	int err = 0, printed;

	if (t->opts->by != WC_TABLE_BY_PAIR)
		return 0;
	table__find_labels(t, &l);
	snprintf(columns, sizeof(columns), "%sllrr%s", l.columns, t->r->work ? "" : "r");
	g = wc_grid__new(columns);
	if (!g)
		return -ENOMEM;
	table__head_labels(&l, g);
	wc_grid__head(g, "waker");
	wc_grid__head(g, "wakee");
	wc_grid__head(g, "wakes");
	if (!t->r->work)
		wc_grid__head(g, "handoffs");
	wc_grid__head(g, "mean");
	for (size_t i = 0; i < t->shown_cnt; i++) {
		const struct wc_cell *cell = &t->r->cells[t->order[i]];
		struct pair_row *rows;

		err = err ? err : collect_pairs(cell, &rows, &cnt);
		if (err)
			break;
		for (size_t k = 0; k < cnt && k < limit; k++) {
			table__put_labels(&l, g, cell);
			put_pair(t, g, &rows[k]);
		}
		free(rows);
	}
	snprintf(heading, sizeof(heading),
		 "Who woke whom, all rounds, at most %zu a cell, mean in %s", limit, t->unit->name);
	table__heading(t, heading);
	printed = wc_grid__print(g, t->f, "", t->opts->colour);
	return err ? err : printed;
}
