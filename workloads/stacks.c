/* SPDX-License-Identifier: BSD-2-Clause */
#include <alloca.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fail.h"
#include "limit.h"
#include "stacks.h"

#define SLAB_SZ	    (256ull << 20)
#define HUGE_SZ	    (2ull << 20)
#define STACK_SPARE 8192 /* of a stack: its thread block and the frames in use */

int stacks__init(struct wl_stacks *stacks, const struct wl_params *params)
{
	u64 page_sz = (u64)sysconf(_SC_PAGESIZE);
	long min = sysconf(_SC_THREAD_STACK_MIN);

	stacks->sz = (params->stack + page_sz - 1) / page_sz * page_sz;
	stacks->guard = params->guard;
	stacks->huge = params->huge;
	stacks->slab = NULL;
	stacks->left_cnt = stacks->given_cnt = 0;
	if (min > 0 && stacks->sz < (u64)min)
		return fail__usage("stack: %llu bytes are less than this system's minimum; use %ld",
				   (unsigned long long)params->stack, min);
	if (params->stack_touch * page_sz + STACK_SPARE + page_sz * params->guard > stacks->sz)
		return fail__usage(
			"stack_touch: %llu pages do not fit in a stack of %zu bytes beside "
			"its own frames; raise stack",
			(unsigned long long)params->stack_touch, stacks->sz);
	return 0;
}

static int stacks__grow(struct wl_stacks *stacks, const char *what)
{
	u32 cnt = stacks->sz < SLAB_SZ ? (u32)(SLAB_SZ / stacks->sz) : 1;
	size_t sz = stacks->sz * cnt, extra = stacks->huge ? HUGE_SZ : 0;
	char *slab;

	slab = mmap(NULL, sz + extra, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (slab == MAP_FAILED)
		return limit__refused(LIMIT_MMAP, errno, sz + extra, stacks->given_cnt, what);
	if (stacks->huge) {
		slab = (char *)(((uintptr_t)slab + HUGE_SZ - 1) & ~(HUGE_SZ - 1));
		if (madvise(slab, sz, MADV_HUGEPAGE))
			return fail__set(
				errno, "transparent_hugepage",
				"huge=1: the kernel refuses MADV_HUGEPAGE; see "
				"/sys/kernel/mm/transparent_hugepage/enabled or use huge=0");
	} else {
		/* Not by accident either: a huge page under small stacks would be one TLB entry. */
		madvise(slab, sz, MADV_NOHUGEPAGE);
	}
	stacks->slab = slab;
	stacks->left_cnt = cnt;
	return 0;
}

void *stacks__take(struct wl_stacks *stacks, const char *what)
{
	char *stack;

	if (!stacks->left_cnt && stacks__grow(stacks, what))
		return NULL;
	stack = stacks->slab;
	if (stacks->guard && mprotect(stack, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE)) {
		limit__refused(LIMIT_MMAP, errno, 0, stacks->given_cnt, what);
		return NULL;
	}
	stacks->slab += stacks->sz;
	stacks->left_cnt--;
	stacks->given_cnt++;
	return stack;
}

void __attribute__((noinline)) stacks__touch(u64 page_cnt)
{
	size_t page_sz = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *area;
	u64 i;

	if (!page_cnt)
		return;
	area = alloca(page_cnt * page_sz);
	for (i = page_cnt; i-- > 0;)
		area[i * page_sz] = 1;
}
