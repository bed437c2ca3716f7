/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The figures of a cell, computed once for every output: medians over rounds with confidence
 * intervals, stages with shares, and the check that they add up to the whole.
 */
#ifndef WC_MODEL_SUMMARY_H
#define WC_MODEL_SUMMARY_H

#include "user/model/result.h"

/* A figure over rounds: median, and the 95 % interval of it by order statistics. */
struct wc_figure {
	unsigned int n; /* rounds it rests on; 0: nothing measured, all else is 0 */
	double median;
	bool has_ci; /* false: too few rounds (n < 6) */
	double lo, hi;
	double min, max;
};

struct wc_dist_summary {
	uint64_t count; /* handoffs, all rounds */
	struct wc_figure p50_ns, p90_ns, p99_ns, mean_ns;
	uint64_t min_ns, max_ns; /* of the probes: ends of the outermost buckets */
	double total_mean_ns;	 /* sum / count over all rounds: what stage means add up to */
};

struct wc_stage_summary {
	const char *name; /* shown_as of the stage table */
	enum wc_status status;
	bool present; /* false: missing, or inside the stage before it */
	uint64_t count;
	struct wc_figure p50_ns, p99_ns;
	double mean_ns; /* per slept handoff, all rounds: means add up */
	double share;	/* of the mean slept handoff, 0..1 */
};

struct wc_cell_summary {
	unsigned int rounds; /* complete, warm-up not counted */
	/* all = slept + unslept + classes[WC_CLASS_TIMED], unless excess_cnt says otherwise */
	uint64_t handoff_cnt, slept_cnt, unslept_cnt;
	uint64_t excess_cnt; /* probes saw more handoffs than the workload made: figures doubtful */
	struct wc_dist_summary handoff; /* slept handoffs, by the probes */
	struct wc_dist_summary all;	/* every handoff, probes attached, by the workload */
	struct wc_dist_summary bare;	/* every handoff, probes detached, by the workload */
	struct wc_stage_summary stages[WC_STAGE_CNT];
	double unattributed_mean_ns; /* signed */
	double unattributed_share;
	double unslept_mean_ns;
	struct wc_figure waits_per_handoff, bare_waits_per_handoff;
	struct wc_figure csw_per_handoff; /* voluntary + involuntary, probes attached */
	struct wc_figure cpu_ns_per_handoff, bare_cpu_ns_per_handoff;
	/* of a result that counts work: wakes of its process by somebody, and by its own timers */
	struct wc_figure wakes_per_work, timed_per_work;
	struct wc_figure probe_cost_ns; /* per round: mean of all handoffs, probed - bare */
	uint64_t classes[WC_CLASS_CNT]; /* handoffs of each kind; timed ones are not slept_cnt */
	uint64_t others[WC_CLASS_CNT];	/* wakes that were no handoff */
	uint64_t counters[WC_CNT_CNT];	/* sums over rounds */
	uint64_t contexts[WC_CTX_CNT];
	uint64_t parked_min_cnt, parked_max_cnt;
	uint64_t chain_max_cnt; /* UINT64_MAX: unknown */
};

/* Cannot fail: a cell without complete rounds gives a summary with rounds == 0. */
void wc_cell__summarise(const struct wc_result *r, const struct wc_cell *cell,
			struct wc_cell_summary *s);
/* One of the result's gauges over rounds, probes attached or detached. */
struct wc_figure wc_cell__gauge(const struct wc_cell *cell, size_t gauge, bool probed);
/* One stage (or WC_METRIC_TOTAL) of one class over all rounds: for tables by class. */
void wc_cell__class_stage(const struct wc_cell *cell, unsigned int wake_class, unsigned int metric,
			  struct wc_stage_summary *s);
/* Slept handoffs of all its complete rounds, kinds of wake together, in one histogram. */
void wc_cell__pool(const struct wc_cell *cell, unsigned int metric, struct wc_hist *into);

/* What stands for the cell: its slept handoffs, or where none slept (spin) all of them. */
const struct wc_dist_summary *wc_cell_summary__handoff(const struct wc_cell_summary *s);
/* Wakes of every kind, handoffs and others; shares of kinds are of this. */
uint64_t wc_cell_summary__wakes(const struct wc_cell_summary *s);
uint64_t wc_cell_summary__lost(const struct wc_cell_summary *s); /* sum of all loss counters */

/* Quantile of a histogram, linear inside the bucket; 0 when empty. q in 0..1. */
double wc_hist__quantile(const struct wc_hist *h, double q);
/* Lowest and highest value there can be in it; 0 when empty. */
uint64_t wc_hist__lowest(const struct wc_hist *h);
uint64_t wc_hist__highest(const struct wc_hist *h);
void wc_hist__merge(struct wc_hist *into, const struct wc_hist *from);

#endif
