/* SPDX-License-Identifier: BSD-2-Clause */
/* This process below a limit of CPU time: so much a period, then it waits for the next. */
#ifndef WORKLOADS_QUOTA_H
#define WORKLOADS_QUOTA_H

#include "nest.h"

struct quota_stat {
	u64 period_cnt, throttled_cnt;
	u64 throttled_ns; /* of each CPU it was throttled on */
};

/* CPUs in thousandths. Threads and children from now on are below it. 0 or -errno, failure set. */
int quota__enter(struct nest *nest, u64 cpu_milli, u64 period_ns);
/* 0 or -errno. */
int quota__read(const struct nest *nest, struct quota_stat *out);

#endif
