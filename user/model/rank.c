// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/rank.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.05
#define Z95   1.959963984540054

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void wc_rank__sort(double *v, size_t n)
{
	if (n)
		qsort(v, n, sizeof(*v), compare_doubles);
}

/* ---- exact distributions ---- */

/*
 * Ranks are kept doubled, so that the middle of a tie is a whole number too. ways[k][s]: how many
 * choices of k of the ranks sum to s; below 2^53 for 20 of 40, so counted exactly.
 */
#define POOL_MAX (2 * WC_RANK_EXACT_MAX)
#define SUM_MAX	 (POOL_MAX * (POOL_MAX + 1))

struct choices {
	double ways[WC_RANK_EXACT_MAX + 1][SUM_MAX + 1];
};

static void choices__count(struct choices *c, const unsigned int *ranks, size_t n, size_t k)
{
	size_t sum = 0;

	memset(c, 0, sizeof(*c));
	c->ways[0][0] = 1;
	for (size_t i = 0; i < n; i++) {
		sum += ranks[i];
		for (size_t size = i + 1 < k ? i + 1 : k; size > 0; size--)
			for (size_t s = sum; s >= ranks[i]; s--)
				c->ways[size][s] += c->ways[size - 1][s - ranks[i]];
	}
}

/* Twice the smaller tail, the value itself in both. */
static double two_sided(const double *ways, size_t max, size_t value)
{
	double below = 0, above = 0, all = 0;

	for (size_t s = 0; s <= max; s++) {
		all += ways[s];
		below += s <= value ? ways[s] : 0;
		above += s >= value ? ways[s] : 0;
	}
	return fmin(1, 2 * fmin(below, above) / all);
}

/* ---- two groups ---- */

/* How many b[j] - a[i] are at most x. */
static size_t at_most(const double *a, size_t na, const double *b, size_t nb, double x)
{
	size_t cnt = 0, j = 0;

	for (size_t i = 0; i < na; i++) { /* the larger a[i], the more b[j] */
		while (j < nb && b[j] - a[i] <= x)
			j++;
		cnt += j;
	}
	return cnt;
}

/* The k-th smallest difference (from 1), found by halving: they are too many to be listed. */
static double nth_difference(const double *a, size_t na, const double *b, size_t nb, size_t k)
{
	double lo = b[0] - a[na - 1], hi = b[nb - 1] - a[0];

	if (at_most(a, na, b, nb, lo) >= k)
		return lo;
	for (;;) {
		double mid = lo + (hi - lo) / 2;

		if (mid <= lo || mid >= hi)
			return hi;
		if (at_most(a, na, b, nb, mid) >= k)
			hi = mid;
		else
			lo = mid;
	}
}

double wc_rank__shift(const double *a, size_t na, const double *b, size_t nb)
{
	size_t n = na * nb;

	if (!n)
		return 0;
	if (n % 2)
		return nth_difference(a, na, b, nb, n / 2 + 1);
	return nth_difference(a, na, b, nb, n / 2) / 2 +
	       nth_difference(a, na, b, nb, n / 2 + 1) / 2;
}

/* The largest k for which fewer than k of all differences below 0 has a chance of 2.5 % or less. */
static size_t interval_rank(size_t na, size_t nb)
{
	unsigned int ranks[POOL_MAX];
	struct choices c;
	double all = 0, tail = 0;
	size_t k = 0;

	if (na > WC_RANK_EXACT_MAX || nb > WC_RANK_EXACT_MAX) {
		double spread = sqrt((double)na * (double)nb * (double)(na + nb + 1) / 12);
		double rank = (double)na * (double)nb / 2 - Z95 * spread + 0.5;

		return rank > 0 ? (size_t)rank : 0;
	}
	for (size_t i = 0; i < na + nb; i++)
		ranks[i] = 2 * (unsigned int)(i + 1);
	choices__count(&c, ranks, na + nb, na);
	for (size_t s = 0; s <= SUM_MAX; s++)
		all += c.ways[na][s];
	for (size_t u = 0;; u++) {
		tail += c.ways[na][na * (na + 1) + 2 * u];
		if (2 * tail / all > LEVEL)
			return k;
		k++;
	}
}

bool wc_rank__shift_interval(const double *a, size_t na, const double *b, size_t nb, double *lo,
			     double *hi)
{
	size_t k = na && nb ? interval_rank(na, nb) : 0;

	if (!k)
		return false;
	*lo = nth_difference(a, na, b, nb, k);
	*hi = nth_difference(a, na, b, nb, na * nb + 1 - k);
	return true;
}

