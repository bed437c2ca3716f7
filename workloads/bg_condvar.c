/* SPDX-License-Identifier: BSD-2-Clause */
#include <sys/syscall.h>

#include "registry.h"

struct park_cond {
	pthread_mutex_t lock;
	pthread_cond_t cond;
} __attribute__((aligned(64)));

static int bg_condvar__prepare(struct wl_bg_ctx *ctx)
{
	struct park_cond *conds = bg__alloc(ctx->cnt * sizeof(*conds), "conditions");
	u32 i;

	if (!conds)
		return -12;
	for (i = 0; i < ctx->cnt; i++) {
		pthread_mutex_init(&conds[i].lock, NULL);
		pthread_cond_init(&conds[i].cond, NULL);
	}
	ctx->objects = conds;
	return 0;
}

static void bg_condvar__park(struct wl_bg_ctx *ctx, u32 idx)
{
	struct park_cond *own = (struct park_cond *)ctx->objects + idx;

	pthread_mutex_lock(&own->lock);
	bg__announce(ctx, idx);
	for (;;)
		pthread_cond_wait(&own->cond, &own->lock);
}

const struct wl_bg bg_condvar = {
	.name = "condvar",
	.help = "threads each in pthread_cond_wait on a condition of its own",
	.prepare = bg_condvar__prepare,
	.park = bg_condvar__park,
	.state = 'S',
	.syscalls = { SYS_futex, -1 },
};
