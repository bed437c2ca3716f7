/* SPDX-License-Identifier: BSD-2-Clause */
/* Of the servers: what clients may send, arithmetic, timers, the pool, coroutines. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "workloads/net/coro.h"
#include "workloads/net/http.h"
#include "workloads/net/models.h"
#include "workloads/net/plan.h"
#include "workloads/net/pool.h"
#include "workloads/net/timers.h"
#include "workloads/num.h"
#include "workloads/registry.h"

/* ---- requests ---- */

static const char plain[] = "GET / HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n";

static ssize_t parse(const char *text, struct http_request *r)
{
	return http__request(text, strlen(text), r);
}

static void a_request_is_whole_at_its_last_byte_and_no_sooner(void **state)
{
	struct http_request r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(plain) - 1; i++)
		assert_int_equal(http__request(plain, i, &r), 0);
	assert_int_equal(http__request(plain, sizeof(plain) - 1, &r), sizeof(plain) - 1);
	assert_false(r.close);
}

static void of_two_in_one_the_first_is_taken(void **state)
{
	char two[2 * sizeof(plain)];
	struct http_request r;
	size_t len = sizeof(plain) - 1, i;

	(void)state;
	memcpy(two, plain, len);
	memcpy(two + len, plain, len);
	for (i = len; i <= 2 * len; i++)
		assert_int_equal(http__request(two, i, &r), len);
}

static void who_keeps_a_connection_is_heard(void **state)
{
	struct http_request r;

	(void)state;
	assert_true(parse("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", &r) > 0 && r.close);
	assert_true(parse("GET / HTTP/1.1\r\nCONNECTION:\tClose \r\n\r\n", &r) > 0 && r.close);
	assert_true(parse("GET / HTTP/1.0\r\n\r\n", &r) > 0 && r.close);
	assert_true(parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", &r) > 0 && !r.close);
	assert_true(parse("GET / HTTP/1.1\nHost: bare-newlines\n\n", &r) > 0 && !r.close);
	assert_true(parse("POST /x HTTP/1.1\r\nContent-Length: 0\r\n\r\n", &r) > 0);
}

static void what_is_no_request_is_refused(void **state)
{
	static const char *const bad[] = {
		"\r\n\r\n",
		" GET / HTTP/1.1\r\n\r\n",
		"get / HTTP/1.1\r\n\r\n",
		"GET\r\n\r\n",
		"GET /\r\n\r\n",
		"GET  HTTP/1.1\r\n\r\n",
		"GET / HTTP/2.0\r\n\r\n",
		"GET / HTTP/1.12\r\n\r\n",
		"GET / HTTP/1.1 \r\n\r\n",
		"GET / HTTP/1.1\r\nno colon\r\n\r\n",
		"GET / HTTP/1.1\r\nA: \001\r\n\r\n",
		"GET / HTTP/1.1\r\nA: \177\r\n\r\n",
		"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
		"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
		"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
		"\x16\x03\x01\x02",
	};
	struct http_request r;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_CNT(bad); i++)
		assert_int_equal(parse(bad[i], &r), -EBADMSG);
	assert_int_equal(http__request("GET \0/ HTTP/1.1\r\n\r\n", 19, &r), -EBADMSG);
}

static void a_head_without_end_is_not_read_for_ever(void **state)
{
	static const char start[] = "GET / HTTP/1.1\r\nX: ";
	char bytes[HTTP_HEAD_MAX_SZ + 64];
	struct http_request r;
	size_t i;

	(void)state;
	memset(bytes, 'A', sizeof(bytes));
	assert_int_equal(http__request(bytes, HTTP_HEAD_MAX_SZ - 1, &r), 0);
	assert_int_equal(http__request(bytes, HTTP_HEAD_MAX_SZ, &r), -EMSGSIZE);
	assert_int_equal(http__request(bytes, sizeof(bytes), &r), -EMSGSIZE);
	for (i = 0; start[i]; i++)
		bytes[i] = start[i];
	assert_int_equal(http__request(bytes, HTTP_HEAD_MAX_SZ, &r), -EMSGSIZE);
}

