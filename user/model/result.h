/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was measured, in memory. Filled by an experiment or by the recording file, read by the
 * outputs. Knows neither libbpf nor SQL nor JSON.
 *
 * A result holds cells (points of the experiment); a cell holds rounds (fresh processes: the
 * unit of replication). Figures of a cell are medians over its complete, non-warm-up rounds.
 * All times are ns. Every pointer is owned by the result; wc_result__free() frees all of it.
 */
#ifndef WC_MODEL_RESULT_H
#define WC_MODEL_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/wakecost.h"

/* Ordered key and value strings (parameters of a cell, environment, facts). */
struct wc_kv {
	char *key;
	char *value;
};

struct wc_kvs {
	struct wc_kv *items;
	size_t cnt;
};

/* Distribution as the workload itself saw it: exact quantiles over every handoff. */
struct wc_dist {
	uint64_t count, sum_ns, min_ns, max_ns;
	uint64_t p50_ns, p90_ns, p99_ns;
};

/*
 * A number by which a workload that makes no handoffs describes a round. What it is is told by the
 * workload, and nowhere else.
 */
struct wc_gauge {
	char *name;   /* "latency_p50" */
	char *unit;   /* "ns", "bytes", "1/s", "share" (0..1), "1" */
	char *better; /* "higher", "lower", "" */
	char *group;  /* heading of the table it stands in */
	char *label;  /* of its column; | begins a second line */
	char *help;
};

#define WC_GAUGE_MAX 256

/* One measured run of handoffs inside a round. */
struct wc_phase {
	bool valid;
	double *gauges; /* one for each of the result's, NaN where not measured; NULL: handoffs */
	struct wc_dist handoff;
	uint64_t elapsed_ns, cpu_ns;
	uint64_t csw_voluntary_cnt, csw_involuntary_cnt;
};

struct wc_round {
	unsigned int index; /* 0 is warm-up */
	unsigned int order; /* position of the cell inside the round */
	bool warmup, complete;
	struct wc_phase bare;	/* probes detached */
	struct wc_phase probed; /* probes attached */
	uint64_t parked_cnt;	/* really parked, proven asleep */
	uint64_t
		chain_cnt; /* predicted waiters ahead in the pair's buckets, worst; UINT64_MAX: unknown */
	uint64_t futex_slots; /* 0: global table or unknown */
	/* NULL where empty; handoffs only (both stamps seen) */
	struct wc_hist *hists[WC_CLASS_CNT][WC_METRIC_CNT];
	/* wakes that were no handoff (a contended lock, the runtime's own) */
	struct wc_sum other[WC_CLASS_CNT];
	uint64_t counters[WC_CNT_CNT];
	uint64_t contexts[WC_CTX_CNT];
	struct wc_span spans[WC_SPAN_CNT]; /* of the result's counters, probes attached */
	struct wc_pair *pairs;
	size_t pair_cnt;
};

struct wc_cell {
	struct wc_kvs params; /* "shape" first, then every parameter of the workload */
	size_t asked_cnt; /* the first so many were asked for, the workload filled in the rest */
	struct wc_round *rounds;
	size_t round_cnt;
};

enum wc_status {
	WC_STATUS_EXACT = 0,
	WC_STATUS_MERGED = 1,  /* measured, but only together with a neighbour */
	WC_STATUS_MISSING = 2, /* not measured */
};

/* A row of the stage table: how this kernel gives a stage. */
struct wc_stage_info {
	enum wc_status status;
	char *shown_as; /* name the span goes by: "wait", "select+enqueue" */
	char *probe;	/* "tp_btf/sched_entry_tp"; empty when missing */
	char *why;	/* in the user's words; empty when exact */
};

enum wc_access_pattern {
	WC_ACCESS_BYTES = 0, /* every line of the working set */
	WC_ACCESS_PAGES = 1, /* one line of each page */
	WC_ACCESS_PATTERN_CNT = 2,
};

/* A chase through a working set: ns an access took, and the quartiles of its passes. */
struct wc_access {
	unsigned int pattern;
	bool huge; /* on huge pages */
	uint64_t bytes, lines;
	double ns, q1, q3;
};

struct wc_profile;

struct wc_result {
	char *schema; /* "wakecost.run/1" */
	char *tool_version;
	char *command_line;
	char *shape;
	uint64_t seed;
	uint64_t started_s; /* wall clock, UTC */
	unsigned int rounds_wanted;
	bool interrupted;
	struct wc_kvs params; /* as asked for */
	struct wc_kvs host;   /* kernel, scheduler, cpus, cpu_model, ... in printing order */
	struct wc_stage_info stages[WC_STAGE_CNT];
	struct wc_cell *cells;
	size_t cell_cnt;
	char **warnings;
	size_t warning_cnt;
	/* NULL: handoffs, stamped. Else what is counted ("request"), the first gauge being how many. */
	char *work;
	struct wc_gauge *gauges;
	size_t gauge_cnt;
	struct wc_kvs counters;	    /* read at the boundaries: name, and what it means here */
	struct wc_access *accesses; /* of memory, as `explain` measured them; NULL: not measured */
	size_t access_cnt;
	struct wc_profile *profile; /* what `record` adds; NULL for experiments */
};

struct wc_result *wc_result__new(void); /* NULL: no memory */
void wc_result__free(struct wc_result *r);

/* 0 or -ENOMEM. Keys are unique: a second set replaces the value. */
int wc_kvs__set(struct wc_kvs *kvs, const char *key, const char *value);
int wc_kvs__setf(struct wc_kvs *kvs, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
const char *wc_kvs__get(const struct wc_kvs *kvs, const char *key); /* NULL: absent */
void wc_kvs__free(struct wc_kvs *kvs);

/* 0 or -ENOMEM; the same sentence is kept once. */
int wc_result__warnf(struct wc_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The new, zeroed element (the array may move), or NULL. A cell takes WC_ROUND_MAX rounds. */
#define WC_ROUND_MAX 16384
struct wc_cell *wc_result__add_cell(struct wc_result *r);
struct wc_gauge *wc_result__add_gauge(struct wc_result *r); /* NULL too beyond WC_GAUGE_MAX */
/* Room for the gauges of a phase, all NaN. 0 or -ENOMEM; again is no harm. */
int wc_phase__make_gauges(const struct wc_result *r, struct wc_phase *phase);
struct wc_access *wc_result__add_access(struct wc_result *r);
void wc_result__drop_cell(struct wc_result *r); /* the last one */
struct wc_round *wc_cell__add_round(struct wc_cell *cell);

/* Names as printed and stored; NULL beyond the end. */
const char *wc_stage__name(unsigned int stage);
const char *wc_class__name(unsigned int wake_class);
const char *wc_counter__name(unsigned int counter);
const char *wc_context__name(unsigned int context);
const char *wc_span__name(unsigned int span); /* "find"; the second is "select+enqueue" */
const char *wc_status__name(unsigned int status);
/* Counters that mean something was lost (printed when not zero), and in the user's words what. */
bool wc_counter__is_loss(unsigned int counter);
const char *wc_counter__meaning(unsigned int counter);

#endif
