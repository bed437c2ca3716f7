/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thread for all connections: it never waits for one of them. Who takes a request answers it
 * later, out of a timer or of an event.
 */
#ifndef WORKLOADS_NET_LOOP_H
#define WORKLOADS_NET_LOOP_H

#include "conn.h"
#include "timers.h"

struct loop;

struct loop_ops {
	/* A request is whole. -errno ends the loop. */
	int (*request)(void *ctx, struct conn *c);
	/* A connection is done with: drop it. */
	void (*end)(void *ctx, struct conn *c, enum conn_state how);
	/* Its answer has been written. May be NULL. */
	void (*answered)(void *ctx, struct conn *c);
	int (*due)(void *ctx, struct timer *timer);
	/* An event of what was added by loop__watch(); 1 ends the loop well, -errno not. */
	int (*event)(void *ctx, void *ptr, u32 events);
	/* A connection waits to be accepted: the next, or NULL with *err. */
	struct conn *(*accept)(void *ctx, int *err);
};

struct loop {
	const struct loop_ops *ops;
	void *ctx;
	int epoll_fd;
	struct timers timers;
};

/* 0 or -errno. */
int loop__init(struct loop *loop, const struct loop_ops *ops, void *ctx);
int loop__listen(struct loop *loop, int listen_fd);
/* ptr: even, as all that is aligned is; ops->event gets it back. */
int loop__watch(struct loop *loop, int fd, u32 events, void *ptr);
/* Until an event ends it: 0 or -errno. */
int loop__run(struct loop *loop);
/* Answers the request, and goes on with the next one there may be. -errno ends the loop. */
int loop__answer(struct loop *loop, struct conn *c);
void loop__close(struct loop *loop);

/* What epoll_pwait2() is to wait, for an absolute time. */
struct timespec loop__wait_until(u64 due_ns);

#endif