struct member {
	double value;
	bool first; /* of the first group */
};

static int compare_members(const void *a, const void *b)
{
	return compare_doubles(&((const struct member *)a)->value,
			       &((const struct member *)b)->value);
}

/* Doubled rank sum of the first group; the ranks, where asked for; what ties take off. */
static double rank_sum(struct member *pool, size_t n, unsigned int *ranks, double *ties)
{
	double sum = 0;
	size_t next;

	qsort(pool, n, sizeof(*pool), compare_members);
	*ties = 0;
	for (size_t i = 0; i < n; i = next) {
		double len;

		for (next = i + 1; next < n && pool[next].value == pool[i].value; next++)
			;
		len = (double)(next - i);
		*ties += len * (len * len - 1);
		for (size_t k = i; k < next; k++) {
			if (ranks)
				ranks[k] = (unsigned int)(i + 1 + next);
			sum += pool[k].first ? (double)(i + 1 + next) : 0;
		}
	}
	return sum;
}

static double normal_p(double away, double variance)
{
	if (variance <= 0)
		return 1;
	return fmin(1, erfc(fmax(away - 0.5, 0) / sqrt(variance) / M_SQRT2));
}

double wc_rank__sum_p(const double *a, size_t na, const double *b, size_t nb)
{
	bool exact = na <= WC_RANK_EXACT_MAX && nb <= WC_RANK_EXACT_MAX;
	size_t n = na + nb;
	struct member pool[n ? n : 1];
	unsigned int ranks[POOL_MAX];
	double sum, ties, mean, variance;
	struct choices c;

	if (!na || !nb)
		return 1;
	for (size_t i = 0; i < n; i++)
		pool[i] = i < na ? (struct member){ a[i], true }
				 : (struct member){ b[i - na], false };
	sum = rank_sum(pool, n, exact ? ranks : NULL, &ties);
	if (exact) {
		choices__count(&c, ranks, n, na);
		return two_sided(c.ways[na], SUM_MAX, (size_t)sum);
	}
	mean = (double)na * (double)(n + 1) / 2;
	variance = (double)na * (double)nb / 12 *
		   ((double)(n + 1) - ties / ((double)n * (double)(n - 1)));
	return normal_p(fabs(sum / 2 - mean), variance);
}

double wc_rank__least_p(size_t na, size_t nb)
{
	double ways = 1; /* of choosing the one group from all */

	if (!na || !nb)
		return 1;
	for (size_t i = 1; i <= nb; i++)
		ways = ways * (double)(na + i) / (double)i;
	return fmin(1, 2 / ways);
}

/* ---- pairs ---- */

double wc_rank__signed_p(const double *d, size_t n)
{
	double ways[WC_SIGNED_EXACT_MAX * (WC_SIGNED_EXACT_MAX + 1) + 1] = { 1 };
	struct member pool[n ? n : 1];
	unsigned int ranks[WC_SIGNED_EXACT_MAX];
	size_t cnt = 0, most = 0;
	double sum, ties, mean, variance;

	for (size_t i = 0; i < n; i++)
		if (d[i] != 0)
			pool[cnt++] = (struct member){ fabs(d[i]), d[i] > 0 };
	if (!cnt)
		return 1;
	sum = rank_sum(pool, cnt, cnt <= WC_SIGNED_EXACT_MAX ? ranks : NULL, &ties);
	if (cnt > WC_SIGNED_EXACT_MAX) {
		mean = (double)cnt * (double)(cnt + 1) / 4;
		variance = mean * (double)(2 * cnt + 1) / 6 - ties / 48;
		return normal_p(fabs(sum / 2 - mean), variance);
	}
	for (size_t i = 0; i < cnt; i++) { /* each rank is positive or it is not */
		most += ranks[i];
		for (size_t s = most; s >= ranks[i]; s--)
			ways[s] += ways[s - ranks[i]];
	}
	return two_sided(ways, most, (size_t)sum);
}

/* ---- many tests ---- */

static int compare_pointed(const void *a, const void *b)
{
	return compare_doubles(*(const double *const *)a, *(const double *const *)b);
}

int wc_rank__holm(double *p, size_t n)
{
	double **order = reallocarray(NULL, n ? n : 1, sizeof(*order)), worst = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		order[i] = &p[i];
	if (n)
		qsort(order, n, sizeof(*order), compare_pointed);
	for (size_t i = 0; i < n; i++) {
		worst = fmax(worst, fmin(1, *order[i] * (double)(n - i)));
		*order[i] = worst;
	}
	free(order);
	return 0;
}
