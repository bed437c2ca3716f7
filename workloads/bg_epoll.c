/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "limit.h"
#include "registry.h"

/* Opened before there are threads: growing the table of a process that has some is slow. */
static int bg_epoll__prepare(struct wl_bg_ctx *ctx)
{
	u32 i;

	ctx->fds = bg__alloc(ctx->cnt * sizeof(*ctx->fds), "epoll descriptors");
	if (!ctx->fds)
		return -ENOMEM;
	for (i = 0; i < ctx->cnt; i++) {
		ctx->fds[i] = epoll_create1(EPOLL_CLOEXEC);
		if (ctx->fds[i] < 0)
			return limit__refused(LIMIT_FD, errno, 0, i, "epoll instances");
	}
	return 0;
}

static void bg_epoll__park(struct wl_bg_ctx *ctx, u32 idx)
{
	struct epoll_event event;

	bg__announce(ctx, idx);
	for (;;)
		epoll_wait(ctx->fds[idx], &event, 1, -1);
}

const struct wl_bg bg_epoll = {
	.name = "epoll",
	.help = "threads each in epoll_wait on an instance of its own (one descriptor each)",
	.prepare = bg_epoll__prepare,
	.park = bg_epoll__park,
	.state = 'S',
#ifdef SYS_epoll_wait
	.syscalls = { SYS_epoll_wait, SYS_epoll_pwait, -1 },
#else
	.syscalls = { SYS_epoll_pwait, -1 },
#endif
};
