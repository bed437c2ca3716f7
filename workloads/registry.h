/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WORKLOADS_REGISTRY_H
#define WORKLOADS_REGISTRY_H

#include "bg.h"
#include "run.h"

extern const struct wl_shape shape_handoff, shape_ring, shape_herd, shape_server, shape_admission,
	shape_limited, shape_load, shape_ceiling, shape_chase;
extern const struct wl_mech mech_futex, mech_condvar, mech_pipe, mech_eventfd, mech_epoll,
	mech_signal, mech_spin, mech_busy;
extern const struct wl_bg bg_none, bg_pause, bg_futex_own, bg_futex_one, bg_condvar, bg_epoll,
	bg_pipe, bg_timed, bg_runnable, bg_coroutine, bg_process;

/* i-th of each, NULL after the last. */
const struct wl_shape *registry__shape(size_t i);
const struct wl_mech *registry__mech(size_t i);
const struct wl_bg *registry__bg(size_t i);
const char *registry__shape_name(size_t i);
const char *registry__mech_name(size_t i);
const char *registry__bg_name(size_t i);

#endif
