/* SPDX-License-Identifier: BSD-2-Clause */
/* The table a person reads: the head, the handoffs, and the order of all that follows. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/growth.h"
#include "user/model/params.h"
#include "user/output/summaries.h"
#include "user/output/table_impl.h"
#include "user/util/text.h"

const char *table__time(const struct table *t, double ns, char buf[TIME_SZ])
{
	double v = ns / t->unit->ns, size = fabs(v);
	int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;

	if (size < 0.005) /* no "-0.00" */
		v = 0;
	if (t->unit->ns <= 1)
		decimals = size < 9.95 ? 1 : 0;
	snprintf(buf, TIME_SZ, "%.*f", decimals, v);
	return buf;
}

const char *table__figure(const struct table *t, const struct wc_figure *fig, char buf[FIGURE_SZ])
{
	char median[TIME_SZ], lo[TIME_SZ], hi[TIME_SZ];

	if (!fig->n)
		return strcpy(buf, "-");
	table__time(t, fig->median, median);
	if (fig->has_ci)
		snprintf(buf, FIGURE_SZ, "%s [%s, %s]", median, table__time(t, fig->lo, lo),
			 table__time(t, fig->hi, hi));
	else
		snprintf(buf, FIGURE_SZ, "%s (n too small)", median);
	return buf;
}

void table__heading(const struct table *t, const char *text)
{
	char safe[256];

	wc_text__safe(safe, sizeof(safe), text);
	fprintf(t->f, "\n%s%s%s\n", WC_BOLD(t->opts->colour), safe, WC_PLAIN(t->opts->colour));
}

/* ---- labels ---- */

static bool all_numbers(const struct table *t, const char *key)
{
	uint64_t value;

	for (size_t i = 0; i < t->r->cell_cnt; i++)
		if (!wc_params__number(&t->r->cells[i], key, &value))
			return false;
	return true;
}

void table__find_labels(const struct table *t, struct labels *l)
{
	const struct wc_kvs *params = t->r->cell_cnt ? &t->r->cells[0].params : NULL;

	*l = (struct labels){ 0 };
	for (size_t i = 0; params && i < params->cnt && l->cnt < LABEL_COLUMN_MAX; i++) {
		const char *key = params->items[i].key;

		if (!wc_params__varies(t->r, key))
			continue;
		l->columns[l->cnt] = all_numbers(t, key) ? 'r' : 'l';
		l->keys[l->cnt++] = key;
	}
}

void table__head_labels(const struct labels *l, struct wc_grid *g)
{
	for (size_t i = 0; i < l->cnt; i++)
		wc_grid__head(g, l->keys[i]);
}

void table__put_labels(const struct labels *l, struct wc_grid *g, const struct wc_cell *cell)
{
	char count[WC_UNITS_BUF_SZ];
	uint64_t value;

	for (size_t i = 0; i < l->cnt; i++) {
		const char *text = wc_kvs__get(&cell->params, l->keys[i]);

		if (text && l->columns[i] == 'r' && wc_params__number(cell, l->keys[i], &value))
			text = wc_units__format_count(count, sizeof(count), value);
		wc_grid__put(g, "%s", text ? text : "-");
	}
}

/* ---- head ---- */

static void print_rounds(const struct table *t)
{
	unsigned int least = UINT32_MAX, most = 0;
	char line[256];

	for (size_t i = 0; i < t->r->cell_cnt; i++) {
		least = t->s[i].rounds < least ? t->s[i].rounds : least;
		most = t->s[i].rounds > most ? t->s[i].rounds : most;
	}
	if (!t->r->interrupted && least == most)
		return;
	snprintf(line, sizeof(line), "%s%u%s%.0u of %u rounds of each cell are complete%s",
		 t->r->interrupted ? "INTERRUPTED: " : "", least, least == most ? "" : " to ",
		 least == most ? 0 : most, t->r->rounds_wanted,
		 most ? "" : ": there is nothing to show");
	fputs(WC_YELLOW(t->opts->colour), t->f);
	wc_grid__paragraph(t->f, "", line);
	fputs(WC_PLAIN(t->opts->colour), t->f);
}

