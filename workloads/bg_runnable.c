/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spinners in the run queue of the actors. SCHED_IDLE, not nice 19: its weight is 3 against 15,
 * and anything else preempts it at once, so that what is seen is the search of a full queue and
 * not the wait for a turn.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "fail.h"
#include "limit.h"
#include "registry.h"

static int gate_fd;

static int runnable__prepare(struct wl_bg_ctx *ctx)
{
	(void)ctx;
	gate_fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
	return gate_fd < 0 ? limit__refused(LIMIT_FD, errno, 0, 0, "event descriptors") : 0;
}

static void runnable__park(struct wl_bg_ctx *ctx, u32 idx)
{
	u64 value;

	bg__announce(ctx, idx);
	while (read(gate_fd, &value, sizeof(value)) < 0 && errno == EINTR)
		;
	for (;;)
		cpu__relax();
}

/* Lowered while they sleep: each would need its turn to do it, and it has a poor one. */
static int runnable__release(struct wl_bg_ctx *ctx)
{
	struct sched_param param = { .sched_priority = 0 };
	u64 cnt = ctx->task_cnt;
	u32 i;

	for (i = 0; i < ctx->task_cnt; i++) {
		if (sched_setscheduler(ctx->tasks[i].tid, SCHED_IDLE, &param))
			return fail__set(
				errno, NULL,
				"background runnable: SCHED_IDLE refused for thread %d: %s; is "
				"there a seccomp filter?",
				ctx->tasks[i].tid, strerror(errno));
	}
	if (write(gate_fd, &cnt, sizeof(cnt)) != sizeof(cnt))
		return fail__set(errno, NULL, "background runnable: %s; report this",
				 strerror(errno));
	return 0;
}

const struct wl_bg bg_runnable = {
	.name = "runnable",
	.help = "spinning threads under SCHED_IDLE on the CPUs of those that hand off",
	.prepare = runnable__prepare,
	.release = runnable__release,
	.park = runnable__park,
	.state = 'R',
	.pin = true,
	.syscalls = { -1 },
};
