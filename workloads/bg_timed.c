/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/syscall.h>

#include "registry.h"

#define FAR_NS	    315360000000000000ull /* ten years */
#define DISTANCE_NS 1000000ull

/* Pinned like the actors, so that all the timers hang in the trees of their CPUs. */
static void timed__park(struct wl_bg_ctx *ctx, u32 idx)
{
	u64 at_ns = clock__now_ns() + FAR_NS + idx * DISTANCE_NS;
	struct timespec at = {
		.tv_sec = (time_t)(at_ns / 1000000000ull),
		.tv_nsec = (long)(at_ns % 1000000000ull),
	};

	bg__announce(ctx, idx);
	for (;;)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

const struct wl_bg bg_timed = {
	.name = "timed",
	.help = "threads in clock_nanosleep with distinct deadlines: a full timer tree",
	.park = timed__park,
	.state = 'S',
	.pin = true,
	.syscalls = { SYS_clock_nanosleep, -1 },
};
