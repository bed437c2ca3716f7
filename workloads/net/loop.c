/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "loop.h"

/* States of a connection here, in c->data: none of its own is needed. */
static char reading, busy, answering;

int loop__init(struct loop *loop, const struct loop_ops *ops, void *ctx)
{
	memset(loop, 0, sizeof(*loop));
	loop->ops = ops;
	loop->ctx = ctx;
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return loop->epoll_fd < 0 ? -errno : 0;
}

static int loop__add(struct loop *loop, int fd, u32 events, void *ptr)
{
	struct epoll_event e = { .events = events, .data.ptr = ptr };

	return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

int loop__watch(struct loop *loop, int fd, u32 events, void *ptr)
{
	return loop__add(loop, fd, events, (char *)ptr + 1);
}

int loop__listen(struct loop *loop, int listen_fd)
{
	return loop__add(loop, listen_fd, EPOLLIN, loop);
}

/* Reads on, as far as there is something; one request at a time. */
static int loop__look(struct loop *loop, struct conn *c)
{
	enum conn_state state;

	c->data = &reading;
	state = conn__next(c);
	if (state == CONN_MORE)
		return 0;
	if (state != CONN_REQUEST) {
		loop->ops->end(loop->ctx, c, state);
		return 0;
	}
	c->data = &busy;
	return loop->ops->request(loop->ctx, c);
}

int loop__answer(struct loop *loop, struct conn *c)
{
	enum conn_state state;

	c->data = &answering;
	state = conn__answer(c);
	if (state == CONN_MORE)
		return 0;
	if (state != CONN_LOST && loop->ops->answered)
		loop->ops->answered(loop->ctx, c);
	if (state == CONN_DONE)
		return loop__look(loop, c);
	loop->ops->end(loop->ctx, c, state);
	return 0;
}

static int loop__accept(struct loop *loop)
{
	struct conn *c;
	int err = 0;

	while (!err && (c = loop->ops->accept(loop->ctx, &err))) {
		err = loop__add(loop, c->w.fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, c);
		if (!err)
			err = loop__look(loop, c);
		else
			loop->ops->end(loop->ctx, c, CONN_LOST);
	}
	return err;
}

/* Of the same epoll, but no connection of ours: told by what it points to. */
static bool event__is_others(const struct epoll_event *e)
{
	return (uintptr_t)e->data.ptr & 1;
}

static int loop__event(struct loop *loop, const struct epoll_event *e)
{
	struct conn *c = e->data.ptr;

	if (e->data.ptr == loop)
		return loop__accept(loop);
	if (c->data == &answering)
		return loop__answer(loop, c);
	/* While it is busy nothing is read: the socket keeps it. */
	return c->data == &reading ? loop__look(loop, c) : 0;
}

/*
 * First the connections, each of which can end itself and no other; then what may end any of
 * them: no event of a batch is then of a connection that is gone.
 */
static int loop__events(struct loop *loop, const struct epoll_event *events, int cnt)
{
	int i, err = 0;

	for (i = 0; i < cnt && !err; i++) {
		if (!event__is_others(&events[i]))
			err = loop__event(loop, &events[i]);
	}
	for (i = 0; i < cnt && !err; i++) {
		if (event__is_others(&events[i]))
			err = loop->ops->event(loop->ctx, (char *)events[i].data.ptr - 1,
					       events[i].events);
	}
	return err;
}

struct timespec loop__wait_until(u64 due_ns)
{
	u64 now_ns = clock__now_ns(), left_ns = due_ns > now_ns ? due_ns - now_ns : 0;

	return (struct timespec){ (time_t)(left_ns / 1000000000), (long)(left_ns % 1000000000) };
}

int loop__run(struct loop *loop)
{
	struct epoll_event events[128];
	struct timespec left;
	struct timer *timer;
	int cnt, err = 0;
	u64 next_ns;

	while (!err) {
		next_ns = timers__next_ns(&loop->timers);
		left = loop__wait_until(next_ns);
		cnt = epoll_pwait2(loop->epoll_fd, events, ARRAY_CNT(events),
				   next_ns == UINT64_MAX ? NULL : &left, NULL);
		if (cnt < 0 && errno != EINTR)
			return -errno;
		err = loop__events(loop, events, cnt);
		while (!err && (timer = timers__due(&loop->timers, clock__now_ns())))
			err = loop->ops->due(loop->ctx, timer);
	}
	return err == 1 ? 0 : err;
}

void loop__close(struct loop *loop)
{
	timers__free(&loop->timers);
	if (loop->epoll_fd > 0)
		close(loop->epoll_fd);
	loop->epoll_fd = -1;
}
