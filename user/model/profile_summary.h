/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile by one key: who woke, who was woken, where, how. Figures are of wakes proper; sleeps
 * that timed out and first runs of new tasks are counted beside them.
 */
#ifndef WC_MODEL_PROFILE_SUMMARY_H
#define WC_MODEL_PROFILE_SUMMARY_H

#include "user/model/profile.h"

enum wc_profile_by {
	WC_BY_PAIR = 0,
	WC_BY_WAKER = 1,
	WC_BY_WAKEE = 2,
	WC_BY_PROCESS = 3, /* waker's process and wakee's */
	WC_BY_CPU = 4,	   /* ran on: no quantiles */
	WC_BY_CLASS = 5,   /* from the histograms of all wakes */
	WC_BY_STACK = 6,   /* the four stacks of a path: weighted, no quantiles */
};

/* Largest first. */
enum wc_profile_sort {
	WC_SORT_COST = 0, /* sum of all wakes */
	WC_SORT_WAKES = 1,
	WC_SORT_P50 = 2,
	WC_SORT_P99 = 3,
	WC_SORT_MEAN = 4,
	WC_SORT_BLOCKED = 5, /* mean sleep */
	WC_SORT_STAGE = 6,   /* + enum wc_stage: its sum */
	WC_SORT_CNT = WC_SORT_STAGE + WC_STAGE_CNT,
};

struct wc_profile_row {
	/* what it is of; WC_NONE where the key has no such part, or there is no such task */
	uint32_t waker, wakee; /* tasks that stand for the row */
	uint32_t context;      /* of the waker */
	uint32_t cpu, wake_class, chain;
	bool apart; /* a kind of wake that is in no other figure: no share */
	uint32_t edge_cnt;
	uint64_t wakes; /* weighted where by stack */
	double wakes_per_s;
	uint64_t cnt; /* wakes the times below rest on */
	uint64_t total_ns;
	double share; /* of the cost of all rows, 0..1 */
	double mean_ns;
	bool has_quantiles; /* of the total; worst is the end of the outermost bucket */
	double p50_ns, p99_ns;
	uint64_t worst_ns;
	bool has_blocked;
	double blocked_mean_ns;
	uint64_t stage_ns[WC_STAGE_CNT];
	double stage_mean_ns[WC_STAGE_CNT]; /* per wake: they add up */
	unsigned int top_stage;		    /* most of the time; WC_STAGE_CNT: none had any */
};

struct wc_profile_summary {
	struct wc_profile_row *rows; /* sorted */
	size_t row_cnt;
	uint64_t wakes, total_ns; /* of all rows but those apart */
	uint64_t timed_cnt, new_cnt;
	/* of the pairs: wakes of these two kinds that could not be told from the others in times */
	uint64_t mixed_cnt;
};

struct wc_profile_summary_opts {
	enum wc_profile_by by;
	unsigned int sort; /* enum wc_profile_sort */
	bool fold_names;   /* threads of one name in one process are one */
};

/* 0 or -ENOMEM. A result without profile has no rows. Free it in any case. */
int wc_profile__summarise(const struct wc_result *r, const struct wc_profile_summary_opts *opts,
			  struct wc_profile_summary *s);
void wc_profile_summary__free(struct wc_profile_summary *s);

/* Wakes of a pair but for those apart. */
uint64_t wc_edge__wakes(const struct wc_edge *e);
/* "[softirq]", "[timer]", ...; NULL for a task. */
const char *wc_context__label(unsigned int context);

#endif
