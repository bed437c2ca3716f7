/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/syscall.h>
#include <unistd.h>

#include "registry.h"

/* Where there is no pause syscall libc sleeps in ppoll. */
#ifdef SYS_pause
#define PAUSE_SYSCALL SYS_pause
#else
#define PAUSE_SYSCALL SYS_ppoll
#endif

static void pause__park(struct wl_bg_ctx *ctx, u32 idx)
{
	bg__announce(ctx, idx);
	for (;;)
		pause();
}

const struct wl_bg bg_pause = {
	.name = "pause",
	.help = "threads in pause(): they exist, and no list the wake looks at holds them",
	.park = pause__park,
	.state = 'S',
	.syscalls = { PAUSE_SYSCALL, -1 },
};
