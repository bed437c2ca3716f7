/* SPDX-License-Identifier: BSD-2-Clause */
/* Setting a run up, in the order that each step needs. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "bg.h"
#include "fail.h"
#include "futex_hash.h"
#include "limit.h"
#include "nest.h"
#include "place.h"
#include "registry.h"
#include "run.h"
#include "sysctls.h"

#define FD_SPARE_CNT	  64u
#define STACK_SPARE_PAGES 4u

/* Descriptors in the worst case: an epoll each twice, two of a pipe, one of /proc. */
static u64 run__fd_cnt(const struct wl_run *run)
{
	return FD_SPARE_CNT + run->actor_cnt * 6ull + run->p.parked * 2;
}

static int run__check(struct wl_run *run)
{
	if (run->p.futex_slots != SLOTS_DEFAULT && run->p.futex_slots & (run->p.futex_slots - 1))
		return fail__usage(
			"futex_slots: %llu is not a power of two; see wakecost-workload --list",
			(unsigned long long)run->p.futex_slots);
	if (run->p.settle && !run->mech->sleeps)
		warn__add("settle: mechanism %s never sleeps; nothing to prove there",
			  run->mech->name);
	/* the guard is not everywhere, and what lies below belongs to another */
	if ((run->p.stack_walk + STACK_SPARE_PAGES) * 4096 > run->p.stack)
		return fail__usage(
			"stack_walk: %llu pages and some to work on do not fit a stack of "
			"%llu bytes; give a larger stack",
			(unsigned long long)run->p.stack_walk, (unsigned long long)run->p.stack);
	return run->shape->check ? run->shape->check(run) : 0;
}

/* After the last thread is made: the kernel sizes the hash when threads are, unless told before. */
static int run__set_hash(struct wl_run *run)
{
	u64 want = run->p.futex_slots;
	int err;

	run->hash.slots = futex_hash__slots();
	if (want != SLOTS_DEFAULT && run->hash.slots < 0)
		return fail__set(
			ENOSYS, "PR_FUTEX_HASH",
			"futex_slots: this kernel has no private futex hash (PR_FUTEX_HASH, Linux "
			"6.17 with CONFIG_FUTEX_PRIVATE_HASH); use futex_slots=default");
	if (want != SLOTS_DEFAULT && (u64)run->hash.slots != want) {
		err = futex_hash__set_slots((u32)want);
		if (err)
			return fail__set(
				-err, "PR_FUTEX_HASH",
				"futex_slots: the kernel refuses %llu slots: %s; use a smaller "
				"power of two",
				(unsigned long long)want, strerror(-err));
		run->hash.slots = futex_hash__slots();
		if ((u64)run->hash.slots != want)
			return fail__set(
				EINVAL, "PR_FUTEX_HASH",
				"futex_slots: asked for %llu slots, the kernel uses %d; use "
				"futex_slots=default",
				(unsigned long long)want, run->hash.slots);
	}
	if (run->hash.slots <= 0 && run->bg == &bg_futex_one && run->p.bucket != BUCKET_ANY)
		warn__add(
			"bucket=%s cannot be had: the global futex table depends on kernel addresses; "
			"where the words fall is unknown",
			run->p.bucket == BUCKET_PAIR ? "pair" : "other");
	return 0;
}

static int run__make_walk(struct wl_run *run)
{
	u64 pages = run->p.walk_pages > run->p.fault_pages ? run->p.walk_pages : run->p.fault_pages;
	size_t pages_sz = pages * 4096;

	run->walk_sz = run->p.walk_bytes > pages_sz ? run->p.walk_bytes : pages_sz;
	if (!run->walk_sz)
		return 0;
	run->walk = mmap(NULL, run->walk_sz, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	if (run->walk == MAP_FAILED)
		return limit__refused(LIMIT_MMAP, errno, run->walk_sz, 0, "memory to walk");
	/* Small pages, or a few TLB entries would cover it; written, or all were the zero page. */
	madvise(run->walk, run->walk_sz, MADV_NOHUGEPAGE);
	memset(run->walk, 1, run->walk_sz);
	return 0;
}

static int run__open(struct wl_run *run)
{
	u64 begin_ns = clock__now_ns();
	int err;

	gauges__clear(&run->gauges);
	err = run->shape->check ? run->shape->check(run) : 0;
	err = err ? err : run->shape->open(run);
	run->setup_ns = clock__now_ns() - begin_ns;
	return err;
}

int run__round(struct wl_run *run, bool measured)
{
	if (!run->shape->phase) {
		run__phase(run, measured ? run->p.handoffs : run->p.warmup, measured);
		return 0;
	}
	gauges__clear(&run->gauges);
	return run->shape->phase(run, measured);
}

int run__setup(struct wl_run *run)
{
	u64 begin_ns = clock__now_ns();
	int err;

	if (run->shape->open)
		return run__open(run);
	run->next_id = 1;
	run->actor_cnt = run->shape->actor_cnt(run);
	err = run__check(run);
	if (!err)
		err = nest__enter(run->p.cgroup_depth);
	if (!err)
		err = place__choose(run);
	if (!err)
		err = limit__raise(run__fd_cnt(run));
	if (!err && run->p.raise_sysctls)
		err = sysctls__raise(run->p.parked + run->actor_cnt,
				     run->p.guard * 2 * (run->p.parked + run->actor_cnt));
	if (!err)
		err = stamps__open(run);
	if (!err)
		err = bg__start(run);
	if (!err)
		err = samples__create(run);
	if (!err)
		err = run__make_walk(run);
	if (!err)
		err = actors__create(run);
	if (!err)
		err = run__set_hash(run);
	if (!err)
		err = boxes__create(run);
	if (!err)
		err = actors__open_status(run);
	if (!err)
		err = bg__prove(run);
	run->setup_ns = clock__now_ns() - begin_ns;
	return err;
}

void run__close(struct wl_run *run)
{
	if (run->shape->close)
		run->shape->close(run);
	if (run->stamps)
		stamps__release(run);
	bg__stop(run);
	sysctls__restore();
}