static bool has_warmup(const struct wc_result *r)
{
	for (size_t i = 0; i < r->cell_cnt; i++)
		for (size_t k = 0; k < r->cells[i].round_cnt; k++)
			if (r->cells[i].rounds[k].warmup)
				return true;
	return false;
}

static void print_head(const struct table *t)
{
	const struct wc_result *r = t->r;
	char *text = NULL;
	size_t len;
	FILE *m;

	fprintf(t->f, "%s%s%s: %zu cell%s, %u rounds%s, medians over rounds\n",
		WC_BOLD(t->opts->colour), r->shape ? r->shape : "result", WC_PLAIN(t->opts->colour),
		r->cell_cnt, r->cell_cnt == 1 ? "" : "s", r->rounds_wanted,
		has_warmup(r) ? " and a warm-up" : "");
	m = r->cell_cnt ? open_memstream(&text, &len) : NULL;
	for (size_t i = 0; m && i < r->cells[0].params.cnt; i++) {
		const struct wc_kv *kv = &r->cells[0].params.items[i];

		if (strcmp(kv->key, "shape") && !wc_params__varies(r, kv->key))
			fprintf(m, "%s%s=%s", ftell(m) > 0 ? " " : "", kv->key, kv->value);
	}
	if (m && !fclose(m) && text && *text)
		wc_grid__paragraph(t->f, "everywhere: ", text);
	free(text);
	print_rounds(t);
}

/* ---- handoffs ---- */

static void put_plain(struct wc_grid *g, const struct wc_figure *fig)
{
	if (fig->n)
		wc_grid__put(g, "%.2f", fig->median);
	else
		wc_grid__put(g, "-");
}

static void put_time(const struct table *t, struct wc_grid *g, const struct wc_figure *fig)
{
	char buf[TIME_SZ];

	wc_grid__put(g, "%s", fig->n ? table__time(t, fig->median, buf) : "-");
}

static void put_handoff(const struct table *t, struct wc_grid *g, size_t cell)
{
	const struct wc_cell_summary *s = &t->s[cell];
	const struct wc_dist_summary *d = wc_cell_summary__handoff(s);
	char buf[FIGURE_SZ];

	wc_grid__put(g, "%s%s", table__figure(t, &d->p50_ns, buf),
		     s->handoff_cnt && !s->slept_cnt ? "*" : "");
	put_time(t, g, &d->p90_ns);
	put_time(t, g, &d->p99_ns);
	put_time(t, g, &s->bare.p50_ns);
	put_plain(g, &s->waits_per_handoff);
	put_plain(g, &s->csw_per_handoff);
	put_time(t, g, &s->cpu_ns_per_handoff);
}

static int print_handoffs(const struct table *t)
{
	char columns[LABEL_COLUMN_MAX + 8], heading[128], text[48];
	bool unslept_only = false, few = false;
	struct labels l;
	struct wc_grid *g;
	int err;

	table__find_labels(t, &l);
	snprintf(columns, sizeof(columns), "%srrrrrrr", l.columns);
	g = wc_grid__new(columns);
	if (!g)
		return -ENOMEM;
	table__head_labels(&l, g);
	wc_grid__head(g, "p50 [95 % interval]");
	wc_grid__head(g, "p90");
	wc_grid__head(g, "p99");
	wc_grid__head(g, "bare\np50");
	wc_grid__head(g, "waits");
	wc_grid__head(g, "csw");
	wc_grid__head(g, "CPU");
	for (size_t i = 0; i < t->shown_cnt; i++) {
		const struct wc_cell_summary *s = &t->s[t->order[i]];

		table__put_labels(&l, g, &t->r->cells[t->order[i]]);
		put_handoff(t, g, t->order[i]);
		unslept_only |= s->handoff_cnt && !s->slept_cnt;
		few |= s->rounds && !wc_cell_summary__handoff(s)->p50_ns.has_ci;
	}
	snprintf(heading, sizeof(heading),
		 "Handoff, %s; waits, context switches (csw) and CPU per handoff", t->unit->name);
	table__heading(t, heading);
	err = wc_grid__print(g, t->f, "", t->opts->colour);
	if (unslept_only)
		wc_grid__paragraph(t->f, "* ",
				   "nothing slept: over all handoffs, as the workload saw them");
	snprintf(text, sizeof(text), "n too small: ");
	if (few)
		wc_grid__paragraph(t->f, text, "an interval takes 6 complete rounds");
	return err;
}

