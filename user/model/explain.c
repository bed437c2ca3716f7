// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/explain.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/explain_cells.h"
#include "user/model/summary.h"
#include "user/util/units.h"

static const struct {
	const char *name, *group;
} causes[WC_CAUSE_CNT] = {
	[WC_CAUSE_TASKS] = { "task count", "task count" },
	[WC_CAUSE_WAITER] = { "which waiter", "selection" },
	[WC_CAUSE_CPU] = { "which CPU", "selection" },
	[WC_CAUSE_NEXT] = { "which next task", "selection" },
	[WC_CAUSE_COLD] = { "cold wakee", "cache/TLB" },
	[WC_CAUSE_NONE] = { "not explained", "" },
};

const char *wc_cause__name(unsigned int cause)
{
	return cause < WC_CAUSE_CNT ? causes[cause].name : NULL;
}

const char *wc_cause__group(unsigned int cause)
{
	return cause < WC_CAUSE_CNT ? causes[cause].group : NULL;
}

const char *wc_check_result__name(unsigned int result)
{
	static const char *const names[] = { "passed", "FAILED", "undecided", "not run" };

	return result < sizeof(names) / sizeof(names[0]) ? names[result] : NULL;
}

/* Stages that say which cause, of what is beyond the mere existence of the tasks. */
static const unsigned int cause_bits[WC_CAUSE_CNT] = {
	[WC_CAUSE_WAITER] = WC_BITS_FIND,
	[WC_CAUSE_CPU] = WC_BITS_CPU,
	[WC_CAUSE_NEXT] = WC_BITS_NEXT,
	[WC_CAUSE_COLD] = WC_BITS_COLD,
};

/* growth less task count less the stages' differences, in each round: the base cancels out. */
static void level__rest(const struct wc_cell *subject, const struct wc_cell *tasks,
			struct wc_effect *rest)
{
	const unsigned int named = WC_BITS_FIND | WC_BITS_CPU | WC_BITS_NEXT | WC_BITS_COLD;
	const struct wc_term terms[] = { { subject, WC_BITS_TOTAL, 1 },
					 { tasks, WC_BITS_TOTAL, -1 },
					 { subject, named, -1 },
					 { tasks, named, 1 } };

	wc_terms__effect(terms, 4, rest);
}

static void level__fill(const struct wc_result *r, const struct wc_cell *subject,
			struct wc_level *l)
{
	const struct wc_cell *base = wc_role__cell(r, WC_ROLE_BASE, 0);
	const struct wc_cell *tasks = wc_role__at(r, WC_ROLE_TASKS, "parked", l->parked);
	unsigned int c, m;

	for (m = 0; m < WC_STAGE_CNT; m++) {
		wc_cells__value(subject, 1u << m, &l->stages[m]);
		wc_cells__differ(subject, base, 1u << m, &l->stage_growth[m]);
	}
	wc_cells__value(subject, WC_BITS_TOTAL, &l->handoff);
	wc_cells__differ(subject, base, WC_BITS_TOTAL, &l->growth);
	l->chain = wc_cell__chain(subject);
	if (!tasks)
		return;
	wc_cells__differ(tasks, base, WC_BITS_TOTAL, &l->causes[WC_CAUSE_TASKS]);
	for (c = WC_CAUSE_WAITER; c <= WC_CAUSE_COLD; c++)
		wc_cells__differ(subject, tasks, cause_bits[c], &l->causes[c]);
	level__rest(subject, tasks, &l->causes[WC_CAUSE_NONE]);
}

static int by_parked(const void *a, const void *b)
{
	const struct wc_level *x = a, *y = b;

	return (x->parked > y->parked) - (x->parked < y->parked);
}

static int levels__fill(const struct wc_result *r, struct wc_explain *e)
{
	const struct wc_cell *cell;
	size_t i;

	while (wc_role__cell(r, WC_ROLE_SUBJECT, e->level_cnt))
		e->level_cnt++;
	e->levels = calloc(e->level_cnt + 1, sizeof(*e->levels));
	if (!e->levels)
		return -ENOMEM;
	for (i = 0; i < e->level_cnt; i++) {
		cell = wc_role__cell(r, WC_ROLE_SUBJECT, i);
		e->levels[i].parked = wc_cell__number(cell, "parked");
		level__fill(r, cell, &e->levels[i]);
	}
	qsort(e->levels, e->level_cnt, sizeof(*e->levels), by_parked);
	return 0;
}

