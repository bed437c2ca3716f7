// SPDX-License-Identifier: BSD-2-Clause
/* Every cause that is named must move when its knob moves, and the parts must make the whole. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "user/model/explain_cells.h"
#include "user/util/units.h"

/* What is left of a growth that a knob should have taken away. */
#define SHARE_LEFT 0.10
/* Halving the slots doubles the chain; a longer chain is also colder, so more than double. */
#define DOSE_MIN 1.4
#define DOSE_MAX 4.0

static struct wc_check *check__add(struct wc_explain *e, enum wc_check_result result,
				   const char *what)
{
	struct wc_check *c = &e->checks[e->check_cnt];

	if (e->check_cnt == WC_CHECK_MAX)
		return c - 1;
	e->check_cnt++;
	c->result = result;
	snprintf(c->what, sizeof(c->what), "%s", what);
	return c;
}

static void saw(struct wc_check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void saw(struct wc_check *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->saw, sizeof(c->saw), fmt, ap);
	va_end(ap);
}

static const char *ns(double v, char *buf)
{
	return wc_units__format_ns(buf, WC_UNITS_BUF_SZ, v);
}

static void check__noise(struct wc_explain *e)
{
	struct wc_check *c = check__add(e, WC_CHECK_NOT_RUN, "two equal cells do not differ (A/A)");
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ], d[WC_UNITS_BUF_SZ];

	if (!e->noise.n)
		return;
	saw(c, "difference %s [%s, %s]", ns(e->noise.ns, a), ns(e->noise.lo, b),
	    ns(e->noise.hi, d));
	if (!e->noise.has_ci)
		c->result = WC_CHECK_UNDECIDED;
	else /* one in twenty intervals misses zero by chance: it counts when it is also large */
		c->result = wc_effect__is_real(&e->noise) && fabs(e->noise.ns) > 0.05 * e->base.ns
				    ? WC_CHECK_FAILED
				    : WC_CHECK_PASSED;
}

/* What should be nothing: passed when small, failed when its whole interval is not. */
static enum wc_check_result judge(const struct wc_effect *left, double allowed)
{
	if (!left->has_ci)
		return WC_CHECK_UNDECIDED;
	if (fabs(left->ns) <= allowed)
		return WC_CHECK_PASSED;
	return left->lo > allowed || left->hi < -allowed ? WC_CHECK_FAILED : WC_CHECK_UNDECIDED;
}

static void check__tasks(struct wc_explain *e, const struct wc_level *top)
{
	const struct wc_effect *t = &top->causes[WC_CAUSE_TASKS];
	struct wc_check *c;
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ], d[WC_UNITS_BUF_SZ];

	if (!t->n || wc_explain__grew(e, t))
		return; /* a cause then, with a check of its own */
	c = check__add(e, judge(t, fmax(e->noise_floor_ns, 0.05 * e->base.ns)),
		       "tasks that only exist cost nothing");
	saw(c, "%s [%s, %s] with the most parked", ns(t->ns, a), ns(t->lo, b), ns(t->hi, d));
	if (c->result == WC_CHECK_FAILED)
		c->result = WC_CHECK_UNDECIDED; /* less than two equal cells differ by, or faster */
}

static void check__sum(struct wc_explain *e, const struct wc_level *top)
{
	struct wc_check *c = check__add(e, WC_CHECK_NOT_RUN, "the causes add up to the growth");
	const struct wc_effect *rest = &top->causes[WC_CAUSE_NONE];
	char a[WC_UNITS_BUF_SZ];

	if (!rest->n)
		return;
	saw(c, "%s not explained", ns(rest->ns, a));
	c->result = judge(rest, fmax(SHARE_LEFT * fabs(top->growth.ns), e->noise_floor_ns));
}

