/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Differences between cells, paired by round, and slopes over cells: medians over rounds, each with
 * the 95 % interval of a median by order statistics. It assumes nothing but rounds that do not
 * depend on each other, and holds with few of them, where resampling promises too much
 * (docs/method.md). What is inside a round is not independent, so a round is one observation.
 */
#ifndef WC_MODEL_EFFECT_H
#define WC_MODEL_EFFECT_H

#include "user/model/result.h"

#define WC_EFFECT_ROUNDS_MIN 6 /* fewer have no 95 % interval: wc_stats__median_ranks() */

struct wc_effect {
	unsigned int n; /* rounds; 0: not measured, all else is 0 */
	bool has_ci;
	double ns, lo, hi;
};

/* Whether the interval leaves zero out. */
static inline bool wc_effect__is_real(const struct wc_effect *e)
{
	return e->has_ci && (e->lo > 0 || e->hi < 0);
}

/*
 * Values by round index, as taken from one cell. Rounds that were warm-up or not complete are
 * left out. metrics: bits of enum wc_metric whose p50s (of slept handoffs) are summed.
 */
struct wc_series {
	double *v; /* by round index; NAN where there is none */
	size_t cnt;
};

int wc_series__of(const struct wc_cell *cell, unsigned int metrics, struct wc_series *out);
/* a + factor * b, round by round; NAN where either is. In place. */
void wc_series__add(struct wc_series *a, const struct wc_series *b, double factor);
/* a / b; NAN where either is, or b is not above zero. In place. */
void wc_series__divide(struct wc_series *a, const struct wc_series *b);
void wc_series__free(struct wc_series *s);

/* Median over rounds, with its interval. */
void wc_effect__of(const struct wc_series *s, struct wc_effect *e);

/* y = a + b x over levels, with intercept. */
struct wc_slope {
	unsigned int n;	     /* rounds; 0: not measured */
	unsigned int levels; /* distinct x */
	bool has_ci;
	double per_x, lo, hi; /* median over rounds of Theil-Sen slopes */
	/* upper half of the levels - lower half: its interval leaves zero out, and it is no trifle */
	bool bends;
	double bend_lo, bend_hi;
	/* where it bends the level that divides it best, 0 otherwise; and the slopes of both sides */
	double knee;
	double lower, upper; /* without a bend: of the halves; NAN: fewer than four levels */
	double ols;	     /* ordinary least squares, as a check */
};

/* y[i] belongs to x[i]; levels in ascending order of x. 0 or -ENOMEM. */
int wc_slope__of(const double *x, const struct wc_series *y, size_t levels, struct wc_slope *out);

#endif
