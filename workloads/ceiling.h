/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many threads there can be. A child makes them and holds them; its parent, which has room of
 * its own, reads what the machine says meanwhile, and ends the child.
 */
#ifndef WORKLOADS_CEILING_H
#define WORKLOADS_CEILING_H

#include "readings.h"
#include "run.h"

/* Written by the child: it may be killed at any time. */
struct ceiling_child {
	u64 cnt;
	u64 elapsed_ns;
	u64 stack_sz;
	int err;       /* what pthread_create said; 0: stopped by itself */
	int call_err;  /* what the call below it said */
	char call[16]; /* "clone", "mmap", "mprotect"; empty: none of them, tried alone */
	bool spared;   /* stopped while there was still memory for others */
};

struct ceiling {
	const struct wl_run *run;
	struct readings readings;
	struct ceiling_child threads, coroutines;
	bool threads_killed, coroutines_killed;
	u64 seen_cnt;	       /* threads the kernel shows in the child */
	u64 coroutine_threads; /* .. and in that of the coroutines */
	u64 coroutine_rss_sz;
	u64 tasks_before, tasks_at, tasks_after;
	u64 held_ns;		    /* from the refusal to the end of the child */
	const struct reading *stop; /* NULL: none, or not found out */
	bool certain;		    /* the kernel counted the refusal */
	char why[512], todo[512];
};

/* In the child, in its turn; return when there is no more to be had. */
void ceiling__make_threads(const struct wl_params *p, struct ceiling_child *me);
void ceiling__make_coroutines(const struct wl_params *p, struct ceiling_child *me);
/* Which of the readings refused. */
void ceiling__judge(struct ceiling *c);
int ceiling__print(const struct ceiling *c);

/* Memory is about to run out: the kernel would begin to kill. */
bool ceiling__memory_low(void);

#endif
