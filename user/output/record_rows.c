/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows by the chosen key. Figures come first and names last, so that names may be of any length. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/record_impl.h"
#include "user/util/text.h"

#define ROWS_DEFAULT 10

static const struct wc_task *task_at(const struct record *rec, uint32_t i)
{
	return i < rec->p->task_cnt ? &rec->p->tasks[i] : NULL;
}

static const char *name_task(const struct record *rec, uint32_t i, char buf[RECORD_NAME_SZ])
{
	const struct wc_task *t = task_at(rec, i);
	const char *name;

	if (!t)
		return strcpy(buf, "[unknown]");
	name = rec->opts->by == WC_BY_PROCESS && t->process ? t->process : t->comm;
	if (!name || !*name)
		name = "[no name]";
	if (rec->opts->fold_names && rec->opts->by != WC_BY_PROCESS)
		snprintf(buf, RECORD_NAME_SZ, "%.120s (%u)", name, t->tgid);
	else
		snprintf(buf, RECORD_NAME_SZ, "%.120s %u", name,
			 rec->opts->by == WC_BY_PROCESS ? t->tgid : t->tid);
	return buf;
}

const char *record__waker(const struct record *rec, const struct wc_profile_row *row,
			  char buf[RECORD_NAME_SZ])
{
	if (wc_context__label(row->context))
		return strcpy(buf, wc_context__label(row->context));
	return name_task(rec, row->waker, buf);
}

const char *record__wakee(const struct record *rec, const struct wc_profile_row *row,
			  char buf[RECORD_NAME_SZ])
{
	return name_task(rec, row->wakee, buf);
}

static void put_key(const struct record *rec, struct wc_grid *g, const struct wc_profile_row *row)
{
	char waker[RECORD_NAME_SZ], wakee[RECORD_NAME_SZ];

	switch (rec->opts->by) {
	case WC_BY_WAKER:
		wc_grid__put(g, "%s", record__waker(rec, row, waker));
		break;
	case WC_BY_WAKEE:
		wc_grid__put(g, "%s", record__wakee(rec, row, wakee));
		break;
	case WC_BY_CPU:
		wc_grid__put(g, "CPU %u", row->cpu);
		break;
	case WC_BY_CLASS:
		wc_grid__put(g, "%s%s", wc_class__name(row->wake_class),
			     row->apart ? " (apart)" : "");
		break;
	default:
		wc_grid__put(g, "%s -> %s", record__waker(rec, row, waker),
			     record__wakee(rec, row, wakee));
	}
}

static void put_time(const struct record *rec, struct wc_grid *g, bool any, double ns)
{
	char buf[TIME_SZ];

	wc_grid__put(g, "%s", any ? table__time(&rec->t, ns, buf) : "-");
}

/* Columns beyond those every table has: what it is sorted by, or all. */
static bool shows(const struct record *rec, unsigned int sort)
{
	if (sort < WC_SORT_STAGE)
		return rec->opts->wide || rec->opts->sort == sort;
	return rec->opts->sort == sort ||
	       (rec->opts->wide && rec->all->stages[sort - WC_SORT_STAGE].present);
}

/* The column of what it is sorted by takes its place where there are but 80. */
static bool shows_most(const struct record *rec)
{
	return rec->opts->wide || rec->opts->sort < WC_SORT_BLOCKED;
}

static bool has_quantiles(const struct record *rec)
{
	return rec->opts->by != WC_BY_CPU && rec->opts->by != WC_BY_STACK;
}

static const char *stage_name(const struct record *rec, unsigned int stage)
{
	const char *name = rec->all->stages[stage].name;

	return name ? name : wc_stage__name(stage);
}

static const char *const key_heads[] = {
	[WC_BY_PAIR] = "waker -> wakee",    [WC_BY_WAKER] = "waker", [WC_BY_WAKEE] = "wakee",
	[WC_BY_PROCESS] = "waker -> wakee", [WC_BY_CPU] = "ran on",  [WC_BY_CLASS] = "kind",
	[WC_BY_STACK] = "waker -> wakee",
};

static struct wc_grid *new_grid(const struct record *rec)
{
	char columns[40] = "rr", *c = columns + 2;
	struct wc_grid *g;

