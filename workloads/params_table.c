/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows: a parameter each. A name may stand twice, for different shapes. */
#include "params.h"

static const struct wl_named buckets[] = { { "other", BUCKET_OTHER },
					   { "pair", BUCKET_PAIR },
					   { "any", BUCKET_ANY },
					   { NULL, 0 } };
static const struct wl_named placements[] = { { "same", PLACE_SAME },
					      { "cross", PLACE_CROSS },
					      { "free", PLACE_FREE },
					      { NULL, 0 } };
static const struct wl_named policies[] = { { "batch", POLICY_BATCH },
					    { "other", POLICY_OTHER },
					    { "fifo", POLICY_FIFO },
					    { NULL, 0 } };
static const struct wl_named slot_words[] = { { "default", SLOTS_DEFAULT },
					      { "global", SLOTS_GLOBAL },
					      { NULL, 0 } };
static const struct wl_named stack_kinds[] = { { "pthread", STACKS_PTHREAD },
					       { "slab", STACKS_SLAB },
					       { NULL, 0 } };
static const struct wl_named stack_words[] = { { "default", STACK_DEFAULT }, { NULL, 0 } };
static const struct wl_named models[] = { { "per-request", MODEL_REQUEST },
					  { "per-connection", MODEL_CONNECTION },
					  { "event-loop", MODEL_LOOP },
					  { "coroutine", MODEL_COROUTINE },
					  { NULL, 0 } };
static const struct wl_named spawns[] = { { "arrival", SPAWN_ARRIVAL },
					  { "need", SPAWN_NEED },
					  { NULL, 0 } };
static const struct wl_named calls[] = { { "sleep", CALLS_SLEEP },
					 { "one", CALLS_ONE },
					 { "sequence", CALLS_SEQUENCE },
					 { "parallel", CALLS_PARALLEL },
					 { NULL, 0 } };
static const struct wl_named modes[] = { { "burst", MODE_BURST },
					 { "closed", MODE_CLOSED },
					 { "open", MODE_OPEN },
					 { NULL, 0 } };
static const struct wl_named connects[] = { { "auto", CONNECT_AUTO },
					    { "before", CONNECT_BEFORE },
					    { "with", CONNECT_WITH },
					    { NULL, 0 } };
static const struct wl_named arrivals[] = { { "ramp", ARRIVAL_RAMP },
					    { "in-turn", ARRIVAL_IN_TURN },
					    { NULL, 0 } };
static const struct wl_named kinds[] = { { "kernel", KIND_KERNEL },
					 { "user", KIND_USER },
					 { NULL, 0 } };
static const struct wl_named cpu_words[] = { { "auto", CPU_AUTO }, { NULL, 0 } };

#define CEILING	     "ceiling"

#define ADMISSION    "admission"
#define LOAD	     "load"
#define SERVER	     "server"
#define SERVERS	     "server"

#define LIMITED	     "cpu-limited"
#define EVERY_SERVER SERVERS " " LIMITED " " ADMISSION

#define OFF(field)   offsetof(struct wl_params, field)
#define NET(field)   OFF(net.field)

#define MS	     1000000ull
#define S	     1000000000ull

