/* SPDX-License-Identifier: BSD-2-Clause */
/* What `record -i` prints while it records: one block an interval, its columns always the same. */
#ifndef WC_OUTPUT_INTERVAL_H
#define WC_OUTPUT_INTERVAL_H

#include <stdio.h>

#include "user/model/result.h"

#define WC_INTERVAL_PAIR_MAX 5

/* Quantiles of the interval's own wakes; count 0: none had it. */
struct wc_interval_stage {
	const char *name; /* shown_as; NULL: no column */
	uint64_t count;
	double p50_ns, p99_ns;
};

struct wc_interval_pair {
	const char *waker; /* name; any bytes; ignored unless context is WC_CTX_TASK */
	unsigned int waker_tid;
	unsigned int context; /* enum wc_context of the waker */
	const char *wakee;
	unsigned int wakee_tid;
	uint64_t wakes; /* in the interval */
	double mean_ns;
	const char *stage; /* the one most of the time went to; NULL: none */
	double stage_share;
};

struct wc_interval {
	double t_s;	   /* end of the interval, since the recording began */
	double interval_s; /* its true length */
	uint64_t wakes, lost;
	struct wc_interval_stage stages[WC_STAGE_CNT];
	struct wc_interval_stage total;
	/* most costly first; the caller's order is kept */
	struct wc_interval_pair pairs[WC_INTERVAL_PAIR_MAX];
	size_t pair_cnt;
	bool colour; /* the caller knows the terminal */
};

/* 0 or -errno of the stream, which is flushed. */
int wc_out_interval(FILE *f, const struct wc_interval *in);

#endif
