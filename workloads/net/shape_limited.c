/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server below a limit of CPU time: users who wait for each answer, a few connections to a
 * database that all requests share, and kernel threads or user-level ones to serve them. Users,
 * database and upstream are processes outside of the limit.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "limited.h"
#include "models.h"
#include "plan.h"
#include "service.h"
#include "sock.h"
#include "workloads/fail.h"
#include "workloads/proc.h"
#include "workloads/registry.h"

#define BACKLOG	     4096u
#define WARM_NS	     1000000ull
#define SETTLE_TRIES 1000

static struct {
	struct server server;
	struct stub *db, *upstream;
	struct dbpool *pool;
	struct nest nest;
} here;

static int limited__check(const struct wl_run *run)
{
	const struct wl_net_params *p = &run->p.net;
	u64 connection_cnt = p->clients + p->connections + (p->upstream_ns ? p->clients : 0);

	if (!p->transactions && !p->upstream_ns && !p->work_ns)
		return fail__usage("a request does nothing: give it transactions, upstream or "
				   "work");
	if (p->kind == KIND_KERNEL && p->pool < p->clients)
		warn__add("the pool has %llu threads for %llu users: the others wait for one",
			  (unsigned long long)p->pool, (unsigned long long)p->clients);
	return sock__check_limits(connection_cnt + 64, connection_cnt);
}

static int limited__open(struct wl_run *run)
{
	const struct wl_net_params *p = &run->p.net;
	int err;

	/* Processes before threads, and outside of the limit. */
	err = stub__start(&here.db);
	if (!err && p->upstream_ns)
		err = stub__start(&here.upstream);
	if (!err && here.upstream)
		here.server.stub_port = stub__port(here.upstream);
	err = err ? err : server__open(&here.server, run, BACKLOG);
	if (!err)
		err = plan__place(run, load__pid(here.server.load), here.db);
	if (!err && here.upstream)
		err = plan__place(run, load__pid(here.server.load), here.upstream);
	if (!err && p->cpu_milli)
		err = quota__enter(&here.nest, p->cpu_milli, p->cpu_period_ns);
	return err;
}

/* One request, in a thread or a coroutine. */
static void limited__request(struct server *s, struct service *service)
{
	struct call *call;
	u64 i;

	if (s->p.upstream_ns)
		service__call(service, 1);
	wait__burn(s->p.work_ns);
	for (i = 0; i < s->p.transactions; i++) {
		call = dbpool__take(here.pool);
		call__begin(call);
		call__finish(call);
		/* What it got is made use of before the connection goes back. */
		wait__burn(s->p.held_work_ns);
		dbpool__give(here.pool, call);
	}
}

static u64 scaled(u64 ns, u64 milli, bool warm)
{
	ns = (u64)((unsigned __int128)ns * milli / 1000);
	return warm && ns > WARM_NS ? WARM_NS : ns;
}

static struct wl_net_params limited__params(const struct wl_net_params *p, bool warm)
{
	struct wl_net_params out = warm ? plan__warm(p) : plan__scaled(p);

	if (!warm)
		out.mode = MODE_CLOSED;
	out.model = p->kind == KIND_KERNEL ? MODEL_REQUEST : MODEL_COROUTINE;
	out.spawn = SPAWN_NEED;
	out.query_ns = scaled(p->query_ns, p->scale_milli, warm);
	out.query_work_ns = scaled(p->query_work_ns, p->scale_milli, warm);
	out.held_work_ns = scaled(p->held_work_ns, p->scale_milli, warm);
	out.upstream_ns = scaled(p->upstream_ns, p->scale_milli, warm);
	return out;
}

static u64 process__cpu_ns(pid_t pid)
{
	struct timespec ts = { 0, 0 };
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return 0;
	return (u64)ts.tv_sec * 1000000000ull + (u64)ts.tv_nsec;
}

/* The limit first, the time with it: reading the others takes CPU time of the server. */
static int limited__read(struct limited_readings *r)
{
	int err = 0;

	memset(r, 0, sizeof(*r));
	r->now_ns = clock__now_ns();
	r->cpu_ns = process__cpu_ns(0);
	if (here.nest.dir[0])
		err = quota__read(&here.nest, &r->quota);
	if (err)
		return fail__set(-err, "cgroup", "%s/cpu.stat: %s; report this", here.nest.dir,
				 strerror(-err));
	if (proc__run_wait_ns(&r->run_wait_ns))
		r->run_wait_ns = UINT64_MAX;
	r->db_cpu_ns = process__cpu_ns(stub__pid(here.db));
	stub__counts(here.db, &r->db);
	return 0;
}

