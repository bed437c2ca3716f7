/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands under the figures: kinds of wake, cost, probes, losses, the machine. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/table_impl.h"

static unsigned int used_classes(const struct table *t)
{
	unsigned int used = 0;

	for (size_t i = 0; i < t->shown_cnt; i++)
		for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
			if (t->s[t->order[i]].classes[c])
				used |= 1u << c;
	return used;
}

/* Shares that are not zero must not look it. */
static void put_share(struct wc_grid *g, uint64_t part, uint64_t whole)
{
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;

	if (!part)
		wc_grid__put(g, "0");
	else if (percent < 0.01)
		wc_grid__put(g, "<0.01");
	else
		wc_grid__put(g, "%.*f", percent < 9.995 ? 2 : 1, percent);
}

static uint64_t sum_of(const uint64_t *v, size_t cnt)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < cnt; i++)
		sum += v[i];
	return sum;
}

/* Of all wakes: there is none that did not sleep, and none that was something else. */
static int print_work_kinds(const struct table *t, unsigned int used)
{
	char columns[LABEL_COLUMN_MAX + WC_CLASS_CNT + 4];
	struct labels l;
	struct wc_grid *g;
	size_t n;

	if (!used)
		return 0;
	table__find_labels(t, &l);
	n = (size_t)snprintf(columns, sizeof(columns), "%s", l.columns);
	for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
		if (used & (1u << c))
			columns[n++] = 'r';
	columns[n] = '\0';
	g = wc_grid__new(columns);
	if (!g)
		return -ENOMEM;
	table__head_labels(&l, g);
	for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
		if (used & (1u << c))
			wc_grid__head(g, wc_class__name(c));
	for (size_t i = 0; i < t->shown_cnt; i++) {
		const struct wc_cell_summary *s = &t->s[t->order[i]];

		table__put_labels(&l, g, &t->r->cells[t->order[i]]);
		for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
			if (used & (1u << c))
				put_share(g, s->classes[c], sum_of(s->classes, WC_CLASS_CNT));
	}
	table__heading(t, "Kinds of wake, % of all");
	return wc_grid__print(g, t->f, "", t->opts->colour);
}

int table__kinds(const struct table *t)
{
	char columns[LABEL_COLUMN_MAX + WC_CLASS_CNT + 4], buf[WC_UNITS_BUF_SZ], mean[32];
	unsigned int used = used_classes(t);
	struct labels l;
	struct wc_grid *g;
	size_t n;

	if (t->r->work)
		return print_work_kinds(t, used);
	table__find_labels(t, &l);
	n = (size_t)snprintf(columns, sizeof(columns), "%s", l.columns);
	for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
		if (used & (1u << c))
			columns[n++] = 'r';
	strcpy(columns + n, "rrr");
	g = wc_grid__new(columns);
	if (!g)
		return -ENOMEM;
	table__head_labels(&l, g);
	for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
		if (used & (1u << c))
			wc_grid__head(g, wc_class__name(c));
	snprintf(mean, sizeof(mean), "its mean\n%s", t->unit->name);
	wc_grid__head(g, "unslept");
	wc_grid__head(g, mean);
	wc_grid__head(g, "other\nwakes");
	for (size_t i = 0; i < t->shown_cnt; i++) {
		const struct wc_cell_summary *s = &t->s[t->order[i]];
		uint64_t all = sum_of(s->classes, WC_CLASS_CNT) + s->unslept_cnt;

		table__put_labels(&l, g, &t->r->cells[t->order[i]]);
		for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
			if (used & (1u << c))
				put_share(g, s->classes[c], all);
		put_share(g, s->unslept_cnt, all);
		wc_grid__put(g, "%s",
			     s->unslept_cnt ? table__time(t, s->unslept_mean_ns, buf) : "-");
		wc_grid__put(
			g, "%s",
			wc_units__format_count(buf, sizeof(buf), sum_of(s->others, WC_CLASS_CNT)));
	}
	table__heading(t, "Kinds of wake, % of all handoffs");
	return wc_grid__print(g, t->f, "", t->opts->colour);
}