/* ---- order ---- */

static double sort_key(const struct table *t, size_t cell)
{
	const struct wc_cell_summary *s = &t->s[cell];

	switch (t->opts->sort) {
	case WC_TABLE_SORT_P50:
		return wc_cell_summary__handoff(s)->p50_ns.median;
	case WC_TABLE_SORT_P99:
		return wc_cell_summary__handoff(s)->p99_ns.median;
	case WC_TABLE_SORT_COST:
		return s->probe_cost_ns.median;
	case WC_TABLE_SORT_WAKES:
		return (double)wc_cell_summary__wakes(s);
	default:
		return 0;
	}
}

/* Stable, so that equals stay as asked for; cells are few. */
static void order_cells(struct table *t)
{
	size_t cnt = t->r->cell_cnt;

	for (size_t i = 0; i < cnt; i++) {
		size_t at = i;

		for (; at > 0 && sort_key(t, t->order[at - 1]) < sort_key(t, i); at--)
			t->order[at] = t->order[at - 1];
		t->order[at] = i;
	}
	t->shown_cnt = cnt;
	if (t->opts->limit && t->opts->limit < cnt && t->opts->by != WC_TABLE_BY_PAIR)
		t->shown_cnt = t->opts->limit;
}

/* The unit of the fastest handoff, so that no figure is all zeros. */
static void choose_unit(struct table *t)
{
	double least = 0;

	for (size_t i = 0; i < t->r->cell_cnt; i++) {
		double p50 = wc_cell_summary__handoff(&t->s[i])->p50_ns.median;

		if (p50 > 0 && (least <= 0 || p50 < least))
			least = p50;
	}
	t->unit = wc_units__for_ns(least);
}

static void print_growth(const struct table *t)
{
	struct wc_growth growth;
	char sentence[1024];

	wc_growth__find(t->r, t->s, &growth);
	wc_growth__sentence(t->r, &growth, sentence, sizeof(sentence));
	if (!*sentence)
		return;
	fprintf(t->f, "\n%s", WC_BOLD(t->opts->colour));
	wc_grid__paragraph(t->f, "", sentence);
	fputs(WC_PLAIN(t->opts->colour), t->f);
}

static int print_sections(const struct table *t)
{
	static int (*const sections[])(const struct table *t) = {
		table__stages, table__classes, table__pairs,	table__counted, table__kinds,
		table__cost,   table__probes,  table__counters, table__losses,
	};
	int err = t->r->work ? table__gauges(t) : print_handoffs(t);

	if (!err && t->r->work)
		err = table__bottleneck(t);
	if (!err && t->r->work)
		err = table__work_wakes(t);
	if (!err && t->r->work)
		err = table__work_stages(t);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]) && !err; i++)
		err = sections[i](t);
	return err;
}

int wc_out_table(FILE *f, const struct wc_result *r, const struct wc_table_opts *opts)
{
	struct wc_cell_summary *s = wc_summaries__of(r);
	struct table t = { .f = f, .r = r, .s = s, .opts = opts };
	int err = -ENOMEM;

	t.order = calloc(r->cell_cnt ? r->cell_cnt : 1, sizeof(*t.order));
	if (s && t.order) {
		order_cells(&t);
		choose_unit(&t);
		print_head(&t);
		err = r->cell_cnt ? print_sections(&t) : 0;
		table__environment(&t);
		print_growth(&t);
	}
	free(t.order);
	free(s);
	return err ? err : wc_summaries__finish(f);
}
