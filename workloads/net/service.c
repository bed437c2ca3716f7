/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "call.h"
#include "service.h"
#include "workloads/fail.h"

#define CALL_CNT   3u
#define FOREVER_NS (100000ull * 1000000000ull)

struct service {
	struct server *server;
	pthread_mutex_t lock;
	struct call *free, *all;
};

int service__new(struct service **out, struct server *s)
{
	struct service *service = calloc(1, sizeof(*service));

	*out = service;
	if (!service)
		return fail__set(ENOMEM, "memory", "out of memory; free some and try again");
	service->server = s;
	pthread_mutex_init(&service->lock, NULL);
	return 0;
}

void service__free(struct service *service)
{
	struct call *call;

	if (!service)
		return;
	/* Also those that a coroutine had when it was ended. */
	while ((call = service->all)) {
		service->all = call->next_of_all;
		call__drop(call);
	}
	pthread_mutex_destroy(&service->lock);
	free(service);
}

static struct call *call__make(struct service *service)
{
	struct call *call = call__open(service->server->stub_port);

	pthread_mutex_lock(&service->lock);
	call->next_of_all = service->all;
	service->all = call;
	pthread_mutex_unlock(&service->lock);
	return call;
}

static struct call *call__take(struct service *service)
{
	struct call *call;

	pthread_mutex_lock(&service->lock);
	call = service->free;
	if (call)
		service->free = call->next;
	pthread_mutex_unlock(&service->lock);
	return call ? call : call__make(service);
}

static void call__give(struct service *service, struct call *call)
{
	pthread_mutex_lock(&service->lock);
	call->next = service->free;
	service->free = call;
	pthread_mutex_unlock(&service->lock);
}

void service__call(struct service *service, u32 cnt)
{
	struct call *call;

	while (cnt--) {
		call = call__take(service);
		call__begin(call);
		call__finish(call);
		call__give(service, call);
	}
}

static void calls__at_once(struct service *service)
{
	struct call *calls[CALL_CNT];
	u32 i;

	for (i = 0; i < CALL_CNT; i++) {
		calls[i] = call__take(service);
		call__begin(calls[i]);
	}
	for (i = 0; i < CALL_CNT; i++) {
		call__finish(calls[i]);
		call__give(service, calls[i]);
	}
}

void service__do(struct service *service)
{
	const struct wl_net_params *p = &service->server->p;

	if (service->server->request) {
		service->server->request(service->server, service);
		return;
	}
	wait__burn(p->work_ns);
	switch (p->calls) {
	case CALLS_SLEEP:
		wait__sleep(p->service_ns);
		break;
	case CALLS_ONE:
		service__call(service, 1);
		break;
	case CALLS_SEQUENCE:
		service__call(service, CALL_CNT);
		break;
	default:
		calls__at_once(service);
	}
}

enum conn_state service__answer(struct server *s, struct conn *c)
{
	enum conn_state state = conn__answer(c);

	while (state == CONN_MORE) {
		if (wait__fd(&c->w, POLLOUT, s->p.timeout_ns))
			return CONN_LOST;
		state = conn__answer(c);
	}
	return state;
}

/* A client in the middle of its request has so long; between requests it may be idle. */
static enum conn_state service__await(struct server *s, struct conn *c)
{
	enum conn_state state = conn__next(c);

	while (state == CONN_MORE) {
		if (wait__fd(&c->w, POLLIN, c->in_len ? s->p.timeout_ns : FOREVER_NS))
			return c->in_len ? CONN_LOST : CONN_END;
		state = conn__next(c);
	}
	return state;
}

void service__connection(struct server *s, struct service *service, struct conn *c, u64 waited_ns)
{
	enum conn_state state;
	u64 begun_ns;

	while ((state = service__await(s, c)) == CONN_REQUEST) {
		begun_ns = clock__now_ns();
		service__do(service);
		state = service__answer(s, c);
		if (state == CONN_LOST)
			break;
		server__sample(s, begun_ns - waited_ns, begun_ns, clock__now_ns());
		waited_ns = 0;
		if (state == CONN_END)
			break;
	}
	server__end(s, c, state);
}
