/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The points of a lab over its kernels, each beside what was published of macOS and what a host
 * measured there. Counts and times meet only as ratios, each to its own baseline.
 */
#ifndef WC_MODEL_LAB_POINTS_H
#define WC_MODEL_LAB_POINTS_H

#include <stdbool.h>

#include "user/model/effect.h"
#include "user/model/lab.h"

struct wc_lab_point {
	const char *params;		   /* the lab's; NULL: not in it */
	char what[96];			   /* "4,000 parked, each on its own futex" */
	double book_ns, book_ratio;	   /* 0: nothing was published of this */
	struct wc_effect host, host_ratio; /* n == 0: the host did not measure it */
};

/* In the order of the lab, then what only was published. host: NULL or any recording of cells. */
int wc_lab_points__of(const struct wc_lab *lab, const struct wc_result *host,
		      struct wc_lab_point **out, size_t *cnt);

/* What a kernel has at a point: the first of its seeds; NULL: not counted there. */
const struct wc_lab_cell *wc_lab__at(const struct wc_lab *lab, const char *kernel,
				     const char *params);
/* The i-th kernel: a cell of it, or NULL behind the last. */
const struct wc_lab_cell *wc_lab__kernel(const struct wc_lab *lab, size_t i);
/* Whether no later cell of its kernel differs in how many there are alone: the one to speak of. */
bool wc_lab__is_largest(const struct wc_lab *lab, const struct wc_lab_cell *cell);
/* "6.1 (CFS)" */
const char *wc_lab_cell__kernel_words(const struct wc_lab_cell *cell, char *buf, size_t sz);
/* "4,000 parked, each on its own futex"; what is not known by heart as it is. */
const char *wc_lab__words(const struct wc_lab *lab, const char *params, char *buf, size_t sz);

/*
 * A sentence or two on what a cell pays more for than its baseline: a longer path, the same path
 * with more misses, both, or neither.
 */
enum wc_lab_kind {
	WC_LAB_NEITHER = 0,
	WC_LAB_LONGER = 1,
	WC_LAB_COLDER = 2,
	WC_LAB_BOTH = 3,
};

struct wc_lab_growth;
enum wc_lab_kind wc_lab_growth__kind(const struct wc_lab_growth *g);
const char *wc_lab_kind__name(unsigned int kind);
/* Allocated; NULL: no memory. */
char *wc_lab__say(const struct wc_lab *lab, const struct wc_lab_cell *cell);

#endif