/* ---- cost of measuring ---- */

static void print_cost_range(const struct table *t)
{
	double least = INFINITY, most = -INFINITY, least_share = INFINITY, most_share = -INFINITY;
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ], text[256];
	size_t n;

	for (size_t i = 0; i < t->shown_cnt; i++) {
		const struct wc_cell_summary *s = &t->s[t->order[i]];
		double share;

		if (!s->probe_cost_ns.n || s->bare.total_mean_ns <= 0)
			continue;
		share = s->probe_cost_ns.median / s->bare.total_mean_ns;
		least = fmin(least, s->probe_cost_ns.median);
		most = fmax(most, s->probe_cost_ns.median);
		least_share = fmin(least_share, share);
		most_share = fmax(most_share, share);
	}
	if (most < least)
		return;
	if (most - least < 1) /* ns: the same */
		snprintf(text, sizeof(text), "%s", wc_units__format_ns(b, sizeof(b), most));
	else
		snprintf(text, sizeof(text), "%s to %s", wc_units__format_ns(a, sizeof(a), least),
			 wc_units__format_ns(b, sizeof(b), most));
	n = strlen(text);
	snprintf(text + n, sizeof(text) - n,
		 " a handoff, %.1f to %.1f %% of the bare mean; not taken out of any figure",
		 least_share * 100, most_share * 100);
	fputc('\n', t->f);
	wc_grid__paragraph(t->f, "Cost of measuring: ", text);
}

int table__cost(const struct table *t)
{
	char columns[LABEL_COLUMN_MAX + 8], buf[FIGURE_SZ];
	struct labels l;
	struct wc_grid *g;

	print_cost_range(t);
	if ((!t->opts->wide && t->opts->sort != WC_TABLE_SORT_COST) || t->r->work)
		return 0;
	table__find_labels(t, &l);
	snprintf(columns, sizeof(columns), "%srrrrr", l.columns);
	g = wc_grid__new(columns);
	if (!g)
		return -ENOMEM;
	table__head_labels(&l, g);
	wc_grid__head(g, "probed mean");
	wc_grid__head(g, "bare mean");
	wc_grid__head(g, "cost [95 % interval]");
	wc_grid__head(g, "CPU");
	wc_grid__head(g, "bare CPU");
	for (size_t i = 0; i < t->shown_cnt; i++) {
		const struct wc_cell_summary *s = &t->s[t->order[i]];

		table__put_labels(&l, g, &t->r->cells[t->order[i]]);
		wc_grid__put(g, "%s", table__time(t, s->all.mean_ns.median, buf));
		wc_grid__put(g, "%s", table__time(t, s->bare.mean_ns.median, buf));
		wc_grid__put(g, "%s", table__figure(t, &s->probe_cost_ns, buf));
		wc_grid__put(g, "%s", table__time(t, s->cpu_ns_per_handoff.median, buf));
		wc_grid__put(g, "%s", table__time(t, s->bare_cpu_ns_per_handoff.median, buf));
	}
	return wc_grid__print(g, t->f, "", t->opts->colour);
}

/* ---- stage table ---- */

static bool same_why(const struct wc_stage_info *a, const struct wc_stage_info *b)
{
	return a->why && b->why && *a->why && !strcmp(a->why, b->why);
}

/* Each reason once, after the names of all stages it holds for. */
static void print_whys(const struct table *t)
{
	const struct wc_stage_info *info = t->r->stages;
	char names[128];

	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		bool said = !info[i].why || !*info[i].why;
		size_t n = (size_t)snprintf(names, sizeof(names), "%s", wc_stage__name(i));

		for (unsigned int k = 0; k < i; k++)
			said |= same_why(&info[i], &info[k]);
		if (said)
			continue;
		for (unsigned int k = i + 1; k < WC_STAGE_CNT; k++)
			if (same_why(&info[i], &info[k]))
				n += (size_t)snprintf(names + n, sizeof(names) - n, ", %s",
						      wc_stage__name(k));
		snprintf(names + n, sizeof(names) - n, ": ");
		wc_grid__paragraph(t->f, names, info[i].why);
	}
}