/* Whatever the bytes: an answer, and none beyond them. */
static void any_bytes_at_all(void **state)
{
	struct http_reply reply;
	struct http_request r;
	unsigned int seed = 1;
	char *bytes;
	size_t len, i;
	ssize_t got;
	int n;

	(void)state;
	for (n = 0; n < 20000; n++) {
		len = (size_t)(rand_r(&seed) % 200);
		bytes = malloc(len ? len : 1);
		assert_non_null(bytes);
		for (i = 0; i < len; i++)
			bytes[i] = (char)rand_r(&seed);
		/* half of them begin well */
		if (n & 1 && len > 20)
			memcpy(bytes, n & 2 ? plain : "HTTP/1.1 200 OK\r\n\r\n", 18);
		got = http__request(bytes, len, &r);
		assert_true(got <= (ssize_t)len);
		got = http__reply_head(bytes, len, &reply);
		assert_true(got <= (ssize_t)len && reply.body_sz <= HTTP_BODY_MAX_SZ);
		free(bytes);
	}
}

static ssize_t reply(const char *text, struct http_reply *out)
{
	return http__reply_head(text, strlen(text), out);
}

static void answers(void **state)
{
	static const char ok[] = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n";
	struct http_reply r;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ok) - 1; i++)
		assert_int_equal(http__reply_head(ok, i, &r), 0);
	assert_int_equal(reply(ok, &r), sizeof(ok) - 1);
	assert_true(r.status == 200 && r.body_sz == 3 && !r.close);
	assert_true(reply("HTTP/1.1 503 \r\nConnection: close\r\nContent-Length: 0\r\n\r\n", &r) >
		    0);
	assert_true(r.status == 503 && r.close);
	assert_true(reply("HTTP/1.1 200\r\ncontent-length:7\r\n\r\n", &r) > 0 && r.body_sz == 7);
	assert_int_equal(reply("HTTP/1.1 2xx OK\r\n", &r), -EBADMSG);
	assert_int_equal(reply("HTTP/1.1 2000\r\n", &r), -EBADMSG);
	assert_int_equal(reply("SSH-2.0-OpenSSH_9\r\n", &r), -EBADMSG);
	/* how long it is must be said */
	assert_int_equal(reply("HTTP/1.1 200 OK\r\n\r\n", &r), -EBADMSG);
	assert_int_equal(reply("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", &r),
			 -EBADMSG);
}

/* ---- numbers and parameters ---- */

static void times_and_decimals(void **state)
{
	char buf[NUM_TIME_SZ];
	u64 v;

	(void)state;
	assert_true(!num__parse_time("100ms", &v) && v == 100000000);
	assert_true(!num__parse_time("5s", &v) && v == 5000000000);
	assert_true(!num__parse_time("250us", &v) && v == 250000);
	assert_true(!num__parse_time("0", &v) && v == 0);
	assert_int_equal(num__parse_time("100", &v), -EINVAL);
	assert_int_equal(num__parse_time("1.5s", &v), -EINVAL);
	assert_int_equal(num__parse_time("-1s", &v), -EINVAL);
	assert_int_equal(num__parse_time("", &v), -EINVAL);
	assert_int_equal(num__parse_time("99999999999s", &v), -ERANGE);
	assert_string_equal(num__time(buf, 100000000), "100ms");
	assert_string_equal(num__time(buf, 1500000000), "1500ms");
	assert_string_equal(num__time(buf, 0), "0");
	assert_string_equal(num__time(buf, 1001), "1001ns");
	assert_true(!num__parse_decimal("0.5", &v) && v == 500);
	assert_true(!num__parse_decimal("2", &v) && v == 2000);
	assert_true(!num__parse_decimal("0.001", &v) && v == 1);
	assert_int_equal(num__parse_decimal("0.0001", &v), -EINVAL);
	assert_int_equal(num__parse_decimal(".5", &v), -EINVAL);
	assert_int_equal(num__parse_decimal("1e3", &v), -EINVAL);
	assert_int_equal(num__parse_decimal("99999999999999999999", &v), -ERANGE);
	assert_string_equal(num__decimal(buf, 500), "0.5");
	assert_string_equal(num__decimal(buf, 2000), "2");
	assert_string_equal(num__decimal(buf, 1), "0.001");
	assert_string_equal(num__decimal(buf, 100000), "100");
}

