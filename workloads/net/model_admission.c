/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As a thread a request (model_request.c), with limits. The main thread is what Tomcat calls
 * acceptor and poller; its workers are the pool.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "accept.h"
#include "admission.h"
#include "service.h"
#include "sock.h"
#include "workloads/fail.h"
#include "workloads/limit.h"

/* Of a connection, in its data. */
#define IN_BACKLOG ((void *)1)
#define IN_QUEUE   ((void *)2)

/* ---- who may come in ---- */

static void admission__listen(struct server *s, u32 events)
{
	struct admission *a = s->data;
	struct epoll_event e = { .events = events, .data.ptr = ACCEPT_LISTEN(s) };

	/* Of a descriptor that is in it, with memory it has. */
	epoll_ctl(a->epoll_fd, EPOLL_CTL_MOD, s->listen_fd, &e);
}

static u64 listener__queue_len(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	/* Of a socket that listens: connections nobody has accepted. */
	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) ? 0 : info.tcpi_unacked;
}

static bool admission__has_room(struct admission *a)
{
	bool has;

	pthread_mutex_lock(&a->lock);
	has = a->open_cnt < a->max_connections;
	pthread_mutex_unlock(&a->lock);
	return has;
}

/* One is accepted. Where it came from: was it in the queue before there was room? First in first out. */
static void *admission__enter(struct server *s)
{
	struct admission *a = s->data;
	void *origin = NULL;

	pthread_mutex_lock(&a->lock);
	if (a->waited_cnt) {
		a->waited_cnt--;
		origin = IN_BACKLOG;
	}
	if (++a->open_cnt == a->max_connections) {
		a->full = true;
		__atomic_store_n(&a->gate->accepting, 0, __ATOMIC_RELEASE);
		admission__listen(s, 0);
	}
	pthread_mutex_unlock(&a->lock);
	return origin;
}

static void admission__leave(struct server *s)
{
	struct admission *a = s->data;

	pthread_mutex_lock(&a->lock);
	a->open_cnt--;
	if (a->full) {
		a->full = false;
		a->waited_cnt = listener__queue_len(s->listen_fd);
		admission__listen(s, EPOLLIN);
	}
	pthread_mutex_unlock(&a->lock);
}

static void admission__end(struct server *s, struct conn *c, enum conn_state how)
{
	server__end(s, c, how);
	admission__leave(s);
}

/* ---- connections ---- */

static int admission__await(struct server *s, struct conn *c)
{
	struct admission *a = s->data;
	struct epoll_event e = { .events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, .data.ptr = c };
	int op = c->w.added ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

	c->w.added = true;
	if (!epoll_ctl(a->epoll_fd, op, c->w.fd, &e))
		return 0;
	return limit__refused(LIMIT_FD, errno, 0, s->conns.cnt, "connections in epoll");
}

/* Every thread there may be has something to do. */
static bool admission__all_busy(const struct server *s)
{
	const struct admission *a = s->data;
	struct pool_counts n;

	pool__counts(s->pool, &n);
	return n.live_cnt >= a->max_threads && n.idle_cnt <= n.queued_cnt;
}

static int admission__look(struct server *s, struct conn *c)
{
	enum conn_state state = conn__next(c);

	switch (state) {
	case CONN_REQUEST:
		if (!c->data && admission__all_busy(s))
			c->data = IN_QUEUE;
		return pool__submit(s->pool, c);
	case CONN_MORE:
		return admission__await(s, c);
	default:
		admission__end(s, c, state);
		return 0;
	}
}

static void admission__count(struct admission *a, const struct conn *c)
{
	u64 *cnt = c->data == IN_BACKLOG ? &a->n.backlog_cnt
		   : c->data == IN_QUEUE ? &a->n.queued_cnt
					 : &a->n.at_once_cnt;

	__atomic_fetch_add(cnt, 1, __ATOMIC_RELAXED);
}

static void admission__serve(void *ctx, void *job)
{
	struct server *s = ctx;
	struct admission *a = s->data;
	struct conn *c = job;
	u64 begun_ns = clock__now_ns();
	enum conn_state state;

	service__do(a->service);
	/* Before it is answered: who has the answer may ask for the counts. */
	admission__count(a, c);
	state = service__answer(s, c);
	if (state != CONN_LOST)
		server__sample(s, c->read_ns, begun_ns, clock__now_ns());
	c->data = NULL;
	if (state != CONN_DONE)
		admission__end(s, c, state);
	else if (admission__look(s, c))
		fail__die();
}

static int admission__accept(struct server *s)
{
	struct admission *a = s->data;
	struct conn *c;
	int err = 0;

	while (admission__has_room(a) && (c = accept__next(s, &err))) {
		c->data = admission__enter(s);
		a->n.accepted_cnt++;
		err = admission__look(s, c);
		__atomic_store_n(&a->gate->accepted_cnt, a->n.accepted_cnt, __ATOMIC_RELEASE);
		if (err)
			break;
	}
	return err;
}

/* ---- its life ---- */

/* Left over by clients of the round before that gave up: none of this one's. */
static void admission__drain(const struct server *s)
{
	int fd;

	while ((fd = sock__accept(s->listen_fd)) >= 0)
		sock__drop(fd);
}

static int admission__start(struct server *s)
{
	struct admission *a = s->data;
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = ACCEPT_LISTEN(s) };
	struct epoll_event done = { .events = EPOLLIN, .data.ptr = ACCEPT_DONE(s) };
	struct pool_opts opts = { .min_cnt = a->min_spare,
				  .max_cnt = a->max_threads,
				  .only_needed = true,
				  .stack_sz = s->run->p.thread_stack,
				  .job = admission__serve,
				  .ctx = s };
	int err;

	memset(&a->n, 0, sizeof(a->n));
	a->open_cnt = a->waited_cnt = 0;
	a->full = false;
	a->gate->accepted_cnt = 0;
	a->gate->accepting = 1;
	admission__drain(s);
	a->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (a->epoll_fd < 0 || epoll_ctl(a->epoll_fd, EPOLL_CTL_ADD, s->listen_fd, &e) ||
	    epoll_ctl(a->epoll_fd, EPOLL_CTL_ADD, load__done_fd(s->load), &done))
		return limit__refused(LIMIT_FD, errno, 0, 0, "epoll");
	err = service__new(&a->service, s);
	err = err ? err : pool__start(&s->pool, &opts);
	if (err)
		return err;
	pool__settle(s->pool);
	a->n.spare_cnt = a->min_spare;
	return 0;
}

static int admission__run(struct server *s)
{
	struct admission *a = s->data;

	return accept__serve(s, a->epoll_fd, admission__accept, admission__look);
}

static void admission__stop(struct server *s)
{
	struct admission *a = s->data;

	pool__stop(s->pool);
	service__free(a->service);
	a->service = NULL;
	if (a->epoll_fd >= 0)
		close(a->epoll_fd);
	a->epoll_fd = -1;
}

const struct server_model model_admission = {
	.start = admission__start,
	.run = admission__run,
	.stop = admission__stop,
};
