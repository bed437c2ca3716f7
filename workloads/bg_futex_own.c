/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"
#include "registry.h"

/* One word a line, as separately allocated objects would lie. */
static int futex_own__prepare(struct wl_bg_ctx *ctx)
{
	ctx->objects = bg__alloc((size_t)ctx->cnt * LINE_SZ, "futex words");
	return ctx->objects ? 0 : -12;
}

static void futex_own__park(struct wl_bg_ctx *ctx, u32 idx)
{
	u32 *word = (u32 *)((char *)ctx->objects + (size_t)idx * LINE_SZ);

	bg__announce(ctx, idx);
	for (;;)
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

const struct wl_bg bg_futex_own = {
	.name = "futex-own",
	.help = "threads each on a private futex of its own, as LockSupport.park does",
	.prepare = futex_own__prepare,
	.park = futex_own__park,
	.state = 'S',
	.syscalls = { SYS_futex, -1 },
};
