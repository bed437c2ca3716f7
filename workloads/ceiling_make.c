/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "ceiling.h"
#include "fail.h"
#include "proc.h"
#include "stacks.h"

#define CHECK_EVERY    256u
#define SLAB_SZ	       (256ull << 20)
#define PROBE_STACK_SZ 65536u
#define SPARE_PERCENT  5u
#define SPARE_MIN_SZ   (512ull << 20)

bool ceiling__memory_low(void)
{
	u64 total_kb, free_kb, spare_kb;

	if (proc__read_key("/proc/meminfo", "MemTotal:", &total_kb) ||
	    proc__read_key("/proc/meminfo", "MemAvailable:", &free_kb))
		return false;
	spare_kb = total_kb * SPARE_PERCENT / 100;
	if (spare_kb < SPARE_MIN_SZ / 1024)
		spare_kb = SPARE_MIN_SZ / 1024;
	/* on a machine that small a quarter must do */
	if (spare_kb > total_kb / 4)
		spare_kb = total_kb / 4;
	return free_kb < spare_kb;
}

static void *thread__park(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static int probe__body(void *arg)
{
	(void)arg;
	return 0; /* ends this thread alone; it has no thread block, so nothing else may be done */
}

static void refused__at(struct ceiling_child *me, const char *call, int err)
{
	strcpy(me->call, call);
	me->call_err = err;
}

/*
 * pthread_create says EAGAIN for nearly everything. What it does is done once more by hand, the
 * last step first, since a stack of the refused thread may be kept for the next.
 */
static void refused__find_call(struct ceiling_child *me)
{
	static char stack[PROBE_STACK_SZ] __attribute__((aligned(64)));
	size_t guard = (size_t)sysconf(_SC_PAGESIZE);
	char *map;

	if (clone(probe__body, stack + sizeof(stack),
		  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
		  NULL) < 0) {
		refused__at(me, "clone", errno);
		return;
	}
	map = mmap(NULL, me->stack_sz, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (map == MAP_FAILED)
		refused__at(me, "mmap", errno);
	else if (mprotect(map + guard, me->stack_sz - guard, PROT_READ | PROT_WRITE))
		refused__at(me, "mprotect", errno);
}

/* Many stacks in one mapping, without guards. NULL: refused. */
static char *slab__take(u64 stack_sz, char **slab, u64 *left)
{
	u64 cnt = stack_sz < SLAB_SZ ? SLAB_SZ / stack_sz : 1;
	char *stack;

	if (!*left) {
		*slab = mmap(NULL, cnt * stack_sz, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
		if (*slab == MAP_FAILED)
			return NULL;
		madvise(*slab, cnt * stack_sz, MADV_NOHUGEPAGE);
		*left = cnt;
	}
	stack = *slab;
	*slab += stack_sz;
	--*left;
	return stack;
}

void ceiling__make_threads(const struct wl_params *p, struct ceiling_child *me)
{
	u64 page_sz = (u64)sysconf(_SC_PAGESIZE), start_ns = clock__now_ns(), left = 0;
	char *slab = NULL, *stack;
	pthread_attr_t attr;
	pthread_t thread;
	size_t sz = 0;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_getstacksize(&attr, &sz);
	if (p->thread_stack != STACK_DEFAULT)
		sz = (p->thread_stack + page_sz - 1) / page_sz * page_sz;
	me->stack_sz = sz;
	if (p->stacks == STACKS_PTHREAD)
		me->err = pthread_attr_setstacksize(&attr, sz);
	while (!me->err && me->cnt < p->most) {
		if (me->cnt % CHECK_EVERY == 0 && ceiling__memory_low()) {
			me->spared = true;
			break;
		}
		if (p->stacks == STACKS_SLAB) {
			stack = slab__take(sz, &slab, &left);
			me->err = stack ? pthread_attr_setstack(&attr, stack, sz) : errno;
			if (!stack)
				refused__at(me, "mmap", me->err);
		}
		if (!me->err)
			me->err = pthread_create(&thread, &attr, thread__park, NULL);
		me->cnt += !me->err;
	}
	me->elapsed_ns = clock__now_ns() - start_ns;
	if (me->err && !me->call[0])
		refused__find_call(me);
}

static ucontext_t host;

static void coroutine__body(void)
{
	ucontext_t own;

	for (;;)
		swapcontext(&own, &host);
}

void ceiling__make_coroutines(const struct wl_params *p, struct ceiling_child *me)
{
	u64 page_sz = (u64)sysconf(_SC_PAGESIZE), start_ns = clock__now_ns(), left = 0;
	char *slab = NULL, *stack;
	ucontext_t first;

	me->stack_sz = (p->stack + page_sz - 1) / page_sz * page_sz;
	while (me->cnt < p->coroutines) {
		if (me->cnt % CHECK_EVERY == 0 && ceiling__memory_low()) {
			me->spared = true;
			break;
		}
		stack = slab__take(me->stack_sz, &slab, &left);
		if (!stack) {
			me->err = errno;
			refused__at(me, "mmap", me->err);
			break;
		}
		getcontext(&first);
		first.uc_stack.ss_sp = stack;
		first.uc_stack.ss_size = me->stack_sz;
		first.uc_link = NULL;
		makecontext(&first, coroutine__body, 0);
		swapcontext(&host, &first);
		me->cnt++;
	}
	me->elapsed_ns = clock__now_ns() - start_ns;
}
