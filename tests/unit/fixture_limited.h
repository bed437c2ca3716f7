/* SPDX-License-Identifier: BSD-2-Clause */
/* A server below a CPU limit, made by hand: the gauges its verdict is drawn from. */
#ifndef WC_TESTS_FIXTURE_LIMITED_H
#define WC_TESTS_FIXTURE_LIMITED_H

#include <math.h>

#include "tests/unit/fixture.h"
#include "user/model/bottleneck.h"

#define LIMITED_GAUGE_CNT 13

static const char *const fix_limited_names[LIMITED_GAUGE_CNT] = {
	"requests",	    "throughput",
	"waited_share",	    "connections_busy",
	"connection_bound", "database_bound",
	"cpu_limit_used",   "throttled_share",
	"cpu_bound",	    "cpu",
	"cpu_beside",	    "run_wait",
	"latency_p50",
};

/* The limit used up, the pool full because of it. */
static inline struct wc_bottleneck_facts fix_facts_cpu(void)
{
	return (struct wc_bottleneck_facts){
		.throughput = 45,
		.waited_share = 0.98,
		.connections_busy = 0.99,
		.connection_bound = 45.5,
		.database_bound = 166,
		.cpu_limit_used = 0.99,
		.throttled_share = 0.97,
		.cpu_bound = 45.2,
		.cpu_ns = 11e6,
		.cpu_beside_ns = 0.55e6,
		.run_wait_ns = 100e6,
		.latency_ns = 880e6,
	};
}

/* CPU to spare. */
static inline struct wc_bottleneck_facts fix_facts_connections(void)
{
	struct wc_bottleneck_facts f = fix_facts_cpu();

	f.connection_bound = 46;
	f.database_bound = 48;
	f.cpu_limit_used = 0.4;
	f.throttled_share = 0.01;
	f.run_wait_ns = 1e6;
	return f;
}

static inline void fix_limited_round(const struct wc_result *r, struct wc_cell *cell,
				     unsigned int n, const struct wc_bottleneck_facts *f)
{
	const double v[LIMITED_GAUGE_CNT] = {
		100,
		f->throughput,
		f->waited_share,
		f->connections_busy,
		f->connection_bound,
		f->database_bound,
		f->cpu_limit_used,
		f->throttled_share,
		f->cpu_bound,
		f->cpu_ns,
		f->cpu_beside_ns,
		f->run_wait_ns,
		f->latency_ns,
	};
	struct wc_round *round = wc_cell__add_round(cell);

	assert_non_null(round);
	round->index = n;
	round->warmup = n == 0;
	round->complete = true;
	round->bare.valid = true;
	assert_int_equal(wc_phase__make_gauges(r, &round->bare), 0);
	memcpy(round->bare.gauges, v, sizeof(v));
}

/* cpu_cnt rounds after the warm-up that say CPU, then others that say connections. */
static inline struct wc_result *fix_limited_result(unsigned int cpu_cnt, unsigned int other_cnt)
{
	struct wc_bottleneck_facts cpu = fix_facts_cpu(), other = fix_facts_connections();
	struct wc_result *r = wc_result__new();
	struct wc_cell *cell;

	assert_non_null(r);
	r->tool_version = strdup("0.0.1");
	r->shape = strdup("cpu-limited");
	r->work = strdup("request");
	fix_stages(r);
	for (size_t i = 0; i < LIMITED_GAUGE_CNT; i++) {
		struct wc_gauge *g = wc_result__add_gauge(r);

		assert_non_null(g);
		g->name = strdup(fix_limited_names[i]);
		g->unit = strdup("1");
		g->better = strdup("");
		g->group = strdup("group");
		g->label = strdup("label");
		g->help = strdup("help");
	}
	cell = wc_result__add_cell(r);
	assert_non_null(cell);
	fix_limited_round(r, cell, 0, &other);
	for (unsigned int n = 1; n <= cpu_cnt + other_cnt; n++)
		fix_limited_round(r, cell, n, n <= cpu_cnt ? &cpu : &other);
	return r;
}

#endif
