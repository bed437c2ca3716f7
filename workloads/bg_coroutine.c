/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "fail.h"
#include "registry.h"
#include "stacks.h"

#ifdef SYS_pause
#define PAUSE_SYSCALL SYS_pause
#else
#define PAUSE_SYSCALL SYS_ppoll
#endif

static ucontext_t host;
static u64 touch_page_cnt;
static u32 entered_cnt;

/* Entered once and parked for good, half way through a call on a stack of its own. */
static void coroutine__body(void)
{
	ucontext_t own;

	stacks__touch(touch_page_cnt);
	entered_cnt++;
	for (;;)
		swapcontext(&own, &host);
}

static int coroutine__enter(void *stack, size_t sz)
{
	ucontext_t first;

	if (getcontext(&first))
		return -errno;
	first.uc_stack.ss_sp = stack;
	first.uc_stack.ss_size = sz;
	first.uc_link = NULL;
	makecontext(&first, coroutine__body, 0);
	return swapcontext(&host, &first) ? -errno : 0;
}

static void coroutine__park(struct wl_bg_ctx *ctx, u32 idx)
{
	struct wl_stacks stacks;
	void *stack;
	u32 i;

	if (stacks__init(&stacks, &ctx->run->p))
		fail__die();
	touch_page_cnt = ctx->run->p.stack_touch;
	for (i = 0; i < ctx->cnt; i++) {
		stack = stacks__take(&stacks, "stacks of the coroutines");
		if (!stack)
			fail__die();
		if (coroutine__enter(stack, stacks.sz) || entered_cnt != i + 1) {
			fail__set(EFAULT, NULL, "coroutine %u could not be entered; report this",
				  i);
			fail__die();
		}
	}
	bg__announce(ctx, idx);
	for (;;)
		pause();
}

const struct wl_bg bg_coroutine = {
	.name = "coroutine",
	.help = "user-level stacks, each entered once, all on one thread: one task for the kernel",
	.park = coroutine__park,
	.state = 'S',
	.one_task = true,
	.syscalls = { PAUSE_SYSCALL, -1 },
};
