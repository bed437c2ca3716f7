/* SPDX-License-Identifier: BSD-2-Clause */
/* When each of the clients sends, and what becomes of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "acceptq.h"
#include "clients_impl.h"

#define RETRY_NS	10000000ull
#define HOSTILE_TICK_NS 20000000ull
#define QUEUE_TICK_NS	1000000ull
#define SAMPLE_MAX_CNT	(1ull << 24)

void list__push(struct client_list *list, struct client *c)
{
	c->next = NULL;
	c->prev = list->last;
	if (list->last)
		list->last->next = c;
	else
		list->first = c;
	list->last = c;
}

void list__remove(struct client_list *list, struct client *c)
{
	if (c->prev)
		c->prev->next = c->next;
	else
		list->first = c->next;
	if (c->next)
		c->next->prev = c->prev;
	else
		list->last = c->prev;
	c->next = c->prev = NULL;
}

void clients__fail(struct clients *all, int err, const char *what)
{
	if (all->err || !err)
		return;
	all->err = err;
	snprintf(all->error, all->error_sz, "%s: %s%s", what, strerror(-err),
		 err == -EADDRNOTAVAIL ? " (no local port is free: wait a minute, or widen "
					 "net.ipv4.ip_local_port_range)"
		 : err == -EMFILE || err == -ENFILE ? " (raise ulimit -n, or use fewer clients)"
						    : "; try fewer clients");
}

static void clients__keep(struct clients *all, u64 ns)
{
	u64 cap = all->sample_cap ? all->sample_cap * 2 : 4096, *more;

	if (all->result->served == all->sample_cap) {
		more = cap > SAMPLE_MAX_CNT ? NULL : realloc(all->samples, cap * sizeof(*more));
		if (!more) {
			clients__fail(all, -ENOMEM, "latencies");
			return;
		}
		all->samples = more;
		all->sample_cap = cap;
	}
	all->samples[all->result->served++] = ns;
}

/* ---- when requests are sent ---- */

static u64 open__intended_ns(const struct clients *all, u64 idx)
{
	return all->begin_ns + (u64)((unsigned __int128)idx * 1000000000u / all->plan->rate);
}

void clients__begin_request(struct client *c, u64 intended_ns)
{
	struct load_result *r = c->all->result;

	r->sent++;
	c->all->outstanding_cnt++;
	client__send(c, intended_ns);
}

/* Those whose time has come, as far as connections are free. */
static void open__send_due(struct clients *all)
{
	u64 now_ns = clock__now_ns();
	struct client *c;

	while (all->next_idx < all->total_cnt && open__intended_ns(all, all->next_idx) <= now_ns) {
		u64 intended_ns = open__intended_ns(all, all->next_idx);

		if (now_ns - intended_ns > all->plan->timeout_ns) {
			all->result->unsent++;
			all->next_idx++;
			continue;
		}
		c = all->free.first;
		if (!c)
			return;
		list__remove(&all->free, c);
		all->next_idx++;
		clients__begin_request(c, intended_ns);
	}
}

static void open__arm(struct clients *all)
{
	u64 at_ns = open__intended_ns(all, all->next_idx);
	struct itimerspec when = { .it_value = { (time_t)(at_ns / 1000000000),
						 (long)(at_ns % 1000000000) } };

	if (all->next_idx < all->total_cnt && at_ns > clock__now_ns() &&
	    timerfd_settime(all->timer_fd, TFD_TIMER_ABSTIME, &when, NULL))
		clients__fail(all, -errno, "timerfd_settime");
}

/* A client that has nothing to do. */
static void clients__next(struct client *c, bool failed)
{
	struct clients *all = c->all;
	u64 now_ns = clock__now_ns();

	if (all->plan->mode == MODE_BURST || !all->started)
		return;
	if (failed) {
		c->due_ns = now_ns + RETRY_NS;
		list__push(&all->retries, c);
	} else if (all->plan->mode == MODE_OPEN) {
		list__push(&all->free, c);
	} else if (now_ns < all->end_ns) {
		clients__begin_request(c, now_ns);
	}
}

void clients__connected(struct client *c)
{
	c->all->connecting_cnt--;
}

