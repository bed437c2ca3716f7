/* SPDX-License-Identifier: BSD-2-Clause */
/* All wakes of a recording together, and what its threads were when it ended. */
#ifndef WC_MODEL_PROFILE_OVERALL_H
#define WC_MODEL_PROFILE_OVERALL_H

#include "user/model/profile.h"
#include "user/model/summary.h"

struct wc_overall_stage {
	const char *name; /* shown_as of the stage table */
	enum wc_status status;
	bool present; /* false: missing, or inside the stage before it */
	uint64_t cnt;
	double p50_ns, p99_ns; /* of wakes that had it */
	double mean_ns, share; /* per wake: they add up */
};

struct wc_overall {
	uint64_t wakes; /* but for timed-out sleeps and first runs */
	double wakes_per_s;
	uint64_t classes[WC_CLASS_CNT], contexts[WC_CTX_CNT], counters[WC_CNT_CNT];
	double p50_ns, p99_ns, mean_ns;
	uint64_t total_ns, worst_ns;
	struct wc_overall_stage stages[WC_STAGE_CNT];
	double unattributed_mean_ns, unattributed_share; /* signed */
	bool has_truncated;				 /* user stacks were taken at all */
	double truncated_share;
	uint64_t lost; /* sum of all loss counters */
};

void wc_overall__of(const struct wc_result *r, struct wc_overall *o);
/* One metric of all wakes but those apart. */
void wc_overall__pool(const struct wc_result *r, unsigned int metric, struct wc_hist *into);

enum wc_task_state {
	WC_TASK_SEEN = 0,	   /* slept and was woken, or only woke others */
	WC_TASK_NEVER_SLEPT = 1,   /* ran, or waited to run, all through */
	WC_TASK_SLEPT_THROUGH = 2, /* asleep before the window and still after it */
};

struct wc_census {
	unsigned char *states; /* enum wc_task_state, by task */
	size_t thread_cnt;     /* whose wakes were asked for */
	size_t process_cnt;
	size_t never_slept_cnt, slept_through_cnt;
	size_t exited_cnt, exited_process_cnt;
	size_t asleep_cnt, woken_cnt; /* open at the end; slept through not in asleep */
};

/* 0 or -ENOMEM; free() states. */
int wc_census__of(const struct wc_profile *p, struct wc_census *c);

#endif