static const struct wl_param table[] = {
	{ "mechanism", PARAM_ENUM, OFF(mechanism), "futex", NULL, 0, 0, NULL,
	  "how one thread wakes another" },
	{ "background", PARAM_ENUM, OFF(background), "none", NULL, 0, 0, NULL,
	  "what the parked threads sleep in" },
	{ "parked", PARAM_INT, OFF(parked), "0", NULL, 0, 100000, NULL,
	  "how many are parked in the background" },
	{ "threads", PARAM_INT, OFF(threads), "16", NULL, 1, 16384, "ring herd",
	  "threads in the ring (2 or more), wakees of the herd" },
	{ "handoffs", PARAM_INT, OFF(handoffs), "20000", NULL, 1, 100000000, NULL,
	  "measured handoffs of a round, in all directions together" },
	{ "warmup", PARAM_INT, OFF(warmup), "2000", NULL, 0, 100000000, NULL,
	  "handoffs before them, not measured and not stamped" },
	{ "rounds", PARAM_INT, OFF(rounds), "1", NULL, 1, 10000,
	  HANDOFF_SHAPES " " EVERY_SERVER " " LOAD, "times warm-up and measurement are repeated" },
	{ "settle", PARAM_BOOL, OFF(settle), "0", NULL, 0, 1, NULL,
	  "before each wake prove that the wakee sleeps (exact counts; outside measured time)" },
	{ "placement", PARAM_ENUM, OFF(placement), "same", placements, 0, 0, NULL,
	  "same: all on one CPU; cross: on two; free: the scheduler chooses" },
	{ "cpu", PARAM_INT, OFF(cpu), "auto", cpu_words, 0, 65535, NULL,
	  "the CPU (cross: of the first thread); auto: the last allowed" },
	{ "cpu2", PARAM_INT, OFF(cpu2), "auto", cpu_words, 0, 65535, NULL,
	  "cross: the CPU of the other thread" },
	{ "policy", PARAM_ENUM, OFF(policy), "batch", policies, 0, 0, NULL,
	  "scheduling policy of the threads that hand off; batch: every handoff sleeps" },
	{ "bucket", PARAM_ENUM, OFF(bucket), "other", buckets, 0, 0, NULL,
	  "futex-one: its hash bucket relative to those the handoffs use" },
	{ "futex_slots", PARAM_INT, OFF(futex_slots), "default", slot_words, 2, 1u << 20, NULL,
	  "slots of the private futex hash, a power of two (prctl PR_FUTEX_HASH)" },
	{ "stack", PARAM_SIZE, OFF(stack), "64K", NULL, 16384, 1ull << 32,
	  "handoff ring herd ceiling", "stack of each thread or coroutine" },
	{ "stack_touch", PARAM_INT, OFF(stack_touch), "0", NULL, 0, 1u << 20, NULL,
	  "pages of its stack each one writes before it parks" },
	{ "guard", PARAM_BOOL, OFF(guard), "0", NULL, 0, 1, NULL,
	  "a guard page below each stack: two mappings each, as pthread_create makes them" },
	{ "huge", PARAM_BOOL, OFF(huge), "0", NULL, 0, 1, NULL,
	  "stacks from huge pages (MADV_HUGEPAGE)" },
	{ "walk_bytes", PARAM_SIZE, OFF(walk_bytes), "0", NULL, 0, 1ull << 34, NULL,
	  "bytes the wakee reads between handoffs, from one buffer they share" },
	{ "walk_pages", PARAM_INT, OFF(walk_pages), "0", NULL, 0, 1u << 22, NULL,
	  "pages the wakee reads one line of between handoffs" },
	{ "fault_pages", PARAM_INT, OFF(fault_pages), "0", NULL, 0, 1u << 20, NULL,
	  "pages the wakee gives back and faults in again between handoffs" },
	{ "stack_walk", PARAM_INT, OFF(stack_walk), "0", NULL, 0, 1u << 20, NULL,
	  "pages of its own stack the wakee writes between handoffs (needs a stack that large)" },
	{ "gap_ns", PARAM_INT, OFF(gap_ns), "0", NULL, 0, 1000000000, NULL,
	  "busy wait of the wakee between handoffs" },
	{ "find_ns", PARAM_INT, OFF(find_ns), "0", NULL, 0, 1000000000, NULL,
	  "mechanism futex-busy: busy wait of the waker just before the call that wakes" },
	{ "return_ns", PARAM_INT, OFF(return_ns), "0", NULL, 0, 1000000000, NULL,
	  "mechanism futex-busy: busy wait of the wakee just after the call that slept" },
	{ "cgroup_depth", PARAM_INT, OFF(cgroup_depth), "0", NULL, 0, 32, NULL,
	  "control groups, one in the other, below the one it was started in (root)" },
	{ "raise_sysctls", PARAM_BOOL, OFF(raise_sysctls), "0", NULL, 0, 1, NULL,
	  "raise pid_max, threads-max and max_map_count as needed, and restore them (root)" },
	{ "markers", PARAM_BOOL, OFF(markers), "0", NULL, 0, 1, "handoff ring",
	  "instructions an emulator can find around the measured part (wakecost lab)" },
	{ "stacks", PARAM_ENUM, OFF(stacks), "pthread", stack_kinds, 0, 0, CEILING,
	  "pthread: as pthread_create maps them, guard included; slab: many in one mapping" },
	{ "thread_stack", PARAM_SIZE, OFF(thread_stack), "default", stack_words, 16384, 1ull << 40,
	  CEILING " " EVERY_SERVER,
	  "stack of each thread; default: what pthread_create would give" },
	{ "most", PARAM_INT, OFF(most), "4194304", NULL, 0, 4194304, CEILING,
	  "threads to stop at, if nothing else does" },
	{ "coroutines", PARAM_INT, OFF(coroutines), "1000000", NULL, 0, 100000000, CEILING,
	  "coroutines to enter beside, on stacks of the size stack" },
	{ "reach", PARAM_SIZE, OFF(reach), "256M", NULL, 1u << 20, 1ull << 34, "chase",
	  "the largest working set; less where memory is short" },

	{ "model", PARAM_ENUM, NET(model), "per-request", models, 0, 0, SERVER,
	  "who serves: a thread of the pool a request, or a connection; one loop; coroutines" },
	{ "pool", PARAM_INT, NET(pool), "200", NULL, 1, 100000, SERVER,
	  "threads there may be (per-request and per-connection)" },
	{ "spawn", PARAM_ENUM, NET(spawn), "arrival", spawns, 0, 0, SERVER,
	  "up to the pool a thread is made with each arrival, or only if none is idle" },
	{ "carriers", PARAM_INT, NET(carriers), "2", NULL, 1, 64, SERVER,
	  "threads that carry the coroutines" },
	{ "service", PARAM_TIME, NET(service_ns), "100ms", NULL, 0, 600 * S, SERVERS,
	  "time a request sleeps, or each of its calls takes" },
	{ "calls", PARAM_ENUM, NET(calls), "sleep", calls, 0, 0, SERVER,
	  "what it waits for: a sleep; one call of a stub server; three, in sequence or at once" },
	{ "work", PARAM_TIME, NET(work_ns), "0", NULL, 0, 10 * S, SERVERS " " ADMISSION,
	  "CPU time a request takes beside" },
	{ "mode", PARAM_ENUM, NET(mode), "burst", modes, 0, 0, SERVERS " " LOAD,
	  "burst: all clients at once, a request each; closed: the next after the answer; open: at "
	  "a rate" },
	{ "clients", PARAM_INT, NET(clients), "500", NULL, 1, 60000, SERVER,
	  "connections that send requests" },
	{ "idle", PARAM_INT, NET(idle), "0", NULL, 0, 60000, SERVER " " LOAD,
	  "open connections beside that send none" },
	{ "rate", PARAM_INT, NET(rate), "1000", NULL, 1, 1000000, SERVERS " " LOAD,
	  "open: requests a second" },
	{ "duration", PARAM_TIME, NET(duration_ns), "2s", NULL, MS, 3600 * S, SERVERS " " LOAD,
	  "closed, open: how long requests are sent" },
	{ "connect", PARAM_ENUM, NET(connect), "auto", connects, 0, 0, SERVERS " " LOAD,
	  "connections are opened before, or with the first request; auto: burst with, else before" },
	{ "timeout", PARAM_TIME, NET(timeout_ns), "60s", NULL, MS, 3600 * S, EVERY_SERVER " " LOAD,
	  "a client gives up after this" },
	{ "hostile", PARAM_INT, NET(hostile), "0", NULL, 0, 10000, SERVERS " " LOAD,
	  "clients beside of each bad kind: slow, half-open, resetting, garbage" },
	{ "apart", PARAM_BOOL, NET(apart), "0", NULL, 0, 1, EVERY_SERVER,
	  "the server on the last CPU, clients and stub on the others" },
	{ "scale", PARAM_DECIMAL, NET(scale_milli), "1", NULL, 1, 1000000, EVERY_SERVER,
	  "factor of all these times" },

	{ "cpu_limit", PARAM_DECIMAL, NET(cpu_milli), "0.5", NULL, 0, 1000000, LIMITED,
	  "CPUs the server may use, by a control group (root); 0: no limit" },
	{ "cpu_period", PARAM_TIME, NET(cpu_period_ns), "100ms", NULL, MS, S, LIMITED,
	  "period of that limit" },
	{ "threads", PARAM_ENUM, NET(kind), "kernel", kinds, 0, 0, LIMITED,
	  "who serves a request: a thread of a pool, or a coroutine (a user-level thread)" },
	{ "pool", PARAM_INT, NET(pool), "200", NULL, 1, 100000, LIMITED,
	  "kernel: threads there may be; one is made when none is idle" },
	{ "carriers", PARAM_INT, NET(carriers), "1", NULL, 1, 64, LIMITED,
	  "user: threads that carry the coroutines" },
	{ "users", PARAM_INT, NET(clients), "40", NULL, 1, 60000, LIMITED,
	  "users, each of whom sends the next request after the answer" },
	{ "connections", PARAM_INT, NET(connections), "4", NULL, 1, 10000, LIMITED,
	  "connections to the database, shared by all requests" },
	{ "transactions", PARAM_INT, NET(transactions), "3", NULL, 0, 1000, LIMITED,
	  "of a request, each with a connection taken and given back" },
	{ "query", PARAM_TIME, NET(query_ns), "5ms", NULL, 0, 600 * S, LIMITED,
	  "time the database takes for one" },
	{ "query_work", PARAM_TIME, NET(query_work_ns), "0", NULL, 0, 10 * S, LIMITED,
	  "CPU time the database takes for one, beside; it has one thread" },
	{ "work", PARAM_TIME, NET(work_ns), "2ms", NULL, 0, 10 * S, LIMITED,
	  "CPU time of a request outside of its transactions" },
	{ "held_work", PARAM_TIME, NET(held_work_ns), "3ms", NULL, 0, 10 * S, LIMITED,
	  "CPU time of a request in each transaction, the connection held" },
	{ "upstream", PARAM_TIME, NET(upstream_ns), "0", NULL, 0, 600 * S, LIMITED,
	  "a request first calls a server that takes so long; 0: none" },
	{ "duration", PARAM_TIME, NET(duration_ns), "10s", NULL, MS, 3600 * S, LIMITED,
	  "how long requests are sent" },

	{ "max_threads", PARAM_INT, NET(max_threads), "200", NULL, 1, 100000, ADMISSION,
	  "threads there may be (threads.max)" },
	{ "min_spare", PARAM_INT, NET(min_spare), "10", NULL, 0, 100000, ADMISSION,
	  "threads there are before the first request (threads.min-spare)" },
	{ "max_connections", PARAM_INT, NET(max_connections), "8192", NULL, 1, 100000, ADMISSION,
	  "connections accepted at a time; beyond, nobody accepts (max-connections)" },
	{ "accept_count", PARAM_INT, NET(accept_count), "100", NULL, 0, 65535, ADMISSION,
	  "backlog of listen() (accept-count)" },
	{ "service", PARAM_TIME, NET(service_ns), "5s", NULL, 0, 600 * S, ADMISSION,
	  "time a request sleeps" },
	{ "clients", PARAM_INT, NET(clients), "100", NULL, 1, 60000, ADMISSION,
	  "clients that come at once, each with a connection and a request of its own" },
	{ "connect_timeout", PARAM_TIME, NET(connect_timeout_ns), "1ms", NULL, 0, 3600 * S,
	  ADMISSION, "a client without a connection gives up after this (not scaled; 0: timeout)" },
	{ "arrival", PARAM_ENUM, NET(arrival), "ramp", arrivals, 0, 0, ADMISSION,
	  "ramp: clients come by the clock; in-turn: the next once the one before is accepted, "
	  "while any is" },
	{ "ramp", PARAM_TIME, NET(ramp_ns), "1s", NULL, 0, 3600 * S, ADMISSION,
	  "arrival=ramp: from the first client to the last (0: all in one go)" },
	{ "address", PARAM_IPV4, NET(address), "127.0.0.1", NULL, 0, UINT32_MAX, LOAD,
	  "of the server" },
	{ "port", PARAM_INT, NET(port), "8080", NULL, 1, 65535, LOAD, "of the server" },
	{ "clients", PARAM_INT, NET(clients), "100", NULL, 1, 60000, LOAD,
	  "connections that send requests" },
	{ "ramp", PARAM_TIME, NET(ramp_ns), "0", NULL, 0, 3600 * S, LOAD,
	  "burst: from the first client to the last (0: all in one go)" },
	{ "connect_timeout", PARAM_TIME, NET(connect_timeout_ns), "0", NULL, 0, 3600 * S, LOAD,
	  "a client without a connection gives up after this (0: timeout)" },
};

const struct wl_param *params__table(size_t *cnt)
{
	*cnt = ARRAY_CNT(table);
	return table;
}
