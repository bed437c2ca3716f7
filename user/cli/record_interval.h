/* SPDX-License-Identifier: BSD-2-Clause */
/* record -i: what has come since the last interval. */
#ifndef WC_CLI_RECORD_INTERVAL_H
#define WC_CLI_RECORD_INTERVAL_H

#include <stdio.h>

#include "user/model/result.h"

struct wc_live {
	const struct wc_stage_info *stages;
	bool colour;
	uint64_t elapsed_ns;
	/* as of the last interval; what has since been added is the difference */
	struct wc_hist before[WC_METRIC_CNT];
	uint64_t lost;
	struct wc_pair *pairs;
	size_t pair_cnt;
};

/* Prints one interval; sofar is cumulative. 0 or -errno. */
int wc_live__say(struct wc_live *live, FILE *f, const struct wc_round *sofar, uint64_t elapsed_ns);
void wc_live__free(struct wc_live *live); /* what it holds */

#endif
