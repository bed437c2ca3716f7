/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "limit.h"
#include "registry.h"

static int bg_pipe__prepare(struct wl_bg_ctx *ctx)
{
	u32 i;

	ctx->fds = bg__alloc(ctx->cnt * 2 * sizeof(*ctx->fds), "pipe descriptors");
	if (!ctx->fds)
		return -ENOMEM;
	for (i = 0; i < ctx->cnt; i++) {
		if (pipe2(&ctx->fds[2 * i], O_CLOEXEC))
			return limit__refused(LIMIT_FD, errno, 0, i, "pipes");
	}
	return 0;
}

static void bg_pipe__park(struct wl_bg_ctx *ctx, u32 idx)
{
	char c;

	bg__announce(ctx, idx);
	for (;;) {
		if (read(ctx->fds[2 * idx], &c, 1) < 0 && errno != EINTR)
			pause();
	}
}

const struct wl_bg bg_pipe = {
	.name = "pipe",
	.help = "threads each reading an empty pipe of its own (two descriptors each)",
	.prepare = bg_pipe__prepare,
	.park = bg_pipe__park,
	.state = 'S',
	.syscalls = { SYS_read, -1 },
};
