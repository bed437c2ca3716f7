/* SPDX-License-Identifier: BSD-2-Clause */
/* Every shape, mechanism and background: one file and one row each. */
#include "registry.h"

static const struct wl_shape *const shapes[] = {
	&shape_handoff, &shape_ring, &shape_herd,    &shape_server, &shape_admission,
	&shape_limited, &shape_load, &shape_ceiling, &shape_chase,
};

static const struct wl_mech *const mechs[] = {
	&mech_futex, &mech_condvar, &mech_pipe, &mech_eventfd,
	&mech_epoll, &mech_signal,  &mech_spin, &mech_busy,
};

static const struct wl_bg *const bgs[] = {
	&bg_none, &bg_pause, &bg_futex_own, &bg_futex_one, &bg_condvar, &bg_epoll,
	&bg_pipe, &bg_timed, &bg_runnable,  &bg_coroutine, &bg_process,
};

const struct wl_shape *registry__shape(size_t i)
{
	return i < ARRAY_CNT(shapes) ? shapes[i] : NULL;
}

const struct wl_mech *registry__mech(size_t i)
{
	return i < ARRAY_CNT(mechs) ? mechs[i] : NULL;
}

const struct wl_bg *registry__bg(size_t i)
{
	return i < ARRAY_CNT(bgs) ? bgs[i] : NULL;
}

const char *registry__shape_name(size_t i)
{
	return i < ARRAY_CNT(shapes) ? shapes[i]->name : NULL;
}

const char *registry__mech_name(size_t i)
{
	return i < ARRAY_CNT(mechs) ? mechs[i]->name : NULL;
}

const char *registry__bg_name(size_t i)
{
	return i < ARRAY_CNT(bgs) ? bgs[i]->name : NULL;
}
