// SPDX-License-Identifier: BSD-2-Clause
/* Theil-Sen slopes per round; what is printed is their median over rounds, and its interval. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/effect.h"
#include "user/model/stats.h"

#define LEVEL_MAX 64
/* A smaller part of the slope is no bend worth a word, however sure it is. */
#define BEND_MIN 0.10

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

/* Levels by rounds. The two parts of a divided slope share the level between them. */
struct table {
	const double *x;
	double *y; /* y[round * levels + level]; NAN where a round lacks one */
	size_t levels, rounds;
};

static double *row(const struct table *t, size_t round)
{
	return &t->y[round * t->levels];
}

/* Median over rounds of the slope of levels first..last; v has room for a value a round. */
static struct wc_figure slope_over(const struct table *t, size_t first, size_t last, double *v)
{
	size_t i, n = 0;

	for (i = 0; i < t->rounds; i++) {
		v[n] = theil_sen(t->x + first, row(t, i) + first, last - first + 1);
		n += !isnan(v[n]);
	}
	return wc_stats__figure(v, n);
}

/* Upper part less lower part. */
static struct wc_figure bend_over(const struct table *t, size_t half, double *v)
{
	size_t i, n = 0;

	for (i = 0; i < t->rounds; i++) {
		v[n] = theil_sen(t->x + half, row(t, i) + half, t->levels - half) -
		       theil_sen(t->x, row(t, i), half + 1);
		n += !isnan(v[n]);
	}
	return wc_stats__figure(v, n);
}

static double ols_over(const struct table *t, double *v)
{
	size_t i, n = 0;

	for (i = 0; i < t->rounds; i++) {
		v[n] = least_squares(t->x, row(t, i), t->levels);
		n += !isnan(v[n]);
	}
	return wc_stats__median(v, n);
}

/* Distance of levels first..last from the line through them, relative: noise grows with time. */
static double misfit(const struct table *t, const double *y, size_t first, size_t last)
{
	double slope = theil_sen(t->x + first, y + first, last - first + 1), sum = 0;
	double rest[LEVEL_MAX], sorted[LEVEL_MAX], level;
	size_t i, n = 0;

	for (i = first; i <= last; i++, n++)
		sorted[n] = rest[n] = y[i] - slope * t->x[i];
	level = wc_stats__median(sorted, n);
	for (i = 0; i < n; i++)
		sum += fabs(rest[i] - level) / fmax(fabs(y[first + i]), 1);
	return sum;
}

/* The level at which two lines through the levels' medians lie closest to them. */
static size_t find_knee(const struct table *t, double *v)
{
	double y[LEVEL_MAX], best = INFINITY;
	size_t i, k, n, knee = t->levels / 2;

	for (k = 0; k < t->levels; k++) {
		for (i = n = 0; i < t->rounds; i++) {
			v[n] = row(t, i)[k];
			n += !isnan(v[n]);
		}
		if (!n)
			return knee;
		y[k] = wc_stats__median(v, n);
	}
	for (k = 1; k + 1 < t->levels; k++) {
		double sum = misfit(t, y, 0, k) + misfit(t, y, k, t->levels - 1);

		if (sum < best) {
			best = sum;
			knee = k;
		}
	}
	return knee;
}

/* Whether it bends is asked of fixed halves: the best place to look would always show some bend. */
static void divide(const struct table *t, struct wc_slope *out, double *v)
{
	size_t at = t->levels / 2;
	struct wc_figure bend;

	out->lower = out->upper = NAN;
	if (t->levels < 4)
		return;
	bend = bend_over(t, at, v);
	if (bend.has_ci) {
		out->bend_lo = bend.lo;
		out->bend_hi = bend.hi;
		out->bends = (bend.lo > 0 || bend.hi < 0) &&
			     fabs(bend.median) > BEND_MIN * fabs(out->per_x);
	}
	if (out->bends) {
		at = find_knee(t, v);
		out->knee = t->x[at];
	}
	out->lower = slope_over(t, 0, at, v).median;
	out->upper = slope_over(t, at, t->levels - 1, v).median;
}

static void table__fill(struct table *t, const struct wc_series *y)
{
	size_t i, round;

	for (round = 0; round < t->rounds; round++) {
		for (i = 0; i < t->levels; i++)
			row(t, round)[i] = round < y[i].cnt ? y[i].v[round] : NAN;
	}
}

int wc_slope__of(const double *x, const struct wc_series *y, size_t levels, struct wc_slope *out)
{
	struct table t = { .x = x, .levels = levels };
	struct wc_figure all;
	double *v;
	size_t i;
	int err = 0;

	memset(out, 0, sizeof(*out));
	if (levels < 2 || levels > LEVEL_MAX)
		return levels > LEVEL_MAX ? -EINVAL : 0;
	for (i = 0; i < levels; i++) {
		if (y[i].cnt > t.rounds)
			t.rounds = y[i].cnt;
	}
	t.y = malloc((t.rounds + 1) * levels * sizeof(*t.y));
	v = malloc((t.rounds + 1) * sizeof(*v));
	if (!t.y || !v) {
		err = -ENOMEM;
	} else {
		table__fill(&t, y);
		all = slope_over(&t, 0, levels - 1, v);
		if (all.n) {
			out->n = all.n;
			out->levels = levels;
			out->has_ci = all.has_ci;
			out->per_x = all.median;
			out->lo = all.has_ci ? all.lo : all.median;
			out->hi = all.has_ci ? all.hi : all.median;
			out->ols = ols_over(&t, v);
			divide(&t, out, v);
		}
	}
	free(v);
	free(t.y);
	return err;
}
