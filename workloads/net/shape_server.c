/* SPDX-License-Identifier: BSD-2-Clause */
/* A server of one of four models, under a burst or a steady load. */
#include <errno.h>
#include <string.h>

#include "models.h"
#include "plan.h"
#include "sock.h"
#include "stub.h"
#include "workloads/fail.h"
#include "workloads/limit.h"
#include "workloads/registry.h"

#define BACKLOG 4096u

static struct {
	struct server server;
	struct stub *stub;
} here;

static const struct server_model *const models[] = {
	[MODEL_REQUEST] = &model_request,
	[MODEL_CONNECTION] = &model_connection,
	[MODEL_LOOP] = &model_loop,
	[MODEL_COROUTINE] = &model_coroutine,
};

/* At most, with so many connections. */
static u64 server__thread_cnt(const struct wl_net_params *p)
{
	u64 cnt = p->clients + p->idle;

	if (p->model == MODEL_LOOP)
		return 0;
	if (p->model == MODEL_COROUTINE)
		return p->carriers - 1;
	/* Steady: a thread for each arrival, until there are all. */
	return p->pool < cnt || (p->mode != MODE_BURST && p->spawn == SPAWN_ARRIVAL) ? p->pool
										     : cnt;
}

static int server__check(const struct wl_run *run)
{
	const struct wl_net_params *p = &run->p.net;
	u64 calls = p->calls == CALLS_SLEEP ? 0 : p->calls == CALLS_PARALLEL ? 3 : 1;
	u64 kept_cnt = p->clients + p->idle, connection_cnt = kept_cnt + p->hostile * 4;
	int err;

	if (p->model == MODEL_CONNECTION && p->pool < kept_cnt &&
	    (p->mode != MODE_BURST || p->connect == CONNECT_BEFORE || p->idle))
		warn__add(
			"%llu connections stay open and each holds a thread, of which the pool has "
			"%llu: the others wait until their timeout",
			(unsigned long long)kept_cnt, (unsigned long long)p->pool);
	/* Two processes beside the threads. */
	err = limit__check_tasks(server__thread_cnt(p) + 2, "threads of the server");
	return err ? err
		   : sock__check_limits(connection_cnt + p->clients * calls + 64,
					connection_cnt + p->clients * calls);
}

static int server__open_all(struct wl_run *run)
{
	int err = 0;

	/* Processes before threads: each is forked from one that has none. */
	if (run->p.net.calls != CALLS_SLEEP)
		err = stub__start(&here.stub);
	if (!err && here.stub)
		here.server.stub_port = stub__port(here.stub);
	err = err ? err : server__open(&here.server, run, BACKLOG);
	here.server.model = models[run->p.net.model];
	return err ? err : plan__place(run, load__pid(here.server.load), here.stub);
}

static u64 server__at_a_time(const struct wl_net_params *p)
{
	bool pooled = p->model == MODEL_REQUEST || p->model == MODEL_CONNECTION;

	return pooled && p->pool < p->clients ? p->pool : p->clients;
}

static int server__phase(struct wl_run *run, bool measured)
{
	struct load_result result;
	struct load_plan plan;
	int err;

	here.server.p = measured ? plan__scaled(&run->p.net) : plan__warm(&run->p.net);
	plan__load(&here.server.p, here.server.port, &plan);
	if (here.stub)
		stub__plan(here.stub, &(struct stub_plan){ .wait_ns = here.server.p.service_ns });
	err = server__round(&here.server, &plan);
	err = err ? err : server__gauge(&here.server, &result);
	/* Where nothing is waited for, it is no law of places that bounds it. */
	if (!err && measured && here.server.p.service_ns) {
		server__bound(&run->gauges, server__at_a_time(&here.server.p));
		if (here.server.p.mode == MODE_BURST)
			server__burst_bound(&run->gauges, here.server.p.clients,
					    server__at_a_time(&here.server.p));
	}
	/* After a measured round its end is not part of it: it waits for the next. */
	if (!measured)
		server__stop(&here.server);
	return err;
}

static void server__close_all(struct wl_run *run)
{
	(void)run;
	server__close(&here.server);
	stub__stop(here.stub);
}

static const enum wl_gauge_id gauges[] = {
	GAUGE_REQUESTS,
	GAUGE_THROUGHPUT,
	GAUGE_BOUND,
	GAUGE_EFFICIENCY,
	GAUGE_BURST_BOUND,
	GAUGE_ELAPSED,
	GAUGE_LATENCY_P50,
	GAUGE_LATENCY_P90,
	GAUGE_LATENCY_P99,
	GAUGE_LATENCY_MAX,
	GAUGE_QUEUE_MEAN,
	GAUGE_QUEUE_P99,
	GAUGE_HELD_MEAN,
	GAUGE_HELD_P99,
	GAUGE_THREADS,
	GAUGE_THREADS_PEAK,
	GAUGE_THREADS_CREATED,
	GAUGE_THREAD_COST,
	GAUGE_THREAD_COST_ALL,
	GAUGE_CONNECTIONS_PEAK,
	GAUGE_CSW,
	GAUGE_CSW_VOLUNTARY,
	GAUGE_CPU,
	GAUGE_RSS,
	GAUGE_SENT,
	GAUGE_REFUSED,
	GAUGE_RESET,
	GAUGE_TIMED_OUT,
	GAUGE_BAD_REPLY,
	GAUGE_UNSENT,
	GAUGE_GARBAGE_SEEN,
	GAUGE_LOST_CLIENTS,
};

const struct wl_shape shape_server = {
	.name = "server",
	.help = "requests over TCP, served by a pool of threads, one loop, or coroutines",
	.work = "request",
	.gauges = gauges,
	.gauge_cnt = ARRAY_CNT(gauges),
	.check = server__check,
	.open = server__open_all,
	.phase = server__phase,
	.close = server__close_all,
};
