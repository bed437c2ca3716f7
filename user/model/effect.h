/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Differences between cells, paired by round, and slopes over cells: each with a 95 % interval by
 * bootstrap over rounds (whole rounds are drawn, since what is inside one is not independent).
 * Documented in docs/method.md.
 */
#ifndef WC_MODEL_EFFECT_H
#define WC_MODEL_EFFECT_H

#include "user/model/result.h"

#define WC_BOOTSTRAP_CNT     4000
#define WC_EFFECT_ROUNDS_MIN 5 /* fewer give no interval worth the name */

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

/* Figures of one round, p50 of its slept handoffs: stages, then the whole. NAN: not measured. */
struct wc_round_p50 {
	double ns[WC_METRIC_CNT];
};

void wc_round__p50(const struct wc_round *round, struct wc_round_p50 *out);

/*
 * Values by round index, as taken from one cell. Rounds that were warm-up or not complete are
 * left out. metrics: bits of enum wc_metric whose p50s are summed (one of them, or stages).
 */
struct wc_series {
	double *v; /* by round index; NAN where there is none */
	size_t cnt;
};

int wc_series__of(const struct wc_cell *cell, unsigned int metrics, struct wc_series *out);
/* a + factor * b, round by round; NAN where either is. In place. */
void wc_series__add(struct wc_series *a, const struct wc_series *b, double factor);
void wc_series__free(struct wc_series *s);

/* Median over rounds, with its interval. */
void wc_effect__of(const struct wc_series *s, struct wc_effect *e);

/* y = a + b x over levels, with intercept. */
struct wc_slope {
	unsigned int n;	     /* rounds; 0: not measured */
	unsigned int levels; /* distinct x */
	bool has_ci;
	double per_x, lo, hi; /* median over rounds of Theil-Sen slopes */
	double lower, upper;  /* of the lower and of the upper half of the levels */
	bool bends;	      /* the interval of upper - lower leaves zero out */
	double bend_lo, bend_hi;
	double knee; /* x at which the halves meet, where it bends; 0 otherwise */
	double ols;  /* ordinary least squares, as a check */
};

/* y[i] belongs to x[i]; levels in ascending order of x. 0 or -ENOMEM. */
int wc_slope__of(const double *x, const struct wc_series *y, size_t levels, struct wc_slope *out);

#endif
