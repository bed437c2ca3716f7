/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads that hand off: their life, and what all shapes need of them. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "limit.h"
#include "place.h"
#include "proc.h"
#include "run.h"
#include "stacks.h"

#define SETTLE_DEADLINE_NS 20000000000ull

static void fd__take(int fd)
{
	u64 value;

	while (read(fd, &value, sizeof(value)) < 0 && errno == EINTR)
		;
}

static void fd__give(int fd, u64 value)
{
	while (write(fd, &value, sizeof(value)) < 0 && errno == EINTR)
		;
}

static void usage__read(struct wl_usage *usage)
{
	struct rusage ru;
	struct timespec ts;

	getrusage(RUSAGE_THREAD, &ru);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	usage->voluntary = (u64)ru.ru_nvcsw;
	usage->involuntary = (u64)ru.ru_nivcsw;
	usage->cpu_ns = (u64)ts.tv_sec * 1000000000ull + (u64)ts.tv_nsec;
}

void actor__begin(struct wl_actor *me)
{
	me->unslept_cnt = 0;
	usage__read(&me->before);
}

void actor__end(struct wl_actor *me)
{
	struct wl_usage now;

	usage__read(&now);
	me->used.voluntary = now.voluntary - me->before.voluntary;
	me->used.involuntary = now.involuntary - me->before.involuntary;
	me->used.cpu_ns = now.cpu_ns - me->before.cpu_ns;
}

void actor__arrive(struct wl_run *run, u32 expected_cnt)
{
	if (__atomic_add_fetch(&run->arrived_cnt, 1, __ATOMIC_ACQ_REL) == expected_cnt)
		fd__give(run->arrive_fd, 1);
}

void actor__await_arrivals(struct wl_run *run, u32 expected_cnt)
{
	if (expected_cnt)
		fd__take(run->arrive_fd);
}

void actor__receive(struct wl_actor *me, struct wl_mail *mail, u64 ret_ns, u64 *sample)
{
	u64 id = __atomic_load_n(&mail->id, __ATOMIC_RELAXED);
	u64 call_ns = __atomic_load_n(&mail->call_ns, __ATOMIC_RELAXED);

	if (id) {
		me->slot->ret_ns = ret_ns;
		__asm__ __volatile__("" ::: "memory");
		*(volatile unsigned long long *)&me->slot->ret_id = id;
	}
	/* A wakee that never slept may be back before the waker's stamp. */
	if (sample)
		*sample = ret_ns > call_ns ? ret_ns - call_ns : 0;
	if (me->run->p.settle)
		__atomic_store_n(&me->waiting, 0, __ATOMIC_RELEASE);
}

/*
 * State S alone is not a sleep: a thread is in it from before it calls the scheduler. It has
 * slept when its voluntary switches have risen since it announced itself.
 */
void actor__settle(struct wl_actor *me, struct wl_actor *target)
{
	u64 deadline_ns = 0, before_cnt;
	u32 tries = 0;

	if (!me->run->p.settle)
		return;
	for (;;) {
		if (__atomic_load_n(&target->waiting, __ATOMIC_ACQUIRE)) {
			if (!me->run->mech->sleeps)
				return;
			before_cnt = __atomic_load_n(&target->switch_cnt, __ATOMIC_RELAXED);
			if (proc__has_slept(target->status_fd, before_cnt))
				return;
		}
		sched_yield();
		if (++tries % 256)
			continue;
		if (!deadline_ns)
			deadline_ns = clock__now_ns() + SETTLE_DEADLINE_NS;
		if (clock__now_ns() > deadline_ns) {
			fail__set(ETIMEDOUT, NULL,
				  "settle: thread %d was not asleep after 20 s; is the machine "
				  "overloaded? try settle=0",
				  target->tid);
			fail__die();
		}
	}
}

/* A fault each, and as many every time. */
static void actor__fault(struct wl_run *run)
{
	u64 i;

	if (!run->p.fault_pages || madvise(run->walk, run->p.fault_pages * 4096, MADV_DONTNEED))
		return;
	for (i = 0; i < run->p.fault_pages; i++)
		((volatile char *)run->walk)[i * 4096] = 1;
}

void actor__work(struct wl_actor *me)
{
	const struct wl_params *p = &me->run->p;
	const volatile char *walk = me->run->walk;
	u64 i, until_ns;

	for (i = 0; i < p->walk_bytes; i += LINE_SZ)
		(void)walk[i];
	/* Another line in each page, so that the lines do not share one cache set. */
	for (i = 0; i < p->walk_pages; i++)
		(void)walk[i * 4096 + i % 64 * LINE_SZ];
	actor__fault(me->run);
	stacks__touch(p->stack_walk);
	if (!p->gap_ns)
		return;
	until_ns = clock__now_ns() + p->gap_ns;
	while (clock__now_ns() < until_ns)
		cpu__relax();
}

