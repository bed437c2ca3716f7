/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting as whoever waits can: a thread in poll(), a coroutine by leaving its carrier to others
 * (coro.c). What is written on top is the same.
 */
#ifndef WORKLOADS_NET_WAIT_H
#define WORKLOADS_NET_WAIT_H

#include <semaphore.h>

#include "workloads/types.h"

struct coro;

/* Asleep until one other lets it go on: once, which may come first. */
struct wait_parker {
	struct coro *coro; /* NULL: a thread, in its semaphore */
	sem_t sem;
};

struct wait_fd {
	int fd;
	/* of coroutines */
	struct coro *waiter;
	u32 ready; /* EPOLL* seen and not used up */
	bool added;
};

/* Until one of the POLL* events, an error or the end; -ETIMEDOUT; -errno. */
int wait__fd(struct wait_fd *w, short events, u64 timeout_ns);
void wait__sleep(u64 ns);
void wait__park_init(struct wait_parker *p); /* by the one that will wait */
void wait__park(struct wait_parker *p);
void wait__unpark(struct wait_parker *p); /* from any thread or coroutine; p may be gone then */
/* CPU time of this thread, spent; a coroutine does not leave its carrier. */
void wait__burn(u64 ns);

#endif
