/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server in this process: who serves is the model's business, what is counted is not. Its clients
 * and the stub it calls are processes of their own (load.h, stub.h).
 *
 * The main thread is part of the server: it accepts, or is the loop; there is no other thread than
 * those the model makes.
 */
#ifndef WORKLOADS_NET_SERVER_H
#define WORKLOADS_NET_SERVER_H

#include <pthread.h>

#include "conn.h"
#include "load.h"
#include "pool.h"
#include "workloads/run.h"

struct server;
struct service;

struct server_model {
	/* Everything for a round, before the first request. 0 or -errno with the failure set. */
	int (*start)(struct server *s);
	/* In the main thread, until load__done_fd() is readable. */
	int (*run)(struct server *s);
	/* Ends every thread and connection. */
	void (*stop)(struct server *s);
};

/* Times of requests, each written once by whoever served it. */
struct server_samples {
	u64 *queue_ns, *held_ns;
	u64 cap, cnt;
};

struct server {
	struct wl_run *run;
	struct wl_net_params p; /* scaled; those of a warm-up are smaller */
	const struct server_model *model;
	void *data; /* the model's */
	/* What a request does, by its thread or coroutine; NULL: what service__do() does. */
	void (*request)(struct server *s, struct service *service);
	int listen_fd;
	u16 port, stub_port; /* stub_port 0: none */
	struct load *load;
	bool active; /* between start and stop */

	struct conns conns;
	struct pool *pool; /* where the model has one; else it counts its threads */
	struct pool_counts threads;
	struct server_samples samples;
	u64 garbage_cnt, lost_cnt;
	struct wl_usage before;
};

/* Listens, starts the clients and the stub. 0 or -errno with the failure set. */
int server__open(struct server *s, struct wl_run *run, u32 backlog);
/* A round: the model under the load. Stopped by the next, or by close. */
int server__round(struct server *s, const struct load_plan *plan);
void server__stop(struct server *s);
void server__close(struct server *s);
/*
 * At the end of a round, before it is stopped: gauges and usage of the run, and what the clients
 * say. 0 or -errno with the failure set.
 */
int server__gauge(struct server *s, struct load_result *result);
/* What the clients say alone: outcomes, rate and latency. */
void server__gauge_load(const struct load_result *result, struct wl_gauges *g);
/* Little's law: so many at a time, each held so long. After server__gauge(). */
void server__bound(struct wl_gauges *g, u64 at_a_time);
/* The same of a burst of so many: it takes whole waves. */
void server__burst_bound(struct wl_gauges *g, u64 request_cnt, u64 at_a_time);

/* From any thread: how long a request waited for its service, and its service took. */
void server__sample(struct server *s, u64 read_ns, u64 begun_ns, u64 done_ns);
/* A connection is done with: closed and forgotten, and why it was is counted. */
void server__end(struct server *s, struct conn *c, enum conn_state how);

#endif
