/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything -P can set, as one table: parsing, --list and the JSON are drawn from it. */
#ifndef WORKLOADS_PARAMS_H
#define WORKLOADS_PARAMS_H

#include "json.h"
#include "types.h"

enum wl_bucket { BUCKET_OTHER, BUCKET_PAIR, BUCKET_ANY };
enum wl_placement { PLACE_SAME, PLACE_CROSS, PLACE_FREE };
enum wl_policy { POLICY_BATCH, POLICY_OTHER, POLICY_FIFO };
enum wl_stack_kind { STACKS_PTHREAD, STACKS_SLAB };

#define SLOTS_GLOBAL  0ull
#define SLOTS_DEFAULT UINT64_MAX
#define STACK_DEFAULT 0ull
#define CPU_AUTO      UINT64_MAX

/* Servers (net/). */
enum wl_model { MODEL_REQUEST, MODEL_CONNECTION, MODEL_LOOP, MODEL_COROUTINE };
enum wl_spawn { SPAWN_ARRIVAL, SPAWN_NEED };
enum wl_calls { CALLS_SLEEP, CALLS_ONE, CALLS_SEQUENCE, CALLS_PARALLEL };
enum wl_kind { KIND_KERNEL, KIND_USER };
enum wl_mode { MODE_BURST, MODE_CLOSED, MODE_OPEN };
enum wl_arrival { ARRIVAL_RAMP, ARRIVAL_IN_TURN };
enum wl_connect { CONNECT_AUTO, CONNECT_BEFORE, CONNECT_WITH };

struct wl_net_params {
	u64 model, pool, spawn, carriers;
	u64 service_ns, calls, work_ns;
	u64 mode, clients, idle, rate, duration_ns, connect;
	u64 timeout_ns, hostile, apart;
	u64 scale_milli;
	/* cpu-limited */
	u64 cpu_milli, cpu_period_ns, kind, connections, transactions;
	u64 query_ns, query_work_ns, held_work_ns, upstream_ns;
	u64 max_threads, min_spare, max_connections, accept_count; /* admission */
	u64 connect_timeout_ns, arrival, ramp_ns;
	u64 address, port; /* load: of the server; the address in network order */
};

/* All u64, so that one table with offsets can read and write each. */
struct wl_params {
	u64 mechanism, background;
	u64 parked, threads;
	u64 handoffs, warmup, rounds, settle;
	u64 placement, cpu, cpu2, policy;
	u64 bucket, futex_slots;
	u64 stack, stack_touch, guard, huge;
	u64 walk_bytes, walk_pages, fault_pages, stack_walk, gap_ns, find_ns, return_ns;
	u64 raise_sysctls, markers, cgroup_depth;
	u64 stacks, thread_stack, most, coroutines; /* ceiling */
	u64 reach;				    /* chase */
	struct wl_net_params net;
};

/*
 * PARAM_TIME: ns, written "100ms"; PARAM_DECIMAL: thousandths, written "0.5"; PARAM_IPV4: network
 * order, written "127.0.0.1".
 */
enum wl_param_type {
	PARAM_INT,
	PARAM_SIZE,
	PARAM_ENUM,
	PARAM_BOOL,
	PARAM_TIME,
	PARAM_DECIMAL,
	PARAM_IPV4,
};

#define HANDOFF_SHAPES "handoff ring herd"

struct wl_named {
	const char *name;
	u64 value;
};

struct wl_param {
	const char *name;
	enum wl_param_type type;
	size_t off;
	const char *def;
	const struct wl_named *names; /* ends with a NULL name; for numbers: values beside them */
	u64 min, max;
	const char *shapes; /* NULL: all that hand off */
	const char *help;
};

const struct wl_param *params__table(size_t *cnt);
const char *params__type_name(enum wl_param_type type);
/* i-th allowed word of a parameter, NULL after the last. */
const char *params__word(const struct wl_param *p, size_t i);

bool params__applies(const struct wl_param *p, const char *shape);

void params__init(struct wl_params *params, const char *shape);
/* One -P argument: key=value[,key=value]... */
int params__parse(struct wl_params *params, const char *shape, const char *arg);
void params__write(const struct wl_params *params, const char *shape, struct json *j,
		   const char *key);
void params__write_value(const struct wl_param *p, u64 value, struct json *j, const char *key);
u64 params__default(const struct wl_param *p);

/* The candidate nearest to a misspelt word, NULL when none is near. */
const char *nearest__find(const char *word, const char *(*at)(const void *ctx, size_t i),
			  const void *ctx);

#endif