/* Base is the level of nobody parked. */
static int slope__fill(const struct wc_result *r, const struct wc_explain *e, unsigned int metrics,
		       struct wc_slope *out)
{
	size_t n = e->level_cnt + 1, i;
	struct wc_series *y = calloc(n, sizeof(*y));
	double *x = calloc(n, sizeof(*x));
	int err = x && y ? 0 : -ENOMEM;

	for (i = 0; !err && i < n; i++) {
		const struct wc_cell *cell = wc_role__cell(r, WC_ROLE_BASE, 0);

		if (i) {
			x[i] = (double)e->levels[i - 1].parked;
			cell = wc_role__at(r, WC_ROLE_SUBJECT, "parked", e->levels[i - 1].parked);
		}
		err = wc_series__of(cell, metrics, &y[i]);
	}
	err = err ? err : wc_slope__of(x, y, n, out);
	for (i = 0; y && i < n; i++)
		wc_series__free(&y[i]);
	free(y);
	free(x);
	return err;
}

static int slopes__fill(const struct wc_result *r, struct wc_explain *e)
{
	int err = slope__fill(r, e, WC_BITS_TOTAL, &e->slope);
	unsigned int m;

	e->slope_rest = e->slope.per_x;
	for (m = 0; !err && m < WC_STAGE_CNT; m++) {
		err = slope__fill(r, e, 1u << m, &e->stage_slopes[m]);
		e->slope_rest -= e->stage_slopes[m].per_x;
	}
	return err;
}

/* What one waiter ahead in the chain costs, and the slope that the computed chains then predict. */
static void prediction__fill(const struct wc_result *r, struct wc_explain *e)
{
	const struct wc_cell *pair = wc_role__cell(r, WC_ROLE_ONE_PAIR, 0);
	const struct wc_level *top = e->level_cnt ? &e->levels[e->level_cnt - 1] : NULL;
	double waiters;

	if (!pair)
		return;
	waiters = (double)wc_cell__number(pair, "parked");
	wc_cells__differ(pair, wc_role__cell(r, WC_ROLE_BASE, 0), WC_BITS_FIND, &e->per_waiter);
	if (waiters > 0) {
		e->per_waiter.ns /= waiters;
		e->per_waiter.lo /= waiters;
		e->per_waiter.hi /= waiters;
	}
	if (top && top->parked && top->chain != UINT64_MAX)
		e->predicted_slope = e->per_waiter.ns * (double)top->chain / (double)top->parked;
}

/* Axes beside the subject: role, key of the axis, words, and what its growth is measured from. */
static const struct axis {
	const char *role, *key, *fmt, *from;
	bool bytes;
	unsigned int worth; /* what its growth is counted in: WC_MEM_CNT: nothing of memory's */
} axes[] = {
	{ WC_ROLE_TASKS, "parked", "%s tasks that only exist", NULL, false, WC_MEM_CNT },
	{ WC_ROLE_COROUTINE, "parked", "%s coroutines on one thread", NULL, false, WC_MEM_CNT },
	{ WC_ROLE_TIMED, "parked", "%s tasks asleep with a timer", NULL, false, WC_MEM_CNT },
	{ WC_ROLE_PROCESS, "parked", "%s processes instead of threads", NULL, false, WC_MEM_CNT },
	{ WC_ROLE_RUNNABLE, "parked", "%s runnable tasks beside the pair", NULL, false,
	  WC_MEM_CNT },
	{ WC_ROLE_STACK, "stack", "4,000 parked, stacks of %s against the smallest", WC_ROLE_STACK,
	  true, WC_MEM_CNT },
	{ WC_ROLE_RING, "threads", "a ring of %s threads: each wakee cold", WC_ROLE_RING, false,
	  WC_MEM_MEMORY },
	{ WC_ROLE_RING_PAGES, "threads", "the ring of %s, stack pages touched", WC_ROLE_RING, false,
	  WC_MEM_MEMORY },
	{ WC_ROLE_RING_HUGE, "threads",
	  "the ring of %s, touched stacks on huge pages against small", WC_ROLE_RING_PAGES, false,
	  WC_MEM_CNT },
	{ WC_ROLE_CGROUP, "cgroup_depth", "the pair %s control groups deeper", NULL, false,
	  WC_MEM_CNT },
	{ WC_ROLE_BYTES, "walk_bytes", "%s touched between handoffs", NULL, true, WC_MEM_MEMORY },
	{ WC_ROLE_PAGES, "walk_pages", "%s pages touched between handoffs", NULL, false,
	  WC_MEM_WALK },
};

