/* SPDX-License-Identifier: BSD-2-Clause */
/* One client: a connection, a request on it, its answer. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clients_impl.h"
#include "sock.h"

static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

static void client__await_no_more(struct client *c)
{
	if (c->awaits)
		list__remove(c->awaits, c);
	c->awaits = NULL;
}

static void client__await(struct client *c, struct client_list *list, u64 due_ns)
{
	client__await_no_more(c);
	c->due_ns = due_ns;
	c->awaits = list;
	list__push(list, c);
}

void client__close(struct client *c)
{
	if (c->state == CLIENT_OFF)
		return;
	client__await_no_more(c);
	/* With a reset: the port is free again, and the server has to live with it. */
	sock__drop(c->fd);
	c->state = CLIENT_OFF;
	c->fd = -1;
	c->ended = false;
}

/* As a client that has got what it wanted. */
static void client__close_well(struct client *c)
{
	close(c->fd);
	c->fd = -1;
	c->state = CLIENT_OFF;
}

/* How a request, or a connection without one, came to its end. */
static void client__end(struct client *c, enum client_outcome outcome)
{
	client__await_no_more(c);
	if (outcome != OUTCOME_SERVED || c->ended)
		client__close(c);
	else if (c->all->plan->close_after)
		client__close_well(c);
	else
		c->state = CLIENT_FREE;
	clients__ended(c, outcome);
}

static enum client_outcome outcome__of(int err)
{
	return err == -ECONNREFUSED ? OUTCOME_REFUSED
	       : err == -ETIMEDOUT  ? OUTCOME_TIMED_OUT
				    : OUTCOME_RESET;
}

static void client__begin(struct client *c)
{
	struct clients *all = c->all;
	u64 begun_ns = clock__now_ns(), wait_ns = all->plan->connect_timeout_ns;
	struct epoll_event e = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET };

	c->fd = sock__connect_to(all->plan->address, all->plan->port);
	if (c->fd < 0 && c->fd != -ECONNREFUSED) {
		clients__fail(all, c->fd, "connect");
		return;
	}
	if (c->fd < 0) {
		client__end(c, OUTCOME_REFUSED);
		return;
	}
	c->state = CLIENT_CONNECTING;
	c->ended = false;
	e.data.ptr = c;
	if (epoll_ctl(all->epoll_fd, EPOLL_CTL_ADD, c->fd, &e)) {
		clients__fail(all, -errno, "epoll_ctl");
		return;
	}
	/* Of its own, a limit counts from its connect(); else it is the request's. */
	if (wait_ns)
		client__await(c, &all->connect_deadlines, begun_ns + wait_ns);
	else
		client__await(c, &all->deadlines,
			      (c->wanted ? c->intended_ns : begun_ns) + all->plan->timeout_ns);
}

void client__connect(struct client *c)
{
	c->wanted = false;
	client__begin(c);
}

static void client__flush(struct client *c)
{
	size_t at = c->out_at;
	int err = sock__flush(c->fd, request, sizeof(request) - 1, &at);

	c->out_at = (u32)at;
	if (err && err != -EAGAIN)
		client__end(c, outcome__of(err));
}

static void client__write(struct client *c)
{
	c->state = CLIENT_BUSY;
	c->wanted = false;
	c->out_at = 0;
	c->in_len = 0;
	c->head_done = false;
	client__await(c, &c->all->deadlines, c->intended_ns + c->all->plan->timeout_ns);
	client__flush(c);
}

void client__send(struct client *c, u64 intended_ns)
{
	c->intended_ns = intended_ns;
	/* The server has closed it meanwhile, as it may. */
	if (c->state == CLIENT_FREE && c->ended)
		client__close(c);
	if (c->state == CLIENT_FREE) {
		client__write(c);
		return;
	}
	c->wanted = true;
	client__begin(c);
}

static void client__connecting(struct client *c, u32 events)
{
	int err;

	if (!(events & (EPOLLOUT | EPOLLERR | EPOLLHUP)))
		return;
	err = sock__error(c->fd);
	if (err) {
		client__end(c, outcome__of(err));
		return;
	}
	c->all->result->connected++;
	handshake__count(c, true);
	if (c->wanted) {
		client__write(c);
		return;
	}
	client__await_no_more(c);
	c->state = CLIENT_FREE;
	clients__connected(c);
}

/* -EAGAIN: not whole yet. Bytes beyond the answer are none of ours, and make it a bad one. */
static int client__parse(struct client *c)
{
	struct http_reply reply;
	ssize_t len;

	if (!c->head_done) {
		len = http__reply_head(c->in, c->in_len, &reply);
		if (len < 0)
			return -EBADMSG;
		if (!len)
			return -EAGAIN;
		c->head_done = true;
		c->status = reply.status;
		c->ended |= reply.close;
		c->body_left = reply.body_sz;
		c->in_len -= (size_t)len;
	}
	if (c->in_len > c->body_left)
		return -EBADMSG;
	c->body_left -= c->in_len;
	c->in_len = 0;
	if (c->body_left)
		return -EAGAIN;
	return c->status == 200 ? 0 : -EPROTO;
}

static void client__read(struct client *c)
{
	ssize_t got;
	int err;

	for (;;) {
		got = recv(c->fd, c->in + c->in_len, sizeof(c->in) - c->in_len, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return;
		if (got <= 0) {
			client__end(c, got < 0 ? outcome__of(-errno) : OUTCOME_RESET);
			return;
		}
		c->in_len += (size_t)got;
		err = client__parse(c);
		if (err == -EAGAIN)
			continue;
		client__end(c, err ? OUTCOME_BAD_REPLY : OUTCOME_SERVED);
		return;
	}
}

void client__event(struct client *c, u32 events)
{
	if (c->state == CLIENT_CONNECTING)
		client__connecting(c, events);
	/* Edges: the end that comes with an answer is not told again. */
	if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		c->ended = c->state != CLIENT_OFF;
	if (c->state == CLIENT_BUSY && c->out_at < sizeof(request) - 1 && events & EPOLLOUT)
		client__flush(c);
	if (c->state == CLIENT_BUSY && events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		client__read(c);
}

/* Whether it had come about before anybody looked: then the time was not the server's. */
static bool client__late(struct client *c)
{
	struct pollfd p = { .fd = c->fd, .events = POLLOUT };

	if (c->state != CLIENT_CONNECTING || poll(&p, 1, 0) != 1)
		return false;
	client__event(c, EPOLLOUT | (p.revents & (POLLERR | POLLHUP) ? EPOLLERR : 0u));
	return true;
}

void client__expire(struct client *c)
{
	struct load_result *r = c->all->result;

	if (c->all->plan->connect_timeout_ns && client__late(c))
		return;
	if (c->state == CLIENT_CONNECTING) {
		handshake__count(c, false);
		r->connect_timed_out++;
	}
	client__end(c, OUTCOME_TIMED_OUT);
}
