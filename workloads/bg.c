/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting a background and proving from the kernel's own words that it is where it should be. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "limit.h"
#include "place.h"
#include "proc.h"
#include "registry.h"
#include "stacks.h"

/* Never a time to sleep: only when to give up. */
#define DEADLINE_NS	 30000000000ull
#define DEADLINE_TASK_NS 2000000ull
#define POLL_NS		 200000

void *bg__alloc(size_t sz, const char *what)
{
	void *map = mmap(NULL, sz, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map != MAP_FAILED)
		return map;
	limit__refused(LIMIT_MMAP, errno, sz, 0, what);
	return NULL;
}

/* Shared: forked tasks announce themselves in it. */
static struct wl_bg_task *bg__alloc_tasks(u32 cnt)
{
	size_t sz = cnt * sizeof(struct wl_bg_task);
	void *map = mmap(NULL, sz, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (map != MAP_FAILED)
		return map;
	limit__refused(LIMIT_MMAP, errno, sz, 0, "memory for the background");
	return NULL;
}

void bg__announce(struct wl_bg_ctx *ctx, u32 idx)
{
	ctx->tasks[idx].tid = (pid_t)syscall(SYS_gettid);
	__atomic_store_n(&ctx->tasks[idx].announced, 1, __ATOMIC_RELEASE);
}

static u64 bg__deadline_ns(const struct wl_bg_ctx *ctx)
{
	return clock__now_ns() + DEADLINE_NS + ctx->task_cnt * DEADLINE_TASK_NS;
}

static void bg__pause(void)
{
	const struct timespec ts = { 0, POLL_NS };

	nanosleep(&ts, NULL);
}

int bg__wait_announced(struct wl_bg_ctx *ctx)
{
	u64 deadline_ns = bg__deadline_ns(ctx);
	u32 i;

	for (i = 0; i < ctx->task_cnt; i++) {
		while (!__atomic_load_n(&ctx->tasks[i].announced, __ATOMIC_ACQUIRE)) {
			if (clock__now_ns() > deadline_ns)
				return fail__set(
					ETIMEDOUT, NULL,
					"background %s: only %u of %u got to run in time; is the "
					"machine overloaded? use a smaller parked",
					ctx->bg->name, i, ctx->task_cnt);
			bg__pause();
		}
	}
	return 0;
}

static void *bg__thread(void *arg)
{
	struct wl_bg_park *park = arg;
	struct wl_run *run = park->ctx->run;

	if (park->ctx->bg->pin && run->cpu_cnt)
		place__pin(run->cpus[park->idx % (u32)run->cpu_cnt]);
	stacks__touch(run->p.stack_touch);
	park->ctx->bg->park(park->ctx, park->idx);
	return NULL;
}

static int bg__start_threads(struct wl_bg_ctx *ctx)
{
	struct wl_stacks stacks;
	pthread_attr_t attr;
	pthread_t thread;
	void *stack;
	u32 i;
	int err;

	ctx->parks = bg__alloc(ctx->task_cnt * sizeof(*ctx->parks), "memory for the background");
	if (!ctx->parks)
		return -ENOMEM;
	err = stacks__init(&stacks, &ctx->run->p);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (i = 0; !err && i < ctx->task_cnt; i++) {
		ctx->parks[i].ctx = ctx;
		ctx->parks[i].idx = i;
		stack = stacks__take(&stacks, "stacks of the parked threads");
		if (!stack) {
			err = -ENOMEM;
			break;
		}
		err = pthread_attr_setstack(&attr, stack, stacks.sz);
		if (!err)
			err = pthread_create(&thread, &attr, bg__thread, &ctx->parks[i]);
		if (err)
			err = limit__refused(LIMIT_THREAD, err, 0, i, "parked threads");
	}
	pthread_attr_destroy(&attr);
	return err;
}

int bg__start(struct wl_run *run)
{
	static struct wl_bg_ctx ctx;
	const struct wl_bg *bg = run->bg;
	int err = 0;

	run->bg_ctx = &ctx;
	ctx.run = run;
	ctx.bg = bg;
	ctx.cnt = bg == &bg_none ? 0 : (u32)run->p.parked;
	ctx.task_cnt = bg->one_task && ctx.cnt ? 1 : ctx.cnt;
	if (!ctx.cnt)
		return 0;
	ctx.tasks = bg__alloc_tasks(ctx.task_cnt);
	ctx.futexes = bg__alloc(ctx.task_cnt * sizeof(*ctx.futexes), "memory for the background");
	if (!ctx.tasks || !ctx.futexes)
		return -ENOMEM;
	if (bg->prepare)
		err = bg->prepare(&ctx);
	if (!err)
		err = bg->start ? bg->start(&ctx) : bg__start_threads(&ctx);
	return err ? err : bg__wait_announced(&ctx);
}

static bool bg__expects(const struct wl_bg *bg, long nr)
{
	u32 i;

	for (i = 0; i < BG_SYSCALL_CNT_MAX && bg->syscalls[i] >= 0; i++) {
		if (bg->syscalls[i] == nr)
			return true;
	}
	return !i;
}

/* 1: proven, 0: not yet, -errno: gone. */
static int bg__prove_one(struct wl_bg_ctx *ctx, u32 i)
{
	bool own_thread = ctx->bg != &bg_process;
	pid_t tid = ctx->tasks[i].tid;
	char state = proc__state(tid, own_thread);
	u64 arg0;
	long nr;
	int err;

	if (state == '?' || state == 'Z' || state == 'X')
		return -ESRCH;
	if (state != ctx->bg->state)
		return 0;
	if (state == 'R')
		return 1;
	err = proc__syscall(tid, own_thread, &nr, &arg0);
	if (err == -EAGAIN)
		return 0;
	/* Not readable here (no ptrace rights, no such file): the state must do. */
	if (err) {
		ctx->unread = true;
		return 1;
	}
	if (!bg__expects(ctx->bg, nr))
		return 0;
	if (nr == SYS_futex)
		ctx->futexes[i] = arg0;
	return 1;
}

int bg__prove(struct wl_run *run)
{
	struct wl_bg_ctx *ctx = run->bg_ctx;
	u64 deadline_ns = bg__deadline_ns(ctx);
	int proven, err;
	u32 i;

	err = ctx->task_cnt && run->bg->release ? run->bg->release(ctx) : 0;
	if (err)
		return err;

	for (i = 0; i < ctx->task_cnt; i++) {
		while (!(proven = bg__prove_one(ctx, i))) {
			if (clock__now_ns() > deadline_ns)
				return fail__set(
					ETIMEDOUT, NULL,
					"background %s: task %d of %u (tid %d) is in state %c, "
					"not parked as expected; is it being traced or frozen?",
					run->bg->name, (int)i, ctx->task_cnt, ctx->tasks[i].tid,
					proc__state(ctx->tasks[i].tid, run->bg != &bg_process));
			bg__pause();
		}
		if (proven < 0)
			return fail__set(
				ESRCH, NULL,
				"background %s: task %d (tid %d) is gone; did somebody kill it, "
				"or the OOM killer (dmesg)?",
				run->bg->name, (int)i, ctx->tasks[i].tid);
		ctx->proven_cnt += ctx->task_cnt == ctx->cnt ? 1 : ctx->cnt;
	}
	if (ctx->unread)
		warn__add(
			"/proc/PID/syscall cannot be read: that the background sleeps is proven by its "
			"state only, and no chain is predicted");
	return 0;
}

void bg__stop(struct wl_run *run)
{
	if (run->bg == &bg_process && run->bg_ctx)
		bg_process__kill(run->bg_ctx);
}
