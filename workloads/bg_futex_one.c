/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"
#include "registry.h"

static int futex_one__prepare(struct wl_bg_ctx *ctx)
{
	ctx->objects = bg__alloc(LINE_SZ, "futex word");
	return ctx->objects ? 0 : -12;
}

static void futex_one__park(struct wl_bg_ctx *ctx, u32 idx)
{
	bg__announce(ctx, idx);
	for (;;)
		syscall(SYS_futex, ctx->objects, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

const struct wl_bg bg_futex_one = {
	.name = "futex-one",
	.help = "threads all on one private futex; see bucket",
	.prepare = futex_one__prepare,
	.park = futex_one__park,
	.state = 'S',
	.syscalls = { SYS_futex, -1 },
};
