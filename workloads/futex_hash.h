/* SPDX-License-Identifier: BSD-2-Clause */
/* Which bucket of the kernel's private futex hash a word falls into. */
#ifndef WORKLOADS_FUTEX_HASH_H
#define WORKLOADS_FUTEX_HASH_H

#include "types.h"

/* Slots of this process's private hash; 0: it uses the global table; -1: no such hash here. */
int futex_hash__slots(void);
/* -errno; slots 0 = global table. */
int futex_hash__set_slots(u32 slots);
u32 futex_hash__bucket(const void *word, u32 slots);

#endif
