/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run: the actors (threads that hand off), the boxes they wake each other through, the
 * background. Mechanisms, shapes and backgrounds are structs of operations, listed in registry.c.
 */
#ifndef WORKLOADS_RUN_H
#define WORKLOADS_RUN_H

#include <pthread.h>
#include <sys/types.h>

#include "bpf/stamp.h"
#include "gauges.h"
#include "params.h"
#include "types.h"

struct wl_run;

/* What travels with a wake. `word` counts the posts; for futexes it is the futex. */
struct wl_mail {
	u32 word;
	u32 posted; /* post whose call_ns is valid; behind `word` only while a waker is in between */
	u64 call_ns;
	u64 id; /* 0: not measured */
} __attribute__((aligned(64)));

struct wl_box {
	struct wl_mail *mail;
	u32 wake_cnt; /* waiters the next post is for; only the waker writes it */
	int fd, fd_write;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	pid_t target_tid; /* signal: who waits here */
} __attribute__((aligned(64)));

struct wl_usage {
	u64 voluntary, involuntary, cpu_ns;
};

/* A thread that hands off. Written by itself only, but for the fields of the settling protocol. */
struct wl_actor {
	struct wl_run *run;
	struct wc_stamp_slot *slot;
	u32 idx;
	pid_t tid;
	u32 seen[2];  /* last post taken from a box of this parity */
	int epoll[2]; /* own epoll instance on a box of this parity */
	u64 unslept_cnt;
	struct wl_usage before, used;
	int err; /* of setting itself up */
	pthread_t thread;

	u32 waiting;	/* 1: about to sleep in its box, cleared when the message is taken */
	u64 switch_cnt; /* its voluntary switches when it set `waiting` */
	int status_fd;	/* /proc/self/task/TID/status, for those who wake it */
} __attribute__((aligned(128)));

struct wl_mech {
	const char *name, *help;
	bool multicast;	   /* one call wakes all waiters of a box */
	bool sleeps;	   /* the wakee sleeps in the kernel */
	bool sees_unslept; /* it can tell when it did not have to */
	int (*box_init)(struct wl_run *run, struct wl_box *box, u32 waiter_cnt);
	/* The actor will wait at this box; called in main, before it first does. */
	int (*attach)(struct wl_actor *me, struct wl_box *box, u32 parity);
	void (*post)(struct wl_actor *me, struct wl_box *box, u64 id);
	u64 (*wait)(struct wl_actor *me, struct wl_box *box, u32 parity); /* returns ret_ns */
	/* Forget what a phase left over, before the next; may be NULL. */
	void (*reset)(struct wl_actor *me, u32 parity);
};

struct wl_shape {
	const char *name, *help;
	int (*check)(const struct wl_run *run);
	u32 (*actor_cnt)(const struct wl_run *run);
	u32 (*box_cnt)(const struct wl_run *run);
	u32 (*box_waiter_cnt)(const struct wl_run *run, u32 box);
	int (*attach)(struct wl_run *run);
	u64 (*id_cnt)(const struct wl_run *run, u64 handoff_cnt);
	void (*body)(struct wl_run *run, struct wl_actor *me);
	const char *(*role)(u32 idx);
	/*
	 * No handoffs, and none of the above: what it does is counted in gauges, those of `gauges`,
	 * of which the first is the number of pieces of work. open: once, before the first phase;
	 * phase: a round, or before it a warm-up whose gauges nobody reads. 0 or -errno.
	 */
	const char *work; /* "request" */
	const enum wl_gauge_id *gauges;
	size_t gauge_cnt;
	int (*open)(struct wl_run *run);
	int (*phase)(struct wl_run *run, bool measured);
	void (*close)(struct wl_run *run);
	/* Does all by itself and prints its own document: no handoffs, none of the above. */
	int (*alone)(struct wl_run *run);
	bool pair;    /* two threads: report each direction */
	bool waker_0; /* actor 0 only wakes; its waits for answers are no handoffs */
};

struct wl_plan {
	u64 handoff_cnt;
	u64 first_id; /* 0: warm-up */
	bool stop;
};

struct wl_hash {
	int slots; /* 0: the global table; -1: the kernel has no private one */
};

struct wl_bg;
struct wl_bg_ctx;

struct wl_run {
	struct wl_params p;
	const struct wl_shape *shape;
	const struct wl_mech *mech;
	const struct wl_bg *bg;
	struct wl_bg_ctx *bg_ctx;
	int stamp_fd; /* -1: none */

	int cpus[2], cpu_cnt; /* where actors are pinned; cpu_cnt 0: free */
	struct wl_hash hash;
	struct wc_stamp_slot *stamps;
	u32 unstamped_cnt;

	struct wl_actor *actors;
	u32 actor_cnt;
	struct wl_box *boxes;
	u32 box_cnt;
	char *walk;
	size_t walk_sz;

	/* gate: no futex in it, so that the only ones in the hash are those under study */
	int gate_fd[2], arrive_fd, done_fd;
	u32 phase;
	u32 arrived_cnt, done_cnt;
	u32 left_cnt __attribute__((aligned(64))); /* herd: answers still missing */

	struct wl_plan plan;
	u64 next_id;
	u64 *samples __attribute__((aligned(64)));
	u64 start_ns, end_ns;
	u64 setup_ns;

	/* of a shape with gauges, the last phase's */
	struct wl_gauges gauges;
	struct wl_usage used;
};

int run__setup(struct wl_run *run);
/* The phase of a round, or the warm-up before it. */
int run__round(struct wl_run *run, bool measured);
/* Of handoffs: `handoff_cnt` of them, stamped and kept when `measured`. */
void run__phase(struct wl_run *run, u64 handoff_cnt, bool measured);
void run__close(struct wl_run *run);

/* actors.c */
int actors__create(struct wl_run *run);
int actors__open_status(struct wl_run *run);
/* For shapes: announce oneself before the first wait; wait until `cnt` have. */
void actor__arrive(struct wl_run *run, u32 expected_cnt);
void actor__await_arrivals(struct wl_run *run, u32 expected_cnt);
void actor__begin(struct wl_actor *me);
void actor__end(struct wl_actor *me);
/* Take the message of a wait that returned at ret_ns; `sample` NULL: not kept. */
void actor__receive(struct wl_actor *me, struct wl_mail *mail, u64 ret_ns, u64 *sample);
/* settle=1: wait until `target` is proven asleep in its box. */
void actor__settle(struct wl_actor *me, struct wl_actor *target);
/* What a wakee does between being woken and going on. */
void actor__work(struct wl_actor *me);

/* boxes.c */
int boxes__create(struct wl_run *run);

/* samples.c */
struct wl_quantiles {
	u64 count, p50, p90, p95, p99, min, max, sum;
	double mean;
};
int samples__create(struct wl_run *run);
void samples__summarize(u64 *samples, u64 cnt, struct wl_quantiles *q);

/* stamps.c */
int stamps__open(struct wl_run *run);
struct wc_stamp_slot *stamps__claim(struct wl_run *run, pid_t tid);
void stamps__release(struct wl_run *run);

/* output.c */
int output__ready(struct wl_run *run);
int output__result(struct wl_run *run, u64 round);
int output__event(const char *event);
int output__document_open(struct wl_run *run);
int output__document_close(void);

/* list.c */
int list__print(bool as_json);

#endif