static void *actor__main(void *arg)
{
	static __thread struct wc_stamp_slot nowhere;
	struct wl_actor *me = arg;
	struct wl_run *run = me->run;
	int cpu = place__cpu(run, me->idx);
	u32 phase;

	me->tid = (pid_t)syscall(SYS_gettid);
	stacks__touch(run->p.stack_touch);
	me->slot = stamps__claim(run, me->tid);
	if (!me->slot)
		me->slot = &nowhere;
	if (cpu >= 0)
		me->err = place__pin(cpu);
	if (!me->err)
		me->err = place__set_policy(run->p.policy);

	/* Two gates in turn: a thread done with a phase cannot take another's turn in it. */
	for (phase = 0;; phase++) {
		if (__atomic_add_fetch(&run->done_cnt, 1, __ATOMIC_ACQ_REL) == run->actor_cnt)
			fd__give(run->done_fd, 1);
		fd__take(run->gate_fd[phase & 1]);
		run->shape->body(run, me);
		if (phase == UINT32_MAX)
			break;
	}
	return NULL;
}

static int actors__start_one(struct wl_run *run, struct wl_stacks *stacks, u32 i)
{
	pthread_attr_t attr;
	void *stack = stacks__take(stacks, "stacks of the threads that hand off");
	int err;

	if (!stack)
		return -ENOMEM;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	err = pthread_attr_setstack(&attr, stack, stacks->sz);
	if (!err)
		err = pthread_create(&run->actors[i].thread, &attr, actor__main, &run->actors[i]);
	pthread_attr_destroy(&attr);
	return err ? limit__refused(LIMIT_THREAD, err, 0, i, "threads that hand off") : 0;
}

static int actors__make_gates(struct wl_run *run)
{
	run->gate_fd[0] = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
	run->gate_fd[1] = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
	run->arrive_fd = eventfd(0, EFD_CLOEXEC);
	run->done_fd = eventfd(0, EFD_CLOEXEC);
	if (run->gate_fd[0] < 0 || run->gate_fd[1] < 0 || run->arrive_fd < 0 || run->done_fd < 0)
		return limit__refused(LIMIT_FD, errno, 0, 0, "event descriptors");
	return 0;
}

int actors__create(struct wl_run *run)
{
	struct wl_stacks stacks;
	u32 i;
	int err;

	run->actors = aligned_alloc(128, run->actor_cnt * sizeof(*run->actors));
	if (!run->actors)
		return limit__refused(LIMIT_MMAP, ENOMEM, run->actor_cnt * sizeof(*run->actors), 0,
				      "memory for the threads that hand off");
	memset(run->actors, 0, run->actor_cnt * sizeof(*run->actors));
	err = actors__make_gates(run);
	if (!err)
		err = stacks__init(&stacks, &run->p);
	for (i = 0; !err && i < run->actor_cnt; i++) {
		run->actors[i].run = run;
		run->actors[i].idx = i;
		run->actors[i].status_fd = -1;
		run->actors[i].epoll[0] = run->actors[i].epoll[1] = -1;
		err = actors__start_one(run, &stacks, i);
	}
	if (err)
		return err;
	fd__take(run->done_fd);
	for (i = 0; i < run->actor_cnt; i++) {
		if (run->actors[i].err)
			return place__policy_refused(run->actors[i].err);
	}
	if (run->unstamped_cnt)
		warn__add(
			"%u of %u threads found no free stamp slot; their handoffs are not stamped "
			"(use fewer threads or a fresh stamp memory)",
			run->unstamped_cnt, run->actor_cnt);
	return 0;
}

int actors__open_status(struct wl_run *run)
{
	char path[64];
	u32 i;

	if (!run->p.settle || !run->mech->sleeps)
		return 0;
	for (i = 0; i < run->actor_cnt; i++) {
		snprintf(path, sizeof(path), "/proc/self/task/%d/status", run->actors[i].tid);
		run->actors[i].status_fd = open(path, O_RDONLY | O_CLOEXEC);
		if (run->actors[i].status_fd < 0)
			return limit__refused(LIMIT_FD, errno, 0, i, path);
	}
	return 0;
}

void run__phase(struct wl_run *run, u64 handoff_cnt, bool measured)
{
	if (!handoff_cnt)
		return;
	run->plan.handoff_cnt = handoff_cnt;
	run->plan.first_id = measured ? run->next_id : 0;
	if (measured)
		run->next_id += run->shape->id_cnt(run, handoff_cnt);
	run->arrived_cnt = 0;
	__atomic_store_n(&run->done_cnt, 0, __ATOMIC_RELEASE);
	fd__give(run->gate_fd[run->phase & 1], run->actor_cnt);
	run->phase++;
	fd__take(run->done_fd);
}
