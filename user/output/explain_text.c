// SPDX-License-Identifier: BSD-2-Clause
/* Verdict first, then what it rests on. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/explain.h"
#include "user/output/explain_impl.h"
#include "user/output/grid.h"
#include "user/util/text.h"
#include "user/util/units.h"

#define CI_SZ 160

/* "17.1 [16.8, 17.5]" in us */
static const char *effect(const struct wc_effect *e, char buf[CI_SZ])
{
	if (!e->n)
		snprintf(buf, CI_SZ, "-");
	else if (!e->has_ci)
		snprintf(buf, CI_SZ, "%.2f (%u rounds)", e->ns / 1e3, e->n);
	else
		snprintf(buf, CI_SZ, "%.2f [%.2f, %.2f]", e->ns / 1e3, e->lo / 1e3, e->hi / 1e3);
	return buf;
}

static void heading(FILE *f, const struct wc_explain_opts *opts, const char *text)
{
	fprintf(f, "\n%s%s%s\n", WC_BOLD(opts->colour), text, WC_PLAIN(opts->colour));
}

/* "which next task" on two lines, for columns no wider than their figures. */
static void head_of_cause(struct wc_grid *g, const char *name)
{
	char text[64], *blank;

	snprintf(text, sizeof(text), "%s", name);
	blank = strrchr(text, ' ');
	if (blank)
		*blank = '\n';
	wc_grid__head(g, text);
}

static int print_levels(FILE *f, const struct wc_explain *e, const struct wc_explain_opts *opts)
{
	struct wc_grid *g = wc_grid__new("rrrrrrrr");
	char buf[CI_SZ];
	unsigned int c;
	size_t i;

	heading(f, opts,
		"Growth of the handoff's p50 over nobody parked, and its causes, us [95 % interval]");
	wc_grid__head(g, "\nparked");
	wc_grid__head(g, "\ngrowth");
	for (c = 0; c < WC_CAUSE_CNT; c++)
		head_of_cause(g, wc_cause__name(c));
	for (i = 0; i < e->level_cnt; i++) {
		const struct wc_level *l = &e->levels[i];

		wc_grid__put(g, "%s", wc_units__format_count(buf, sizeof(buf), l->parked));
		wc_grid__put(g, "%s", effect(&l->growth, buf));
		for (c = 0; c < WC_CAUSE_CNT; c++) {
			if (!l->causes[c].n)
				wc_grid__put(g, "-");
			else if (opts->wide)
				wc_grid__put(g, "%s", effect(&l->causes[c], buf));
			else
				wc_grid__put(g, "%.2f", l->causes[c].ns / 1e3);
		}
	}
	return wc_grid__print(g, f, "", opts->colour);
}

static void print_slope(FILE *f, const struct wc_explain *e, const struct wc_explain_opts *opts)
{
	const struct wc_slope *s = &e->slope;
	unsigned int m;

	if (!s->n)
		return;
	heading(f, opts, "Slope, ns per parked task");
	fprintf(f, "%.3f", s->per_x);
	if (s->has_ci)
		fprintf(f, " [%.3f, %.3f] 95 %%", s->lo, s->hi);
	fprintf(f, ", %u rounds x %u levels", s->n, s->levels);
	if (s->bends)
		fprintf(f, "; not linear: %.3f below %.0f, %.3f above\n", s->lower, s->knee,
			s->upper);
	else
		fprintf(f, "; no bend found\n");
	fprintf(f, "by stage:");
	for (m = 0; m < WC_STAGE_CNT; m++) {
		if (e->stage_slopes[m].n && e->stage_slopes[m].per_x != 0)
			fprintf(f, " %s %.3f", wc_stage__name(m), e->stage_slopes[m].per_x);
	}
	fprintf(f, "; no stage's %.3f\n", e->slope_rest);
	if (e->predicted_slope > 0)
		fprintf(f, "predicted from the computed chains: %.3f (%.1f ns a waiter ahead)\n",
			e->predicted_slope, e->per_waiter.ns);
	if (opts->wide)
		fprintf(f, "ordinary least squares: %.3f\n", s->ols);
}

/* "25 x memory" */
static const char *worth_of(const struct wc_contrast *c, char buf[CI_SZ])
{
	char cnt[WC_UNITS_BUF_SZ];

	if (c->worth_level >= WC_MEM_CNT || !(c->worth[c->worth_level] >= 0.5))
		return "";
	wc_units__format_count(cnt, sizeof(cnt), (uint64_t)llround(c->worth[c->worth_level]));
	snprintf(buf, CI_SZ, "%s x %s", cnt, wc_mem__name(c->worth_level));
	return buf;
}

