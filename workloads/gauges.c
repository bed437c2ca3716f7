/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>

#include "gauges.h"

#define RATE	 "Throughput"
#define LATENCY	 "Latency of a request, from its intended sending to its answer"
#define INSIDE	 "Inside the server: waiting for a thread, and time one is held, per request"
#define THREADS	 "Threads of the server"
#define COST	 "Cost of a request in the server"
#define POOLED	 "Connections to the database: waiting for one, and time one is held, per transaction"
#define DB	 "The database"
#define QUOTA	 "The limit of CPU time"
#define OUTCOME	 "What became of the requests"
#define ADMITTED "What became of the clients"
#define BOUNDS	 "What the limits say of so many clients at once, computed"
#define ACCEPTQ \
	"The accept queue of the kernel, sampled (sock_diag), and what the system sets of it"

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
	[GAUGE_LATENCY_P95] = { "latency_p95", "ns", "lower", LATENCY, "p95", "95th percentile" },
	[GAUGE_CPU_BESIDE] = { "cpu_beside", "ns", "lower", COST, "beside|its work",
			       "CPU time per request that is not the work it asks for: system calls, "
			       "switches, the runtime" },
	[GAUGE_RUN_WAIT] = { "run_wait", "ns", "lower", COST, "waits|to run",
			     "per request, of all threads: ready to run and not running" },
	[GAUGE_WAITERS_PEAK] = { "waiters_peak", "1", "lower", POOLED, "waiters|peak",
				 "most requests that waited for a connection at a time" },
	[GAUGE_WAITERS_MEAN] = { "waiters_mean", "1", "lower", POOLED, "waiters|mean",
				 "the mean over time" },
	[GAUGE_WAITED_SHARE] = { "waited_share", "share", "lower", POOLED, "somebody|waits",
				 "share of the time in which at least one waited" },
	[GAUGE_CONNECTION_WAIT] = { "connection_wait_mean", "ns", "lower", POOLED, "wait|mean",
				    "wait for a connection; 0 where one was free" },
	[GAUGE_CONNECTION_HELD] = { "connection_held_mean", "ns", "lower", POOLED, "held|mean",
				    "from being handed a connection to giving it back" },
	[GAUGE_CONNECTION_HELD_MAX] = { "connection_held_max", "ns", "lower", POOLED, "held|max",
					"longest" },
	[GAUGE_CONNECTIONS_BUSY] = { "connections_busy", "share", "", POOLED, "in use",
				     "share of the connections, the mean over time" },
	[GAUGE_CONNECTION_BOUND] = { "connection_bound", "1/s", "", POOLED, "bound",
				     "Little's law: connections over the time a request holds one; "
				     "requests a second" },
	[GAUGE_DB_BOUND] = { "database_bound", "1/s", "", POOLED, "bound, if|CPU were free",
			     "the same, were one held only for the database's time and the request's "
			     "own work" },
	[GAUGE_TRANSACTIONS] = { "transactions", "1", "", DB, "transactions",
				 "as the database counts them" },
	[GAUGE_TRANSACTION_RATE] = { "transaction_rate", "1/s", "higher", DB, "per second",
				     "transactions a second" },
	[GAUGE_DB_TIME] = { "database_time_mean", "ns", "lower", DB, "time|of one",
			    "from the query read to its answer written, as the database sees it" },
	[GAUGE_DB_CPU] = { "database_cpu", "ns", "lower", DB, "CPU|of one",
			   "CPU time of the database's process per transaction" },
	[GAUGE_QUOTA_USED] = { "cpu_limit_used", "share", "", QUOTA, "used",
			       "CPU time of the server over what the limit allows" },
	[GAUGE_QUOTA_BOUND] = { "cpu_bound", "1/s", "", QUOTA, "bound",
				"the limit over the CPU time of a request: requests a second" },
	[GAUGE_PERIODS] = { "cpu_periods", "1", "", QUOTA, "periods",
			    "periods of the limit in which the server ran" },
	[GAUGE_THROTTLED] = { "throttled_periods", "1", "lower", QUOTA, "throttled",
			      "of them those in which it had to stop" },
	[GAUGE_THROTTLED_SHARE] = { "throttled_share", "share", "lower", QUOTA, "share",
				    "throttled over all periods" },
	[GAUGE_THROTTLED_TIME] = { "throttled_time", "ns", "lower", QUOTA, "time",
				   "time it was stopped, summed over the CPUs it was stopped on" },
	[GAUGE_SERVED_AT_ONCE] = { "served_at_once", "1", "", ADMITTED, "at once",
				   "answered; a thread was free for it as it came" },
	[GAUGE_SERVED_QUEUED] = { "served_queued", "1", "", ADMITTED, "queued",
				  "answered; accepted as it came, waited for a thread" },
	[GAUGE_SERVED_BACKLOG] = { "served_backlog", "1", "", ADMITTED, "in the|backlog",
				   "answered; waited in the accept queue until there was room" },
	[GAUGE_UNSERVED] = { "unserved", "1", "lower", ADMITTED, "unserved",
			     "clients without an answer: timed out, refused, reset or bad" },
	[GAUGE_UNSERVED_SHARE] = { "unserved_share", "share", "lower", ADMITTED, "of all",
				   "unserved over clients" },
	[GAUGE_SYN_TIMED_OUT] = { "connect_timed_out", "1", "lower", ADMITTED, "no|connection",
				  "clients that gave up before they had a connection: their SYNs "
				  "were dropped" },
	[GAUGE_SYN_DROPPED] = { "syn_dropped", "1", "lower", ADMITTED, "SYNs|dropped",
				"SYNs of all clients that nothing answered (their TCP_INFO)" },
	[GAUGE_SYN_RETRIED] = { "syn_retried", "1", "", ADMITTED, "came by|a retry",
				"connections whose first SYN was dropped and a later one was not" },
	[GAUGE_UNACCEPTED] = { "unaccepted", "1", "lower", ADMITTED, "never|accepted",
			       "connections the clients had and the server did not accept" },
	[GAUGE_ENDED_RATE] = { "ended_rate", "1/s", "higher", RATE, "ended|per second",
			       "clients served or not, over the same time: what load generators "
			       "that count errors call throughput" },
	[GAUGE_BOUND_AT_ONCE] = { "bound_at_once", "1", "", BOUNDS, "at once",
				  "as many as threads and connections allow" },
	[GAUGE_BOUND_QUEUED] = { "bound_queued", "1", "", BOUNDS, "queued",
				 "connections beyond the threads" },
	[GAUGE_BOUND_BACKLOG] = { "bound_backlog", "1", "", BOUNDS, "in the|backlog",
				  "the accept queue, which on Linux holds one more than its "
				  "backlog" },
	[GAUGE_BOUND_UNSERVED] = { "bound_unserved", "1", "", BOUNDS, "unserved",
				   "clients for whom there is no room" },
	[GAUGE_BOUND_RATE] = { "bound_rate", "1/s", "", BOUNDS, "per second",
			       "threads over the time of service" },
	[GAUGE_BOUND_WAVES] = { "bound_waves", "1", "", BOUNDS, "waves",
				"turns of all threads until those with room are served" },
	[GAUGE_BOUND_DRAIN] = { "bound_drain", "ns", "", BOUNDS, "drained|in",
				"waves times service" },
	[GAUGE_THREADS_SPARE] = { "threads_spare", "1", "", THREADS, "at the|start",
				  "threads of the pool that waited before the first request" },
	[GAUGE_ACCEPTQ_BACKLOG] = { "accept_backlog", "1", "", ACCEPTQ, "backlog",
				    "of listen(), as the system capped it; one more fits" },
	[GAUGE_ACCEPTQ_PEAK] = { "accept_queue_peak", "1", "", ACCEPTQ, "peak",
				 "most connections in it" },
	[GAUGE_ACCEPTQ_MEAN] = { "accept_queue_mean", "1", "", ACCEPTQ, "mean",
				 "mean length over time" },
	[GAUGE_ACCEPTQ_FULL] = { "accept_queue_full", "share", "", ACCEPTQ, "time|full",
				 "share of the time in which no more fitted" },
	[GAUGE_ACCEPTQ_SAMPLES] = { "accept_queue_samples", "1", "", ACCEPTQ, "samples",
				    "one a millisecond, as the clients' process got to it" },
	[GAUGE_LISTEN_OVERFLOWS] = { "listen_overflows", "1", "", ACCEPTQ, "overflows",
				     "ListenOverflows of the network namespace, of all its sockets: "
				     "handshakes dropped" },
	[GAUGE_SOMAXCONN] = { "somaxconn", "1", "", ACCEPTQ, "somax|conn",
			      "net.core.somaxconn, which caps the backlog" },
	[GAUGE_ABORT_ON_OVERFLOW] = { "tcp_abort_on_overflow", "1", "", ACCEPTQ,
				      "abort on|overflow",
				      "net.ipv4.tcp_abort_on_overflow: 1 resets those whose handshake "
				      "ends at a full queue; a SYN is dropped with either" },
	[GAUGE_SYN_RETRIES] = { "tcp_syn_retries", "1", "", ACCEPTQ, "SYN|retries",
				"net.ipv4.tcp_syn_retries: SYNs sent again, the first after a second" },
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
