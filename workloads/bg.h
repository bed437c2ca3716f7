/* SPDX-License-Identifier: BSD-2-Clause */
/* What sleeps beside the handoffs. */
#ifndef WORKLOADS_BG_H
#define WORKLOADS_BG_H

#include <sys/types.h>

#include "run.h"

/* One parked task, in shared memory: a forked one writes it too. */
struct wl_bg_task {
	pid_t tid;
	u32 announced; /* the next thing it does is its parking call */
};

struct wl_bg_ctx {
	struct wl_run *run;
	const struct wl_bg *bg;
	u32 cnt;		  /* N of the background */
	u32 task_cnt;		  /* kernel tasks that hold them: N, but 1 for coroutines */
	struct wl_bg_task *tasks; /* task_cnt of them */
	u64 *futexes; /* address each sleeps on, read from the kernel; 0: none or unreadable */
	u32 proven_cnt;
	bool unread;   /* the syscall of some could not be read */
	void *objects; /* the background's own: words, conditions, stacks */
	int *fds;
	struct wl_bg_park *parks;
};

/* Argument of one parked thread. */
struct wl_bg_park {
	struct wl_bg_ctx *ctx;
	u32 idx;
};

#define BG_SYSCALL_CNT_MAX 4

struct wl_bg {
	const char *name, *help;
	int (*prepare)(struct wl_bg_ctx *ctx); /* may be NULL */
	/* Starts all of them; NULL: one thread each, running park(). */
	int (*start)(struct wl_bg_ctx *ctx);
	/* Lets them go when all have announced themselves; may be NULL. */
	int (*release)(struct wl_bg_ctx *ctx);
	/* Calls bg__announce() and parks; never returns. */
	void (*park)(struct wl_bg_ctx *ctx, u32 idx);
	char state;			   /* proven when the kernel shows this state */
	bool pin;			   /* on the CPUs of the actors */
	bool one_task;			   /* N of them live in one kernel task */
	long syscalls[BG_SYSCALL_CNT_MAX]; /* and, where readable, one of these; ends with -1 */
};

int bg__start(struct wl_run *run);
int bg__prove(struct wl_run *run);
void bg__stop(struct wl_run *run);

/* For backgrounds. */
void bg__announce(struct wl_bg_ctx *ctx, u32 idx);
int bg__wait_announced(struct wl_bg_ctx *ctx);
void *bg__alloc(size_t sz, const char *what);
/* bg_process */
void bg_process__kill(struct wl_bg_ctx *ctx);

#endif
