/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread for a request: the main thread accepts, waits for all connections at once and reads
 * their requests; what is whole goes to the pool. A slow client costs the pool nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "accept.h"
#include "models.h"
#include "service.h"
#include "workloads/fail.h"
#include "workloads/limit.h"

struct poller {
	int epoll_fd;
	struct service *service;
};

/* Back to the poller, which hears of it once: then it is again somebody's. */
static int request__await(struct poller *poller, struct conn *c)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, .data.ptr = c };
	int op = c->w.added ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

	c->w.added = true;
	return epoll_ctl(poller->epoll_fd, op, c->w.fd, &e) ? -errno : 0;
}

/* Its request is whole and goes to the pool; or it waits for more, or is gone. */
static int request__look(struct server *s, struct conn *c)
{
	enum conn_state state = conn__next(c);
	int err;

	switch (state) {
	case CONN_REQUEST:
		return pool__submit(s->pool, c);
	case CONN_MORE:
		err = request__await(s->data, c);
		return err ? limit__refused(LIMIT_FD, -err, 0, s->conns.cnt, "connections in epoll")
			   : 0;
	default:
		server__end(s, c, state);
		return 0;
	}
}

static void request__serve(void *ctx, void *job)
{
	struct server *s = ctx;
	struct poller *poller = s->data;
	struct conn *c = job;
	u64 begun_ns = clock__now_ns();
	enum conn_state state;

	service__do(poller->service);
	state = service__answer(s, c);
	if (state != CONN_LOST)
		server__sample(s, c->read_ns, begun_ns, clock__now_ns());
	if (state != CONN_DONE)
		server__end(s, c, state);
	else if (request__look(s, c))
		fail__die();
}

static int request__start(struct server *s)
{
	struct pool_opts opts = { .max_cnt = s->p.pool,
				  .only_needed = s->p.spawn == SPAWN_NEED,
				  .stack_sz = s->run->p.thread_stack,
				  .job = request__serve,
				  .ctx = s };
	struct poller *poller = calloc(1, sizeof(*poller));
	int err;

	if (!poller)
		return fail__set(ENOMEM, "memory", "out of memory; free some and try again");
	s->data = poller;
	poller->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (poller->epoll_fd < 0)
		return limit__refused(LIMIT_FD, errno, 0, 0, "epoll");
	err = service__new(&poller->service, s);
	err = err ? err : accept__watch(s, poller->epoll_fd);
	return err ? err : pool__start(&s->pool, &opts);
}

static int request__accept(struct server *s)
{
	struct conn *c;
	int err = 0;

	while (!err && (c = accept__next(s, &err)))
		err = request__look(s, c);
	return err;
}

static int request__run(struct server *s)
{
	struct poller *poller = s->data;

	return accept__serve(s, poller->epoll_fd, request__accept, request__look);
}

static void request__stop(struct server *s)
{
	struct poller *poller = s->data;

	pool__stop(s->pool);
	if (!poller)
		return;
	service__free(poller->service);
	if (poller->epoll_fd >= 0)
		close(poller->epoll_fd);
	free(poller);
}

const struct server_model model_request = {
	.start = request__start,
	.run = request__run,
	.stop = request__stop,
};
