/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conn.h"
#include "sock.h"

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n";

struct conn *conns__add(struct conns *conns, int fd)
{
	struct conn *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	/* Not the buffer: 8,000 of them are pages nobody has used yet. */
	memset(c, 0, offsetof(struct conn, in));
	c->w.fd = fd;
	pthread_mutex_lock(&conns->lock);
	c->next = conns->first;
	if (c->next)
		c->next->prev = c;
	conns->first = c;
	if (++conns->cnt > conns->peak_cnt)
		conns->peak_cnt = conns->cnt;
	pthread_mutex_unlock(&conns->lock);
	return c;
}

void conns__remove(struct conns *conns, struct conn *c)
{
	pthread_mutex_lock(&conns->lock);
	if (c->prev)
		c->prev->next = c->next;
	else
		conns->first = c->next;
	if (c->next)
		c->next->prev = c->prev;
	conns->cnt--;
	pthread_mutex_unlock(&conns->lock);
	close(c->w.fd);
	free(c);
}

void conns__shut_all(struct conns *conns)
{
	struct conn *c;

	pthread_mutex_lock(&conns->lock);
	for (c = conns->first; c; c = c->next)
		shutdown(c->w.fd, SHUT_RDWR);
	pthread_mutex_unlock(&conns->lock);
}

void conns__free_all(struct conns *conns)
{
	while (conns->first)
		conns__remove(conns, conns->first);
	conns->peak_cnt = 0;
}

/* Taken out of the bytes; what follows it is the next one's. */
static enum conn_state conn__take(struct conn *c)
{
	struct http_request request;
	ssize_t len = http__request(c->in, c->in_len, &request);

	if (len < 0)
		return CONN_GARBAGE;
	if (!len)
		return CONN_MORE;
	c->close_after = request.close;
	c->in_len -= (size_t)len;
	memmove(c->in, c->in + len, c->in_len);
	c->read_ns = clock__now_ns();
	return CONN_REQUEST;
}

enum conn_state conn__next(struct conn *c)
{
	enum conn_state state = c->in_len ? conn__take(c) : CONN_MORE;
	size_t before;
	int got;

	while (state == CONN_MORE && !c->ended) {
		before = c->in_len;
		got = sock__fill(c->w.fd, c->in, sizeof(c->in), &c->in_len);
		if (got < 0)
			return c->in_len ? CONN_LOST : CONN_END;
		c->ended = got;
		if (c->in_len == before)
			break;
		state = conn__take(c);
	}
	if (state == CONN_MORE && c->ended)
		return c->in_len ? CONN_LOST : CONN_END;
	return state;
}

enum conn_state conn__answer(struct conn *c)
{
	size_t at = c->out_at;
	int err;

	err = sock__flush(c->w.fd, answer, sizeof(answer) - 1, &at);
	c->out_at = (u32)at;
	if (err == -EAGAIN)
		return CONN_MORE;
	c->out_at = 0;
	if (err)
		return CONN_LOST;
	return c->close_after ? CONN_END : CONN_DONE;
}
