// SPDX-License-Identifier: BSD-2-Clause
/* The figures, a row each. A row that others are divided by stands before them. */
#include "user/model/book_work.h"

#define MS   1e6

#define POOL "calls=sleep,mode=burst,clients=500,service=100ms,scale=1,work=0"
#define POOL_RUN                                                                       \
	"sudo wakecost run server -P model=per-request,coroutine -P pool=50,200,1000 " \
	"-P clients=500 -P service=100ms -o FILE"
#define SLEEP                                                                                   \
	"500 requests that sleep, in waves of the pool: the sleeps take most of it, on either " \
	"machine"
#define RUNTIME                                                                                \
	"there the 18 of the JVM are counted with them, here the main thread: the difference " \
	"of two rows is what compares"
#define MAKING                                                                                 \
	"what is left above one sleep is the making of 500 threads and their wakes, which is " \
	"each machine's own"
#define CARRIED "coroutines here have no scheduler of a runtime beneath them, virtual threads do"

#define ADMIT_DEFAULT                                                                     \
	"max_threads=200,min_spare=10,max_connections=8192,accept_count=100,clients=100," \
	"service=5s"
#define ADMIT_SMALL \
	"max_threads=20,min_spare=5,max_connections=50,accept_count=30,clients=100,service=5s"
#define ADMIT_DEFAULT_RUN "sudo wakecost run admission --rounds 6 -o FILE"
#define ADMIT_SMALL_RUN                                                            \
	"sudo wakecost run admission --rounds 6 -P max_threads=20 -P min_spare=5 " \
	"-P max_connections=50 -P accept_count=30 -P clients=100 -P service=5s -o FILE"
#define ENDED                                                                                    \
	"clients a second, served or not, as the generator there counted; its 100 clients came " \
	"over about a second, as its rate tells and as they do here by default"

#define LIMITED "cpu_limit=0.5,connections=4,users=40"
#define SWEEP	"cpu_limit=0.5,users=64,threads=user"
#define LIMITED_RUN                                                                    \
	"sudo wakecost run cpu-limited -P cpu_limit=0.5 -P connections=4 -P users=40 " \
	"-P threads=kernel,user -o FILE"
#define SWEEP_RUN                                                                              \
	"sudo wakecost run cpu-limited -P cpu_limit=0.5 -P connections=4,8,16,32 -P users=64 " \
	"-P threads=user -o FILE"
#define UPSTREAM "transactions=0"
#define UPSTREAM_WHY \
	"there those of the runtime and of the framework's own pools are among them; how many a user makes is what compares"
#define UPSTREAM_RUN \
	"sudo wakecost run cpu-limited -P users=80,150 -P transactions=0 -P upstream=500ms -P threads=kernel,user -o FILE"
#define REQUEST                                                                                   \
	"the CPU limit was used up there both times: 30 ms of CPU time a request, then 11; here " \
	"requests of both kinds ask for the same work, and the ratio is what the thread costs"
#define HELD                                                                                        \
	"there 4 connections over the rate, of 3 transactions a request as its commits tell; here " \
	"measured: how long one waits for CPU time is most of it, on both"
#define CONTENDS                                                                                    \
	"the CPU limit was used up there too; here nothing but CPU time is contended for, neither " \
	"in a runtime nor in a database"

