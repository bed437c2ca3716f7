/* SPDX-License-Identifier: BSD-2-Clause */
/* What has no figure, and why: sleeps and wakes without an end, threads without a sleep, stacks. */
#include <stdlib.h>
#include <string.h>

#include "user/output/record_impl.h"

#define NAMES_DEFAULT 5

/* Which of the tasks, and the least time it has lasted; false: not this one. */
typedef bool (*select_fn)(const struct record *rec, size_t item, size_t *task, uint64_t *least_ns);

static bool open_end(const struct record *rec, size_t item, bool woken, bool through, size_t *task,
		     uint64_t *least_ns)
{
	const struct wc_open *o;

	if (item >= rec->p->open_cnt)
		return false;
	o = &rec->p->opens[item];
	if (o->task >= rec->p->task_cnt || o->woken != woken ||
	    (rec->census->states[o->task] == WC_TASK_SLEPT_THROUGH) != through)
		return false;
	*task = o->task;
	*least_ns = o->since_ns;
	return true;
}

static bool is_woken(const struct record *rec, size_t item, size_t *task, uint64_t *least_ns)
{
	return open_end(rec, item, true, false, task, least_ns);
}

static bool is_asleep(const struct record *rec, size_t item, size_t *task, uint64_t *least_ns)
{
	return open_end(rec, item, false, false, task, least_ns);
}

/* All of them for as long as the window: said once. */
static bool slept_through(const struct record *rec, size_t item, size_t *task, uint64_t *least_ns)
{
	bool is = open_end(rec, item, false, true, task, least_ns);

	*least_ns = 0;
	return is;
}

static bool never_slept(const struct record *rec, size_t item, size_t *task, uint64_t *least_ns)
{
	*task = item;
	*least_ns = 0;
	return item < rec->p->task_cnt && rec->census->states[item] == WC_TASK_NEVER_SLEPT;
}

static bool is_exited(const struct record *rec, size_t item, bool leader, size_t *task,
		      uint64_t *least_ns)
{
	const struct wc_task *t = item < rec->p->task_cnt ? &rec->p->tasks[item] : NULL;

	*task = item;
	*least_ns = 0;
	return t && t->exited && !t->outside && (t->tid == t->tgid) == leader;
}

static bool thread_exited(const struct record *rec, size_t item, size_t *task, uint64_t *least_ns)
{
	return is_exited(rec, item, false, task, least_ns);
}

/* With its first thread. */
static bool process_exited(const struct record *rec, size_t item, size_t *task, uint64_t *least_ns)
{
	return is_exited(rec, item, true, task, least_ns);
}

struct found {
	size_t task;
	uint64_t least_ns;
};

/* Longest first. */
static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->least_ns != y->least_ns)
		return x->least_ns > y->least_ns ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

static char *name_them(const struct record *rec, const struct found *found, size_t cnt)
{
	size_t shown = rec->opts->wide || cnt < NAMES_DEFAULT ? cnt : NAMES_DEFAULT, len;
	char *text = NULL, ns[WC_UNITS_BUF_SZ];
	FILE *m = open_memstream(&text, &len);

	for (size_t i = 0; m && i < shown; i++) {
		const struct wc_task *t = &rec->p->tasks[found[i].task];

		fprintf(m, "%s%s %u", i ? ", " : "", t->comm && *t->comm ? t->comm : "[no name]",
			t->tid);
		if (found[i].least_ns)
			fprintf(m, " (%s or more)",
				wc_units__format_ns(ns, sizeof(ns), (double)found[i].least_ns));
	}
	if (m && shown < cnt)
		fprintf(m, ", and %zu more", cnt - shown);
	if (!m || fclose(m)) {
		free(text);
		return NULL;
	}
	return text;
}

static void print_those(const struct record *rec, size_t item_cnt, select_fn fn, const char *what)
{
	struct found *found = calloc(item_cnt + 1, sizeof(*found));
	char first[96], *names;
	size_t cnt = 0;

	for (size_t i = 0; found && i < item_cnt; i++)
		if (fn(rec, i, &found[cnt].task, &found[cnt].least_ns))
			cnt++;
	if (found && cnt) {
		qsort(found, cnt, sizeof(*found), compare_found);
		names = name_them(rec, found, cnt);
		snprintf(first, sizeof(first), "%s (%zu): ", what, cnt);
		wc_grid__paragraph(rec->t.f, first, names ? names : "");
		free(names);
	}
	free(found);
}

void record__ends(const struct record *rec)
{
	const struct wc_census *c = rec->census;
	const struct wc_profile *p = rec->p;
	char through[96], ns[WC_UNITS_BUF_SZ];

	if (!c->woken_cnt && !c->asleep_cnt && !c->slept_through_cnt && !c->never_slept_cnt &&
	    !c->exited_cnt)
		return;
	table__heading(&rec->t, "Threads without an end, a sleep or a wake");
	print_those(rec, p->open_cnt, is_woken, "woken, not yet running");
	print_those(rec, p->open_cnt, is_asleep, "asleep at the end");
	snprintf(through, sizeof(through), "asleep all through, %s or more",
		 wc_units__format_ns(ns, sizeof(ns), (double)p->window_ns));
	print_those(rec, p->open_cnt, slept_through, through);
	print_those(rec, p->task_cnt, never_slept, "never slept");
	print_those(rec, p->task_cnt, process_exited, "processes that ended meanwhile");
	print_those(rec, p->task_cnt, thread_exited, "other threads that ended meanwhile");
}

void record__stacks(const struct record *rec)
{
	char text[320], ns[WC_UNITS_BUF_SZ], share[TIME_SZ];
	const struct wc_profile *p = rec->p;
	size_t n;

	fputc('\n', rec->t.f);
	if (!p->stack_every) {
		wc_grid__paragraph(rec->t.f, "Stacks: ", "none were taken (--stacks none)");
		return;
	}
	if (p->stack_every == 1)
		n = (size_t)snprintf(text, sizeof(text), "of every wake");
	else
		n = (size_t)snprintf(text, sizeof(text), "of one wake in %u of each thread",
				     p->stack_every);
	if (p->stack_every > 1 && p->slow_ns)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      ", and of every wake of %s or more",
				      wc_units__format_ns(ns, sizeof(ns), (double)p->slow_ns));
	if (rec->all->has_truncated)
		snprintf(text + n, sizeof(text) - n,
			 "; %s %% of the user stacks are cut for want of frame pointers",
			 record__percent(rec->all->truncated_share, share));
	wc_grid__paragraph(rec->t.f, "Stacks: ", text);
}