void clients__ended(struct client *c, enum client_outcome outcome)
{
	struct clients *all = c->all;
	struct load_result *r = all->result;
	u64 now_ns = clock__now_ns();

	switch (outcome) {
	case OUTCOME_SERVED:
		clients__keep(all, now_ns > c->intended_ns ? now_ns - c->intended_ns : 0);
		r->last_ns = now_ns;
		break;
	case OUTCOME_REFUSED:
		r->refused++;
		break;
	case OUTCOME_RESET:
		r->reset++;
		break;
	case OUTCOME_TIMED_OUT:
		r->timed_out++;
		break;
	default:
		r->bad_reply++;
	}
	if (!all->started) {
		/* A connection that was to be open before: its request is none. */
		all->connecting_cnt--;
		r->sent++;
		return;
	}
	all->outstanding_cnt--;
	clients__next(c, outcome != OUTCOME_SERVED);
}

/* ---- the loop ---- */

static void clients__expire(struct clients *all, u64 now_ns)
{
	struct client *c;

	while ((c = all->connect_deadlines.first) && c->due_ns <= now_ns)
		client__expire(c);
	while ((c = all->deadlines.first) && c->due_ns <= now_ns)
		client__expire(c);
	while ((c = all->retries.first) && c->due_ns <= now_ns) {
		list__remove(&all->retries, c);
		clients__next(c, false);
	}
}

static int clients__timeout_ms(const struct clients *all, u64 now_ns)
{
	const struct client_list *const lists[] = { &all->connect_deadlines, &all->deadlines,
						    &all->retries };
	u64 until_ns = turns__at_ns(all);
	size_t i;

	for (i = 0; i < ARRAY_CNT(lists); i++) {
		if (lists[i]->first && lists[i]->first->due_ns < until_ns)
			until_ns = lists[i]->first->due_ns;
	}
	if (until_ns == UINT64_MAX)
		return 100;
	if (until_ns <= now_ns)
		return 0;
	until_ns = (until_ns - now_ns + 999999) / 1000000;
	return until_ns < 1000 ? (int)until_ns : 1000;
}

static void clients__turn(struct clients *all)
{
	struct epoll_event events[256];
	u64 expirations;
	int cnt, i;

	cnt = epoll_wait(all->epoll_fd, events, ARRAY_CNT(events),
			 clients__timeout_ms(all, clock__now_ns()));
	if (cnt < 0 && errno != EINTR)
		clients__fail(all, -errno, "epoll_wait");
	for (i = 0; i < cnt; i++) {
		if (events[i].data.ptr == &all->timer_fd) {
			if (read(all->timer_fd, &expirations, 8) < 0 && errno != EAGAIN)
				clients__fail(all, -errno, "timerfd");
		} else if (events[i].data.ptr == &all->hostile_fd) {
			if (read(all->hostile_fd, &expirations, 8) == 8)
				hostile__tick(all);
		} else if (events[i].data.ptr == &all->queue_fd) {
			if (read(all->queue_fd, &expirations, 8) == 8)
				handshake__sample(all);
		} else {
			client__event(events[i].data.ptr, events[i].events);
		}
	}
	clients__expire(all, clock__now_ns());
	turns__next(all);
	if (all->started && all->plan->mode == MODE_OPEN) {
		open__send_due(all);
		open__arm(all);
	}
}

static bool clients__finished(const struct clients *all)
{
	if (all->outstanding_cnt || turns__left(all))
		return false;
	if (all->plan->mode == MODE_CLOSED)
		return clock__now_ns() >= all->end_ns;
	return all->plan->mode == MODE_BURST || all->next_idx == all->total_cnt;
}

static int clients__watch(struct clients *all, int *fd, u64 interval_ns)
{
	struct itimerspec every = { { 0, (long)interval_ns }, { 0, (long)interval_ns } };
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = fd };

	*fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (*fd < 0 || epoll_ctl(all->epoll_fd, EPOLL_CTL_ADD, *fd, &e) ||
	    (interval_ns && timerfd_settime(*fd, 0, &every, NULL)))
		return -errno;
	return 0;
}

