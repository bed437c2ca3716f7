// SPDX-License-Identifier: BSD-2-Clause
/*
 * chain N: two threads hand off N times, each asleep six calls deep. Built by unwind.bats with and
 * without frame pointers and unwind tables.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond[2] = { PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER };
static volatile long turn, handoffs, wanted;

/* What each is given changes on the way, so that none is merged with another, or left by a jump. */
#define CALLS(name, next)                                   \
	static __attribute__((noinline)) long name(long me) \
	{                                                   \
		volatile long kept = me + 1;                \
		long got = next(me);                        \
		return got + kept;                          \
	}

static __attribute__((noinline)) long f(long me)
{
	long slept = 0;

	pthread_mutex_lock(&lock);
	while (turn % 2 != me) {
		pthread_cond_wait(&cond[me], &lock);
		slept++;
	}
	turn++;
	handoffs++;
	pthread_mutex_unlock(&lock);
	pthread_cond_signal(&cond[1 - me]);
	return slept;
}

CALLS(e, f)
CALLS(d, e)
CALLS(c, d)
CALLS(b, c)
CALLS(a, b)

static void *play(void *arg)
{
	long sum = 0;

	while (handoffs < wanted)
		sum += a((long)arg);
	return (void *)sum;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	long i;

	wanted = argc > 1 ? atol(argv[1]) : 1;
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, play, (void *)i);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", handoffs);
	return 0;
}
