// SPDX-License-Identifier: BSD-2-Clause
/* Theil-Sen slopes per round, and the bootstrap over rounds of the whole procedure. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/effect.h"
#include "user/model/stats.h"
#include "user/util/rng.h"

#define LEVEL_MAX 64
#define SEED	  0x536c6f70

/* Median of the slopes of all pairs of levels with different x; NAN: no such pair. */
static double theil_sen(const double *x, const double *y, size_t n)
{
	double slopes[LEVEL_MAX * (LEVEL_MAX - 1) / 2];
	size_t i, j, cnt = 0;

	for (i = 0; i < n; i++) {
		for (j = i + 1; j < n; j++) {
			if (x[i] != x[j] && !isnan(y[i]) && !isnan(y[j]))
				slopes[cnt++] = (y[j] - y[i]) / (x[j] - x[i]);
		}
	}
	return cnt ? wc_stats__median(slopes, cnt) : NAN;
}

static double least_squares(const double *x, const double *y, size_t n)
{
	double sx = 0, sy = 0, sxx = 0, sxy = 0, cnt = 0, d;
	size_t i;

	for (i = 0; i < n; i++) {
		if (isnan(y[i]))
			continue;
		cnt++;
		sx += x[i];
		sy += y[i];
		sxx += x[i] * x[i];
		sxy += x[i] * y[i];
	}
	d = cnt * sxx - sx * sx;
	return cnt >= 2 && d > 0 ? (cnt * sxy - sx * sy) / d : NAN;
}

/* Slopes of one round: all levels, the lower and the upper half (which share the middle one). */
struct round_slopes {
	double all, lower, upper, ols;
};

static void round__slopes(const double *x, const double *y, size_t levels, struct round_slopes *s)
{
	size_t half = levels / 2;

	s->all = theil_sen(x, y, levels);
	s->ols = least_squares(x, y, levels);
	s->lower = levels >= 4 ? theil_sen(x, y, half + 1) : NAN;
	s->upper = levels >= 4 ? theil_sen(x + half, y + half, levels - half) : NAN;
}

static void resample(const struct round_slopes *r, size_t n, struct wc_slope *out)
{
	struct wc_rng rng = { SEED };
	double *all = malloc(2 * WC_BOOTSTRAP_CNT * sizeof(*all)), *bend = all + WC_BOOTSTRAP_CNT;
	double *a = malloc(2 * n * sizeof(*a)), *b = a + n;
	size_t i, j;

	for (i = 0; all && a && i < WC_BOOTSTRAP_CNT; i++) {
		for (j = 0; j < n; j++) {
			const struct round_slopes *d = &r[wc_rng__below(&rng, n)];

			a[j] = d->all;
			b[j] = d->upper - d->lower;
		}
		all[i] = wc_stats__median(a, n);
		bend[i] = wc_stats__median(b, n);
	}
	if (all && a) {
		wc_stats__percentiles(all, WC_BOOTSTRAP_CNT, &out->lo, &out->hi);
		out->has_ci = true;
		if (!isnan(out->upper)) {
			wc_stats__percentiles(bend, WC_BOOTSTRAP_CNT, &out->bend_lo, &out->bend_hi);
			out->bends = out->bend_lo > 0 || out->bend_hi < 0;
		}
	}
	free(a);
	free(all);
}

static double median_of(const struct round_slopes *r, size_t n, size_t field)
{
	double v[WC_ROUND_MAX + 1];
	size_t i;

	for (i = 0; i < n; i++)
		v[i] = ((const double *)&r[i])[field];
	return wc_stats__median(v, n);
}

int wc_slope__of(const double *x, const struct wc_series *y, size_t levels, struct wc_slope *out)
{
	struct round_slopes *r;
	double values[LEVEL_MAX];
	size_t i, round, rounds = 0, n = 0;

	memset(out, 0, sizeof(*out));
	if (levels < 2 || levels > LEVEL_MAX)
		return levels > LEVEL_MAX ? -EINVAL : 0;
	for (i = 0; i < levels; i++) {
		if (y[i].cnt > rounds)
			rounds = y[i].cnt;
	}
	r = calloc(rounds + 1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < levels; i++)
			values[i] = round < y[i].cnt ? y[i].v[round] : NAN;
		round__slopes(x, values, levels, &r[n]);
		n += !isnan(r[n].all); /* a round with one level says nothing */
	}
	if (n) {
		out->n = n;
		out->levels = levels;
		out->per_x = out->lo = out->hi = median_of(r, n, 0);
		out->lower = median_of(r, n, 1);
		out->upper = median_of(r, n, 2);
		out->ols = median_of(r, n, 3);
		if (n >= WC_EFFECT_ROUNDS_MIN)
			resample(r, n, out);
		out->knee = out->bends ? x[levels / 2] : 0;
	}
	free(r);
	return 0;
}
