/* SPDX-License-Identifier: BSD-2-Clause */
/* What grew between the cells of a result, and in which stage. */
#ifndef WC_MODEL_GROWTH_H
#define WC_MODEL_GROWTH_H

#include "user/model/summary.h"

struct wc_growth {
	bool comparable;   /* at least two cells could be compared */
	bool grew;	   /* some cell is slower than its baseline */
	bool beyond_noise; /* .. and the intervals of the two medians do not overlap */
	bool has_ci;	   /* false: too few rounds; the ranges were compared instead */
	unsigned int rounds;
	size_t base, top;	/* cells */
	double base_ns, top_ns; /* p50 of the handoff */
	double factor;
	/* of the growth of the mean handoff, by far the exactest thing to divide */
	double mean_growth_ns;
	bool has_stage;	    /* both cells slept, and the mean grew */
	unsigned int stage; /* WC_STAGE_CNT: unattributed */
	const char *stage_name;
	double stage_share; /* may exceed 1 where other stages shrank */
};

/*
 * The greatest growth of the p50 against the cell's baseline: the cell with the lowest value of
 * the axis (wc_params__axis) that is otherwise most alike; without an axis, the fastest cell.
 * Growth beyond the noise goes before growth within it. s holds one summary a cell.
 */
void wc_growth__find(const struct wc_result *r, const struct wc_cell_summary *s,
		     struct wc_growth *g);
/* One sentence about it; empty when there was nothing to compare. Returns buf. */
const char *wc_growth__sentence(const struct wc_result *r, const struct wc_growth *g, char *buf,
				size_t sz);

#endif