	for (unsigned int i = has_quantiles(rec) ? 0 : 2; i < 3; i++)
		*c++ = 'r'; /* p50, p99, mean */
	for (unsigned int i = WC_SORT_BLOCKED; i < WC_SORT_CNT; i++)
		if (shows(rec, i))
			*c++ = 'r';
	strcpy(c, rec->opts->wide ? "rrrll" : shows_most(rec) ? "lw" : "w");
	g = wc_grid__new(columns);
	wc_grid__head(g, "% of\ntime");
	wc_grid__head(g, "wakes/s");
	if (has_quantiles(rec)) {
		wc_grid__head(g, "p50");
		wc_grid__head(g, "p99");
	}
	wc_grid__head(g, "mean");
	if (shows(rec, WC_SORT_BLOCKED))
		wc_grid__head(g, "asleep\nbefore");
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		if (shows(rec, WC_SORT_STAGE + i))
			wc_grid__head(g, stage_name(rec, i));
	if (rec->opts->wide) {
		wc_grid__head(g, "worst");
		wc_grid__head(g, "wakes");
		wc_grid__head(g, "in all\nms");
	}
	if (shows_most(rec))
		wc_grid__head(g, "most in");
	wc_grid__head(g, key_heads[rec->opts->by]);
	return g;
}

static void put_extras(const struct record *rec, struct wc_grid *g,
		       const struct wc_profile_row *row)
{
	char count[WC_UNITS_BUF_SZ];

	if (shows(rec, WC_SORT_BLOCKED))
		put_time(rec, g, row->has_blocked, row->blocked_mean_ns);
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		if (shows(rec, WC_SORT_STAGE + i))
			put_time(rec, g, row->stage_ns[i], row->stage_mean_ns[i]);
	if (!rec->opts->wide)
		return;
	put_time(rec, g, row->has_quantiles, (double)row->worst_ns);
	wc_grid__put(g, "%s", wc_units__format_count(count, sizeof(count), row->wakes));
	wc_grid__put(g, "%.1f", (double)row->total_ns / 1e6);
}

static void put_most(const struct record *rec, struct wc_grid *g, const struct wc_profile_row *row)
{
	if (row->top_stage < WC_STAGE_CNT && row->total_ns)
		wc_grid__put(g, "%s %.0f%%", stage_name(rec, row->top_stage),
			     100.0 * (double)row->stage_ns[row->top_stage] / (double)row->total_ns);
	else
		wc_grid__put(g, "-");
}

static void put_row(const struct record *rec, struct wc_grid *g, const struct wc_profile_row *row)
{
	char buf[TIME_SZ], count[WC_UNITS_BUF_SZ];

	wc_grid__put(g, "%s", row->apart ? "-" : record__percent(row->share, buf));
	if (row->wakes_per_s < 9.95)
		wc_grid__put(g, "%.1f", row->wakes_per_s);
	else
		wc_grid__put(g, "%s",
			     wc_units__format_count(count, sizeof(count),
						    (uint64_t)(row->wakes_per_s + 0.5)));
	if (has_quantiles(rec)) {
		put_time(rec, g, row->has_quantiles, row->p50_ns);
		put_time(rec, g, row->has_quantiles, row->p99_ns);
	}
	put_time(rec, g, row->cnt, row->mean_ns);
	put_extras(rec, g, row);
	if (shows_most(rec))
		put_most(rec, g, row);
	put_key(rec, g, row);
}

/* ---- stacks ---- */

/* "leaf < caller < ...", user side before the kernel's: that is whose code it is. */
static void print_frames(const struct record *rec, FILE *m, uint32_t stack, const char *end)
{
	const struct wc_stack *s = stack < rec->p->stack_cnt ? &rec->p->stacks[stack] : NULL;

	for (uint32_t i = 0; s && i < s->frame_cnt; i++) {
		const struct wc_frame *f =
			s->frames[i] < rec->p->frame_cnt ? &rec->p->frames[s->frames[i]] : NULL;

		fprintf(m, "%s%s", i ? " < " : "",
			f && f->name && *f->name ? f->name : "[unknown]");
	}
	if (s && s->truncated)
		fputs(s->frame_cnt ? " < [no frame pointers]" : "[no frame pointers]", m);
	fputs(s ? end : "", m);
}