static int print_memory(FILE *f, const struct wc_explain *e, const struct wc_explain_opts *opts)
{
	struct wc_grid *g;
	char buf[CI_SZ];
	unsigned int m;
	int err;

	if (!e->has_memory)
		return 0;
	g = wc_grid__new("lrrl");
	heading(f, opts, "What an access to memory costs here, ns");
	wc_grid__head(g, "from");
	wc_grid__head(g, "ns");
	wc_grid__head(g, "half of the passes");
	wc_grid__head(g, "measured with");
	for (m = 0; m < WC_MEM_CNT; m++) {
		const struct wc_memory_level *l = &e->memory.levels[m];

		if (!l->known)
			continue;
		wc_grid__put(g, "%s", wc_mem__name(m));
		wc_grid__put(g, "%.1f", l->ns);
		if (l->q3 > 0)
			wc_grid__put(g, "%.1f to %.1f", l->q1, l->q3);
		else
			wc_grid__put(g, "-");
		wc_units__format_bytes(buf, sizeof(buf), l->bytes);
		if (m == WC_MEM_WALK)
			wc_grid__put(g, "a line of each page in %s", buf);
		else
			wc_grid__put(g, "%s%s", buf, l->huge ? " on huge pages" : "");
	}
	err = wc_grid__print(g, f, "", opts->colour);
	if (e->memory.walk_huge_ns >= 0)
		fprintf(f,
			"on huge pages a line of each 4 KiB costs %.1f ns more than side by side\n",
			e->memory.walk_huge_ns);
	if (e->memory.memory_may_be_cached)
		wc_grid__paragraph(f, "",
				   "the last-level cache is reported so large that \"memory\" may "
				   "have come from it in part");
	return err;
}

static int print_contrasts(FILE *f, const struct wc_explain *e, const struct wc_explain_opts *opts)
{
	struct wc_grid *g = wc_grid__new(e->has_memory ? "lrrl" : "lrr");
	char buf[CI_SZ];
	size_t i;

	heading(f, opts, "One thing changed at a time, us");
	wc_grid__head(g, "what");
	wc_grid__head(g, "handoff");
	wc_grid__head(g, "growth [95 % interval]");
	if (e->has_memory)
		wc_grid__head(g, "as much as");
	for (i = 0; i < e->contrast_cnt; i++) {
		wc_grid__put(g, "%s", e->contrasts[i].what);
		wc_grid__put(g, "%.2f", e->contrasts[i].handoff.ns / 1e3);
		wc_grid__put(g, "%s", effect(&e->contrasts[i].growth, buf));
		if (e->has_memory)
			wc_grid__put(g, "%s", worth_of(&e->contrasts[i], buf));
	}
	return wc_grid__print(g, f, "", opts->colour);
}

static int print_checks(FILE *f, const struct wc_explain *e, const struct wc_explain_opts *opts)
{
	struct wc_grid *g = wc_grid__new("llw");
	size_t i;

	heading(f, opts, "Checks");
	for (i = 0; i < e->check_cnt; i++) {
		wc_grid__put(g, "%s", wc_check_result__name(e->checks[i].result));
		wc_grid__put(g, "%s", e->checks[i].what);
		wc_grid__put(g, "%s", e->checks[i].saw);
	}
	return wc_grid__print(g, f, "", opts->colour);
}

static void print_rest(FILE *f, const struct wc_result *r, const struct wc_explain *e,
		       const struct wc_explain_opts *opts)
{
	char buf[CI_SZ];
	size_t i;

	char *command = wc_explain__command(r, e->rounds);

	heading(f, opts, "What it rests on");
	fprintf(f, "%u rounds of %zu cells, seed %llu", e->rounds, r->cell_cnt,
		(unsigned long long)r->seed);
	fprintf(f, "%s\n", r->interrupted ? "; interrupted" : "");
	fprintf(f, "nobody parked: %s us\n", effect(&e->base, buf));
	fprintf(f, "the same cell again differs by: %s us\n", effect(&e->noise, buf));
	fprintf(f, "measuring adds: %s us a handoff; not taken out of any figure\n",
		effect(&e->tool_cost, buf));
	for (i = 0; i < r->host.cnt; i++) {
		if (!strcmp(r->host.items[i].key, "kernel") ||
		    !strcmp(r->host.items[i].key, "scheduler") ||
		    !strcmp(r->host.items[i].key, "cpu_model"))
			fprintf(f, "%s: %s\n", r->host.items[i].key, r->host.items[i].value);
	}
	for (i = 0; i < r->warning_cnt; i++)
		wc_grid__paragraph(f, "warning: ", r->warnings[i]);
	if (command) { /* on one line: it is there to be typed */
		char typed[2048];

		wc_text__safe(typed, sizeof(typed), command);
		fprintf(f, "again: %s\n", typed);
	}
	free(command);
}

int wc_out_explain_text(FILE *f, const struct wc_result *r, const struct wc_explain *e,
			const struct wc_explain_opts *opts)
{
	size_t i;
	int err;

	for (i = 0; i < e->verdict_cnt; i++)
		wc_grid__paragraph(f, "* ", e->verdicts[i]);
	err = print_levels(f, e, opts);
	print_slope(f, e, opts);
	err = err ? err : print_contrasts(f, e, opts);
	err = err ? err : print_memory(f, e, opts);
	err = err ? err : explain__counted(f, r, opts->colour);
	err = err ? err : print_checks(f, e, opts);
	print_rest(f, r, e, opts);
	if (err)
		return err;
	return fflush(f) ? -errno : 0;
}