static void check__slopes(struct wc_explain *e)
{
	struct wc_check *c =
		check__add(e, WC_CHECK_NOT_RUN, "the stages' slopes add up to the slope");

	if (!e->slope.n || e->slope.per_x == 0)
		return;
	saw(c, "%.3f of %.3f ns a task is no stage's", e->slope_rest, e->slope.per_x);
	if (!e->slope.has_ci || (e->slope.lo <= 0 && e->slope.hi >= 0))
		return; /* no slope to divide */
	c->result = fabs(e->slope_rest) <= SHARE_LEFT * fabs(e->slope.per_x) ? WC_CHECK_PASSED
									     : WC_CHECK_FAILED;
}

/* The positive control: a walk of known length must be seen, on any kernel. */
static void check__pair_bucket(const struct wc_result *r, struct wc_explain *e,
			       const struct wc_cell *base)
{
	struct wc_check *c =
		check__add(e, WC_CHECK_NOT_RUN, "waiters in the pair's own bucket are walked over");
	struct wc_effect x;
	char a[WC_UNITS_BUF_SZ];

	wc_cells__differ(wc_role__cell(r, WC_ROLE_ONE_PAIR, 0), base, WC_BITS_FIND, &x);
	if (!x.n) {
		saw(c, "no such cells: not in this plan, or not to be had here");
		return;
	}
	saw(c, "%s more in find", ns(x.ns, a));
	c->result = WC_CHECK_UNDECIDED;
	if (wc_explain__grew(e, &x))
		c->result = WC_CHECK_PASSED;
	else if (x.has_ci && x.hi < fmax(e->noise_floor_ns, 0.05 * e->base.ns))
		c->result = WC_CHECK_FAILED;
}

/* ---- knobs ---- */

struct knobs {
	const struct wc_result *r;
	struct wc_explain *e;
	const struct wc_level *top;
	const struct wc_cell *base, *subject, *tasks;
};

/* Turned where the growth was measured: not at a level that could not be had. */
static const struct wc_cell *knob(const struct knobs *k, const char *role)
{
	return wc_role__at(k->r, role, "parked", k->top->parked);
}

/* A knob that takes a cause away must take away as much as was attributed to it. */
static void check__gone(const struct knobs *k, const char *what, const struct wc_effect *left,
			double part)
{
	struct wc_check *c = check__add(k->e, WC_CHECK_NOT_RUN, what);
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ];

	if (!left->n) {
		saw(c, "no such cells: not in this plan, or not to be had here");
		return;
	}
	saw(c, "%s left, of %s", ns(left->ns, a), ns(part, b));
	/* more than all of it gone is no failure of the knob */
	if (left->has_ci && left->ns < 0)
		c->result = WC_CHECK_PASSED;
	else
		c->result = judge(left, fmax(SHARE_LEFT * part, k->e->noise_floor_ns));
}

/* What a cell with its knob turned has over from, less what the growth has beside the walk. */
static void check__walk_gone(const struct knobs *k, const char *what, const char *role,
			     const struct wc_cell *from)
{
	const struct wc_term terms[] = {
		{ knob(k, role), WC_BITS_TOTAL, 1 }, { from, WC_BITS_TOTAL, -1 },
		{ k->subject, WC_BITS_TOTAL, -1 },   { k->base, WC_BITS_TOTAL, 1 },
		{ k->subject, WC_BITS_FIND, 1 },     { k->tasks, WC_BITS_FIND, -1 },
	};
	struct wc_effect left;

	wc_terms__effect(terms, sizeof(terms) / sizeof(terms[0]), &left);
	check__gone(k, what, &left, k->top->causes[WC_CAUSE_WAITER].ns);
}

static void check__tasks_gone(const struct knobs *k)
{
	const struct wc_cell *most = NULL, *cell;
	struct wc_effect left;
	size_t i;

	for (i = 0; (cell = wc_role__cell(k->r, WC_ROLE_COROUTINE, i)); i++) {
		if (!most || wc_cell__number(cell, "parked") > wc_cell__number(most, "parked"))
			most = cell;
	}
	wc_cells__differ(most, k->base, WC_BITS_TOTAL, &left);
	check__gone(k, "coroutines instead of tasks: their cost is gone", &left,
		    k->top->causes[WC_CAUSE_TASKS].ns);
}

