/* SPDX-License-Identifier: BSD-2-Clause */
/* What is read before and after a round of a server below a CPU limit, and what follows from it. */
#ifndef WORKLOADS_NET_LIMITED_H
#define WORKLOADS_NET_LIMITED_H

#include "dbpool.h"
#include "stub.h"
#include "workloads/gauges.h"
#include "workloads/params.h"
#include "workloads/quota.h"

/* Counters, and what a gauge takes is their difference. */
struct limited_readings {
	u64 now_ns;
	u64 cpu_ns,
		run_wait_ns; /* of the server; run_wait_ns UINT64_MAX: the kernel does not say */
	u64 db_cpu_ns;
	struct stub_counts db;
	struct quota_stat quota;
};

/* Of a round with `served` requests; g has what server__gauge() set. */
void limited__gauge(struct wl_gauges *g, const struct wl_net_params *p,
		    const struct limited_readings *before, const struct limited_readings *after,
		    const struct dbpool_counts *pool, u64 served);

#endif
