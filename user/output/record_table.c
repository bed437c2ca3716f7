/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of a recording: what was recorded, where the time of all its wakes goes, and so on. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/record_impl.h"
#include "user/output/summaries.h"

const char *wc_report__by_name(unsigned int by)
{
	static const char *const names[] = {
		[WC_BY_PAIR] = "pair",	     [WC_BY_WAKER] = "waker", [WC_BY_WAKEE] = "wakee",
		[WC_BY_PROCESS] = "process", [WC_BY_CPU] = "cpu",     [WC_BY_CLASS] = "class",
		[WC_BY_STACK] = "stack",
	};

	return by < sizeof(names) / sizeof(names[0]) ? names[by] : NULL;
}

const char *wc_report__sort_name(unsigned int sort)
{
	static const char *const names[] = {
		[WC_SORT_COST] = "cost", [WC_SORT_WAKES] = "wakes", [WC_SORT_P50] = "p50",
		[WC_SORT_P99] = "p99",	 [WC_SORT_MEAN] = "mean",   [WC_SORT_BLOCKED] = "blocked",
	};

	if (sort < WC_SORT_STAGE)
		return names[sort];
	return sort < WC_SORT_CNT ? wc_stage__name(sort - WC_SORT_STAGE) : NULL;
}

const char *record__percent(double share, char buf[TIME_SZ])
{
	double percent = share * 100, size = fabs(percent);

	if (share > 0 && percent < 0.05)
		return strcpy(buf, "<0.1");
	snprintf(buf, TIME_SZ, "%.*f", size < 0.05 || size >= 99.95 ? 0 : 1,
		 size < 0.05 ? 0 : percent);
	return buf;
}

/* ---- head ---- */

static char *target_of(const struct wc_result *r)
{
	char *text = NULL;
	size_t len;
	FILE *m = open_memstream(&text, &len);

	for (size_t i = 0; m && i < r->params.cnt; i++)
		fprintf(m, "%s%s=%s", i ? " " : "", r->params.items[i].key,
			r->params.items[i].value);
	if (!m || fclose(m)) {
		free(text);
		return NULL;
	}
	return text;
}

static void print_apart(const struct record *rec)
{
	uint64_t timed = rec->all->classes[WC_CLASS_TIMED], first = rec->all->classes[WC_CLASS_NEW];
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ], text[256];

	if (!timed && !first)
		return;
	snprintf(text, sizeof(text),
		 "sleeps that timed out (%s) and first runs of new tasks (%s), in no figure but "
		 "their own",
		 wc_units__format_count(a, sizeof(a), timed),
		 wc_units__format_count(b, sizeof(b), first));
	wc_grid__paragraph(rec->t.f, "besides: ", text);
}

static void print_head(const struct record *rec)
{
	const struct wc_overall *o = rec->all;
	char *target = target_of(rec->t.r), *text = NULL;
	char wakes[WC_UNITS_BUF_SZ], rate[WC_UNITS_BUF_SZ], time[WC_UNITS_BUF_SZ];

	if (asprintf(&text, "%s", target && *target ? target : "?") >= 0) {
		fputs(WC_BOLD(rec->opts->colour), rec->t.f);
		wc_grid__paragraph(rec->t.f, "recorded: ", text);
		fputs(WC_PLAIN(rec->opts->colour), rec->t.f);
		free(text);
	}
	free(target);
	fprintf(rec->t.f, "%s%s, %s wakes, %s a second; %zu thread%s of %zu process%s\n",
		rec->t.r->interrupted ? "INTERRUPTED: " : "",
		wc_units__format_ns(time, sizeof(time), (double)rec->p->window_ns),
		wc_units__format_count(wakes, sizeof(wakes), o->wakes),
		wc_units__format_count(rate, sizeof(rate), (uint64_t)llround(o->wakes_per_s)),
		rec->census->thread_cnt, rec->census->thread_cnt == 1 ? "" : "s",
		rec->census->process_cnt, rec->census->process_cnt == 1 ? "" : "es");
	print_apart(rec);
}

/* ---- all wakes ---- */

