/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of the clients and nobody else. */
#ifndef WORKLOADS_NET_CLIENTS_IMPL_H
#define WORKLOADS_NET_CLIENTS_IMPL_H

#include "clients.h"
#include "http.h"

enum client_state {
	CLIENT_OFF,	   /* no connection */
	CLIENT_CONNECTING, /* with `wanted`: for a request */
	CLIENT_FREE,
	CLIENT_BUSY, /* request sent in part or in full, answer awaited */
};

struct client_list {
	struct client *first, *last;
};

struct client {
	struct clients *all;
	enum client_state state;
	int fd;
	bool wanted, ended;
	struct client_list *awaits; /* the queue of deadlines it is in; NULL: none */
	u64 intended_ns, due_ns;    /* due_ns: deadline */
	struct client *next, *prev; /* in that queue, or in the one of the free, or of retries */
	u32 out_at;
	bool head_done;
	u32 status;
	u64 body_left;
	size_t in_len;
	char in[HTTP_HEAD_MAX_SZ];
};

struct hostile;

struct clients {
	const struct load_plan *plan;
	struct load_result *result;
	int epoll_fd, timer_fd, hostile_fd;
	int queue_fd, diag_fd; /* the tick of its samples, and who is asked */
	struct client *items;
	u64 cnt;	     /* those that send, then those that do not */
	u64 connecting_cnt;  /* without a request */
	u64 outstanding_cnt; /* requests begun and not ended */
	bool started;
	u64 begin_ns, end_ns;
	u64 next_idx, total_cnt; /* open: the next request, and how many there are to be */
	u64 turn_idx, turn_ns;	 /* burst: the next client, and when the one before began */
	/* A queue for each length of time, so that each is in order. */
	struct client_list connect_deadlines, deadlines, retries, free;
	u64 *samples, sample_cap;
	struct hostile *hostile;
	u64 hostile_cnt;
	char *error;
	size_t error_sz;
	int err;
};

void list__push(struct client_list *list, struct client *c);
void list__remove(struct client_list *list, struct client *c);

/* client.c */
enum client_outcome {
	OUTCOME_SERVED,
	OUTCOME_REFUSED,
	OUTCOME_RESET,
	OUTCOME_TIMED_OUT,
	OUTCOME_BAD_REPLY,
};
/* Begins a connection without a request. */
void client__connect(struct client *c);
/* Begins a request, with a connection where there is none. */
void client__send(struct client *c, u64 intended_ns);
/* EPOLL* of its descriptor. */
void client__event(struct client *c, u32 events);
/* Its deadline has come. */
void client__expire(struct client *c);
void client__close(struct client *c);

/* clients.c: a request has ended, or a connection without one. */
void clients__ended(struct client *c, enum client_outcome outcome);
void clients__connected(struct client *c);
void clients__begin_request(struct client *c, u64 intended_ns);
void clients__fail(struct clients *all, int err, const char *what);

/* handshake.c */
/* Counts the SYNs of a connection that came about, or did not. */
void handshake__count(struct client *c, bool connected);
/* A sample of the accept queue. */
void handshake__sample(struct clients *all);

/* turns.c: clients of a burst that come one after the other. */
/* Those whose turn has come. */
void turns__next(struct clients *all);
bool turns__left(const struct clients *all);
/* When to look again; UINT64_MAX: none is left. */
u64 turns__at_ns(const struct clients *all);

/* hostile.c */
int hostile__start(struct clients *all);
/* Every 20 ms: what each of them does next. */
void hostile__tick(struct clients *all);
void hostile__close(struct clients *all);

#endif
