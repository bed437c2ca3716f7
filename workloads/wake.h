/* SPDX-License-Identifier: BSD-2-Clause */
/* The stamps around a wake, inline so that nothing else stands between them and the call. */
#ifndef WORKLOADS_WAKE_H
#define WORKLOADS_WAKE_H

#include <sys/resource.h>

#include "run.h"

/*
 * Last thing before the wake call. Who publishes call_ns to a wakee that may already be looking
 * (futex, spin) stores `word` after this; the others rely on the call itself.
 */
static inline void wake__begin(struct wl_actor *me, struct wl_mail *mail, u64 id)
{
	u64 now_ns;

	__atomic_store_n(&mail->id, id, __ATOMIC_RELAXED);
	now_ns = clock__now_ns();
	__atomic_store_n(&mail->call_ns, now_ns, __ATOMIC_RELAXED);
	me->slot->call_ns = now_ns;
	compiler__barrier();
	*(volatile unsigned long long *)&me->slot->call_id = id;
}

static inline void wake__end(struct wl_actor *me)
{
	compiler__barrier();
	*(volatile unsigned long long *)&me->slot->call_id = 0;
}

/* Just before the call that sleeps. */
static inline void wake__announce(struct wl_actor *me)
{
	struct rusage usage;

	if (!me->run->p.settle)
		return;
	getrusage(RUSAGE_THREAD, &usage);
	__atomic_store_n(&me->switch_cnt, (u64)usage.ru_nvcsw, __ATOMIC_RELAXED);
	__atomic_store_n(&me->waiting, 1, __ATOMIC_RELEASE);
}

#endif
