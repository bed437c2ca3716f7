/* SPDX-License-Identifier: BSD-2-Clause */
#include "limited.h"

static double over(double a, double b)
{
	return b > 0 ? a / b : __builtin_nan("");
}

static void gauge__pool(struct wl_gauges *g, const struct wl_net_params *p,
			const struct dbpool_counts *n)
{
	double held_ns = over((double)n->held_ns, (double)n->given_cnt);
	double cnt = (double)n->connection_cnt, each = (double)p->transactions;

	g->v[GAUGE_WAITERS_PEAK] = (double)n->waiting_peak_cnt;
	g->v[GAUGE_WAITERS_MEAN] = over((double)n->waiting_ns, (double)n->window_ns);
	g->v[GAUGE_WAITED_SHARE] = over((double)n->waited_ns, (double)n->window_ns);
	g->v[GAUGE_CONNECTION_WAIT] = over((double)n->waiting_ns, (double)n->taken_cnt);
	g->v[GAUGE_CONNECTION_HELD] = held_ns;
	g->v[GAUGE_CONNECTION_HELD_MAX] = (double)n->held_max_ns;
	g->v[GAUGE_CONNECTIONS_BUSY] = over((double)n->busy_ns, (double)n->window_ns * cnt);
	g->v[GAUGE_CONNECTION_BOUND] = over(cnt * 1e9, held_ns * each);
}

static void gauge__db(struct wl_gauges *g, const struct wl_net_params *p,
		      const struct limited_readings *before, const struct limited_readings *after)
{
	double cnt = (double)(after->db.served_cnt - before->db.served_cnt);
	double took_ns = g->v[GAUGE_ELAPSED];
	double each_ns;

	g->v[GAUGE_TRANSACTIONS] = cnt;
	g->v[GAUGE_TRANSACTION_RATE] = over(cnt * 1e9, took_ns);
	each_ns = over((double)(after->db.taken_ns - before->db.taken_ns), cnt);
	g->v[GAUGE_DB_TIME] = each_ns;
	g->v[GAUGE_DB_CPU] = over((double)(after->db_cpu_ns - before->db_cpu_ns), cnt);
	g->v[GAUGE_DB_BOUND] = over((double)p->connections * 1e9,
				    (each_ns + (double)p->held_work_ns) * (double)p->transactions);
}

static void gauge__quota(struct wl_gauges *g, const struct wl_net_params *p,
			 const struct limited_readings *before,
			 const struct limited_readings *after)
{
	double limit = (double)p->cpu_milli / 1000;
	double window_ns = (double)(after->now_ns - before->now_ns);
	u64 periods = after->quota.period_cnt - before->quota.period_cnt;
	u64 throttled = after->quota.throttled_cnt - before->quota.throttled_cnt;

	g->v[GAUGE_QUOTA_USED] = over((double)(after->cpu_ns - before->cpu_ns), limit * window_ns);
	g->v[GAUGE_QUOTA_BOUND] = over(limit * 1e9, g->v[GAUGE_CPU]);
	g->v[GAUGE_PERIODS] = (double)periods;
	g->v[GAUGE_THROTTLED] = (double)throttled;
	g->v[GAUGE_THROTTLED_SHARE] = over((double)throttled, (double)periods);
	g->v[GAUGE_THROTTLED_TIME] =
		(double)(after->quota.throttled_ns - before->quota.throttled_ns);
}

void limited__gauge(struct wl_gauges *g, const struct wl_net_params *p,
		    const struct limited_readings *before, const struct limited_readings *after,
		    const struct dbpool_counts *pool, u64 served)
{
	double work_ns = (double)(p->work_ns + p->transactions * p->held_work_ns);
	/* What had been asked for and not answered when it ended has had its part of it too. */
	double beside_ns = g->v[GAUGE_CPU] - work_ns;

	if (served) {
		g->v[GAUGE_CPU_BESIDE] = beside_ns > 0 ? beside_ns : 0;
		if (after->run_wait_ns != UINT64_MAX && after->run_wait_ns >= before->run_wait_ns)
			g->v[GAUGE_RUN_WAIT] =
				(double)(after->run_wait_ns - before->run_wait_ns) / (double)served;
	}
	if (p->transactions) {
		gauge__pool(g, p, pool);
		gauge__db(g, p, before, after);
	}
	if (p->cpu_milli)
		gauge__quota(g, p, before, after);
}
