/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread for a connection, for as long as it is open: also while nothing is asked on it. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "accept.h"
#include "models.h"
#include "service.h"
#include "workloads/fail.h"

static void connection__serve(void *ctx, void *job)
{
	struct server *s = ctx;
	struct conn *c = job;

	/* Until now it waited for a thread. */
	service__connection(s, s->data, c, clock__now_ns() - c->read_ns);
}

static int connection__start(struct server *s)
{
	struct pool_opts opts = { .max_cnt = s->p.pool,
				  .only_needed = s->p.spawn == SPAWN_NEED,
				  .stack_sz = s->run->p.thread_stack,
				  .job = connection__serve,
				  .ctx = s };
	struct service *service;
	int err = service__new(&service, s);

	s->data = service;
	return err ? err : pool__start(&s->pool, &opts);
}

static int connection__accept(struct server *s)
{
	struct conn *c;
	int err = 0;

	while (!err && (c = accept__next(s, &err))) {
		c->read_ns = clock__now_ns();
		err = pool__submit(s->pool, c);
	}
	return err;
}

static int connection__run(struct server *s)
{
	struct pollfd fds[2] = {
		{ .fd = s->listen_fd, .events = POLLIN },
		{ .fd = load__done_fd(s->load), .events = POLLIN },
	};
	int err = 0;

	while (!err && !fds[1].revents) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return fail__set(errno, NULL, "poll: %s; report this", strerror(errno));
		if (fds[0].revents)
			err = connection__accept(s);
	}
	return err;
}

static void connection__stop(struct server *s)
{
	conns__shut_all(&s->conns);
	pool__stop(s->pool);
	service__free(s->data);
}

const struct server_model model_connection = {
	.start = connection__start,
	.run = connection__run,
	.stop = connection__stop,
};
