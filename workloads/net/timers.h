/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers of one thread, the next one first. Embedded in whatever they are of. */
#ifndef WORKLOADS_NET_TIMERS_H
#define WORKLOADS_NET_TIMERS_H

#include "workloads/types.h"

struct timer {
	u64 due_ns;
	size_t place; /* in the heap, from 1; 0: not set */
};

struct timers {
	struct timer **heap;
	size_t cnt, cap;
};

/* -ENOMEM, and not set. One that is set already is moved. */
int timers__set(struct timers *t, struct timer *timer, u64 due_ns);
void timers__cancel(struct timers *t, struct timer *timer);
/* One that is due, taken out; NULL: none. */
struct timer *timers__due(struct timers *t, u64 now_ns);
/* UINT64_MAX: none is set. */
u64 timers__next_ns(const struct timers *t);
void timers__free(struct timers *t);

#endif