static void print_side(const struct record *rec, const char *first, uint32_t user, uint32_t kernel,
		       const char *missing)
{
	char *text = NULL, line[WC_GRID_WIDTH + 1];
	size_t len;
	FILE *m = open_memstream(&text, &len);

	if (!m)
		return;
	if (missing || (user == WC_NONE && kernel == WC_NONE))
		fputs(missing ? missing : "[no stack]", m);
	else if (user == WC_NONE)
		print_frames(rec, m, kernel, "");
	else
		print_frames(rec, m, user, "");
	if (!missing && rec->opts->wide && user != WC_NONE && kernel != WC_NONE) {
		fputs("; in the kernel: ", m);
		print_frames(rec, m, kernel, "");
	}
	if (fclose(m)) {
		free(text);
		return;
	}
	if (rec->opts->wide) {
		wc_grid__paragraph(rec->t.f, first, text);
	} else {
		size_t room = WC_GRID_WIDTH - strlen(first);
		bool cut = wc_text__safe(line, room + 1, text) > room;
		char *last;

		if (cut) { /* at a frame, unless the first is that long */
			wc_text__safe(line, room - 5, text);
			for (last = line + strlen(line); last > line && strncmp(last, " < ", 3);)
				last--;
			if (last > line)
				*last = '\0';
		}
		fprintf(rec->t.f, "%s%s%s\n", first, line, cut ? " < ..." : "");
	}
	free(text);
}

/* Its figures in one line, then the two stacks. */
static void print_stack_row(const struct record *rec, const struct wc_profile_row *row)
{
	char waker[RECORD_NAME_SZ], wakee[RECORD_NAME_SZ], share[TIME_SZ], mean[TIME_SZ];
	const struct wc_chain *c = &rec->p->chains[row->chain];
	char part[96] = "", text[2 * RECORD_NAME_SZ + 256];

	if (row->top_stage < WC_STAGE_CNT && row->total_ns)
		snprintf(part, sizeof(part), ", %s %.0f%%", stage_name(rec, row->top_stage),
			 100.0 * (double)row->stage_ns[row->top_stage] / (double)row->total_ns);
	snprintf(text, sizeof(text), "%s %%  %.*f wakes/s, mean %s%s, %s -> %s",
		 record__percent(row->share, share), row->wakes_per_s < 9.95 ? 1 : 0,
		 row->wakes_per_s, table__time(&rec->t, row->mean_ns, mean), part,
		 record__waker(rec, row, waker), record__wakee(rec, row, wakee));
	wc_grid__paragraph(rec->t.f, "", text);
	print_side(rec, "  waker: ", c->waker_user, c->waker_kernel,
		   c->waker_missing ? "[not sampled: it only afterwards proved slow]" : NULL);
	print_side(rec, "  wakee: ", c->wakee_user, c->wakee_kernel, NULL);
}

int record__rows(const struct record *rec)
{
	size_t limit = rec->opts->limit ? rec->opts->limit : ROWS_DEFAULT;
	size_t shown = rec->sum->row_cnt < limit ? rec->sum->row_cnt : limit;
	char heading[96], count[WC_UNITS_BUF_SZ];
	struct wc_grid *g;
	int err = 0;

	snprintf(heading, sizeof(heading), "By %s, largest %s first, %s",
		 wc_report__by_name(rec->opts->by), wc_report__sort_name(rec->opts->sort),
		 rec->t.unit->name);
	table__heading(&rec->t, heading);
	if (rec->opts->by == WC_BY_STACK) {
		for (size_t i = 0; i < shown; i++)
			print_stack_row(rec, &rec->sum->rows[i]);
	} else {
		g = new_grid(rec);
		for (size_t i = 0; i < shown; i++)
			put_row(rec, g, &rec->sum->rows[i]);
		err = wc_grid__print(g, rec->t.f, "", rec->opts->colour);
	}
	if (!rec->sum->row_cnt)
		fputs(rec->opts->by == WC_BY_STACK && !rec->p->stack_every
			      ? "recorded without stacks\n"
			      : "nothing\n",
		      rec->t.f);
	else if (shown < rec->sum->row_cnt)
		fprintf(rec->t.f, "%s more; -n shows them\n",
			wc_units__format_count(count, sizeof(count), rec->sum->row_cnt - shown));
	return err;
}