/* Every row has a default it allows, and of one name no two for one shape. */
static void parameters_hold_together(void **state)
{
	struct wl_params params;
	size_t cnt, i, k, s;
	const struct wl_param *t = params__table(&cnt);
	const char *shape;

	(void)state;
	for (s = 0; (shape = registry__shape_name(s)); s++) {
		params__init(&params, shape);
		for (i = 0; i < cnt; i++) {
			if (!params__applies(&t[i], shape))
				continue;
			assert_true(*(u64 *)((char *)&params + t[i].off) == params__default(&t[i]));
			for (k = 0; k < i; k++)
				assert_false(params__applies(&t[k], shape) &&
					     !strcmp(t[k].name, t[i].name));
		}
	}
	params__init(&params, "server");
	assert_int_equal(params.net.clients, 500);
	assert_int_equal(params.net.service_ns, 100000000);
	assert_int_equal(params.net.scale_milli, 1000);
	/* the words of one shape are no part of another's name */
	for (i = 0; i < cnt; i++)
		assert_false(t[i].shapes && params__applies(&t[i], "serve"));
}

/* A name once, a unit that outputs know, and the count of work first. */
static void gauges_hold_together(void **state)
{
	static const char *const units[] = { "1", "1/s", "ns", "bytes", "share" };
	const struct wl_shape *shape;
	size_t i, k;

	(void)state;
	for (i = 0; i < GAUGE_CNT; i++) {
		const struct wl_gauge *g = gauges__at(i);

		assert_true(g->name && g->label && g->group && g->help && g->better);
		for (k = 0; k < ARRAY_CNT(units) && strcmp(units[k], g->unit); k++)
			;
		assert_true(k < ARRAY_CNT(units));
		for (k = 0; k < i; k++)
			assert_string_not_equal(g->name, gauges__at(k)->name);
	}
	for (i = 0; (shape = registry__shape(i)); i++) {
		assert_int_equal(!shape->work, !shape->gauge_cnt);
		if (shape->work)
			assert_string_equal(gauges__at(shape->gauges[0])->unit, "1");
	}
}

static void a_scale_is_of_every_time(void **state)
{
	struct wl_net_params p = { .service_ns = 100000000,
				   .work_ns = 1000,
				   .duration_ns = 2000000000,
				   .timeout_ns = 60000000000,
				   .clients = 500,
				   .scale_milli = 10 };
	struct wl_net_params out = plan__scaled(&p);
	struct load_plan plan;

	(void)state;
	assert_int_equal(out.service_ns, 1000000);
	assert_int_equal(out.work_ns, 10);
	assert_int_equal(out.duration_ns, 20000000);
	assert_int_equal(out.timeout_ns, 600000000);
	assert_int_equal(out.clients, 500);
	p.mode = MODE_BURST;
	plan__load(&p, 1, &plan);
	assert_true(plan.connect_with && plan.close_after);
	p.mode = MODE_CLOSED;
	plan__load(&p, 1, &plan);
	assert_true(!plan.connect_with && !plan.close_after);
	p.connect = CONNECT_WITH;
	plan__load(&p, 1, &plan);
	assert_true(plan.connect_with && !plan.close_after);
}

