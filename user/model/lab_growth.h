/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a handoff pays more for than in another cell, told apart: a longer path (instructions, by
 * function), and more misses on instructions that have not changed.
 */
#ifndef WC_MODEL_LAB_GROWTH_H
#define WC_MODEL_LAB_GROWTH_H

#include <stdbool.h>

#include "user/model/lab.h"

/* Instructions of a function a handoff: a smaller difference is one of layout, not of path. */
#define WC_LAB_PATH_INSNS 5.0

/* A function in a stage. Counts are per handoff, means over seeds. */
struct wc_lab_change {
	const char *stage, *function; /* the lab's */
	double base[WC_LAB_COUNT_CNT], now[WC_LAB_COUNT_CNT];
	bool path; /* its instructions differ by WC_LAB_PATH_INSNS */
};

struct wc_lab_growth {
	struct wc_lab_change *items; /* the heaviest first */
	size_t cnt;
	double base[WC_LAB_COUNT_CNT], now[WC_LAB_COUNT_CNT];
	/* now - base of functions whose path changed, and of those where it did not */
	double path[WC_LAB_COUNT_CNT], same[WC_LAB_COUNT_CNT];
	/* the least and the most instructions that a seed gave */
	double base_min, base_max, now_min, now_max;
};

/* cell, and its seeds, against base and its seeds. 0 or -ENOMEM; free it in either case. */
int wc_lab_growth__of(const struct wc_lab *lab, const struct wc_lab_cell *cell,
		      const struct wc_lab_cell *base, struct wc_lab_growth *out);
void wc_lab_growth__free(struct wc_lab_growth *g);

/* now - base */
double wc_lab_change__more(const struct wc_lab_change *c, enum wc_lab_count count);
double wc_lab_growth__more(const struct wc_lab_growth *g, enum wc_lab_count count);

#endif