static const struct wc_cell *axis__from(const struct wc_result *r, const struct axis *a)
{
	const struct wc_cell *first = wc_role__cell(r, WC_ROLE_BASE, 0), *cell;
	size_t i;

	if (!a->from)
		return first;
	/* the smallest of its role */
	first = wc_role__cell(r, a->from, 0);
	for (i = 0; (cell = wc_role__cell(r, a->from, i)); i++) {
		if (wc_cell__number(cell, a->key) < wc_cell__number(first, a->key))
			first = cell;
	}
	return first;
}

static void contrast__worth(const struct wc_explain *e, unsigned int level, struct wc_contrast *c)
{
	unsigned int m;

	c->worth_level = level;
	for (m = 0; m < WC_MEM_CNT; m++)
		c->worth[m] = level < WC_MEM_CNT && e->has_memory && m != WC_MEM_L1
				      ? wc_memory__worth(&e->memory, m, c->growth.ns)
				      : NAN;
}

static void contrasts__fill(const struct wc_result *r, struct wc_explain *e)
{
	size_t a, i;
	unsigned int m;

	for (a = 0; a < sizeof(axes) / sizeof(axes[0]); a++) {
		const struct wc_cell *from = axis__from(r, &axes[a]), *cell;

		for (i = 0; (cell = wc_role__cell(r, axes[a].role, i)); i++) {
			struct wc_contrast *c = &e->contrasts[e->contrast_cnt];
			char value[WC_UNITS_BUF_SZ];

			if (cell == from || !from || e->contrast_cnt == WC_CONTRAST_MAX)
				continue;
			e->contrast_cnt++;
			c->role = axes[a].role;
			c->x = wc_cell__number(cell, axes[a].key);
			if (axes[a].bytes)
				wc_units__format_bytes(value, sizeof(value), c->x);
			else
				wc_units__format_count(value, sizeof(value), c->x);
			snprintf(c->what, sizeof(c->what), axes[a].fmt, value);
			wc_cells__value(cell, WC_BITS_TOTAL, &c->handoff);
			wc_cells__differ(cell, from, WC_BITS_TOTAL, &c->growth);
			for (m = 0; m < WC_STAGE_CNT; m++)
				wc_cells__differ(cell, from, 1u << m, &c->stages[m]);
			contrast__worth(e, axes[a].worth, c);
		}
	}
}

static void base__fill(const struct wc_result *r, const struct wc_cell *base, struct wc_explain *e)
{
	struct wc_cell_summary s;
	unsigned int m;

	wc_cell__summarise(r, base, &s);
	e->rounds = s.rounds;
	e->tool_cost.n = s.probe_cost_ns.n;
	e->tool_cost.ns = s.probe_cost_ns.median;
	e->tool_cost.has_ci = s.probe_cost_ns.has_ci;
	e->tool_cost.lo = s.probe_cost_ns.lo;
	e->tool_cost.hi = s.probe_cost_ns.hi;
	wc_cells__value(base, WC_BITS_TOTAL, &e->base);
	for (m = 0; m < WC_STAGE_CNT; m++)
		wc_cells__value(base, 1u << m, &e->base_stages[m]);
	wc_cells__differ(wc_role__cell(r, WC_ROLE_AGAIN, 0), base, WC_BITS_TOTAL, &e->noise);
	if (e->noise.n)
		e->noise_floor_ns = fmax(fabs(e->noise.lo), fabs(e->noise.hi));
}

struct wc_explain *wc_explain__of(const struct wc_result *r)
{
	const struct wc_cell *base = wc_role__cell(r, WC_ROLE_BASE, 0);
	struct wc_explain *e;
	int err;

	if (!r->schema || strcmp(r->schema, WC_EXPLAIN_SCHEMA) != 0) {
		errno = EINVAL;
		return NULL;
	}
	if (!base) {
		errno = ENODATA;
		return NULL;
	}
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	base__fill(r, base, e);
	err = levels__fill(r, e);
	err = err ? err : slopes__fill(r, e);
	if (err) {
		wc_explain__free(e);
		errno = -err;
		return NULL;
	}
	prediction__fill(r, e);
	e->has_memory = wc_memory__of(r, &e->memory);
	contrasts__fill(r, e);
	wc_explain__check(r, e);
	wc_explain__conclude(r, e);
	return e;
}

void wc_explain__free(struct wc_explain *e)
{
	size_t i;

	if (!e)
		return;
	for (i = 0; i < e->verdict_cnt; i++)
		free(e->verdicts[i]);
	free(e->levels);
	free(e);
}
