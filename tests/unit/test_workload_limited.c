/* SPDX-License-Identifier: BSD-2-Clause */
/* Of the server below a CPU limit: its arithmetic, its connections, who waits for them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "workloads/net/coro.h"
#include "workloads/net/dbpool.h"
#include "workloads/net/limited.h"
#include "workloads/net/stub.h"

#define MS  1000000ull
#define SEC 1000000000ull

/* ---- arithmetic ---- */

static void near(double a, double b)
{
	if (!(fabs(a - b) <= fabs(b) * 1e-9))
		fail_msg("%.9g is not %.9g", a, b);
}

/* Ten seconds, 400 requests of 3 transactions over 4 connections, each held 30 ms. */
static void bounds_and_shares_are_of_what_was_counted(void **state)
{
	const struct wl_net_params p = { .connections = 4,
					 .transactions = 3,
					 .cpu_milli = 500,
					 .work_ns = 2 * MS,
					 .held_work_ns = 3 * MS };
	const struct limited_readings before = {
		.now_ns = 5 * SEC,
		.cpu_ns = SEC,
		.run_wait_ns = SEC,
		.db_cpu_ns = SEC,
		.db = { .served_cnt = 100, .taken_ns = SEC },
		.quota = { .period_cnt = 7, .throttled_cnt = 2, .throttled_ns = SEC },
	};
	const struct limited_readings after = {
		.now_ns = 15 * SEC,
		.cpu_ns = 6 * SEC,
		.run_wait_ns = 9 * SEC,
		.db_cpu_ns = SEC + 120 * MS,
		.db = { .served_cnt = 1300, .taken_ns = 7 * SEC },
		.quota = { .period_cnt = 107, .throttled_cnt = 92, .throttled_ns = 6 * SEC },
	};
	const struct dbpool_counts pool = {
		.connection_cnt = 4,
		.window_ns = 10 * SEC,
		.busy_ns = 36 * SEC,
		.waiting_ns = 300 * SEC,
		.waited_ns = 9 * SEC,
		.waiting_peak_cnt = 36,
		.taken_cnt = 1200,
		.given_cnt = 1200,
		.held_ns = 36 * SEC,
		.held_max_ns = 90 * MS,
	};
	struct wl_gauges g;

	(void)state;
	gauges__clear(&g);
	g.v[GAUGE_ELAPSED] = 10e9;
	g.v[GAUGE_CPU] = 12.5e6;
	limited__gauge(&g, &p, &before, &after, &pool, 400);
	near(g.v[GAUGE_CONNECTION_HELD], 30e6);
	near(g.v[GAUGE_CONNECTION_BOUND], 4 / (3 * 0.030));
	near(g.v[GAUGE_CONNECTIONS_BUSY], 0.9);
	near(g.v[GAUGE_WAITERS_MEAN], 30);
	near(g.v[GAUGE_WAITERS_PEAK], 36);
	near(g.v[GAUGE_WAITED_SHARE], 0.9);
	near(g.v[GAUGE_CONNECTION_WAIT], 250e6);
	near(g.v[GAUGE_TRANSACTIONS], 1200);
	near(g.v[GAUGE_TRANSACTION_RATE], 120);
	near(g.v[GAUGE_DB_TIME], 5e6);
	near(g.v[GAUGE_DB_BOUND], 4 / (3 * 0.008));
	near(g.v[GAUGE_DB_CPU], 100e3);
	near(g.v[GAUGE_QUOTA_USED], 1);
	near(g.v[GAUGE_QUOTA_BOUND], 40);
	near(g.v[GAUGE_PERIODS], 100);
	near(g.v[GAUGE_THROTTLED], 90);
	near(g.v[GAUGE_THROTTLED_SHARE], 0.9);
	near(g.v[GAUGE_THROTTLED_TIME], 5e9);
	near(g.v[GAUGE_CPU_BESIDE], 1.5e6);
	near(g.v[GAUGE_RUN_WAIT], 20e6);
}

