/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "coro.h"
#include "dbpool.h"
#include "workloads/fail.h"

struct waiter {
	struct wait_parker parker;
	struct waiter *next;
	struct place *given;
};

/* One of the connections. */
struct place {
	struct call *call;
	u64 taken_ns;
	struct place *next; /* free */
};

struct dbpool {
	pthread_mutex_t lock;
	u64 cnt;
	bool carriers;
	struct place *places, *free;
	struct waiter *first, *last;
	u64 busy_cnt, begin_ns, at_ns; /* at_ns: until when it is counted */
	struct dbpool_counts n;
};

int dbpool__new(struct dbpool **out, u64 cnt, bool carriers)
{
	struct dbpool *pool = calloc(1, sizeof(*pool));

	*out = pool;
	if (pool)
		pool->places = calloc(cnt, sizeof(*pool->places));
	if (!pool || !pool->places)
		return fail__set(ENOMEM, "memory", "out of memory; use fewer connections");
	pthread_mutex_init(&pool->lock, NULL);
	pool->cnt = cnt;
	pool->carriers = carriers;
	return 0;
}

void dbpool__open(struct dbpool *pool, u16 port)
{
	u64 i;

	for (i = 0; i < pool->cnt; i++) {
		pool->places[i].call = call__open(port);
		pool->places[i].next = pool->free;
		pool->free = &pool->places[i];
	}
}

/* What was, until now. With the lock. */
static u64 dbpool__tick(struct dbpool *pool)
{
	u64 now_ns = clock__now_ns(), ns;

	if (!pool->begin_ns)
		pool->begin_ns = pool->at_ns = now_ns;
	ns = now_ns - pool->at_ns;
	pool->at_ns = now_ns;
	pool->n.busy_ns += pool->busy_cnt * ns;
	pool->n.waiting_ns += pool->n.waiting_cnt * ns;
	pool->n.waited_ns += pool->n.waiting_cnt ? ns : 0;
	return now_ns;
}

static void dbpool__queue(struct dbpool *pool, struct waiter *me)
{
	if (pool->last)
		pool->last->next = me;
	else
		pool->first = me;
	pool->last = me;
	if (++pool->n.waiting_cnt > pool->n.waiting_peak_cnt)
		pool->n.waiting_peak_cnt = pool->n.waiting_cnt;
}

static struct place *dbpool__place(struct dbpool *pool, const struct call *call)
{
	u64 i;

	for (i = 0; pool->places[i].call != call; i++)
		;
	return &pool->places[i];
}

struct call *dbpool__take(struct dbpool *pool)
{
	struct waiter me = { .next = NULL };
	struct place *place;
	u64 now_ns;

	pthread_mutex_lock(&pool->lock);
	now_ns = dbpool__tick(pool);
	pool->n.taken_cnt++;
	place = pool->free;
	if (place) {
		pool->free = place->next;
		pool->busy_cnt++;
		place->taken_ns = now_ns;
	} else {
		wait__park_init(&me.parker);
		dbpool__queue(pool, &me);
	}
	pthread_mutex_unlock(&pool->lock);
	if (!place) {
		wait__park(&me.parker);
		place = me.given;
	}
	return place->call;
}

void dbpool__give(struct dbpool *pool, struct call *call)
{
	struct place *place = dbpool__place(pool, call);
	struct waiter *next;
	u64 now_ns, held_ns;

	/* The next to use it may be on another carrier. */
	if (pool->carriers)
		coro__forget_fd(&call->w);
	pthread_mutex_lock(&pool->lock);
	now_ns = dbpool__tick(pool);
	held_ns = now_ns > place->taken_ns ? now_ns - place->taken_ns : 0;
	pool->n.held_ns += held_ns;
	pool->n.held_max_ns = held_ns > pool->n.held_max_ns ? held_ns : pool->n.held_max_ns;
	pool->n.given_cnt++;
	next = pool->first;
	if (next) {
		pool->first = next->next;
		if (!pool->first)
			pool->last = NULL;
		pool->n.waiting_cnt--;
		/* Nobody else can have it from now on, whenever the waiter may come to run. */
		place->taken_ns = now_ns;
		next->given = place;
	} else {
		place->next = pool->free;
		pool->free = place;
		pool->busy_cnt--;
	}
	pthread_mutex_unlock(&pool->lock);
	if (next)
		wait__unpark(&next->parker);
}

void dbpool__reset(struct dbpool *pool)
{
	pthread_mutex_lock(&pool->lock);
	memset(&pool->n, 0, sizeof(pool->n));
	pool->begin_ns = 0;
	pthread_mutex_unlock(&pool->lock);
}

void dbpool__counts(struct dbpool *pool, struct dbpool_counts *out)
{
	pthread_mutex_lock(&pool->lock);
	*out = pool->n;
	out->connection_cnt = pool->cnt;
	out->window_ns = pool->at_ns - pool->begin_ns;
	pthread_mutex_unlock(&pool->lock);
}

void dbpool__free(struct dbpool *pool)
{
	u64 i;

	if (!pool)
		return;
	for (i = 0; pool->places && i < pool->cnt; i++) {
		if (pool->places[i].call)
			call__drop(pool->places[i].call);
	}
	pthread_mutex_destroy(&pool->lock);
	free(pool->places);
	free(pool);
}