const struct wc_work_row wc_work_book__rows[] = {
	{ "ch9-pool50-rps", "pool 50: requests a second", "server",
	  "model=per-request,pool=50," POOL, "throughput", 466, 454, 468, "ch9-pool50-rps",
	  WC_BOOK_VALUE, SLEEP, POOL_RUN },
	{ "ch9-pool200-rps", "pool 200: requests a second", "server",
	  "model=per-request,pool=200," POOL, "throughput", 1449, 0, 0, "ch9-pool50-rps",
	  WC_BOOK_VALUE, SLEEP, POOL_RUN },
	{ "ch9-pool1000-rps", "pool 1,000: requests a second", "server",
	  "model=per-request,pool=1000," POOL, "throughput", 2488, 1700, 2600, "ch9-pool50-rps",
	  WC_BOOK_DIRECTION, MAKING, POOL_RUN },
	{ "ch9-virtual-rps", "virtual threads: requests a second", "server",
	  "model=coroutine," POOL, "throughput", 2326, 2300, 3400, "ch9-pool50-rps",
	  WC_BOOK_DIRECTION, CARRIED, POOL_RUN },
	{ "ch9-pool50-p50", "pool 50: p50", "server", "model=per-request,pool=50," POOL,
	  "latency_p50", 614 * MS, 0, 0, "ch9-pool50-p50", WC_BOOK_VALUE, SLEEP, POOL_RUN },
	{ "ch9-pool200-p50", "pool 200: p50", "server", "model=per-request,pool=200," POOL,
	  "latency_p50", 214 * MS, 0, 0, "ch9-pool50-p50", WC_BOOK_VALUE, SLEEP, POOL_RUN },
	{ "ch9-pool1000-p50", "pool 1,000: p50", "server", "model=per-request,pool=1000," POOL,
	  "latency_p50", 142 * MS, 0, 0, "ch9-pool50-p50", WC_BOOK_DIRECTION, MAKING, POOL_RUN },
	{ "ch9-pool50-p99", "pool 50: p99", "server", "model=per-request,pool=50," POOL,
	  "latency_p99", 1055 * MS, 0, 0, "ch9-pool50-p99", WC_BOOK_VALUE, SLEEP, POOL_RUN },
	{ "ch9-pool1000-p99", "pool 1,000: p99", "server", "model=per-request,pool=1000," POOL,
	  "latency_p99", 173 * MS, 0, 0, "ch9-pool50-p99", WC_BOOK_DIRECTION, MAKING, POOL_RUN },
	{ "ch9-virtual-p99", "virtual threads: p99", "server", "model=coroutine," POOL,
	  "latency_p99", 147 * MS, 0, 0, "ch9-pool50-p99", WC_BOOK_DIRECTION, CARRIED, POOL_RUN },
	{ "ch9-pool1000-elapsed", "pool 1,000: all 500 took", "server",
	  "model=per-request,pool=1000," POOL, "elapsed", 201 * MS, 0, 0, NULL, WC_BOOK_DIRECTION,
	  MAKING, POOL_RUN },
	{ "ch9-pool50-threads", "pool 50: threads", "server", "model=per-request,pool=50," POOL,
	  "os_threads", 68, 0, 0, "ch9-pool50-threads", WC_BOOK_DIRECTION, RUNTIME, POOL_RUN },
	{ "ch9-pool200-threads", "pool 200: threads", "server", "model=per-request,pool=200," POOL,
	  "os_threads", 218, 0, 0, "ch9-pool50-threads", WC_BOOK_DIRECTION, RUNTIME, POOL_RUN },
	{ "ch9-pool1000-threads", "pool 1,000: threads", "server",
	  "model=per-request,pool=1000," POOL, "os_threads", 518, 0, 0, "ch9-pool50-threads",
	  WC_BOOK_DIRECTION, RUNTIME, POOL_RUN },
	{ "ch9-virtual-threads", "virtual threads: threads", "server", "model=coroutine," POOL,
	  "os_threads", 19, 0, 0, "ch9-pool50-threads", WC_BOOK_DIRECTION, RUNTIME, POOL_RUN },
	{ "ch9-floor", "virtual threads, 0 ms: all 500 took", "server",
	  "model=coroutine,calls=sleep,mode=burst,clients=500,service=0,work=0", "elapsed", 59 * MS,
	  0, 0, NULL, WC_BOOK_DIRECTION,
	  "the floor of each measurement: its own clients and connections",
	  "sudo wakecost run server -P model=coroutine -P clients=500 -P service=0 -o FILE" },

	{ "tomcat-default-rps", "defaults: clients a second", "admission", ADMIT_DEFAULT ",scale=1",
	  "ended_rate", 16.7, 0, 0, "tomcat-default-rps", WC_BOOK_VALUE, ENDED, ADMIT_DEFAULT_RUN },
	{ "tomcat-small-rps", "small: clients a second", "admission", ADMIT_SMALL ",scale=1",
	  "ended_rate", 4.9, 0, 0, "tomcat-default-rps", WC_BOOK_DIRECTION,
	  "counted the same; but the one client more that a backlog of Linux holds takes a wave of "
	  "threads, and so a service time, for itself (-P accept_count=29 has the waves of the post)",
	  ADMIT_SMALL_RUN },
	{ "tomcat-default-errors", "defaults: clients unserved", "admission", ADMIT_DEFAULT,
	  "unserved_share", 0, 0, 0, NULL, WC_BOOK_VALUE, "counts of clients, of the same limits",
	  ADMIT_DEFAULT_RUN },
	{ "tomcat-small-errors", "small: clients unserved", "admission", ADMIT_SMALL,
	  "unserved_share", 0.20, 0, 0, NULL, WC_BOOK_VALUE,
	  "counts of clients, of the same limits; refused there, here dropped: a full accept queue "
	  "of Linux leaves a SYN without an answer, and its client waits, sends it again after a "
	  "second, or gives up; and it holds one more than its backlog",
	  ADMIT_SMALL_RUN },
	{ "tomcat-small-served", "small: served at once", "admission", ADMIT_SMALL,
	  "served_at_once", 20, 0, 0, NULL, WC_BOOK_VALUE, "a count: threads.max",
	  ADMIT_SMALL_RUN },
	{ "tomcat-small-queued", "small: queued in the server", "admission", ADMIT_SMALL,
	  "served_queued", 30, 0, 0, NULL, WC_BOOK_VALUE,
	  "a count: max-connections less threads.max", ADMIT_SMALL_RUN },
	{ "tomcat-small-backlog", "small: in the backlog", "admission", ADMIT_SMALL,
	  "served_backlog", 30, 0, 0, NULL, WC_BOOK_VALUE,
	  "there what was left over, for it could not be counted; here counted: accept-count and "
	  "one more",
	  ADMIT_SMALL_RUN },

	{ "vt-off-rps", "platform threads: requests a second", "cpu-limited",
	  "threads=kernel," LIMITED, "throughput", 16.6, 0, 0, "vt-off-rps", WC_BOOK_RATIO, REQUEST,
	  LIMITED_RUN },
	{ "vt-on-rps", "virtual threads: requests a second", "cpu-limited", "threads=user," LIMITED,
	  "throughput", 45.5, 0, 0, "vt-off-rps", WC_BOOK_RATIO, REQUEST, LIMITED_RUN },
	{ "vt-off-p95", "platform threads: p95", "cpu-limited", "threads=kernel," LIMITED,
	  "latency_p95", 7000 * MS, 0, 0, "vt-off-p95", WC_BOOK_RATIO, REQUEST, LIMITED_RUN },
	{ "vt-on-p95", "virtual threads: p95", "cpu-limited", "threads=user," LIMITED,
	  "latency_p95", 2400 * MS, 0, 0, "vt-off-p95", WC_BOOK_RATIO, REQUEST, LIMITED_RUN },
	{ "vt-off-threads", "platform threads: threads at peak", "cpu-limited",
	  "threads=kernel," LIMITED, "os_threads_peak", 68, 0, 0, "vt-off-threads",
	  WC_BOOK_DIRECTION, "there those of the runtime and the framework are among them",
	  LIMITED_RUN },
	{ "vt-on-threads", "virtual threads: threads at peak", "cpu-limited",
	  "threads=user," LIMITED, "os_threads_peak", 33, 0, 0, "vt-off-threads", WC_BOOK_DIRECTION,
	  "there those of the runtime and the framework are among them", LIMITED_RUN },
	{ "vt-off-waiters", "platform threads: waiters at peak", "cpu-limited",
	  "threads=kernel," LIMITED, "waiters_peak", 36, 0, 0, NULL, WC_BOOK_VALUE,
	  "a count: users less connections is the most there can be", LIMITED_RUN },
	{ "vt-on-waiters", "virtual threads: waiters at peak", "cpu-limited",
	  "threads=user," LIMITED, "waiters_peak", 34, 0, 0, NULL, WC_BOOK_VALUE,
	  "a count: users less connections is the most there can be", LIMITED_RUN },
	{ "vt-off-held", "platform threads: a connection is held", "cpu-limited",
	  "transactions=3,threads=kernel," LIMITED, "connection_held_mean", 80 * MS, 0, 0,
	  "vt-off-held", WC_BOOK_RATIO, HELD, LIMITED_RUN },
	{ "vt-on-held", "virtual threads: a connection is held", "cpu-limited",
	  "transactions=3,threads=user," LIMITED, "connection_held_mean", 29.3 * MS, 0, 0,
	  "vt-off-held", WC_BOOK_RATIO, HELD, LIMITED_RUN },
	{ "vt-pool4", "4 connections: requests a second", "cpu-limited", "connections=4," SWEEP,
	  "throughput", 43.7, 32.3, 43.7, "vt-pool4", WC_BOOK_RATIO, CONTENDS, SWEEP_RUN },
	{ "vt-pool32", "32 connections: requests a second", "cpu-limited", "connections=32," SWEEP,
	  "throughput", 23.6, 0, 0, "vt-pool4", WC_BOOK_RATIO, CONTENDS, SWEEP_RUN },
	{ "vt-pool4-commits", "4 connections: transactions a second", "cpu-limited",
	  "transactions=3,connections=4," SWEEP, "transaction_rate", 131, 0, 0, "vt-pool4-commits",
	  WC_BOOK_RATIO, CONTENDS, SWEEP_RUN },
	{ "vt-pool32-commits", "32 connections: transactions a second", "cpu-limited",
	  "transactions=3,connections=32," SWEEP, "transaction_rate", 75, 0, 0, "vt-pool4-commits",
	  WC_BOOK_RATIO, CONTENDS, SWEEP_RUN },
	{ "vt-pool4-waiters", "4 connections: waiters at peak", "cpu-limited",
	  "connections=4," SWEEP, "waiters_peak", 59, 0, 0, NULL, WC_BOOK_VALUE,
	  "a count: users less connections is the most there can be", SWEEP_RUN },
	{ "vt-pool32-waiters", "32 connections: waiters at peak", "cpu-limited",
	  "connections=32," SWEEP, "waiters_peak", 27, 0, 0, NULL, WC_BOOK_VALUE,
	  "a count: users less connections is the most there can be", SWEEP_RUN },
	{ "vt-http80-off", "80 users, slow upstream, platform: threads", "cpu-limited",
	  "threads=kernel,users=80," UPSTREAM, "os_threads_peak", 171, 0, 0, "vt-http80-off",
	  WC_BOOK_DIRECTION, UPSTREAM_WHY, UPSTREAM_RUN },
	{ "vt-http80-on", "80 users, slow upstream, virtual: threads", "cpu-limited",
	  "threads=user,users=80," UPSTREAM, "os_threads_peak", 92, 0, 0, "vt-http80-off",
	  WC_BOOK_DIRECTION, UPSTREAM_WHY, UPSTREAM_RUN },
	{ "vt-http150-off", "150 users, slow upstream, platform: threads", "cpu-limited",
	  "threads=kernel,users=150," UPSTREAM, "os_threads_peak", 261, 0, 0, "vt-http150-off",
	  WC_BOOK_DIRECTION, UPSTREAM_WHY, UPSTREAM_RUN },
	{ "vt-http150-on", "150 users, slow upstream, virtual: threads", "cpu-limited",
	  "threads=user,users=150," UPSTREAM, "os_threads_peak", 112, 0, 0, "vt-http150-off",
	  WC_BOOK_DIRECTION, UPSTREAM_WHY, UPSTREAM_RUN },
};

const size_t wc_work_book__row_cnt = sizeof(wc_work_book__rows) / sizeof(wc_work_book__rows[0]);