static void what_there_is_not_is_no_figure(void **state)
{
	const struct wl_net_params p = { .work_ns = MS };
	const struct limited_readings none = { .run_wait_ns = UINT64_MAX };
	const struct dbpool_counts pool = { 0 };
	struct wl_gauges g;
	size_t i;

	(void)state;
	gauges__clear(&g);
	limited__gauge(&g, &p, &none, &none, &pool, 0);
	for (i = 0; i < GAUGE_CNT; i++)
		assert_true(isnan(g.v[i]));
}

static void write_stat(const char *dir, const char *text)
{
	char path[PATH_MAX + 16];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cpu.stat", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void both_kinds_of_group_are_read(void **state)
{
	struct nest nest = { .dir = "/tmp/wakecost-test-XXXXXX" };
	struct quota_stat s;
	char path[PATH_MAX + 16];

	(void)state;
	assert_non_null(mkdtemp(nest.dir));
	write_stat(nest.dir, "nr_periods 11\nnr_throttled 7\nthrottled_time 5000001\n");
	assert_int_equal(quota__read(&nest, &s), 0);
	assert_true(s.period_cnt == 11 && s.throttled_cnt == 7 && s.throttled_ns == 5000001);
	write_stat(nest.dir, "usage_usec 3\nnr_periods 12\nnr_throttled 8\nthrottled_usec 5001\n"
			     "nr_bursts 0\n");
	assert_int_equal(quota__read(&nest, &s), 0);
	assert_true(s.period_cnt == 12 && s.throttled_cnt == 8 && s.throttled_ns == 5001000);
	write_stat(nest.dir, "usage_usec 3\n");
	assert_true(quota__read(&nest, &s) < 0);
	snprintf(path, sizeof(path), "%s/cpu.stat", nest.dir);
	unlink(path);
	assert_true(quota__read(&nest, &s) < 0);
	rmdir(nest.dir);
}

/* ---- connections ---- */

#define THREAD_CNT	8
#define TRANSACTION_CNT 25

static void transact(struct dbpool *pool)
{
	u32 i;

	for (i = 0; i < TRANSACTION_CNT; i++) {
		struct call *call = dbpool__take(pool);

		call__begin(call);
		call__finish(call);
		dbpool__give(pool, call);
	}
}

static void *transact_main(void *arg)
{
	transact(arg);
	return NULL;
}

static void await_served(const struct stub *stub, u64 cnt)
{
	struct stub_counts counts = { 0 };
	int tries;

	for (tries = 0; tries < 5000 && counts.served_cnt < cnt; tries++) {
		wait__sleep(MS);
		stub__counts(stub, &counts);
	}
	assert_int_equal(counts.served_cnt, cnt);
}

static void check_pool(struct dbpool *pool, u64 connection_cnt, u64 user_cnt)
{
	struct dbpool_counts n;

	dbpool__counts(pool, &n);
	assert_int_equal(n.taken_cnt, user_cnt * TRANSACTION_CNT);
	assert_int_equal(n.given_cnt, n.taken_cnt);
	assert_int_equal(n.waiting_cnt, 0);
	assert_in_range(n.waiting_peak_cnt, 1, user_cnt - connection_cnt);
	/* Never more in use than there are; what is held is what is in use. */
	assert_true(n.busy_ns <= n.window_ns * connection_cnt);
	assert_true(n.held_ns == n.busy_ns);
	assert_true(n.waited_ns <= n.window_ns);
}

static void threads_share_two_connections(void **state)
{
	pthread_t threads[THREAD_CNT];
	struct dbpool *pool;
	struct stub *stub;
	u32 i;

	(void)state;
	assert_int_equal(stub__start(&stub), 0);
	stub__plan(stub, &(struct stub_plan){ .wait_ns = MS });
	assert_int_equal(dbpool__new(&pool, 2, false), 0);
	dbpool__open(pool, stub__port(stub));
	for (i = 0; i < THREAD_CNT; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, transact_main, pool), 0);
	for (i = 0; i < THREAD_CNT; i++)
		pthread_join(threads[i], NULL);
	check_pool(pool, 2, THREAD_CNT);
	await_served(stub, THREAD_CNT * TRANSACTION_CNT);
	dbpool__free(pool);
	stub__stop(stub);
}