int table__probes(const struct table *t)
{
	struct wc_grid *g = wc_grid__new("llll");
	int err;

	if (!g)
		return -ENOMEM;
	wc_grid__head(g, "stage");
	wc_grid__head(g, "shown as");
	wc_grid__head(g, "status");
	wc_grid__head(g, "probe");
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		const struct wc_stage_info *info = &t->r->stages[i];
		bool shown = info->shown_as && *info->shown_as && info->status != WC_STATUS_MISSING;

		wc_grid__put(g, "%s", wc_stage__name(i));
		wc_grid__put(g, "%s", shown ? info->shown_as : "-");
		wc_grid__put(g, "%s", wc_status__name(info->status));
		wc_grid__put(g, "%s", info->probe && *info->probe ? info->probe : "-");
	}
	table__heading(t, "How this kernel gives the stages");
	err = wc_grid__print(g, t->f, "", t->opts->colour);
	print_whys(t);
	return err;
}

/* ---- counters ---- */

static uint64_t count_of(const struct table *t, unsigned int counter)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->r->cell_cnt; i++)
		sum += t->s[i].counters[counter];
	return sum;
}

static int print_counters(const struct table *t, bool losses)
{
	struct wc_grid *g = wc_grid__new("rlw");
	char buf[WC_UNITS_BUF_SZ];

	if (!g)
		return -ENOMEM;
	for (unsigned int c = 0; c < WC_CNT_CNT; c++) {
		uint64_t value = count_of(t, c);

		if (wc_counter__is_loss(c) != losses || (losses && !value))
			continue;
		wc_grid__put(g, "%s", wc_units__format_count(buf, sizeof(buf), value));
		wc_grid__put(g, "%s", wc_counter__name(c));
		wc_grid__put(g, "%s", wc_counter__meaning(c));
	}
	return wc_grid__print(g, t->f, "", t->opts->colour);
}

int table__counters(const struct table *t)
{
	if (!t->opts->wide)
		return 0;
	table__heading(t, t->r->profile ? "Counted" : "Counted, all cells and rounds");
	return print_counters(t, false);
}

static void print_excess(const struct table *t)
{
	char text[256], a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ];

	for (size_t i = 0; i < t->r->cell_cnt; i++) {
		if (!t->s[i].excess_cnt)
			continue;
		snprintf(text, sizeof(text),
			 "cell %zu: the probes saw %s handoffs more than the workload made (%s): "
			 "its figures are doubtful",
			 i + 1, wc_units__format_count(a, sizeof(a), t->s[i].excess_cnt),
			 wc_units__format_count(b, sizeof(b), t->s[i].handoff_cnt));
		wc_grid__paragraph(t->f, "warning: ", text);
	}
}

int table__losses(const struct table *t)
{
	uint64_t lost = 0;
	int err = 0;

	for (size_t i = 0; i < t->r->cell_cnt; i++)
		lost += wc_cell_summary__lost(&t->s[i]);
	if (lost) {
		table__heading(t, "Lost, all cells and rounds");
		err = print_counters(t, true);
	}
	print_excess(t);
	return err;
}

/* ---- environment ---- */

void table__environment(const struct table *t)
{
	const struct wc_kvs *host = &t->r->host;
	char *text = NULL;
	size_t len;
	FILE *m;

	table__heading(t, "Measured on");
	m = open_memstream(&text, &len);
	for (size_t i = 0; m && i < host->cnt; i++) {
		const char *end = i + 1 < host->cnt ? "; " : "";

		fprintf(m, "%s %s%s", host->items[i].key, host->items[i].value, end);
	}
	if (m && !fclose(m) && text)
		wc_grid__paragraph(t->f, "", text);
	free(text);
	for (size_t i = 0; i < t->r->warning_cnt; i++) {
		fputs(WC_YELLOW(t->opts->colour), t->f);
		wc_grid__paragraph(t->f, "warning: ", t->r->warnings[i]);
		fputs(WC_PLAIN(t->opts->colour), t->f);
	}
}
