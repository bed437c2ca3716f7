/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A result that counts work, made by hand: in round n (0 is warm-up) a cell serves 100 requests at
 * a throughput of base + n a second, in base_ns + n each; its process is woken 150 times and by its
 * timers 100 times. Detached it is 10 a second faster. Names are as hostile as they may be.
 */
#ifndef WC_TESTS_FIXTURE_WORK_H
#define WC_TESTS_FIXTURE_WORK_H

#include <math.h>

#include "tests/unit/fixture.h"

enum { FIX_REQUESTS, FIX_THROUGHPUT, FIX_LATENCY, FIX_RSS, FIX_SHARE, FIX_NEVER, FIX_ZERO };

static inline void fix_gauge(struct wc_result *r, const char *name, const char *unit,
			     const char *better, const char *group, const char *label)
{
	struct wc_gauge *g = wc_result__add_gauge(r);

	assert_non_null(g);
	g->name = strdup(name);
	g->unit = strdup(unit);
	g->better = strdup(better);
	g->group = strdup(group);
	g->label = strdup(label);
	g->help = strdup("what it is\033[31m");
}

static inline void fix_work_phase(const struct wc_result *r, struct wc_phase *p, double rate,
				  double ns)
{
	p->valid = true;
	assert_int_equal(wc_phase__make_gauges(r, p), 0);
	p->gauges[FIX_REQUESTS] = 100;
	p->gauges[FIX_THROUGHPUT] = rate;
	p->gauges[FIX_LATENCY] = ns;
	p->gauges[FIX_RSS] = 4 << 20;
	p->gauges[FIX_SHARE] = 0.956;
	p->gauges[FIX_ZERO] = 0;
	p->elapsed_ns = 1000000000;
	p->cpu_ns = 5000000;
	p->csw_voluntary_cnt = 130;
}

static inline void fix_work_cell(struct wc_result *r, const char *model, double rate, double ns)
{
	struct wc_cell *cell = wc_result__add_cell(r);

	assert_non_null(cell);
	assert_int_equal(wc_kvs__set(&cell->params, "shape", "server") |
				 wc_kvs__set(&cell->params, "model", model) |
				 wc_kvs__set(&cell->params, "service", "100ms"),
			 0);
	for (unsigned int n = 0; n <= 7; n++) {
		struct wc_round *round = wc_cell__add_round(cell);

		assert_non_null(round);
		round->index = n;
		round->warmup = n == 0;
		round->complete = true;
		fix_work_phase(r, &round->probed, rate + n, ns + n);
		fix_work_phase(r, &round->bare, rate + n + 10, ns + n - 10);
		for (unsigned int i = 0; i < 150; i++) {
			fix_add(round, WC_CLASS_LOCAL, WC_STAGE_WAIT, 1000);
			fix_add(round, WC_CLASS_LOCAL, WC_METRIC_TOTAL, 4000);
		}
		for (unsigned int i = 0; i < 100; i++)
			fix_add(round, WC_CLASS_TIMED, WC_METRIC_TOTAL, 2000);
		for (unsigned int i = 0; i < 50; i++)
			fix_add(round, WC_CLASS_NEW, WC_METRIC_TOTAL, 9000);
	}
}

static inline struct wc_result *fix_work_result(void)
{
	struct wc_result *r = wc_result__new();

	assert_non_null(r);
	r->tool_version = strdup("0.0.1");
	r->command_line = strdup("wakecost run server");
	r->shape = strdup("server");
	r->work = strdup("request");
	r->started_s = 1700000000;
	r->rounds_wanted = 7;
	fix_stages(r);
	fix_gauge(r, "requests", "1", "higher", "Throughput", "served");
	fix_gauge(r, "throughput", "1/s", "higher", "Throughput", "per second");
	fix_gauge(r, "latency_p50", "ns", "lower", "Latency", "p50");
	fix_gauge(r, "rss", "bytes", "lower", "Cost \033[31m", "RSS|now|or later");
	fix_gauge(r, "effi-ciency\"", "share", "higher", "Cost \033[31m", "of,\033bound");
	fix_gauge(r, "never", "1", "", "Cost \033[31m", "never");
	fix_gauge(r, "zero", "1", "", "Cost \033[31m", "zero");
	fix_work_cell(r, "per-request", 466, 614e6);
	fix_work_cell(r, "event-loop", 2000, 100e6);
	return r;
}

#endif