static void put_time(const struct record *rec, struct wc_grid *g, bool any, double ns)
{
	char buf[TIME_SZ];

	wc_grid__put(g, "%s", any ? table__time(&rec->t, ns, buf) : "-");
}

static void put_stage(const struct record *rec, struct wc_grid *g,
		      const struct wc_overall_stage *st)
{
	char buf[TIME_SZ];

	wc_grid__put(g, "%s", st->name);
	put_time(rec, g, st->cnt, st->p50_ns);
	put_time(rec, g, st->cnt, st->p99_ns);
	put_time(rec, g, st->cnt, st->mean_ns);
	wc_grid__put(g, "%s", record__percent(st->share, buf));
	wc_grid__put(g, "%s", record__percent((double)st->cnt / (double)rec->all->wakes, buf));
	wc_grid__put(g, "%s", wc_status__name(st->status));
}

static void put_sums(const struct record *rec, struct wc_grid *g)
{
	const struct wc_overall *o = rec->all;
	char buf[TIME_SZ];

	wc_grid__put(g, "unattributed");
	wc_grid__put(g, "-");
	wc_grid__put(g, "-");
	put_time(rec, g, true, o->unattributed_mean_ns);
	wc_grid__put(g, "%s", record__percent(o->unattributed_share, buf));
	wc_grid__put(g, "-");
	wc_grid__put(g, "%s", "");
	wc_grid__put(g, "total");
	put_time(rec, g, true, o->p50_ns);
	put_time(rec, g, true, o->p99_ns);
	put_time(rec, g, true, o->mean_ns);
	wc_grid__put(g, "100");
	wc_grid__put(g, "100");
	wc_grid__put(g, "%s", "");
}

static int print_stages(const struct record *rec)
{
	struct wc_grid *g = wc_grid__new("lrrrrrl");
	char heading[96];

	if (!g)
		return -ENOMEM;
	wc_grid__head(g, "stage");
	wc_grid__head(g, "p50");
	wc_grid__head(g, "p99");
	wc_grid__head(g, "mean");
	wc_grid__head(g, "% of\ntime");
	wc_grid__head(g, "% of\nwakes");
	wc_grid__head(g, "");
	for (unsigned int i = 0; i < WC_STAGE_CNT && rec->all->wakes; i++)
		if (rec->all->stages[i].present)
			put_stage(rec, g, &rec->all->stages[i]);
	if (rec->all->wakes)
		put_sums(rec, g);
	snprintf(heading, sizeof(heading), "Stages of all wakes, %s; the mean is per wake",
		 rec->t.unit->name);
	table__heading(&rec->t, heading);
	return wc_grid__print(g, rec->t.f, "", rec->opts->colour);
}

/* ---- kinds ---- */

static int print_kinds(const struct record *rec)
{
	const struct wc_profile_summary_opts by_class = { .by = WC_BY_CLASS,
							  .sort = WC_SORT_WAKES };
	char share[TIME_SZ], count[WC_UNITS_BUF_SZ], heading[96];
	struct wc_profile_summary kinds;
	int err = wc_profile__summarise(rec->t.r, &by_class, &kinds);
	struct wc_grid *g = err ? NULL : wc_grid__new("lrrrrr");

	if (!g) {
		wc_profile_summary__free(&kinds);
		return -ENOMEM;
	}
	wc_grid__head(g, "kind");
	wc_grid__head(g, "wakes");
	wc_grid__head(g, "%");
	wc_grid__head(g, "p50");
	wc_grid__head(g, "p99");
	wc_grid__head(g, "mean");
	for (size_t i = 0; i < kinds.row_cnt; i++) {
		const struct wc_profile_row *row = &kinds.rows[i];

		wc_grid__put(g, "%s", wc_class__name(row->wake_class));
		wc_grid__put(g, "%s", wc_units__format_count(count, sizeof(count), row->wakes));
		wc_grid__put(g, "%s",
			     row->apart ? "apart"
					: record__percent((double)row->wakes / (double)kinds.wakes,
							  share));
		put_time(rec, g, true, row->p50_ns);
		put_time(rec, g, true, row->p99_ns);
		put_time(rec, g, true, row->mean_ns);
	}
	snprintf(heading, sizeof(heading), "Kinds of wake, %s", rec->t.unit->name);
	table__heading(&rec->t, heading);
	wc_profile_summary__free(&kinds);
	return wc_grid__print(g, rec->t.f, "", rec->opts->colour);
}

