/* SPDX-License-Identifier: BSD-2-Clause */
/* A server with limits of admission, and a burst of clients that goes beyond them. */
#include <math.h>
#include <string.h>

#include "acceptq.h"
#include "admission.h"
#include "admit.h"
#include "handshake.h"
#include "plan.h"
#include "sock.h"
#include "workloads/fail.h"
#include "workloads/registry.h"

static struct {
	struct server server;
	struct admission a;
	struct acceptq_sysctls sys;
} here;

static int admission__check(const struct wl_run *run)
{
	const struct wl_net_params *p = &run->p.net;
	int err;

	if (p->min_spare > p->max_threads)
		return fail__usage(
			"min_spare: %llu threads are more than max_threads allows (%llu); "
			"give fewer",
			(unsigned long long)p->min_spare, (unsigned long long)p->max_threads);
	acceptq__sysctls(&here.sys);
	if (p->accept_count > here.sys.somaxconn)
		warn__add("accept_count %llu is capped to %llu by net.core.somaxconn",
			  (unsigned long long)p->accept_count,
			  (unsigned long long)here.sys.somaxconn);
	err = handshake__check(p, &here.sys);
	return err ? err : sock__check_limits(p->clients + 64, p->clients);
}

static int admission__open(struct wl_run *run)
{
	int err = server__open(&here.server, run, (u32)run->p.net.accept_count);

	here.server.model = &model_admission;
	return err ? err : plan__place(run, load__pid(here.server.load), NULL);
}

static void admission__gauge(const struct wl_net_params *p, const struct load_result *r,
			     struct wl_gauges *g)
{
	const struct admit_limits limits = { p->max_threads, p->max_connections, p->accept_count,
					     here.sys.somaxconn };
	struct admit_bounds b;

	admit__bounds(&limits, p->clients, p->service_ns, &b);
	server__bound(g, b.at_a_time_cnt);
	g->v[GAUGE_BOUND_AT_ONCE] = (double)b.at_once_cnt;
	g->v[GAUGE_BOUND_QUEUED] = (double)b.queued_cnt;
	g->v[GAUGE_BOUND_BACKLOG] = (double)b.backlog_cnt;
	g->v[GAUGE_BOUND_UNSERVED] = (double)b.unserved_cnt;
	g->v[GAUGE_BOUND_WAVES] = (double)b.wave_cnt;
	g->v[GAUGE_BOUND_DRAIN] = (double)b.drain_ns;
	if (p->service_ns)
		g->v[GAUGE_BOUND_RATE] = (double)b.at_a_time_cnt * 1e9 / (double)p->service_ns;
	g->v[GAUGE_SERVED_AT_ONCE] = (double)here.a.n.at_once_cnt;
	g->v[GAUGE_SERVED_QUEUED] = (double)here.a.n.queued_cnt;
	g->v[GAUGE_SERVED_BACKLOG] = (double)here.a.n.backlog_cnt;
	g->v[GAUGE_THREADS_SPARE] = (double)here.a.n.spare_cnt;
	/* One may have been accepted that its client had just given up. */
	g->v[GAUGE_UNACCEPTED] = fmax(0, (double)r->connected - (double)here.a.n.accepted_cnt);
}

static int admission__phase(struct wl_run *run, bool measured)
{
	struct wl_net_params *p = &here.server.p;
	struct load_result result;
	struct load_plan plan;
	u64 overflows;
	int err;

	/* Of the round before; it ends with what the next does not know. */
	server__stop(&here.server);
	*p = measured ? plan__scaled(&run->p.net) : plan__warm(&run->p.net);
	here.a.max_threads = p->max_threads;
	here.a.min_spare = p->min_spare;
	here.a.max_connections = p->max_connections;
	here.a.gate = load__gate(here.server.load);
	here.server.data = &here.a;
	plan__load(p, here.server.port, &plan);
	plan.ramp_ns = p->ramp_ns;
	plan.watch_handshake = measured;
	plan.connect_timeout_ns = measured ? p->connect_timeout_ns : 0;
	plan.gate = measured && p->arrival == ARRIVAL_IN_TURN ? here.a.gate : NULL;
	overflows = handshake__overflows();
	err = server__round(&here.server, &plan);
	err = err ? err : server__gauge(&here.server, &result);
	if (!err && measured) {
		handshake__gauge(&result, &here.sys, overflows, &run->gauges);
		admission__gauge(p, &result, &run->gauges);
	}
	if (!measured)
		server__stop(&here.server);
	return err;
}

static void admission__close(struct wl_run *run)
{
	(void)run;
	server__close(&here.server);
}

static const enum wl_gauge_id gauges[] = {
	GAUGE_REQUESTS,
	GAUGE_THROUGHPUT,
	GAUGE_BOUND,
	GAUGE_EFFICIENCY,
	GAUGE_ELAPSED,
	GAUGE_ENDED_RATE,
	GAUGE_SERVED_AT_ONCE,
	GAUGE_SERVED_QUEUED,
	GAUGE_SERVED_BACKLOG,
	GAUGE_UNSERVED,
	GAUGE_UNSERVED_SHARE,
	GAUGE_SYN_TIMED_OUT,
	GAUGE_SYN_DROPPED,
	GAUGE_SYN_RETRIED,
	GAUGE_UNACCEPTED,
	GAUGE_BOUND_AT_ONCE,
	GAUGE_BOUND_QUEUED,
	GAUGE_BOUND_BACKLOG,
	GAUGE_BOUND_UNSERVED,
	GAUGE_BOUND_RATE,
	GAUGE_BOUND_WAVES,
	GAUGE_BOUND_DRAIN,
	GAUGE_ACCEPTQ_BACKLOG,
	GAUGE_ACCEPTQ_PEAK,
	GAUGE_ACCEPTQ_MEAN,
	GAUGE_ACCEPTQ_FULL,
	GAUGE_ACCEPTQ_SAMPLES,
	GAUGE_LISTEN_OVERFLOWS,
	GAUGE_SOMAXCONN,
	GAUGE_ABORT_ON_OVERFLOW,
	GAUGE_SYN_RETRIES,
	GAUGE_LATENCY_P50,
	GAUGE_LATENCY_P90,
	GAUGE_LATENCY_P99,
	GAUGE_LATENCY_MAX,
	GAUGE_QUEUE_MEAN,
	GAUGE_QUEUE_P99,
	GAUGE_HELD_MEAN,
	GAUGE_HELD_P99,
	GAUGE_THREADS_SPARE,
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
	GAUGE_LOST_CLIENTS,
};

const struct wl_shape shape_admission = {
	.name = "admission",
	.help = "a burst of clients against a server's most threads, connections and backlog",
	.work = "request",
	.gauges = gauges,
	.gauge_cnt = ARRAY_CNT(gauges),
	.check = admission__check,
	.open = admission__open,
	.phase = admission__phase,
	.close = admission__close,
};
