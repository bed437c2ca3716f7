/* SPDX-License-Identifier: BSD-2-Clause */
/* A coroutine for a connection: written like a thread for a connection, and no thread. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "accept.h"
#include "coro.h"
#include "models.h"
#include "service.h"
#include "workloads/fail.h"
#include "workloads/limit.h"

#define STACK_SZ (64u << 10)
/* Accepted at one go, so that the other carriers get theirs. */
#define ACCEPT_CNT    8u
#define DRAIN_NS      2000000000ull
#define DRAIN_TURN_NS 1000000ull

struct bearer {
	struct server *server;
	struct carrier *carrier;
	struct service *service;
	pthread_t thread;
	bool started;
};

struct bearers {
	struct bearer *items;
	u64 cnt;
	int stop_fd;
};

struct task {
	struct bearer *bearer;
	struct conn *c;
};

static void coroutine__serve(void *arg)
{
	struct task task = *(struct task *)arg;

	free(arg);
	service__connection(task.bearer->server, task.bearer->service, task.c, 0);
}

static int coroutine__accept(struct bearer *bearer)
{
	struct task *task;
	struct conn *c;
	u32 i;
	int err = 0;

	for (i = 0; i < ACCEPT_CNT && !err; i++) {
		c = accept__next(bearer->server, &err);
		if (!c)
			break;
		task = malloc(sizeof(*task));
		if (!task)
			return fail__set(ENOMEM, "memory", "out of memory; use fewer clients");
		*task = (struct task){ bearer, c };
		err = carrier__begin(bearer->carrier, coroutine__serve, task);
	}
	return err;
}

/* 1: the end of the round, or of all of it. */
static int coroutine__event(void *ctx, void *ptr)
{
	struct bearer *bearer = ctx;

	if (ptr == ACCEPT_LISTEN(bearer->server))
		return coroutine__accept(bearer);
	return 1;
}

static int bearer__run(struct bearer *bearer)
{
	int err = 0;

	while (!err)
		err = carrier__turn(bearer->carrier, coroutine__event, bearer);
	return err == 1 ? 0 : err;
}

static void *bearer__main(void *arg)
{
	prctl(PR_SET_NAME, "server-carrier");
	if (bearer__run(arg))
		fail__die();
	return NULL;
}

static int bearer__start(struct server *s, struct bearer *bearer, bool own_thread)
{
	struct bearers *all = s->data;
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = all };
	u64 begin_ns;
	int err;

	bearer->server = s;
	err = service__new(&bearer->service, s);
	err = err ? err : carrier__new(&bearer->carrier, STACK_SZ);
	if (err)
		return err;
	if (!own_thread)
		return accept__watch(s, carrier__epoll_fd(bearer->carrier));
	err = accept__listen(s, carrier__epoll_fd(bearer->carrier));
	if (err)
		return err;
	if (epoll_ctl(carrier__epoll_fd(bearer->carrier), EPOLL_CTL_ADD, all->stop_fd, &e))
		return limit__refused(LIMIT_FD, errno, 0, 0, "epoll");
	begin_ns = clock__now_ns();
	err = pthread_create(&bearer->thread, NULL, bearer__main, bearer);
	if (err)
		return limit__refused(LIMIT_THREAD, err, 0, s->threads.created_cnt, "carriers");
	bearer->started = true;
	s->threads.create_ns += clock__now_ns() - begin_ns;
	s->threads.created_cnt++;
	s->threads.peak_cnt++;
	return 0;
}

static int coroutine__start(struct server *s)
{
	struct bearers *all = calloc(1, sizeof(*all));
	int err = 0;
	u64 i;

	s->data = all;
	if (!all)
		return fail__set(ENOMEM, "memory", "out of memory; free some and try again");
	all->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	all->items = calloc(s->p.carriers, sizeof(*all->items));
	if (!all->items || all->stop_fd < 0)
		return limit__refused(LIMIT_FD, errno, 0, 0, "carriers");
	all->cnt = s->p.carriers;
	for (i = 0; i < all->cnt && !err; i++)
		err = bearer__start(s, &all->items[i], i != 0);
	return err;
}

static int coroutine__run(struct server *s)
{
	return bearer__run(&((struct bearers *)s->data)->items[0]);
}

static u64 bearer__drain(struct bearer *bearer)
{
	u64 cnt = bearer->carrier ? carrier__cnt(bearer->carrier) : 0;

	return cnt && carrier__turn(bearer->carrier, coroutine__event, bearer) >= 0 ? cnt : 0;
}

/*
 * The clients are gone: what was on the way ends by itself, and what does not is ended. In turn: one
 * may wait for what another's has.
 */
static void bearers__drain(struct bearers *all)
{
	u64 end_ns = clock__now_ns() + DRAIN_NS, cnt, i;

	for (i = 0; i < all->cnt; i++) {
		if (!all->items[i].carrier)
			continue;
		carrier__wait_at_most(all->items[i].carrier, DRAIN_TURN_NS);
		/* it has been obeyed, and would end each turn */
		epoll_ctl(carrier__epoll_fd(all->items[i].carrier), EPOLL_CTL_DEL, all->stop_fd,
			  NULL);
	}
	do {
		for (cnt = i = 0; i < all->cnt; i++)
			cnt += bearer__drain(&all->items[i]);
	} while (cnt && clock__now_ns() < end_ns);
}

static void coroutine__stop(struct server *s)
{
	struct bearers *all = s->data;
	u64 one = 1, i;

	if (!all)
		return;
	if (all->stop_fd >= 0 && write(all->stop_fd, &one, sizeof(one)) < 0)
		fail__die();
	for (i = 0; i < all->cnt; i++) {
		if (all->items[i].started)
			pthread_join(all->items[i].thread, NULL);
	}
	conns__shut_all(&s->conns);
	bearers__drain(all);
	for (i = 0; i < all->cnt; i++) {
		carrier__free(all->items[i].carrier);
		service__free(all->items[i].service);
	}
	if (all->stop_fd >= 0)
		close(all->stop_fd);
	free(all->items);
	free(all);
}

const struct server_model model_coroutine = {
	.start = coroutine__start,
	.run = coroutine__run,
	.stop = coroutine__stop,
};
