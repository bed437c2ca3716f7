/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recording programs as they are: the probes over a window of time, then everything named while
 * it can be.
 */
#ifndef WC_EXPERIMENT_RECORD_H
#define WC_EXPERIMENT_RECORD_H

#include <signal.h>

#include "user/experiment/target.h"
#include "user/model/profile.h"
#include "user/probe/session.h"
#include "user/symbol/symbol.h"

struct wc_record_opts {
	struct wc_session *session;
	struct wc_filter filter; /* of a launched command: set here */
	const pid_t *pids;	 /* processes to be named from the start */
	size_t pid_cnt;
	size_t ending_cnt; /* when the first so many have ended, so has the recording; 0: all */
	struct wc_target *target;    /* launched, not released; NULL: none */
	uint64_t duration_ns;	     /* 0: until stopped, or all of pids or the target have ended */
	uint64_t interval_ns;	     /* 0: none */
	void (*on_begin)(void *ctx); /* the probes are attached; NULL: nobody asks */
	/* cumulative figures so far; non-zero ends the recording */
	int (*on_interval)(void *ctx, const struct wc_round *sofar, uint64_t elapsed_ns);
	void *ctx;
	bool inlines;
	const volatile sig_atomic_t *stop;
	char *error; /* sentence on failure */
	size_t error_sz;
};

/*
 * Fills r: one cell with one round, and r->profile. 0 also when stopped by a signal (the planned
 * end of most recordings); -errno with the sentence in error.
 */
int wc_record__run(struct wc_result *r, const struct wc_record_opts *opts);

/* Gathers tasks, pairs, stacks and paths into p; detached by now. 0 or -errno. */
int wc_record__gather(struct wc_session *s, struct wc_symbols *syms, const struct wc_round *round,
		      struct wc_profile *p);

#endif
