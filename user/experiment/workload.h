/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A running wakecost-workload, commanded over its stdin and read from its stdout (one JSON
 * object a line). It dies with its parent.
 */
#ifndef WC_EXPERIMENT_WORKLOAD_H
#define WC_EXPERIMENT_WORKLOAD_H

#include <signal.h>
#include <sys/types.h>

#include "user/model/result.h"

struct wc_workload {
	pid_t pid; /* 0: not running */
	int in_fd, out_fd, err_fd;
	char *buf; /* read, and not yet a line */
	size_t len, cap;
	const volatile sig_atomic_t *stop; /* gives up waiting when it becomes non-zero */
	/* of a workload that makes no handoffs: what it will say of a phase */
	const struct wc_result *gauges_of;
	bool usage; /* it refused its command line */
	char error[1024];
};

/* What it says when everybody is asleep. */
struct wc_workload_ready {
	uint64_t parked_cnt;
	uint64_t chain_cnt; /* mean of the words that wake; UINT64_MAX: not known */
	uint64_t futex_slots;
};

/*
 * Starts path and waits until its background is proven asleep. params: "shape" and
 * values, of which the first asked_cnt are passed on; the effective value of every other is added. 0 or -errno: -EINTR when
 * stopped, -EINVAL for a command line it refuses, else the workload's own failure; the sentence
 * is in w->error. stamp_fd < 0: none.
 */
int wc_workload__start(struct wc_workload *w, const char *path, struct wc_kvs *params,
		       size_t asked_cnt, int stamp_fd, struct wc_workload_ready *ready);
int wc_workload__warm(struct wc_workload *w);
int wc_workload__measure(struct wc_workload *w, struct wc_phase *phase);
/* Ends it, kindly then not, and takes it away. May be called at any time, and twice. */
void wc_workload__stop(struct wc_workload *w);

#endif
