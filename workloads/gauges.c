/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>

#include "gauges.h"

#define RATE	"Throughput"
#define LATENCY "Latency of a request, from its intended sending to its answer"
#define INSIDE	"Inside the server: waiting for a thread, and time one is held, per request"
#define THREADS "Threads of the server"
#define COST	"Cost of a request in the server"
#define OUTCOME "What became of the requests"

static const struct wl_gauge table[GAUGE_CNT] = {
	[GAUGE_REQUESTS] = { "requests", "1", "higher", RATE, "served", "requests answered" },
	[GAUGE_THROUGHPUT] = { "throughput", "1/s", "higher", RATE, "per second",
			       "requests answered a second, from the first sent to the last answer" },
	[GAUGE_BOUND] = { "bound", "1/s", "", RATE, "bound",
			  "Little's law: requests that can be held at a time, over the mean time "
			  "one is" },
	[GAUGE_EFFICIENCY] = { "efficiency", "share", "higher", RATE, "of bound",
			       "throughput over bound" },
	[GAUGE_BURST_BOUND] = { "burst_bound", "1/s", "", RATE, "in whole|waves",
				"burst: the bound of its requests in waves of so many at a time, of which "
				"the last may not be full" },
	[GAUGE_ELAPSED] = { "elapsed", "ns", "lower", RATE, "took",
			    "from the first request sent to the last answer" },
	[GAUGE_LATENCY_P50] = { "latency_p50", "ns", "lower", LATENCY, "p50", "median latency" },
	[GAUGE_LATENCY_P90] = { "latency_p90", "ns", "lower", LATENCY, "p90", "90th percentile" },
	[GAUGE_LATENCY_P99] = { "latency_p99", "ns", "lower", LATENCY, "p99", "99th percentile" },
	[GAUGE_LATENCY_MAX] = { "latency_max", "ns", "lower", LATENCY, "max", "longest" },
	[GAUGE_SENT] = { "sent", "1", "", OUTCOME, "sent", "requests begun by the clients" },
	[GAUGE_REFUSED] = { "refused", "1", "lower", OUTCOME, "refused",
			    "connections refused (RST in answer to SYN)" },
	[GAUGE_RESET] = { "reset", "1", "lower", OUTCOME, "reset",
			  "connections reset or closed before the answer" },
	[GAUGE_TIMED_OUT] = { "timed_out", "1", "lower", OUTCOME, "timed|out",
			      "requests the client gave up after its timeout" },
	[GAUGE_BAD_REPLY] = { "bad_reply", "1", "lower", OUTCOME, "bad|reply",
			      "answers that were no answer, or not 200" },
	[GAUGE_UNSENT] = { "unsent", "1", "lower", OUTCOME, "unsent",
			   "open: requests whose time came and for which no connection got free" },
	[GAUGE_QUEUE_MEAN] = { "queue_mean", "ns", "lower", INSIDE, "queue|mean",
			       "from the request read to its service begun" },
	[GAUGE_QUEUE_P99] = { "queue_p99", "ns", "lower", INSIDE, "queue|p99",
			      "99th percentile of it" },
	[GAUGE_HELD_MEAN] = { "held_mean", "ns", "lower", INSIDE, "held|mean",
			      "from the service begun to the answer written" },
	[GAUGE_HELD_P99] = { "held_p99", "ns", "lower", INSIDE, "held|p99",
			     "99th percentile of it" },
	[GAUGE_THREADS] = { "os_threads", "1", "lower", THREADS, "at the|end",
			    "as the kernel counts them, at the last answer, connections open" },
	[GAUGE_THREADS_PEAK] = { "os_threads_peak", "1", "lower", THREADS, "peak",
				 "most at a time, the main one included" },
	[GAUGE_THREADS_CREATED] = { "threads_created", "1", "lower", THREADS, "created",
				    "threads made in the round" },
	[GAUGE_THREAD_COST] = { "thread_create_mean", "ns", "lower", THREADS, "making|one",
				"mean time of pthread_create in its caller" },
	[GAUGE_THREAD_COST_ALL] = { "thread_create_all", "ns", "lower", THREADS, "making|all",
				    "the same of all threads made, summed" },
	[GAUGE_CONNECTIONS_PEAK] = { "connections_peak", "1", "", THREADS, "connections|peak",
				     "most connections open at a time" },
	[GAUGE_CSW] = { "context_switches", "1", "lower", COST, "context|switches",
			"per request, of all threads of the server" },
	[GAUGE_CSW_VOLUNTARY] = { "context_switches_voluntary", "1", "lower", COST,
				  "of them|voluntary", "per request: it went to sleep" },
	[GAUGE_CPU] = { "cpu", "ns", "lower", COST, "CPU",
			"CPU time per request, of all threads of the server" },
	[GAUGE_RSS] = { "rss", "bytes", "lower", COST, "RSS",
			"resident memory of the server, at the last answer" },
	[GAUGE_GARBAGE_SEEN] = { "garbage_seen", "1", "", OUTCOME, "garbage|refused",
				 "connections the server closed for what they sent" },
	[GAUGE_LOST_CLIENTS] = { "lost_clients", "1", "", OUTCOME, "clients|lost",
				 "connections the server lost with a request unread or unanswered" },
};

const struct wl_gauge *gauges__at(enum wl_gauge_id id)
{
	return &table[id];
}

void gauges__clear(struct wl_gauges *g)
{
	size_t i;

	for (i = 0; i < GAUGE_CNT; i++)
		g->v[i] = NAN;
}

void gauges__write(const struct wl_gauges *g, struct json *j, const char *key)
{
	size_t i;

	json__open_object(j, key);
	for (i = 0; i < GAUGE_CNT; i++) {
		if (isfinite(g->v[i]))
			json__real(j, table[i].name, g->v[i]);
	}
	json__close_object(j);
}
