/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What changed between two recordings: policy over user/model/rank.h, documented in
 * docs/compare.md.
 *
 * Two of `run` are compared cell by cell, rounds against rounds, with an interval and a verdict.
 * Two of `record` have no rounds: their figures are set side by side, and that is all.
 */
#ifndef WC_MODEL_COMPARE_H
#define WC_MODEL_COMPARE_H

#include "user/model/result.h"

enum wc_judgement {
	WC_JUDGED_SAME = 0, /* none found, and one that matters would have been */
	WC_JUDGED_FASTER = 1,
	WC_JUDGED_SLOWER = 2,
	WC_JUDGED_INCONCLUSIVE = 3,
	WC_JUDGED_CNT = 4,
};

const char *wc_judgement__name(unsigned int verdict);

/* ---- experiments ---- */

/* One figure of a cell in both. Effects are ratios, NEW over BASE: 1.1 is 10 % slower. */
struct wc_change {
	bool compared;		    /* measured on both sides; all else is 0 otherwise */
	unsigned int base_n, new_n; /* rounds */
	double base_ns, new_ns;	    /* medians over rounds */
	double ratio;		    /* median over all pairs of a round of each side */
	bool has_ci;
	double lo, hi;
	double p, p_holm; /* as it is, and as one of its family */
	bool has_noise;
	double noise; /* BASE against itself: as much above 1 as the greatest ratio of its halves */
	enum wc_judgement verdict;
	unsigned int needs; /* inconclusive: rounds a side that should do */
};

enum wc_change_of {
	WC_CHANGE_P50 = 0, /* of the handoff */
	WC_CHANGE_P99 = 1,
	WC_CHANGE_STAGE = 2, /* + enum wc_stage: its p50 */
	WC_CHANGE_CNT = WC_CHANGE_STAGE + WC_STAGE_CNT,
};

/* Where handoffs were timed; the best that both sides have. */
enum wc_timed_by {
	WC_TIMED_BY_PROBES = 0,	  /* slept handoffs */
	WC_TIMED_BY_WORKLOAD = 1, /* all of them, probes attached */
	WC_TIMED_BY_BARE = 2,	  /* all of them, probes detached */
	WC_TIMED_BY_CNT = 3,
};

const char *wc_timed_by__name(unsigned int source);

struct wc_cell_change {
	size_t base, new; /* cells */
	enum wc_timed_by timed_by;
	struct wc_change of[WC_CHANGE_CNT];
};

struct wc_comparison {
	double threshold;	      /* as a ratio above 1 */
	struct wc_cell_change *cells; /* in the order of BASE */
	size_t cell_cnt;
	size_t *only_base, *only_new; /* cells */
	size_t only_base_cnt, only_new_cnt;
	/* stages measured otherwise on one side (merged there, or missing) */
	bool stage_differs[WC_STAGE_CNT];
	double noise[WC_CHANGE_CNT]; /* the greatest of all cells */
	unsigned int verdicts[WC_JUDGED_CNT];
	unsigned int handoff_family, stage_family; /* figures judged together */
};

/* 0 or -ENOMEM; free it in any case. */
int wc_compare__runs(const struct wc_result *base, const struct wc_result *new, double threshold,
		     struct wc_comparison *out);
void wc_comparison__free(struct wc_comparison *c);

/* ---- the machine ---- */

/* Facts that should be the same and are not: kernel, CPU, scheduler, ... Owned by the results. */
struct wc_difference {
	const char *key, *base, *new; /* "" where it is not known */
};

#define WC_DIFFERENCE_MAX 24
size_t wc_compare__hosts(const struct wc_result *base, const struct wc_result *new,
			 struct wc_difference out[WC_DIFFERENCE_MAX]);

/* ---- recordings of programs ---- */

/* Mean time per wake of one side. */
struct wc_mean {
	uint64_t wakes;
	double per_s;
	double mean_ns;	   /* of the whole wake, or of a stage per wake */
	double cost_per_s; /* ns of a second */
};

struct wc_stage_change {
	const char *base_name, *new_name; /* as shown; NULL: not measured there */
	double base_ns, new_ns;		  /* per wake: they add up */
};

/* Threads of the same names, whatever their numbers and however many. */
struct wc_pair_change {
	const char *waker, *wakee; /* of the results; "[softirq]" for interrupts */
	bool in_base, in_new;
	struct wc_mean base, new;
	double base_stage_ns[WC_STAGE_CNT], new_stage_ns[WC_STAGE_CNT]; /* per wake */
	unsigned int top_stage; /* changed most; WC_STAGE_CNT: none, or on one side only */
};

struct wc_record_comparison {
	struct wc_mean base, new;
	struct wc_stage_change stages[WC_STAGE_CNT];
	double base_rest_ns, new_rest_ns; /* unattributed */
	struct wc_pair_change *pairs;	  /* by the greater cost of the two, first */
	size_t pair_cnt;
};

/* 0 or -ENOMEM; free it in any case. */
int wc_compare__records(const struct wc_result *base, const struct wc_result *new,
			struct wc_record_comparison *out);
void wc_record_comparison__free(struct wc_record_comparison *c);

#endif
