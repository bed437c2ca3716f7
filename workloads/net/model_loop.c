/* SPDX-License-Identifier: BSD-2-Clause */
/* One thread, which waits for nothing but everything: a request is what is left to do of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "accept.h"
#include "loop.h"
#include "models.h"
#include "sock.h"
#include "workloads/fail.h"

#define CALL_CNT 3u

static const char ask[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/* A request in the making. */
struct pending {
	struct timer timer; /* first: what the loop gives back */
	struct conn *c;
	u32 open_cnt;  /* calls on their way */
	u32 later_cnt; /* calls still to be begun, one after the other */
};

/* A connection to the stub. */
struct call {
	int fd;
	bool connected;
	struct pending *of; /* NULL: free */
	struct call *next, *next_of_all;
	size_t in_len;
	char in[512];
};

struct looped {
	struct server *server;
	struct loop loop;
	struct call *free, *all;
};

static int loop__done_with(struct looped *l, struct pending *p)
{
	struct conn *c = p->c;

	free(p);
	return loop__answer(&l->loop, c);
}

/* ---- calls of the stub ---- */

static int call__failed(int err)
{
	return fail__set(-err, NULL,
			 "the stub server cannot be called: %s; raise ulimit -n, or "
			 "use fewer clients",
			 strerror(-err));
}

static int call__ask(struct call *call)
{
	size_t at = 0;
	int err;

	call->in_len = 0;
	err = sock__flush(call->fd, ask, sizeof(ask) - 1, &at);
	return err ? call__failed(err) : 0;
}

static int call__begin(struct looped *l, struct pending *p)
{
	struct call *call = l->free;
	int err;

	if (call) {
		l->free = call->next;
		call->of = p;
		return call__ask(call);
	}
	call = calloc(1, sizeof(*call));
	if (!call)
		return call__failed(-ENOMEM);
	call->next_of_all = l->all;
	l->all = call;
	call->of = p;
	call->fd = sock__connect(l->server->stub_port);
	if (call->fd < 0)
		return call__failed(call->fd);
	err = loop__watch(&l->loop, call->fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, call);
	return err ? call__failed(err) : 0;
}

static int call__answered(struct looped *l, struct call *call)
{
	struct pending *p = call->of;

	call->of = NULL;
	call->next = l->free;
	l->free = call;
	p->open_cnt--;
	if (p->later_cnt) {
		p->later_cnt--;
		p->open_cnt++;
		return call__begin(l, p);
	}
	return p->open_cnt ? 0 : loop__done_with(l, p);
}

static int call__read(struct looped *l, struct call *call)
{
	struct http_reply reply;
	size_t before;
	ssize_t len;
	int err;

	do {
		before = call->in_len;
		err = sock__fill(call->fd, call->in, sizeof(call->in), &call->in_len);
		if (err)
			return call__failed(err < 0 ? err : -ECONNRESET);
		len = http__reply_head(call->in, call->in_len, &reply);
		if (len < 0)
			return call__failed((int)len);
		if (len && call->in_len >= (size_t)len + reply.body_sz)
			return call__answered(l, call);
	} while (call->in_len != before);
	return 0;
}

static int loop__call_event(struct looped *l, struct call *call, u32 events)
{
	int err;

	if (!call->connected) {
		err = events & (EPOLLOUT | EPOLLERR | EPOLLHUP) ? sock__error(call->fd) : -EAGAIN;
		if (err == -EAGAIN)
			return 0;
		if (err)
			return call__failed(err);
		call->connected = true;
		return call__ask(call);
	}
	return call->of && events & EPOLLIN ? call__read(l, call) : 0;
}

/* ---- the loop's questions ---- */

static int looped__request(void *ctx, struct conn *c)
{
	struct looped *l = ctx;
	const struct wl_net_params *params = &l->server->p;
	struct pending *p = calloc(1, sizeof(*p));
	u32 i, cnt;
	int err = 0;

	if (!p)
		return fail__set(ENOMEM, "memory", "out of memory; use fewer clients");
	p->c = c;
	c->begun_ns = clock__now_ns();
	wait__burn(params->work_ns);
	if (params->calls == CALLS_SLEEP) {
		if (!params->service_ns)
			return loop__done_with(l, p);
		return timers__set(&l->loop.timers, &p->timer, c->begun_ns + params->service_ns);
	}
	cnt = params->calls == CALLS_PARALLEL ? CALL_CNT : 1;
	p->open_cnt = cnt;
	p->later_cnt = params->calls == CALLS_SEQUENCE ? CALL_CNT - 1 : 0;
	for (i = 0; i < cnt && !err; i++)
		err = call__begin(l, p);
	return err;
}

static int looped__due(void *ctx, struct timer *timer)
{
	return loop__done_with(ctx, (struct pending *)timer);
}

static int looped__event(void *ctx, void *ptr, u32 events)
{
	struct looped *l = ctx;

	return ptr == l->server ? 1 : loop__call_event(l, ptr, events);
}

static void looped__end(void *ctx, struct conn *c, enum conn_state how)
{
	server__end(((struct looped *)ctx)->server, c, how);
}

static void looped__answered(void *ctx, struct conn *c)
{
	server__sample(((struct looped *)ctx)->server, c->read_ns, c->begun_ns, clock__now_ns());
}

static struct conn *looped__accept(void *ctx, int *err)
{
	return accept__next(((struct looped *)ctx)->server, err);
}

static const struct loop_ops ops = {
	.request = looped__request,
	.due = looped__due,
	.event = looped__event,
	.end = looped__end,
	.answered = looped__answered,
	.accept = looped__accept,
};

static int looped__start(struct server *s)
{
	struct looped *l = calloc(1, sizeof(*l));
	int err;

	s->data = l;
	if (!l)
		return fail__set(ENOMEM, "memory", "out of memory; free some and try again");
	l->server = s;
	err = loop__init(&l->loop, &ops, l);
	err = err ? err : loop__listen(&l->loop, s->listen_fd);
	err = err ? err : loop__watch(&l->loop, load__done_fd(s->load), EPOLLIN, s);
	return err ? fail__set(-err, NULL, "epoll: %s; raise ulimit -n", strerror(-err)) : 0;
}

static int looped__run(struct server *s)
{
	int err = loop__run(&((struct looped *)s->data)->loop);

	return err ? fail__set(-err, NULL, "the loop ended: %s; use fewer clients", strerror(-err))
		   : 0;
}

/* Requests whose clients have gone while they were served are still timers. */
static void looped__stop(struct server *s)
{
	struct looped *l = s->data;
	struct timer *timer;
	struct call *call;

	if (!l)
		return;
	while ((timer = timers__due(&l->loop.timers, UINT64_MAX)))
		free(timer);
	while ((call = l->all)) {
		l->all = call->next_of_all;
		sock__drop(call->fd);
		if (call->of && !--call->of->open_cnt)
			free(call->of);
		free(call);
	}
	loop__close(&l->loop);
	free(l);
}

const struct server_model model_loop = {
	.start = looped__start,
	.run = looped__run,
	.stop = looped__stop,
};