/* 50 at a time, each held 100 ms: 500 a second; 500 are ten waves, 200 at a time three. */
static void little(void **state)
{
	struct wl_gauges g;

	(void)state;
	gauges__clear(&g);
	server__bound(&g, 50);
	assert_true(isnan(g.v[GAUGE_BOUND]) && isnan(g.v[GAUGE_EFFICIENCY]));
	g.v[GAUGE_HELD_MEAN] = 100e6;
	g.v[GAUGE_THROUGHPUT] = 466;
	server__bound(&g, 50);
	assert_true(fabs(g.v[GAUGE_BOUND] - 500) < 1e-6);
	assert_true(fabs(g.v[GAUGE_EFFICIENCY] - 0.932) < 1e-6);
	server__burst_bound(&g, 500, 50);
	assert_true(fabs(g.v[GAUGE_BURST_BOUND] - 500) < 1e-6);
	server__burst_bound(&g, 500, 200);
	assert_true(fabs(g.v[GAUGE_BURST_BOUND] - 500 / 0.3) < 1e-6);
	server__burst_bound(&g, 500, 1000);
	assert_true(fabs(g.v[GAUGE_BURST_BOUND] - 5000) < 1e-6);
}

/* ---- timers ---- */

static void timers_come_in_order(void **state)
{
	static struct timer timers[500];
	struct timers t = { 0 };
	struct timer *due;
	unsigned int seed = 7;
	u64 last = 0;
	size_t i, cnt = 0;

	(void)state;
	assert_true(timers__next_ns(&t) == UINT64_MAX);
	for (i = 0; i < ARRAY_CNT(timers); i++)
		assert_int_equal(timers__set(&t, &timers[i], (u64)rand_r(&seed) % 1000), 0);
	for (i = 0; i < ARRAY_CNT(timers); i += 3)
		timers__cancel(&t, &timers[i]);
	for (i = 1; i < ARRAY_CNT(timers); i += 3)
		assert_int_equal(timers__set(&t, &timers[i], (u64)rand_r(&seed) % 1000), 0);
	timers__cancel(&t, &timers[0]); /* twice is no harm */
	while ((due = timers__due(&t, 2000))) {
		assert_true(due->due_ns >= last);
		assert_int_equal(due->place, 0);
		last = due->due_ns;
		cnt++;
	}
	assert_int_equal(cnt, 500 - 167);
	assert_null(timers__due(&t, UINT64_MAX));
	timers__free(&t);
}

/* ---- pool ---- */

struct jobs {
	u64 done_cnt, at_once_cnt, most_cnt;
	u64 sleep_ns;
};

