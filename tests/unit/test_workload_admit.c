/* SPDX-License-Identifier: BSD-2-Clause */
/* Admission: what limits say of clients, and the accept queue of a socket of ours. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "workloads/net/acceptq.h"
#include "workloads/net/admit.h"
#include "workloads/net/sock.h"
#include "workloads/num.h"

#define S 1000000000ull

static struct admit_bounds bounds(u64 threads, u64 connections, u64 backlog, u64 client_cnt)
{
	const struct admit_limits limits = { threads, connections, backlog, 4096 };
	struct admit_bounds b;

	admit__bounds(&limits, client_cnt, 5 * S, &b);
	assert_int_equal(b.at_once_cnt + b.queued_cnt + b.backlog_cnt + b.unserved_cnt, client_cnt);
	return b;
}

static void each_has_room_where_there_is_some(void **state)
{
	struct admit_bounds b = bounds(20, 50, 30, 100);

	(void)state;
	assert_int_equal(b.at_once_cnt, 20);
	assert_int_equal(b.queued_cnt, 30);
	assert_int_equal(b.backlog_cnt, 31);
	assert_int_equal(b.unserved_cnt, 19);
	/* The one more than the backlog takes a wave of its own. */
	assert_int_equal(b.wave_cnt, 5);
	assert_int_equal(b.drain_ns, 25 * S);

	b = bounds(20, 50, 29, 100);
	assert_int_equal(b.unserved_cnt, 20);
	assert_int_equal(b.wave_cnt, 4);

	b = bounds(200, 8192, 100, 100);
	assert_int_equal(b.at_once_cnt, 100);
	assert_int_equal(b.queued_cnt + b.backlog_cnt + b.unserved_cnt, 0);
	assert_int_equal(b.drain_ns, 5 * S);
}

static void room_is_filled_in_order_and_to_its_last_place(void **state)
{
	(void)state;
	assert_int_equal(bounds(20, 50, 30, 20).queued_cnt, 0);
	assert_int_equal(bounds(20, 50, 30, 21).queued_cnt, 1);
	assert_int_equal(bounds(20, 50, 30, 50).backlog_cnt, 0);
	assert_int_equal(bounds(20, 50, 30, 51).backlog_cnt, 1);
	assert_int_equal(bounds(20, 50, 30, 81).unserved_cnt, 0);
	assert_int_equal(bounds(20, 50, 30, 82).unserved_cnt, 1);
	/* A backlog of none holds one. */
	assert_int_equal(bounds(1, 1, 0, 2).unserved_cnt, 0);
	assert_int_equal(bounds(1, 1, 0, 3).unserved_cnt, 1);
}

static void threads_without_connections_serve_nobody(void **state)
{
	struct admit_bounds b = bounds(200, 50, 30, 100);

	(void)state;
	assert_int_equal(b.at_a_time_cnt, 50);
	assert_int_equal(b.at_once_cnt, 50);
	assert_int_equal(b.queued_cnt, 0);
	assert_int_equal(b.wave_cnt, 2);
}

static void the_system_caps_the_backlog(void **state)
{
	const struct admit_limits limits = { 1, 1, 1000, 128 };
	struct admit_bounds b;

	(void)state;
	admit__bounds(&limits, 1000, S, &b);
	assert_int_equal(b.backlog, 128);
	assert_int_equal(b.backlog_cnt, 129);
	assert_int_equal(b.unserved_cnt, 1000 - 1 - 129);
}

static void nobody_comes(void **state)
{
	struct admit_bounds b = bounds(20, 50, 30, 0);

	(void)state;
	assert_int_equal(b.wave_cnt, 0);
	assert_int_equal(b.drain_ns, 0);
}

/* ---- the queue itself ---- */

static int connect__done(u16 port)
{
	int fd = sock__connect(port);
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	assert_true(fd >= 0);
	assert_int_equal(poll(&p, 1, 10000), 1);
	assert_int_equal(sock__error(fd), 0);
	return fd;
}

static void wait_for_len(int diag, u16 port, u64 len, struct acceptq *q)
{
	int i;

	for (i = 0; i < 10000; i++) {
		assert_int_equal(acceptq__read(diag, htonl(INADDR_LOOPBACK), port, q), 0);
		if (q->len == len)
			return;
		poll(NULL, 0, 1);
	}
	assert_int_equal(q->len, len);
}

static void the_queue_is_as_long_as_it_is(void **state)
{
	int diag = acceptq__open(), fds[3], i;
	struct acceptq q;
	u16 port;
	int listen_fd = sock__listen(7, &port);

	(void)state;
	assert_true(listen_fd >= 0);
	if (diag < 0 || acceptq__read(diag, htonl(INADDR_LOOPBACK), port, &q)) {
		print_message("no sock_diag here\n");
		skip();
	}
	assert_int_equal(q.len, 0);
	assert_int_equal(q.backlog, 7);
	for (i = 0; i < 3; i++) {
		fds[i] = connect__done(port);
		wait_for_len(diag, port, (u64)i + 1, &q);
	}
	sock__drop(sock__accept(listen_fd));
	wait_for_len(diag, port, 2, &q);
	for (i = 0; i < 3; i++)
		sock__drop(fds[i]);
	close(listen_fd);
	assert_int_equal(acceptq__read(diag, htonl(INADDR_LOOPBACK), port, &q), -ENOENT);
	close(diag);
}

static void addresses_are_read_as_they_are_written(void **state)
{
	static const char *const bad[] = { "", "localhost", "127.0.0", "1.2.3.256", "1.2.3.4 " };
	char buf[NUM_TIME_SZ];
	u64 address;
	size_t i;

	(void)state;
	assert_int_equal(num__parse_ipv4("10.1.2.3", &address), 0);
	assert_int_equal(address, inet_addr("10.1.2.3"));
	assert_string_equal(num__ipv4(buf, address), "10.1.2.3");
	for (i = 0; i < ARRAY_CNT(bad); i++)
		assert_int_equal(num__parse_ipv4(bad[i], &address), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_room_where_there_is_some),
		cmocka_unit_test(room_is_filled_in_order_and_to_its_last_place),
		cmocka_unit_test(threads_without_connections_serve_nobody),
		cmocka_unit_test(the_system_caps_the_backlog),
		cmocka_unit_test(nobody_comes),
		cmocka_unit_test(the_queue_is_as_long_as_it_is),
		cmocka_unit_test(addresses_are_read_as_they_are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