/* The database counts a transaction once it has answered it: let it come to that. */
static void limited__settle(struct limited_readings *after, const struct limited_readings *before,
			    u64 given_cnt)
{
	int tries;

	for (tries = 0; tries < SETTLE_TRIES; tries++) {
		stub__counts(here.db, &after->db);
		if (after->db.served_cnt - before->db.served_cnt >= given_cnt)
			return;
		wait__sleep(1000000);
	}
}

static int limited__make_pool(const struct wl_net_params *p)
{
	int err;

	dbpool__free(here.pool);
	here.pool = NULL;
	if (!p->transactions)
		return 0;
	err = dbpool__new(&here.pool, p->connections, p->kind == KIND_USER && p->carriers > 1);
	if (!err)
		dbpool__open(here.pool, stub__port(here.db));
	return err;
}

static int limited__measure(struct wl_run *run, const struct load_plan *plan)
{
	struct limited_readings before, after;
	struct dbpool_counts counts = { 0 };
	struct load_result result;
	int err;

	err = limited__read(&before);
	err = err ? err : server__round(&here.server, plan);
	err = err ? err : limited__read(&after);
	err = err ? err : server__gauge(&here.server, &result);
	if (err)
		return err;
	if (here.pool)
		dbpool__counts(here.pool, &counts);
	limited__settle(&after, &before, counts.given_cnt);
	limited__gauge(&run->gauges, &here.server.p, &before, &after, &counts, result.served);
	return 0;
}

static int limited__phase(struct wl_run *run, bool measured)
{
	struct load_plan plan;
	int err;

	/* Before anything is read: what is left of the round before goes now. */
	server__stop(&here.server);
	here.server.p = limited__params(&run->p.net, !measured);
	here.server.model =
		here.server.p.model == MODEL_REQUEST ? &model_request : &model_coroutine;
	here.server.request = limited__request;
	plan__load(&here.server.p, here.server.port, &plan);
	stub__plan(here.db, &(struct stub_plan){ .wait_ns = here.server.p.query_ns,
						 .work_ns = here.server.p.query_work_ns });
	if (here.upstream)
		stub__plan(here.upstream,
			   &(struct stub_plan){ .wait_ns = here.server.p.upstream_ns });
	err = limited__make_pool(&here.server.p);
	err = err ? err : limited__measure(run, &plan);
	/* After a measured round its end is not part of it: it waits for the next. */
	if (!measured)
		server__stop(&here.server);
	return err;
}

static void limited__close(struct wl_run *run)
{
	(void)run;
	server__close(&here.server);
	dbpool__free(here.pool);
	stub__stop(here.db);
	stub__stop(here.upstream);
}

static const enum wl_gauge_id gauges[] = {
	GAUGE_REQUESTS,
	GAUGE_THROUGHPUT,
	GAUGE_ELAPSED,
	GAUGE_LATENCY_P50,
	GAUGE_LATENCY_P90,
	GAUGE_LATENCY_P95,
	GAUGE_LATENCY_P99,
	GAUGE_LATENCY_MAX,
	GAUGE_WAITERS_PEAK,
	GAUGE_WAITERS_MEAN,
	GAUGE_WAITED_SHARE,
	GAUGE_CONNECTION_WAIT,
	GAUGE_CONNECTION_HELD,
	GAUGE_CONNECTION_HELD_MAX,
	GAUGE_CONNECTIONS_BUSY,
	GAUGE_CONNECTION_BOUND,
	GAUGE_DB_BOUND,
	GAUGE_TRANSACTIONS,
	GAUGE_TRANSACTION_RATE,
	GAUGE_DB_TIME,
	GAUGE_DB_CPU,
	GAUGE_QUOTA_USED,
	GAUGE_QUOTA_BOUND,
	GAUGE_PERIODS,
	GAUGE_THROTTLED,
	GAUGE_THROTTLED_SHARE,
	GAUGE_THROTTLED_TIME,
	GAUGE_QUEUE_MEAN,
	GAUGE_QUEUE_P99,
	GAUGE_HELD_MEAN,
	GAUGE_HELD_P99,
	GAUGE_THREADS,
	GAUGE_THREADS_PEAK,
	GAUGE_THREADS_CREATED,
	GAUGE_THREAD_COST,
	GAUGE_CSW,
	GAUGE_CSW_VOLUNTARY,
	GAUGE_CPU,
	GAUGE_CPU_BESIDE,
	GAUGE_RUN_WAIT,
	GAUGE_RSS,
	GAUGE_SENT,
	GAUGE_REFUSED,
	GAUGE_RESET,
	GAUGE_TIMED_OUT,
	GAUGE_BAD_REPLY,
};

const struct wl_shape shape_limited = {
	.name = "cpu-limited",
	.help = "a server below a CPU limit, its connections to a database shared by all requests",
	.work = "request",
	.gauges = gauges,
	.gauge_cnt = ARRAY_CNT(gauges),
	.check = limited__check,
	.open = limited__open,
	.phase = limited__phase,
	.close = limited__close,
};
