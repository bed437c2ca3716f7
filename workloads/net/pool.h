/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that take jobs from a queue, made as jobs arrive. */
#ifndef WORKLOADS_NET_POOL_H
#define WORKLOADS_NET_POOL_H

#include <pthread.h>

#include "workloads/types.h"

struct pool;

struct pool_opts {
	u64 min_cnt; /* made at once */
	u64 max_cnt;
	bool only_needed; /* a job makes one only if none is idle; else each does, up to max_cnt */
	size_t stack_sz;  /* 0: what pthread_create gives */
	void (*job)(void *ctx, void *job);
	void *ctx;
};

struct pool_counts {
	u64 live_cnt, idle_cnt, peak_cnt, created_cnt, create_ns;
	u64 queued_cnt, queued_peak_cnt;
};

/* 0 or -errno with the failure set (a limit). */
int pool__start(struct pool **out, const struct pool_opts *opts);
/* From any thread. -errno with the failure set: a thread was refused, and by which limit. */
int pool__submit(struct pool *pool, void *job);
/* Until those there are wait for a job: a thread just made is not idle yet. */
void pool__settle(struct pool *pool);
void pool__counts(struct pool *pool, struct pool_counts *out);
/* Lets each finish its job, drops what is queued, ends them all. NULL allowed. */
void pool__stop(struct pool *pool);

#endif
