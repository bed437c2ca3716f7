/* SPDX-License-Identifier: BSD-2-Clause */
/* Running some control groups deeper than one was started. */
#ifndef WORKLOADS_NEST_H
#define WORKLOADS_NEST_H

#include "types.h"

/*
 * Makes depth groups below that of this process, one in the other, where the CPU is shared out, and
 * moves it into the last. They go when it and its children have ended, however they did. 0 or
 * -errno with the failure set.
 */
int nest__enter(u64 depth);

#endif
