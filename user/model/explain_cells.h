/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding the cells of an explain experiment by role. For the explain_*.c files. */
#ifndef WC_MODEL_EXPLAIN_CELLS_H
#define WC_MODEL_EXPLAIN_CELLS_H

#include "user/model/explain.h"

/* p50 of these stages. */
#define WC_BITS_TOTAL (1u << WC_METRIC_TOTAL)
#define WC_BITS_FIND  (1u << WC_STAGE_FIND)
#define WC_BITS_CPU   (1u << WC_STAGE_SELECT | 1u << WC_STAGE_SEND | 1u << WC_STAGE_ENQUEUE)
#define WC_BITS_NEXT  (1u << WC_STAGE_PICK)
#define WC_BITS_COLD  (1u << WC_STAGE_WAIT | 1u << WC_STAGE_SWITCH | 1u << WC_STAGE_RETURN)

/* The n-th cell (from 0) of a role that has complete rounds; NULL: none. */
const struct wc_cell *wc_role__cell(const struct wc_result *r, const char *role, size_t n);
/* The one with this value of a parameter. */
const struct wc_cell *wc_role__at(const struct wc_result *r, const char *role, const char *key,
				  uint64_t value);
uint64_t wc_cell__number(const struct wc_cell *cell, const char *key); /* 0: absent */

/* What is added up round by round: factor times the p50s of these metrics of a cell. */
struct wc_term {
	const struct wc_cell *cell;
	unsigned int metrics;
	double factor;
};

/* e->n == 0 when a cell is NULL, or on no memory. */
void wc_terms__effect(const struct wc_term *terms, size_t cnt, struct wc_effect *e);
/* The sum of the first terms over the sum of the others, round by round. */
void wc_terms__ratio(const struct wc_term *over, size_t over_cnt, const struct wc_term *under,
		     size_t under_cnt, struct wc_effect *e);
/* a less b, by metrics. */
void wc_cells__differ(const struct wc_cell *a, const struct wc_cell *b, unsigned int metrics,
		      struct wc_effect *e);
void wc_cells__value(const struct wc_cell *cell, unsigned int metrics, struct wc_effect *e);

/* Median of the rounds' predicted chains; UINT64_MAX: unknown. */
uint64_t wc_cell__chain(const struct wc_cell *cell);

/* A growth that is there, and larger than what two equal cells can differ by. */
bool wc_explain__grew(const struct wc_explain *e, const struct wc_effect *x);
/* The cause with the greatest part of a level's growth. */
unsigned int wc_level__main_cause(const struct wc_level *l);

/* explain_checks.c, explain_verdict.c: the later parts of wc_explain__of(). */
void wc_explain__check(const struct wc_result *r, struct wc_explain *e);
void wc_explain__conclude(const struct wc_result *r, struct wc_explain *e);

#endif
