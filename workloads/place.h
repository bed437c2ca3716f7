/* SPDX-License-Identifier: BSD-2-Clause */
/* Where and how threads run. */
#ifndef WORKLOADS_PLACE_H
#define WORKLOADS_PLACE_H

#include "run.h"

int place__choose(struct wl_run *run);
/* Of the calling thread; -errno. */
int place__pin(int cpu);
int place__set_policy(u64 policy);
/* The CPU of an actor, -1: anywhere. */
int place__cpu(const struct wl_run *run, u32 idx);
/* Sets the failure for an error that place__set_policy() gave. */
int place__policy_refused(int err);

#endif
