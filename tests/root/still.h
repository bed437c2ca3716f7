/* SPDX-License-Identifier: BSD-2-Clause */
/* Proofs that a thread sleeps, and the threads and processes of actor.c. */
#ifndef TESTS_ROOT_STILL_H
#define TESTS_ROOT_STILL_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline void fail(const char *what)
{
	fprintf(stderr, "actor: %s: %s\n", what, strerror(errno));
	exit(1);
}

static inline pid_t own_tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static inline unsigned long own_switches(void)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	return (unsigned long)ru.ru_nvcsw;
}

static inline void nap_us(long us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&ts, NULL);
}

static inline void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("pin");
}

static inline void set_policy(int policy)
{
	struct sched_param sp = { .sched_priority = policy == SCHED_FIFO ? 1 : 0 };

	if (sched_setscheduler(0, policy, &sp))
		fail("policy");
}

/* Asleep, and gone to sleep since it had given up its CPU "before" times. */
static inline bool has_slept(pid_t tid, unsigned long before)
{
	static const char key[] = "\nvoluntary_ctxt_switches:";
	char path[64], buf[4096];
	const char *state, *cnt;
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "r");
	if (!f)
		fail(path);
	len = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[len] = '\0';
	state = strstr(buf, "\nState:\t");
	cnt = strstr(buf, key);
	return state && cnt && state[8] == 'S' && strtoul(cnt + sizeof(key) - 1, NULL, 10) > before;
}

static inline void await_sleep(pid_t tid, unsigned long before)
{
	while (!has_slept(tid, before))
		sched_yield();
}

struct thread {
	pthread_t handle;
	pid_t tid;
	const char *name;
	void (*fn)(struct thread *me);
	void *arg;
	int cpu;    /* -1: any */
	int policy; /* SCHED_OTHER, SCHED_FIFO */
	int gate[2];
	int ready;
};

/* Until somebody lets it go; asleep in read() before. */
static inline void gate__wait(struct thread *me)
{
	char c;

	while (read(me->gate[0], &c, 1) != 1)
		;
}

static inline void gate__open(struct thread *t)
{
	if (write(t->gate[1], "", 1) != 1)
		fail("gate");
}

static inline void *thread__main(void *arg)
{
	struct thread *me = arg;

	if (me->name)
		prctl(PR_SET_NAME, me->name);
	if (me->cpu >= 0)
		pin(me->cpu);
	if (me->policy != SCHED_OTHER)
		set_policy(me->policy);
	me->tid = own_tid();
	__atomic_store_n(&me->ready, 1, __ATOMIC_RELEASE);
	me->fn(me);
	for (;;)
		pause();
	return NULL;
}

/* Runs fn, and then sleeps for good: no exit, so no wake by one. */
static inline void thread__start(struct thread *t)
{
	if (pipe(t->gate))
		fail("pipe");
	if (pthread_create(&t->handle, NULL, thread__main, t))
		fail("pthread_create");
	while (!__atomic_load_n(&t->ready, __ATOMIC_ACQUIRE))
		sched_yield();
}

static inline void thread__await_state(const struct thread *t, char wanted)
{
	char path[64], state = '?';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", t->tid);
	while (state != wanted) {
		f = fopen(path, "r");
		if (!f)
			fail(path);
		if (fscanf(f, "%*d %*s %c", &state) != 1)
			state = '?';
		fclose(f);
		sched_yield();
	}
}

static inline void thread__await_sleep(const struct thread *t)
{
	thread__await_state(t, 'S');
	nap_us(2000); /* in state S it may still be on its way off its CPU */
}

#endif
