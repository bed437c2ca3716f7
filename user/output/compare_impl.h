/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the outputs of compare and nobody else. */
#ifndef WC_OUTPUT_COMPARE_IMPL_H
#define WC_OUTPUT_COMPARE_IMPL_H

#include "user/output/compare.h"
#include "user/output/grid.h"
#include "user/util/units.h"

/* Indices of cells or pairs as the options order them; free() it. NULL: no memory. */
size_t *compare__order_cells(const struct wc_comparison *c, const struct wc_compare_opts *opts);
size_t *compare__order_pairs(const struct wc_record_comparison *c,
			     const struct wc_compare_opts *opts);
/* How many of cnt are shown. */
size_t compare__shown(size_t cnt, const struct wc_compare_opts *opts);

/* "+10.2", "-0.31": percent, from a ratio. Returns buf. */
#define CHANGE_SZ 48
const char *compare__percent(char buf[CHANGE_SZ], double ratio);
/* Likewise, of a ratio of 1 or more, without a sign. Returns a part of buf. */
const char *compare__size(char buf[CHANGE_SZ], double ratio);
double compare__ratio(double base, double new); /* 0: base is nothing */
/* What both sides are, and what else differs between them. */
void compare__head(FILE *f, const struct wc_result *base, const struct wc_result *new,
		   const struct wc_compare_opts *opts);
void compare__heading(FILE *f, const struct wc_compare_opts *opts, const char *text);

#endif