static int clients__create(struct clients *all)
{
	const struct load_plan *plan = all->plan;
	int err;
	u64 i;

	all->cnt = plan->client_cnt + plan->idle_cnt;
	all->items = calloc(all->cnt, sizeof(*all->items));
	all->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (!all->items || all->epoll_fd < 0)
		return all->items ? -errno : -ENOMEM;
	for (i = 0; i < all->cnt; i++) {
		all->items[i].all = all;
		all->items[i].fd = -1;
	}
	err = clients__watch(all, &all->timer_fd, 0);
	if (!err && plan->hostile_cnt)
		err = clients__watch(all, &all->hostile_fd, HOSTILE_TICK_NS);
	if (!err && plan->watch_handshake) {
		all->diag_fd = acceptq__open();
		err = clients__watch(all, &all->queue_fd, QUEUE_TICK_NS);
	}
	return err;
}

/* Connections that are to be there before the first request; bad clients have met the server. */
static void clients__prepare(struct clients *all)
{
	u64 cnt = all->plan->connect_with ? all->plan->idle_cnt : all->cnt, i;
	u64 until_ns = clock__now_ns() + 5000000000ull;

	if (all->plan->hostile_cnt)
		clients__fail(all, hostile__start(all), "hostile clients");
	/* Those that stay idle first, which stand last. */
	for (i = 0; i < cnt && !all->err; i++) {
		all->connecting_cnt++;
		client__connect(&all->items[(i + all->plan->client_cnt) % all->cnt]);
		/* No more at a time than a backlog takes. */
		while (all->connecting_cnt >= 64 && !all->err)
			clients__turn(all);
	}
	while (all->connecting_cnt && !all->err)
		clients__turn(all);
	while (all->result->hostile_done < all->plan->hostile_cnt * 2 && !all->err &&
	       clock__now_ns() < until_ns)
		clients__turn(all);
}

static void clients__start(struct clients *all)
{
	u64 i;

	all->started = true;
	all->begin_ns = all->result->first_ns = all->result->last_ns = clock__now_ns();
	all->end_ns = all->begin_ns + all->plan->duration_ns;
	if (all->plan->mode == MODE_OPEN) {
		all->total_cnt = (u64)((unsigned __int128)all->plan->rate * all->plan->duration_ns /
				       1000000000u);
		for (i = 0; i < all->plan->client_cnt; i++)
			list__push(&all->free, &all->items[i]);
		open__arm(all);
		return;
	}
	if (all->plan->mode == MODE_BURST) {
		turns__next(all);
		return;
	}
	for (i = 0; i < all->plan->client_cnt && !all->err; i++)
		clients__begin_request(&all->items[i], all->begin_ns);
}

struct clients *clients__run(const struct load_plan *plan, struct load_result *result, char *error,
			     size_t error_sz, int *err)
{
	struct clients *all = calloc(1, sizeof(*all));

	if (!all) {
		*err = -ENOMEM;
		snprintf(error, error_sz, "out of memory; free some and try again");
		return NULL;
	}
	all->plan = plan;
	all->result = result;
	all->error = error;
	all->error_sz = error_sz;
	all->epoll_fd = all->timer_fd = all->hostile_fd = all->queue_fd = all->diag_fd = -1;
	*err = clients__create(all);
	if (*err)
		clients__fail(all, *err, "clients");
	if (!all->err)
		clients__prepare(all);
	if (!all->err)
		clients__start(all);
	while (!all->err && !clients__finished(all))
		clients__turn(all);
	samples__summarize(all->samples, result->served, &result->latency);
	*err = all->err;
	return all;
}

static void fd__close(int fd)
{
	if (fd >= 0)
		close(fd);
}

void clients__close(struct clients *all)
{
	u64 i;

	if (!all)
		return;
	for (i = 0; all->items && i < all->cnt; i++)
		client__close(&all->items[i]);
	hostile__close(all);
	fd__close(all->epoll_fd);
	fd__close(all->timer_fd);
	fd__close(all->hostile_fd);
	fd__close(all->queue_fd);
	fd__close(all->diag_fd);
	free(all->items);
	free(all->samples);
	free(all);
}
