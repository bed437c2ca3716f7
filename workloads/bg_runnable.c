/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spinners in the run queue of the actors. SCHED_IDLE, not nice 19: its weight is 3 against 15,
 * and anything else preempts it at once, so that what is seen is the search of a full queue and
 * not the wait for a turn.
 */
#include <errno.h>
#include <sched.h>

#include "fail.h"
#include "registry.h"

static void runnable__park(struct wl_bg_ctx *ctx, u32 idx)
{
	struct sched_param param = { .sched_priority = 0 };

	/* Always allowed: it only lowers. */
	sched_setscheduler(0, SCHED_IDLE, &param);
	bg__announce(ctx, idx);
	for (;;)
		cpu__relax();
}

const struct wl_bg bg_runnable = {
	.name = "runnable",
	.help = "spinning threads under SCHED_IDLE on the CPUs of those that hand off",
	.park = runnable__park,
	.state = 'R',
	.pin = true,
	.syscalls = { -1 },
};
