/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "limit.h"
#include "registry.h"

#ifdef SYS_pause
#define PAUSE_SYSCALL SYS_pause
#else
#define PAUSE_SYSCALL SYS_ppoll
#endif

static void process__child(struct wl_bg_ctx *ctx, u32 idx, pid_t parent)
{
	/* The parent may have died before the request: then nobody would ever kill us. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	bg__announce(ctx, idx);
	for (;;)
		pause();
}

static int process__start(struct wl_bg_ctx *ctx)
{
	pid_t parent = getpid(), pid;
	u32 i;

	for (i = 0; i < ctx->cnt; i++) {
		pid = fork();
		if (!pid)
			process__child(ctx, i, parent);
		if (pid < 0)
			return limit__refused(LIMIT_PROCESS, errno, 0, i, "parked processes");
		ctx->tasks[i].tid = pid;
	}
	return 0;
}

void bg_process__kill(struct wl_bg_ctx *ctx)
{
	u32 i;

	for (i = 0; i < ctx->task_cnt && ctx->tasks; i++) {
		if (ctx->tasks[i].tid > 0)
			kill(ctx->tasks[i].tid, SIGKILL);
	}
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

const struct wl_bg bg_process = {
	.name = "process",
	.help = "processes in pause()",
	.start = process__start,
	.state = 'S',
	.syscalls = { PAUSE_SYSCALL, -1 },
};