static int no_other(void *ctx, void *ptr)
{
	(void)ctx;
	(void)ptr;
	return -1;
}

static void transact_coroutine(void *arg)
{
	transact(arg);
}

static void *carrier_main(void *arg)
{
	struct carrier *carrier;
	u32 i;

	assert_int_equal(carrier__new(&carrier, 64u << 10), 0);
	for (i = 0; i < THREAD_CNT; i++)
		assert_int_equal(carrier__begin(carrier, transact_coroutine, arg), 0);
	while (carrier__cnt(carrier))
		assert_int_equal(carrier__turn(carrier, no_other, NULL), 0);
	carrier__free(carrier);
	return NULL;
}

static void carriers_share(u32 carrier_cnt)
{
	struct dbpool *pool;
	struct stub *stub;
	pthread_t thread;

	assert_int_equal(stub__start(&stub), 0);
	assert_int_equal(dbpool__new(&pool, 3, carrier_cnt > 1), 0);
	dbpool__open(pool, stub__port(stub));
	if (carrier_cnt > 1)
		assert_int_equal(pthread_create(&thread, NULL, carrier_main, pool), 0);
	carrier_main(pool);
	if (carrier_cnt > 1)
		pthread_join(thread, NULL);
	check_pool(pool, 3, (u64)THREAD_CNT * carrier_cnt);
	await_served(stub, (u64)THREAD_CNT * carrier_cnt * TRANSACTION_CNT);
	dbpool__free(pool);
	stub__stop(stub);
}

static void coroutines_of_a_carrier_share_three_connections(void **state)
{
	(void)state;
	carriers_share(1);
}

static void a_connection_goes_from_carrier_to_carrier(void **state)
{
	(void)state;
	carriers_share(2);
}

/* ---- first come, first served ---- */

static struct {
	struct dbpool *pool;
	u32 cnt, order[THREAD_CNT];
} queue;

static void queue_coroutine(void *arg)
{
	struct call *call = dbpool__take(queue.pool);

	queue.order[queue.cnt++] = (u32)(uintptr_t)arg;
	dbpool__give(queue.pool, call);
}

static void who_waits_longest_is_next(void **state)
{
	struct carrier *carrier;
	struct stub *stub;
	struct call *held;
	uintptr_t i;

	(void)state;
	assert_int_equal(stub__start(&stub), 0);
	assert_int_equal(dbpool__new(&queue.pool, 1, false), 0);
	dbpool__open(queue.pool, stub__port(stub));
	held = dbpool__take(queue.pool);
	assert_int_equal(carrier__new(&carrier, 64u << 10), 0);
	for (i = 0; i < THREAD_CNT; i++)
		assert_int_equal(carrier__begin(carrier, queue_coroutine, (void *)i), 0);
	assert_int_equal(carrier__turn(carrier, no_other, NULL), 0);
	assert_int_equal(queue.cnt, 0);
	dbpool__give(queue.pool, held);
	while (carrier__cnt(carrier))
		assert_int_equal(carrier__turn(carrier, no_other, NULL), 0);
	assert_int_equal(queue.cnt, THREAD_CNT);
	for (i = 0; i < THREAD_CNT; i++)
		assert_int_equal(queue.order[i], i);
	carrier__free(carrier);
	dbpool__free(queue.pool);
	stub__stop(stub);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_and_shares_are_of_what_was_counted),
		cmocka_unit_test(what_there_is_not_is_no_figure),
		cmocka_unit_test(both_kinds_of_group_are_read),
		cmocka_unit_test(threads_share_two_connections),
		cmocka_unit_test(coroutines_of_a_carrier_share_three_connections),
		cmocka_unit_test(a_connection_goes_from_carrier_to_carrier),
		cmocka_unit_test(who_waits_longest_is_next),
	};

	return cmocka_run_group_tests_name("workload_limited", tests, NULL, NULL);
}
