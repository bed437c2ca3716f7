/* SPDX-License-Identifier: BSD-2-Clause */
/* How many more threads could be parked now, and which limit stops it first. */
#ifndef WC_PROBE_LIMITS_H
#define WC_PROBE_LIMITS_H

#include "user/model/checkup.h"

/*
 * What one thread parked in a default pthread takes: kernel stack, task_struct, page tables and
 * the touched top of its stack. Measured at 32..36 KiB with 8,000 of them on x86-64.
 */
#define WC_LIMITS_THREAD_BYTES (36u << 10)
/* A stack and its guard page are two mappings (until glibc guards with MADV_GUARD_INSTALL). */
#define WC_LIMITS_THREAD_MAPS 2u
/* Ids below this one are not used again after the first turn around. */
#define WC_LIMITS_RESERVED_PIDS 300u

/* Fills c->limits, and a finding where one binds below wanted threads. 0 or -ENOMEM. */
int wc_limits__check(struct wc_checkup *c, uint64_t wanted);

/* (value - used) / per_thread, never below 0; UINT64_MAX where value is. */
uint64_t wc_limits__room(uint64_t value, uint64_t used, uint64_t per_thread);

#endif
