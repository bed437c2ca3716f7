/* SPDX-License-Identifier: BSD-2-Clause */
/* Medians over rounds and their intervals. */
#include <stdint.h>
#include <stdlib.h>

#include "user/model/stats.h"

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double sorted_median(const double *v, size_t n)
{
	if (!n)
		return 0;
	return n % 2 ? v[n / 2] : v[n / 2 - 1] / 2 + v[n / 2] / 2;
}

double wc_stats__median(double *v, size_t n)
{
	if (n)
		qsort(v, n, sizeof(*v), compare_doubles);
	return sorted_median(v, n);
}

/* Largest s with s * s <= n. */
static size_t isqrt(size_t n)
{
	size_t s = 0;

	for (size_t bit = (size_t)1 << 31; bit; bit >>= 1)
		if ((s | bit) * (s | bit) <= n)
			s |= bit;
	return s;
}

/*
 * The k-th lowest and k-th highest of n hold the median between them unless fewer than k fall on
 * one side of it: 1 - 2 P(B(n, 1/2) < k). The largest k that still gives 95 %.
 */
int wc_stats__median_ranks(size_t n, size_t *lo, size_t *hi)
{
	double term = 1, tail = 0;
	size_t k = 0;

	if (n < 6)
		return 0;
	if (n > 1000) { /* 2^-n would underflow; normal, rounded outwards */
		k = (n - isqrt(4 * n)) / 2;
	} else {
		for (size_t i = 0; i < n; i++)
			term /= 2;
		while (2 * (tail + term) <= 0.05) {
			tail += term;
			term = term * (double)(n - k) / (double)(k + 1);
			k++;
		}
	}
	*lo = k;
	*hi = n + 1 - k;
	return 1;
}

struct wc_figure wc_stats__figure(double *v, size_t n)
{
	struct wc_figure f = { .n = (unsigned int)n };
	size_t lo, hi;

	if (!n)
		return f;
	f.median = wc_stats__median(v, n);
	f.min = v[0];
	f.max = v[n - 1];
	if (wc_stats__median_ranks(n, &lo, &hi)) {
		f.has_ci = true;
		f.lo = v[lo - 1];
		f.hi = v[hi - 1];
	}
	return f;
}
