/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two groups of rounds compared by rank: nothing is assumed of how rounds are spread, and one that
 * went wrong moves little. Pure functions, documented in docs/compare.md.
 *
 * A group that is given sorted is ascending (wc_rank__sort).
 */
#ifndef WC_MODEL_RANK_H
#define WC_MODEL_RANK_H

#include <stdbool.h>
#include <stddef.h>

#define WC_RANK_EXACT_MAX   20 /* rounds a side up to which the tests are exact */
#define WC_SIGNED_EXACT_MAX 40 /* likewise pairs */

void wc_rank__sort(double *v, size_t n);

/* Hodges-Lehmann: the median of b[j] - a[i] over all i and j. Sorted groups; 0 if one is empty. */
double wc_rank__shift(const double *a, size_t na, const double *b, size_t nb);
/* Its 95 % interval, by inverting the test below; false: too few for one. Sorted groups. */
bool wc_rank__shift_interval(const double *a, size_t na, const double *b, size_t nb, double *lo,
			     double *hi);
/* Mann-Whitney, two-sided; exact also with ties. 1 if a group is empty. */
double wc_rank__sum_p(const double *a, size_t na, const double *b, size_t nb);
/* The least that can be: when the groups do not overlap. */
double wc_rank__least_p(size_t na, size_t nb);
/* Wilcoxon's signed ranks of paired differences, two-sided; exact also with ties, zeros left out. */
double wc_rank__signed_p(const double *d, size_t n);

/* Holm: each p made what it is worth among n of them, in place. 0 or -ENOMEM. */
int wc_rank__holm(double *p, size_t n);

#endif
