/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What shapes that are no handoff say of a round: named numbers. This is their only home; list and
 * result carry name, unit and meaning to whoever reads them.
 */
#ifndef WORKLOADS_GAUGES_H
#define WORKLOADS_GAUGES_H

#include "json.h"
#include "types.h"

enum wl_gauge_id {
	/* of the clients */
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
	GAUGE_SENT,
	GAUGE_REFUSED,
	GAUGE_RESET,
	GAUGE_TIMED_OUT,
	GAUGE_BAD_REPLY,
	GAUGE_UNSENT,
	/* of the server */
	GAUGE_QUEUE_MEAN,
	GAUGE_QUEUE_P99,
	GAUGE_HELD_MEAN,
	GAUGE_HELD_P99,
	GAUGE_THREADS,
	GAUGE_THREADS_PEAK,
	GAUGE_THREADS_CREATED,
	GAUGE_THREAD_COST,
	GAUGE_THREAD_COST_ALL,
	GAUGE_CSW,
	GAUGE_CSW_VOLUNTARY,
	GAUGE_CPU,
	GAUGE_RSS,
	GAUGE_CONNECTIONS_PEAK,
	GAUGE_GARBAGE_SEEN,
	GAUGE_LOST_CLIENTS,
	GAUGE_LATENCY_P95,
	GAUGE_CPU_BESIDE,
	GAUGE_RUN_WAIT,
	/* of its connections to a database */
	GAUGE_WAITERS_PEAK,
	GAUGE_WAITERS_MEAN,
	GAUGE_WAITED_SHARE,
	GAUGE_CONNECTION_WAIT,
	GAUGE_CONNECTION_HELD,
	GAUGE_CONNECTION_HELD_MAX,
	GAUGE_CONNECTIONS_BUSY,
	GAUGE_CONNECTION_BOUND,
	GAUGE_DB_BOUND,
	/* of the database */
	GAUGE_TRANSACTIONS,
	GAUGE_TRANSACTION_RATE,
	GAUGE_DB_TIME,
	GAUGE_DB_CPU,
	/* of a limit of CPU */
	GAUGE_QUOTA_USED,
	GAUGE_QUOTA_BOUND,
	GAUGE_PERIODS,
	GAUGE_THROTTLED,
	GAUGE_THROTTLED_SHARE,
	GAUGE_THROTTLED_TIME,
	/* of admission, and of the clients of any server */
	GAUGE_SERVED_AT_ONCE,
	GAUGE_SERVED_QUEUED,
	GAUGE_SERVED_BACKLOG,
	GAUGE_UNSERVED,
	GAUGE_UNSERVED_SHARE,
	GAUGE_SYN_TIMED_OUT,
	GAUGE_SYN_DROPPED,
	GAUGE_SYN_RETRIED,
	GAUGE_UNACCEPTED,
	GAUGE_ENDED_RATE,
	GAUGE_BOUND_AT_ONCE,
	GAUGE_BOUND_QUEUED,
	GAUGE_BOUND_BACKLOG,
	GAUGE_BOUND_UNSERVED,
	GAUGE_BOUND_RATE,
	GAUGE_BOUND_WAVES,
	GAUGE_BOUND_DRAIN,
	GAUGE_THREADS_SPARE,
	GAUGE_ACCEPTQ_BACKLOG,
	GAUGE_ACCEPTQ_PEAK,
	GAUGE_ACCEPTQ_MEAN,
	GAUGE_ACCEPTQ_FULL,
	GAUGE_ACCEPTQ_SAMPLES,
	GAUGE_LISTEN_OVERFLOWS,
	GAUGE_SOMAXCONN,
	GAUGE_ABORT_ON_OVERFLOW,
	GAUGE_SYN_RETRIES,
	GAUGE_CNT,
};

struct wl_gauge {
	const char *name;
	const char *unit;   /* "ns", "bytes", "1/s", "share" (0..1), "1": a count or ratio */
	const char *better; /* "higher", "lower", or "" where neither is */
	const char *group;  /* of the table it is printed in */
	const char *label;  /* of its column there; | begins a second line */
	const char *help;
};

/* Of one round. What was not measured is NaN. */
struct wl_gauges {
	double v[GAUGE_CNT];
};

const struct wl_gauge *gauges__at(enum wl_gauge_id id);
void gauges__clear(struct wl_gauges *g);
/* The object of those that are known. */
void gauges__write(const struct wl_gauges *g, struct json *j, const char *key);

#endif
