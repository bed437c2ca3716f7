/* SPDX-License-Identifier: BSD-2-Clause */
/* The cells of the explain experiment: one contrast a cause, one knob a contrast. */
#ifndef WC_EXPERIMENT_PLAN_H
#define WC_EXPERIMENT_PLAN_H

#include "user/model/result.h"

enum wc_plan_size {
	WC_PLAN_QUICK = 0, /* what the question needs */
	WC_PLAN_DEFAULT = 1,
	WC_PLAN_THOROUGH = 2,
};

struct wc_plan {
	enum wc_plan_size size;
	const uint64_t *parked; /* ascending; 0 is there anyway */
	size_t parked_cnt;
	const char *background; /* how the subject's tasks are parked: "futex-own" */
	const char *mechanism;	/* of the handoff: "futex" */
	const char *placement;
	unsigned int slots; /* futex slots a process has here by itself; 0: global table */
	/* "key=value" for every cell, as with run -P */
	const char *const *extra;
	size_t extra_cnt;
};

/* Adds the cells to r. 0, -ENOMEM, or -EINVAL with the sentence in error. */
int wc_plan__build(struct wc_result *r, const struct wc_plan *plan, char *error, size_t error_sz);

#endif
