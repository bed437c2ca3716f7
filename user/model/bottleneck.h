/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What held a server back, of one below a CPU limit whose requests share connections: judged from
 * its gauges, by nothing else. Results without those gauges have no such verdict.
 */
#ifndef WC_MODEL_BOTTLENECK_H
#define WC_MODEL_BOTTLENECK_H

#include "user/model/result.h"

enum wc_bottleneck {
	WC_BOTTLENECK_INCONCLUSIVE = 0,
	WC_BOTTLENECK_CONNECTIONS = 1, /* all in use, somebody waits, and no other reason for it */
	WC_BOTTLENECK_CPU = 2,	       /* the limit is used up, and the server stopped for it */
	WC_BOTTLENECK_SCHEDULING = 3,  /* ready to run and not running, the limit not used up */
	WC_BOTTLENECK_USERS = 4,       /* neither is used up: more users would be served */
	WC_BOTTLENECK_CNT
};

/* Gauges of one round, or their medians; NaN: not measured. */
struct wc_bottleneck_facts {
	double throughput;
	double waited_share, connections_busy;
	double connection_bound, database_bound; /* requests a second; the latter: were CPU free */
	double cpu_limit_used, throttled_share, cpu_bound;
	double cpu_ns, cpu_beside_ns, run_wait_ns, latency_ns;
};

struct wc_bottleneck_verdict {
	enum wc_bottleneck verdict;
	unsigned int rounds, agreeing;	  /* of the rounds, so many said the same */
	bool disagree;			  /* inconclusive because they do not */
	struct wc_bottleneck_facts facts; /* medians over rounds */
};

const char *wc_bottleneck__name(unsigned int verdict);
enum wc_bottleneck wc_bottleneck__judge(const struct wc_bottleneck_facts *facts);
/* Rounds with the probes detached where there are such. false: not such a result. */
bool wc_bottleneck__of(const struct wc_result *r, const struct wc_cell *cell,
		       struct wc_bottleneck_verdict *out);
/* Why, in a sentence without its full stop. Returns buf. */
#define WC_BOTTLENECK_SZ 512
const char *wc_bottleneck__sentence(const struct wc_bottleneck_verdict *v,
				    char buf[WC_BOTTLENECK_SZ]);

#endif