static void job(void *ctx, void *arg)
{
	struct jobs *jobs = ctx;
	u64 now = __atomic_add_fetch(&jobs->at_once_cnt, 1, __ATOMIC_SEQ_CST);
	u64 most = __atomic_load_n(&jobs->most_cnt, __ATOMIC_SEQ_CST);

	(void)arg;
	while (now > most && !__atomic_compare_exchange_n(&jobs->most_cnt, &most, now, false,
							  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	wait__sleep(jobs->sleep_ns);
	__atomic_sub_fetch(&jobs->at_once_cnt, 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&jobs->done_cnt, 1, __ATOMIC_SEQ_CST);
}

static void await(const struct jobs *jobs, u64 cnt)
{
	while (__atomic_load_n(&jobs->done_cnt, __ATOMIC_SEQ_CST) < cnt)
		usleep(1000);
}

static void a_pool_makes_a_thread_an_arrival_and_no_more_than_allowed(void **state)
{
	struct jobs jobs = { .sleep_ns = 2000000 };
	struct pool_opts opts = { .max_cnt = 7, .job = job, .ctx = &jobs };
	struct pool_counts n;
	struct pool *pool;
	int i;

	(void)state;
	assert_int_equal(pool__start(&pool, &opts), 0);
	for (i = 0; i < 100; i++) {
		assert_int_equal(pool__submit(pool, &jobs), 0);
		pool__counts(pool, &n);
		assert_int_equal(n.created_cnt, i < 7 ? i + 1 : 7);
	}
	await(&jobs, 100);
	pool__counts(pool, &n);
	assert_int_equal(n.live_cnt, 7);
	assert_int_equal(n.peak_cnt, 7);
	assert_true(n.create_ns > 0);
	assert_in_range(n.queued_peak_cnt, 1, 93);
	pool__stop(pool);
	assert_int_equal(jobs.done_cnt, 100);
	assert_in_range(jobs.most_cnt, 1, 7);
}

static void a_pool_that_makes_only_what_it_needs(void **state)
{
	struct jobs jobs = { .sleep_ns = 0 };
	struct pool_opts opts = {
		.min_cnt = 2, .max_cnt = 7, .only_needed = true, .job = job, .ctx = &jobs
	};
	struct pool_counts n;
	struct pool *pool;
	u64 i;

	(void)state;
	assert_int_equal(pool__start(&pool, &opts), 0);
	pool__counts(pool, &n);
	assert_int_equal(n.created_cnt, 2);
	/* one after the other: when the last is done and its thread idle, none is needed */
	for (i = 1; i <= 50; i++) {
		do {
			pool__counts(pool, &n);
		} while (n.idle_cnt < n.live_cnt);
		assert_int_equal(pool__submit(pool, &jobs), 0);
		await(&jobs, i);
	}
	pool__counts(pool, &n);
	assert_int_equal(n.created_cnt, 2);
	/* many at once: as many as there may be, and the rest waits */
	jobs.sleep_ns = 5000000;
	for (i = 0; i < 50; i++)
		assert_int_equal(pool__submit(pool, &jobs), 0);
	await(&jobs, 100);
	pool__counts(pool, &n);
	assert_int_equal(n.created_cnt, 7);
	pool__stop(pool);
}

static void what_is_queued_at_the_end_is_dropped(void **state)
{
	struct jobs jobs = { .sleep_ns = 20000000 };
	struct pool_opts opts = { .max_cnt = 1, .job = job, .ctx = &jobs };
	struct pool *pool;
	int i;

	(void)state;
	assert_int_equal(pool__start(&pool, &opts), 0);
	for (i = 0; i < 2000; i++)
		assert_int_equal(pool__submit(pool, &jobs), 0);
	pool__stop(pool);
	assert_in_range(jobs.done_cnt, 1, 1999);
	pool__stop(NULL);
}

/* ---- coroutines ---- */

struct turns {
	struct carrier *carrier;
	int fd[2];
	struct wait_fd in;
	char log[64];
	size_t len;
	int waited;
};

static void note(struct turns *t, char c)
{
	if (t->len < sizeof(t->log) - 1)
		t->log[t->len++] = c;
}

static void reader(void *arg)
{
	struct turns *t = arg;
	char c;

	note(t, 'r');
	t->waited = wait__fd(&t->in, POLLIN, 10000000000);
	assert_int_equal(read(t->fd[0], &c, 1), 1);
	note(t, c);
}

static void writer(void *arg)
{
	struct turns *t = arg;

	note(t, 'w');
	wait__sleep(1000000);
	note(t, 's');
	assert_int_equal(write(t->fd[1], "x", 1), 1);
}

static void waiter_in_vain(void *arg)
{
	struct turns *t = arg;

	t->waited = wait__fd(&t->in, POLLIN, 1000000);
}

static void run_all(struct turns *t)
{
	while (carrier__cnt(t->carrier))
		assert_int_equal(carrier__turn(t->carrier, NULL, NULL), 0);
}

static void coroutines_wait_and_others_go_on(void **state)
{
	struct turns t = { 0 };

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, t.fd), 0);
	t.in.fd = t.fd[0];
	assert_int_equal(carrier__new(&t.carrier, 64 << 10), 0);
	assert_int_equal(carrier__begin(t.carrier, reader, &t), 0);
	assert_int_equal(carrier__begin(t.carrier, writer, &t), 0);
	assert_null(coro__self());
	run_all(&t);
	assert_null(coro__self());
	assert_string_equal(t.log, "rwsx");
	assert_int_equal(t.waited, 0);
	/* again, on stacks that were used */
	t.len = 0;
	assert_int_equal(carrier__begin(t.carrier, reader, &t), 0);
	assert_int_equal(carrier__begin(t.carrier, writer, &t), 0);
	run_all(&t);
	assert_string_equal(t.log, "rwsx");
	assert_int_equal(carrier__begin(t.carrier, waiter_in_vain, &t), 0);
	run_all(&t);
	assert_int_equal(t.waited, -ETIMEDOUT);
	/* the end of the other side is told once, and seen as often as one waits */
	close(t.fd[1]);
	assert_int_equal(carrier__begin(t.carrier, waiter_in_vain, &t), 0);
	run_all(&t);
	assert_int_equal(t.waited, 0);
	assert_int_equal(carrier__begin(t.carrier, waiter_in_vain, &t), 0);
	run_all(&t);
	assert_int_equal(t.waited, 0);
	carrier__free(t.carrier);
	close(t.fd[0]);
}

