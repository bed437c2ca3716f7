/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "pool.h"
#include "workloads/fail.h"
#include "workloads/limit.h"

struct pool {
	struct pool_opts opts;
	pthread_mutex_t lock;
	pthread_cond_t more, settled;
	void **ring; /* jobs, oldest at head */
	u64 ring_sz, head;
	struct worker *workers;
	bool ending, settling;
	struct pool_counts n;
};

struct worker {
	struct pool *pool;
	struct worker *next;
	pthread_t thread;
	void *job; /* the one it was made for; NULL: none */
};

static int ring__grow(struct pool *pool)
{
	u64 sz = pool->ring_sz ? pool->ring_sz * 2 : 1024, i;
	void **more;

	if (pool->n.queued_cnt < pool->ring_sz)
		return 0;
	more = calloc(sz, sizeof(*more));
	if (!more)
		return -ENOMEM;
	for (i = 0; pool->ring_sz && i < pool->n.queued_cnt; i++)
		more[i] = pool->ring[(pool->head + i) % pool->ring_sz];
	free(pool->ring);
	pool->ring = more;
	pool->ring_sz = sz;
	pool->head = 0;
	return 0;
}

static void *ring__take(struct pool *pool)
{
	void *job = pool->ring[pool->head];

	pool->head = (pool->head + 1) % pool->ring_sz;
	pool->n.queued_cnt--;
	return job;
}

/* The next job, or NULL when it is all over. Called with the lock. */
static void *pool__await(struct pool *pool)
{
	while (!pool->n.queued_cnt && !pool->ending) {
		pool->n.idle_cnt++;
		if (pool->settling && pool->n.idle_cnt == pool->n.live_cnt)
			pthread_cond_signal(&pool->settled);
		pthread_cond_wait(&pool->more, &pool->lock);
		pool->n.idle_cnt--;
	}
	return pool->ending ? NULL : ring__take(pool);
}

static void *pool__main(void *arg)
{
	struct worker *me = arg;
	struct pool *pool = me->pool;
	void *job = me->job;

	prctl(PR_SET_NAME, "server-pool");
	for (;;) {
		if (job)
			pool->opts.job(pool->opts.ctx, job);
		pthread_mutex_lock(&pool->lock);
		job = pool__await(pool);
		pthread_mutex_unlock(&pool->lock);
		if (!job)
			return NULL;
	}
}

/* Its place is taken already. -errno. */
static int pool__make(struct pool *pool, void *job)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	u64 begin_ns = clock__now_ns();
	pthread_attr_t attr;
	int err = 0;

	if (!worker)
		return -ENOMEM;
	worker->pool = pool;
	worker->job = job;
	pthread_attr_init(&attr);
	if (pool->opts.stack_sz)
		err = pthread_attr_setstacksize(&attr, pool->opts.stack_sz);
	if (!err)
		err = pthread_create(&worker->thread, &attr, pool__main, worker);
	pthread_attr_destroy(&attr);
	if (err) {
		free(worker);
		return -err;
	}
	begin_ns = clock__now_ns() - begin_ns;
	pthread_mutex_lock(&pool->lock);
	worker->next = pool->workers;
	pool->workers = worker;
	pool->n.create_ns += begin_ns;
	pool->n.created_cnt++;
	pthread_mutex_unlock(&pool->lock);
	return 0;
}

/* A place for one thread more, if this job is to have one. */
static bool pool__reserve(struct pool *pool)
{
	bool make;

	pthread_mutex_lock(&pool->lock);
	make = pool->n.live_cnt < pool->opts.max_cnt &&
	       (!pool->opts.only_needed || pool->n.idle_cnt <= pool->n.queued_cnt);
	if (make && ++pool->n.live_cnt > pool->n.peak_cnt)
		pool->n.peak_cnt = pool->n.live_cnt;
	pthread_mutex_unlock(&pool->lock);
	return make;
}

/* Fewer than asked for would be another server than the one that is measured. */
static int pool__refused(struct pool *pool, int err)
{
	u64 made_cnt;

	pthread_mutex_lock(&pool->lock);
	made_cnt = pool->n.created_cnt;
	pthread_mutex_unlock(&pool->lock);
	return limit__refused(LIMIT_THREAD, -err, 0, made_cnt, "threads of the server");
}

int pool__start(struct pool **out, const struct pool_opts *opts)
{
	struct pool *pool = calloc(1, sizeof(*pool));
	int err = 0;

	*out = pool;
	if (!pool)
		return fail__set(ENOMEM, "memory", "out of memory; free some and try again");
	pool->opts = *opts;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->more, NULL);
	pthread_cond_init(&pool->settled, NULL);
	while (!err && pool->n.created_cnt < opts->min_cnt) {
		pool->n.peak_cnt = ++pool->n.live_cnt;
		err = pool__make(pool, NULL);
	}
	return err ? pool__refused(pool, err) : 0;
}

int pool__submit(struct pool *pool, void *job)
{
	int err;

	if (pool__reserve(pool)) {
		err = pool__make(pool, job);
		if (!err)
			return 0;
		return pool__refused(pool, err);
	}
	pthread_mutex_lock(&pool->lock);
	err = ring__grow(pool);
	if (!err) {
		pool->ring[(pool->head + pool->n.queued_cnt) % pool->ring_sz] = job;
		if (++pool->n.queued_cnt > pool->n.queued_peak_cnt)
			pool->n.queued_peak_cnt = pool->n.queued_cnt;
		pthread_cond_signal(&pool->more);
	}
	pthread_mutex_unlock(&pool->lock);
	return err;
}

void pool__settle(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->settling = true;
	while (pool->n.idle_cnt < pool->n.live_cnt)
		pthread_cond_wait(&pool->settled, &pool->lock);
	pool->settling = false;
	pthread_mutex_unlock(&pool->lock);
}

void pool__counts(struct pool *pool, struct pool_counts *out)
{
	pthread_mutex_lock(&pool->lock);
	*out = pool->n;
	pthread_mutex_unlock(&pool->lock);
}

void pool__stop(struct pool *pool)
{
	struct worker *worker;

	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->ending = true;
	pthread_cond_broadcast(&pool->more);
	pthread_mutex_unlock(&pool->lock);
	while ((worker = pool->workers)) {
		pool->workers = worker->next;
		pthread_join(worker->thread, NULL);
		free(worker);
	}
	pthread_cond_destroy(&pool->more);
	pthread_cond_destroy(&pool->settled);
	pthread_mutex_destroy(&pool->lock);
	free(pool->ring);
	free(pool);
}