static void print_contexts(const struct record *rec)
{
	const uint64_t *contexts = rec->all->contexts;
	char text[256], share[TIME_SZ];
	uint64_t sum = 0;
	size_t n = 0;

	for (unsigned int c = 0; c < WC_CTX_CNT; c++)
		sum += contexts[c];
	if (!sum)
		return;
	for (unsigned int c = 0; c < WC_CTX_CNT; c++) {
		if (!contexts[c])
			continue;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %s %%", n ? ", " : "",
				      c == WC_CTX_TASK ? "tasks" : wc_context__label(c),
				      record__percent((double)contexts[c] / (double)sum, share));
	}
	wc_grid__paragraph(rec->t.f, "woken from: ", text);
}

/* ---- all of it ---- */

static void print_mixed(const struct record *rec)
{
	char text[200], count[WC_UNITS_BUF_SZ];

	if (!rec->sum->mixed_cnt)
		return;
	snprintf(text, sizeof(text),
		 "times of pairs include %s sleeps that timed out or first runs of pairs that "
		 "have ordinary wakes too",
		 wc_units__format_count(count, sizeof(count), rec->sum->mixed_cnt));
	wc_grid__paragraph(rec->t.f, "note: ", text);
}

static int print_lost(const struct record *rec)
{
	char count[WC_UNITS_BUF_SZ];
	struct wc_grid *g;

	if (!rec->all->lost)
		return 0;
	g = wc_grid__new("rlw");
	if (!g)
		return -ENOMEM;
	for (unsigned int c = 0; c < WC_CNT_CNT; c++) {
		uint64_t value = rec->all->counters[c];

		if (!wc_counter__is_loss(c) || !value)
			continue;
		wc_grid__put(g, "%s", wc_units__format_count(count, sizeof(count), value));
		wc_grid__put(g, "%s", wc_counter__name(c));
		wc_grid__put(g, "%s", wc_counter__meaning(c));
	}
	table__heading(&rec->t, "Lost");
	return wc_grid__print(g, rec->t.f, "", rec->opts->colour);
}

static int print_all(const struct record *rec)
{
	int err;

	print_head(rec);
	err = print_stages(rec);
	err = err ? err : record__rows(rec);
	print_mixed(rec);
	if (!err && rec->opts->by != WC_BY_CLASS)
		err = print_kinds(rec);
	print_contexts(rec);
	record__ends(rec);
	record__stacks(rec);
	err = err ? err : table__probes(&rec->t);
	err = err ? err : table__counters(&rec->t);
	err = err ? err : print_lost(rec);
	table__environment(&rec->t);
	return err;
}

int wc_out_record_table(FILE *f, const struct wc_result *r, const struct wc_report_opts *opts)
{
	const struct wc_profile_summary_opts how = { opts->by, opts->sort, opts->fold_names };
	const struct wc_table_opts table_opts = { .wide = opts->wide, .colour = opts->colour };
	struct wc_cell_summary *s = wc_summaries__of(r);
	struct wc_profile_summary sum = { 0 };
	struct wc_census census = { 0 };
	struct wc_overall all;
	struct record rec = { { .f = f, .r = r, .s = s, .opts = &table_opts },
			      r->profile,
			      opts,
			      &all,
			      &sum,
			      &census };
	int err = r->profile ? s ? 0 : -ENOMEM : -ENODATA;

	err = err ? err : wc_profile__summarise(r, &how, &sum);
	err = err ? err : wc_census__of(r->profile, &census);
	if (!err) {
		wc_overall__of(r, &all);
		rec.t.unit = wc_units__for_ns(all.p50_ns);
		err = print_all(&rec);
	}
	wc_profile_summary__free(&sum);
	free(census.states);
	free(s);
	return err ? err : wc_summaries__finish(f);
}