static void counts_down(void *arg)
{
	char text[64] __attribute__((aligned(16)));

	/* what the compiler takes for granted of a stack, and the C library makes use of */
	assert_int_equal((uintptr_t)__builtin_frame_address(0) % 16, 0);
	snprintf(text, sizeof(text), "%f", 1.5);
	assert_string_equal(text, "1.500000");
	wait__sleep(100000);
	++*(u64 *)arg;
}

static void a_thousand_coroutines_and_some_that_never_end(void **state)
{
	struct carrier *carrier;
	u64 done_cnt = 0, i;

	(void)state;
	assert_int_equal(carrier__new(&carrier, 16 << 10), 0);
	for (i = 0; i < 1000; i++)
		assert_int_equal(carrier__begin(carrier, counts_down, &done_cnt), 0);
	assert_int_equal(carrier__cnt(carrier), 1000);
	while (carrier__cnt(carrier))
		assert_int_equal(carrier__turn(carrier, NULL, NULL), 0);
	assert_int_equal(done_cnt, 1000);
	for (i = 0; i < 10; i++)
		assert_int_equal(carrier__begin(carrier, counts_down, &done_cnt), 0);
	/* not begun, or asleep: gone with their carrier */
	assert_int_equal(carrier__turn(carrier, NULL, NULL), 0);
	carrier__free(carrier);
	carrier__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_whole_at_its_last_byte_and_no_sooner),
		cmocka_unit_test(of_two_in_one_the_first_is_taken),
		cmocka_unit_test(who_keeps_a_connection_is_heard),
		cmocka_unit_test(what_is_no_request_is_refused),
		cmocka_unit_test(a_head_without_end_is_not_read_for_ever),
		cmocka_unit_test(any_bytes_at_all),
		cmocka_unit_test(answers),
		cmocka_unit_test(times_and_decimals),
		cmocka_unit_test(parameters_hold_together),
		cmocka_unit_test(gauges_hold_together),
		cmocka_unit_test(a_scale_is_of_every_time),
		cmocka_unit_test(little),
		cmocka_unit_test(timers_come_in_order),
		cmocka_unit_test(a_pool_makes_a_thread_an_arrival_and_no_more_than_allowed),
		cmocka_unit_test(a_pool_that_makes_only_what_it_needs),
		cmocka_unit_test(what_is_queued_at_the_end_is_dropped),
		cmocka_unit_test(coroutines_wait_and_others_go_on),
		cmocka_unit_test(a_thousand_coroutines_and_some_that_never_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
