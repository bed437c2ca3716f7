/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of rounds: pure functions, documented in docs/method.md. */
#ifndef WC_MODEL_STATS_H
#define WC_MODEL_STATS_H

#include <stddef.h>

#include "user/model/summary.h"

/* Median of v[0..n); sorts v. 0 when n == 0. */
double wc_stats__median(double *v, size_t n);
/* Median with its 95 % interval by order statistics (binomial, n >= 6). Sorts v. */
struct wc_figure wc_stats__figure(double *v, size_t n);
/* Ranks (1-based, inclusive) of the interval of the median; false when n < 6. */
int wc_stats__median_ranks(size_t n, size_t *lo, size_t *hi);

#endif
