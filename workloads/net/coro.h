/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coroutines: each has a stack of its own, and waits without its thread. A carrier is a thread that
 * runs those that can go on, one at a time, and waits for all the others at once.
 */
#ifndef WORKLOADS_NET_CORO_H
#define WORKLOADS_NET_CORO_H

#include "wait.h"

struct coro;
struct carrier;

/* The one that calls; NULL: an ordinary thread. */
struct coro *coro__self(void);
int coro__wait_fd(struct wait_fd *w, short events, u64 timeout_ns);
void coro__sleep(u64 ns);
/* Until it is unparked, by any thread: once for each park, and it may come before. */
void coro__park(void);
void coro__unpark(struct coro *coro);
/* The descriptor may then be waited for on another carrier. By a coroutine of its carrier. */
void coro__forget_fd(struct wait_fd *w);

/* 0 or -errno with the failure set. */
int carrier__new(struct carrier **out, size_t stack_sz);
/* Ends all coroutines where they are: their stacks are gone, what they own is not. */
void carrier__free(struct carrier *carrier); /* NULL allowed */
int carrier__epoll_fd(const struct carrier *carrier);
/* Begins fn(arg) on this carrier, which the calling thread runs. -errno with the failure set. */
int carrier__begin(struct carrier *carrier, void (*fn)(void *arg), void *arg);
/*
 * One turn in the calling thread: what can go on, goes on; else it waits. `other` is called for
 * events of descriptors that are not a coroutine's; non-zero ends the turn and is returned.
 */
int carrier__turn(struct carrier *carrier, int (*other)(void *ctx, void *ptr), void *ctx);
/* From now on a turn waits no longer than this for something to happen. */
void carrier__wait_at_most(struct carrier *carrier, u64 ns);
u64 carrier__cnt(const struct carrier *carrier); /* coroutines alive */

#endif