static void check__dose(const struct knobs *k)
{
	struct wc_check *c =
		check__add(k->e, WC_CHECK_NOT_RUN, "half the futex slots: about twice");
	const struct wc_term terms[] = {
		{ knob(k, WC_ROLE_SLOTS_HALF), WC_BITS_FIND, 1 },
		{ k->tasks, WC_BITS_FIND, -1 },
		{ k->subject, WC_BITS_FIND, 1 },
		{ k->tasks, WC_BITS_FIND, -1 },
	};
	struct wc_effect x;

	wc_terms__ratio(terms, 2, terms + 2, 2, &x);
	if (!x.n) {
		saw(c, "no such cells: not in this plan, or not to be had here");
		return;
	}
	saw(c, "%.2f [%.2f, %.2f] times as much in find", x.ns, x.lo, x.hi);
	c->result = WC_CHECK_UNDECIDED;
	if (x.has_ci && x.ns >= DOSE_MIN && x.ns <= DOSE_MAX)
		c->result = WC_CHECK_PASSED;
	else if (x.has_ci && (x.hi < DOSE_MIN || x.lo > DOSE_MAX))
		c->result = WC_CHECK_FAILED;
}

static void check__prediction(struct wc_explain *e)
{
	struct wc_check *c =
		check__add(e, WC_CHECK_NOT_RUN, "the slope is what the computed chains predict");
	double ratio;

	if (e->predicted_slope <= 0 || !e->slope.n) {
		saw(c, "chains are not computable here");
		return;
	}
	ratio = e->slope.per_x / e->predicted_slope;
	saw(c, "measured %.3f, predicted %.3f ns a task", e->slope.per_x, e->predicted_slope);
	if (!e->slope.has_ci)
		c->result = WC_CHECK_UNDECIDED;
	else /* a waiter costs more the longer, and so the colder, its chain */
		c->result = ratio > 0.3 && ratio < 3 ? WC_CHECK_PASSED : WC_CHECK_FAILED;
}

/* Only a cause that was found has a knob to turn. */
static void check__knobs(const struct knobs *k)
{
	const struct wc_effect *waiter = &k->top->causes[WC_CAUSE_WAITER];

	if (wc_explain__grew(k->e, &k->top->causes[WC_CAUSE_TASKS]))
		check__tasks_gone(k);
	if (!wc_explain__grew(k->e, waiter) || waiter->ns < SHARE_LEFT * k->top->growth.ns)
		return;
	check__walk_gone(k, "many futex slots: the walk is gone", WC_ROLE_SLOTS_UP, k->base);
	check__dose(k);
	check__walk_gone(k, "handing off by another mechanism: no walk", WC_ROLE_MECHANISM,
			 wc_role__cell(k->r, WC_ROLE_MECH_BASE, 0));
	check__walk_gone(k, "all on one futex in another bucket: no walk", WC_ROLE_ONE_OTHER,
			 k->base);
	check__prediction(k->e);
}

void wc_explain__check(const struct wc_result *r, struct wc_explain *e)
{
	struct knobs k = { .r = r, .e = e, .base = wc_role__cell(r, WC_ROLE_BASE, 0) };

	check__noise(e);
	if (!e->level_cnt)
		return;
	k.top = &e->levels[e->level_cnt - 1];
	k.subject = wc_role__at(r, WC_ROLE_SUBJECT, "parked", k.top->parked);
	k.tasks = wc_role__at(r, WC_ROLE_TASKS, "parked", k.top->parked);
	check__tasks(e, k.top);
	check__sum(e, k.top);
	check__pair_bucket(r, e, k.base);
	if (!wc_explain__grew(e, &k.top->growth))
		return;
	check__slopes(e);
	check__knobs(&k);
}
