/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of a server, and what is counted of a round. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server.h"
#include "sock.h"
#include "workloads/fail.h"
#include "workloads/limit.h"
#include "workloads/proc.h"

/* Of a round: where more are served, the first so many stand for all. */
#define SAMPLE_CNT (1ull << 22)

static int samples__map(struct server_samples *samples)
{
	size_t sz = SAMPLE_CNT * sizeof(u64);

	/* Address space; memory only as far as they are used. */
	samples->queue_ns = mmap(NULL, 2 * sz, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (samples->queue_ns == MAP_FAILED) {
		samples->queue_ns = NULL;
		return limit__refused(LIMIT_MMAP, errno, 2 * sz, 0, "times of requests");
	}
	samples->held_ns = samples->queue_ns + SAMPLE_CNT;
	samples->cap = SAMPLE_CNT;
	return 0;
}

void server__sample(struct server *s, u64 read_ns, u64 begun_ns, u64 done_ns)
{
	u64 i = __atomic_fetch_add(&s->samples.cnt, 1, __ATOMIC_RELAXED);

	if (i >= s->samples.cap)
		return;
	s->samples.queue_ns[i] = begun_ns - read_ns;
	s->samples.held_ns[i] = done_ns - begun_ns;
}

void server__end(struct server *s, struct conn *c, enum conn_state how)
{
	if (how == CONN_GARBAGE)
		__atomic_fetch_add(&s->garbage_cnt, 1, __ATOMIC_RELAXED);
	else if (how == CONN_LOST)
		__atomic_fetch_add(&s->lost_cnt, 1, __ATOMIC_RELAXED);
	conns__remove(&s->conns, c);
}

/* ---- life ---- */

int server__open(struct server *s, struct wl_run *run, u32 backlog)
{
	int err;

	/* A client, or the reader of our answers, may go at any time. */
	signal(SIGPIPE, SIG_IGN);
	s->run = run;
	pthread_mutex_init(&s->conns.lock, NULL);
	s->listen_fd = sock__listen(backlog, &s->port);
	if (s->listen_fd < 0)
		return s->listen_fd;
	err = samples__map(&s->samples);
	return err ? err : load__start(&s->load, s->listen_fd);
}

void server__stop(struct server *s)
{
	if (!s->active)
		return;
	s->active = false;
	/* First the clients: none shall see the server go. */
	load__release(s->load);
	s->model->stop(s);
	s->data = NULL;
	s->pool = NULL;
	conns__free_all(&s->conns);
}

void server__close(struct server *s)
{
	server__stop(s);
	load__stop(s->load);
	s->load = NULL;
	if (s->listen_fd > 0)
		close(s->listen_fd);
}

static void usage__now(struct wl_usage *u)
{
	struct rusage ru;
	struct timespec ts;

	getrusage(RUSAGE_SELF, &ru);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	u->voluntary = (u64)ru.ru_nvcsw;
	u->involuntary = (u64)ru.ru_nivcsw;
	u->cpu_ns = (u64)ts.tv_sec * 1000000000ull + (u64)ts.tv_nsec;
}

int server__round(struct server *s, const struct load_plan *plan)
{
	int err;

	server__stop(s);
	s->samples.cnt = 0;
	s->garbage_cnt = s->lost_cnt = 0;
	s->conns.peak_cnt = 0;
	memset(&s->threads, 0, sizeof(s->threads));
	s->active = true;
	usage__now(&s->before);
	err = s->model->start(s);
	err = err ? err : load__go(s->load, plan);
	return err ? err : s->model->run(s);
}

/* ---- gauges ---- */

static void gauge__inside(struct server *s, struct wl_gauges *g)
{
	u64 cnt = s->samples.cnt < s->samples.cap ? s->samples.cnt : s->samples.cap;
	struct wl_quantiles q;

	samples__summarize(s->samples.queue_ns, cnt, &q);
	if (q.count) {
		g->v[GAUGE_QUEUE_MEAN] = q.mean;
		g->v[GAUGE_QUEUE_P99] = (double)q.p99;
	}
	samples__summarize(s->samples.held_ns, cnt, &q);
	if (q.count) {
		g->v[GAUGE_HELD_MEAN] = q.mean;
		g->v[GAUGE_HELD_P99] = (double)q.p99;
	}
	g->v[GAUGE_CONNECTIONS_PEAK] = (double)s->conns.peak_cnt;
	g->v[GAUGE_GARBAGE_SEEN] = (double)s->garbage_cnt;
	g->v[GAUGE_LOST_CLIENTS] = (double)s->lost_cnt;
}

/* Before the round is over for its threads: as it was at the last answer. */
static void gauge__process(struct server *s, struct wl_usage *used, struct wl_gauges *g)
{
	struct pool_counts n = s->threads;
	struct wl_usage now;
	u64 value;

	usage__now(&now);
	used->voluntary = now.voluntary - s->before.voluntary;
	used->involuntary = now.involuntary - s->before.involuntary;
	used->cpu_ns = now.cpu_ns - s->before.cpu_ns;
	if (!proc__read_key("/proc/self/status", "Threads:", &value))
		g->v[GAUGE_THREADS] = (double)value;
	if (!proc__read_key("/proc/self/status", "VmRSS:", &value))
		g->v[GAUGE_RSS] = (double)value * 1024;
	if (s->pool)
		pool__counts(s->pool, &n);
	g->v[GAUGE_THREADS_PEAK] = (double)(n.peak_cnt + 1);
	g->v[GAUGE_THREADS_CREATED] = (double)n.created_cnt;
	if (n.created_cnt)
		g->v[GAUGE_THREAD_COST] = (double)n.create_ns / (double)n.created_cnt;
	g->v[GAUGE_THREAD_COST_ALL] = (double)n.create_ns;
}

void server__gauge_load(const struct load_result *r, struct wl_gauges *g)
{
	u64 took_ns = r->last_ns - r->first_ns;

	g->v[GAUGE_REQUESTS] = (double)r->served;
	g->v[GAUGE_SENT] = (double)r->sent;
	g->v[GAUGE_REFUSED] = (double)r->refused;
	g->v[GAUGE_RESET] = (double)r->reset;
	g->v[GAUGE_TIMED_OUT] = (double)r->timed_out;
	g->v[GAUGE_BAD_REPLY] = (double)r->bad_reply;
	g->v[GAUGE_UNSENT] = (double)r->unsent;
	if (!r->served || !took_ns)
		return;
	g->v[GAUGE_ELAPSED] = (double)took_ns;
	g->v[GAUGE_THROUGHPUT] = (double)r->served * 1e9 / (double)took_ns;
	g->v[GAUGE_LATENCY_P50] = (double)r->latency.p50;
	g->v[GAUGE_LATENCY_P90] = (double)r->latency.p90;
	g->v[GAUGE_LATENCY_P95] = (double)r->latency.p95;
	g->v[GAUGE_LATENCY_P99] = (double)r->latency.p99;
	g->v[GAUGE_LATENCY_MAX] = (double)r->latency.max;
}

int server__gauge(struct server *s, struct load_result *result)
{
	struct wl_run *run = s->run;
	struct wl_gauges *g = &run->gauges;
	int err;

	gauge__process(s, &run->used, g);
	err = load__take(s->load, result);
	if (err)
		return err;
	server__gauge_load(result, g);
	gauge__inside(s, g);
	if (result->served) {
		g->v[GAUGE_CSW_VOLUNTARY] = (double)run->used.voluntary / (double)result->served;
		g->v[GAUGE_CSW] = (double)(run->used.voluntary + run->used.involuntary) /
				  (double)result->served;
		g->v[GAUGE_CPU] = (double)run->used.cpu_ns / (double)result->served;
	}
	run->start_ns = result->first_ns;
	run->end_ns = result->last_ns;
	return 0;
}

void server__bound(struct wl_gauges *g, u64 at_a_time)
{
	if (!(g->v[GAUGE_HELD_MEAN] > 0))
		return;
	g->v[GAUGE_BOUND] = (double)at_a_time * 1e9 / g->v[GAUGE_HELD_MEAN];
	g->v[GAUGE_EFFICIENCY] = g->v[GAUGE_THROUGHPUT] / g->v[GAUGE_BOUND];
}

void server__burst_bound(struct wl_gauges *g, u64 request_cnt, u64 at_a_time)
{
	u64 wave_cnt = (request_cnt + at_a_time - 1) / at_a_time;

	if (g->v[GAUGE_HELD_MEAN] > 0)
		g->v[GAUGE_BURST_BOUND] =
			(double)request_cnt * 1e9 / (g->v[GAUGE_HELD_MEAN] * (double)wave_cnt);
}
