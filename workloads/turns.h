/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that wake each other in turn: two of them are a handoff, more a ring. */
#ifndef WORKLOADS_TURNS_H
#define WORKLOADS_TURNS_H

#include "run.h"

u32 turns__box_cnt(const struct wl_run *run);
u32 turns__box_waiter_cnt(const struct wl_run *run, u32 box);
int turns__attach(struct wl_run *run);
u64 turns__id_cnt(const struct wl_run *run, u64 handoff_cnt);
void turns__body(struct wl_run *run, struct wl_actor *me);

#endif
