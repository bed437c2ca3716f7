/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "accept.h"
#include "sock.h"
#include "workloads/fail.h"
#include "workloads/limit.h"

static int accept__add(int epoll_fd, int fd, u32 events, void *ptr)
{
	struct epoll_event e = { .events = events, .data.ptr = ptr };

	if (!epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &e))
		return 0;
	return limit__refused(LIMIT_FD, errno, 0, 0, "epoll");
}

int accept__listen(struct server *s, int epoll_fd)
{
	return accept__add(epoll_fd, s->listen_fd, EPOLLIN | EPOLLEXCLUSIVE, ACCEPT_LISTEN(s));
}

int accept__watch(struct server *s, int epoll_fd)
{
	int err = accept__listen(s, epoll_fd);

	return err ? err : accept__add(epoll_fd, load__done_fd(s->load), EPOLLIN, ACCEPT_DONE(s));
}

struct conn *accept__next(struct server *s, int *err)
{
	int fd = sock__accept(s->listen_fd);
	struct conn *c;

	*err = 0;
	if (fd == -EAGAIN)
		return NULL;
	if (fd < 0) {
		*err = limit__refused(LIMIT_FD, -fd, 0, s->conns.cnt, "connections");
		return NULL;
	}
	c = conns__add(&s->conns, fd);
	if (!c) {
		close(fd);
		*err = fail__set(ENOMEM, "memory", "out of memory; use fewer clients");
	}
	return c;
}

int accept__serve(struct server *s, int epoll_fd, int (*accept)(struct server *s),
		  int (*look)(struct server *s, struct conn *c))
{
	struct epoll_event events[64];
	int cnt, i, err = 0;

	while (!err) {
		cnt = epoll_wait(epoll_fd, events, ARRAY_CNT(events), -1);
		if (cnt < 0 && errno != EINTR)
			return fail__set(errno, NULL, "epoll_wait: %s; report this",
					 strerror(errno));
		for (i = 0; i < cnt && !err; i++) {
			if (events[i].data.ptr == ACCEPT_DONE(s))
				return 0;
			if (events[i].data.ptr == ACCEPT_LISTEN(s))
				err = accept(s);
			else
				err = look(s, events[i].data.ptr);
		}
	}
	return err;
}
