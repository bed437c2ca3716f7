/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection of the server: bytes in, requests out of them, answers. Owned by one thread at a time. */
#ifndef WORKLOADS_NET_CONN_H
#define WORKLOADS_NET_CONN_H

#include <pthread.h>

#include "http.h"
#include "wait.h"

struct conn {
	struct wait_fd w; /* first: what epoll gives back */
	struct conn *next, *prev;
	u64 read_ns;  /* when its request had been read */
	u64 begun_ns; /* .. and its service begun, for models that keep it here */
	bool close_after, ended;
	u32 out_at; /* bytes of the answer sent */
	void *data; /* the model's */
	size_t in_len;
	char in[HTTP_HEAD_MAX_SZ];
};

/* All that are open. */
struct conns {
	pthread_mutex_t lock;
	struct conn *first;
	u64 cnt, peak_cnt;
};

struct conn *conns__add(struct conns *conns, int fd); /* NULL: no memory; fd stays open */
/* Takes it out, closes it and frees it. */
void conns__remove(struct conns *conns, struct conn *c);
/* From any thread: whoever waits for one of them sees its end. */
void conns__shut_all(struct conns *conns);
/* Without any thread left that knows them. */
void conns__free_all(struct conns *conns);

enum conn_state {
	CONN_REQUEST, /* one is whole, and taken out of the bytes */
	CONN_MORE,    /* wait for bytes, or for room */
	CONN_DONE,    /* answered in full */
	CONN_END,     /* closed by the client between requests, or by its own wish */
	CONN_GARBAGE, /* what came is no request */
	CONN_LOST,    /* gone in the middle of one */
};

/* The next request, of bytes there already or to be read. Does not wait. */
enum conn_state conn__next(struct conn *c);
/* Begins an answer, goes on with it. Does not wait. */
enum conn_state conn__answer(struct conn *c);

#endif
