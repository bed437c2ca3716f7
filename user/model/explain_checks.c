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

static const struct wc_level *top_level(const struct wc_explain *e)
{
	return e->level_cnt ? &e->levels[e->level_cnt - 1] : NULL;
}

/* A growth that is there, and larger than what two equal cells can differ by. */
static bool grew(const struct wc_explain *e, const struct wc_effect *x)
{
	return wc_effect__is_real(x) && x->ns > 0 && x->ns > e->noise_floor_ns;
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

/* "x must be nothing", against a growth it would otherwise be a part of. */
static void check__gone(struct wc_explain *e, const char *what, const struct wc_effect *left,
			double growth_ns)
{
	struct wc_check *c = check__add(e, WC_CHECK_NOT_RUN, what);
	double allowed = fmax(SHARE_LEFT * growth_ns, e->noise_floor_ns);
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ];

	if (!left->n) {
		saw(c, "its cells could not be had here");
		return;
	}
	saw(c, "%s left, of %s", ns(left->ns, a), ns(growth_ns, b));
	if (!left->has_ci)
		c->result = WC_CHECK_UNDECIDED;
	else if (left->ns <= allowed)
		c->result = WC_CHECK_PASSED;
	else
		c->result = left->lo > allowed ? WC_CHECK_FAILED : WC_CHECK_UNDECIDED;
}

static void check__dose(const struct wc_result *r, struct wc_explain *e, const struct wc_level *top,
			const struct wc_cell *tasks)
{
	struct wc_check *c = check__add(e, WC_CHECK_NOT_RUN, "half the futex slots: about twice");
	const struct wc_effect *one = &top->causes[WC_CAUSE_WAITER];
	struct wc_effect half;
	double ratio;

	wc_cells__differ(wc_role__cell(r, WC_ROLE_SLOTS_HALF, 0), tasks, WC_BITS_FIND, &half);
	if (!half.n) {
		saw(c, "its cells could not be had here");
		return;
	}
	ratio = one->ns > 0 ? half.ns / one->ns : 0;
	saw(c, "%.2f times as much in find", ratio);
	if (!half.has_ci)
		c->result = WC_CHECK_UNDECIDED;
	else
		c->result =
			ratio >= DOSE_MIN && ratio <= DOSE_MAX ? WC_CHECK_PASSED : WC_CHECK_FAILED;
}

static void check__tasks(struct wc_explain *e, const struct wc_level *top)
{
	struct wc_check *c = check__add(e, WC_CHECK_NOT_RUN, "tasks that only exist cost nothing");
	const struct wc_effect *t = &top->causes[WC_CAUSE_TASKS];
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ], d[WC_UNITS_BUF_SZ];

	if (!t->n)
		return;
	saw(c, "%s [%s, %s] with the most parked", ns(t->ns, a), ns(t->lo, b), ns(t->hi, d));
	if (!t->has_ci)
		c->result = WC_CHECK_UNDECIDED;
	else
		c->result =
			grew(e, t) && t->ns > 0.05 * e->base.ns ? WC_CHECK_FAILED : WC_CHECK_PASSED;
}

static void check__sum(struct wc_explain *e, const struct wc_level *top)
{
	struct wc_check *c = check__add(e, WC_CHECK_NOT_RUN, "the causes add up to the growth");
	const struct wc_effect *rest = &top->causes[WC_CAUSE_NONE];
	double allowed = fmax(SHARE_LEFT * fabs(top->growth.ns), e->noise_floor_ns);
	char a[WC_UNITS_BUF_SZ];

	if (!rest->n)
		return;
	saw(c, "%s not explained", ns(rest->ns, a));
	c->result = fabs(rest->ns) <= allowed ? WC_CHECK_PASSED : WC_CHECK_FAILED;
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

static void check__pair_bucket(const struct wc_result *r, struct wc_explain *e,
			       const struct wc_cell *base)
{
	struct wc_check *c =
		check__add(e, WC_CHECK_NOT_RUN, "waiters in the pair's own bucket are walked over");
	struct wc_effect x;
	char a[WC_UNITS_BUF_SZ];

	wc_cells__differ(wc_role__cell(r, WC_ROLE_ONE_PAIR, 0), base, WC_BITS_FIND, &x);
	if (!x.n) {
		saw(c, "its cells could not be had here");
		return;
	}
	saw(c, "%s more in find", ns(x.ns, a));
	c->result = !x.has_ci	  ? WC_CHECK_UNDECIDED
		    : grew(e, &x) ? WC_CHECK_PASSED
				  : WC_CHECK_FAILED;
}

void wc_explain__check(const struct wc_result *r, struct wc_explain *e)
{
	const struct wc_cell *base = wc_role__cell(r, WC_ROLE_BASE, 0);
	const struct wc_level *top = top_level(e);
	const struct wc_cell *tasks;
	struct wc_effect x;

	check__noise(e);
	if (!top)
		return;
	tasks = wc_role__at(r, WC_ROLE_TASKS, "parked", top->parked);
	check__tasks(e, top);
	check__sum(e, top);
	wc_cells__differ(wc_role__cell(r, WC_ROLE_ONE_OTHER, 0), base, WC_BITS_TOTAL, &x);
	check__gone(e, "all on one futex in another bucket: no growth", &x, top->growth.ns);
	check__pair_bucket(r, e, base);
	if (!grew(e, &top->growth))
		return; /* nothing a knob could take away */
	check__slopes(e);
	wc_cells__differ(wc_role__cell(r, WC_ROLE_SLOTS_UP, 0), tasks, WC_BITS_TOTAL, &x);
	check__gone(e, "many futex slots: the growth is gone", &x, top->growth.ns);
	check__dose(r, e, top, tasks);
	wc_cells__differ(wc_role__cell(r, WC_ROLE_MECHANISM, 0),
			 wc_role__cell(r, WC_ROLE_MECH_BASE, 0), WC_BITS_TOTAL, &x);
	check__gone(e, "handing off by another mechanism: no growth", &x, top->growth.ns);
	check__prediction(e);
}
