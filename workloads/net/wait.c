/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <time.h>

#include "coro.h"
#include "wait.h"

static u64 thread__cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (u64)ts.tv_sec * 1000000000ull + (u64)ts.tv_nsec;
}

int wait__fd(struct wait_fd *w, short events, u64 timeout_ns)
{
	u64 end_ns = clock__now_ns() + timeout_ns, now_ns;
	struct pollfd p = { .fd = w->fd, .events = events };
	struct timespec left;
	int got;

	if (coro__self())
		return coro__wait_fd(w, events, timeout_ns);
	do {
		now_ns = clock__now_ns();
		now_ns = now_ns < end_ns ? end_ns - now_ns : 0;
		left.tv_sec = (time_t)(now_ns / 1000000000);
		left.tv_nsec = (long)(now_ns % 1000000000);
		got = ppoll(&p, 1, &left, NULL);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	return got ? 0 : -ETIMEDOUT;
}

void wait__sleep(u64 ns)
{
	struct timespec left = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	if (!ns)
		return;
	if (coro__self()) {
		coro__sleep(ns);
		return;
	}
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
}

void wait__park_init(struct wait_parker *p)
{
	p->coro = coro__self();
	if (!p->coro)
		sem_init(&p->sem, 0, 0);
}

void wait__park(struct wait_parker *p)
{
	if (p->coro) {
		coro__park();
		return;
	}
	while (sem_wait(&p->sem) && errno == EINTR)
		;
	sem_destroy(&p->sem);
}

void wait__unpark(struct wait_parker *p)
{
	if (p->coro)
		coro__unpark(p->coro);
	else
		sem_post(&p->sem);
}

void wait__burn(u64 ns)
{
	u64 end_ns;
	u32 i;

	if (!ns)
		return;
	end_ns = thread__cpu_ns() + ns;
	while (thread__cpu_ns() < end_ns) {
		/* Mostly not in the kernel. */
		for (i = 0; i < 200; i++)
			compiler__barrier();
	}
}
