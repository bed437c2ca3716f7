/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where each boundary of a wake can be had from, in order of preference. Adding a source is one
 * row in sources.c and one entry point in bpf/wakecost.bpf.c.
 */
#ifndef WC_PROBE_SOURCES_H
#define WC_PROBE_SOURCES_H

#include "user/probe/session.h"

#define WC_CANDIDATE_PROG_MAX 6
#define WC_CANDIDATE_MAX      6

/* One way to have a boundary: all of its programs, or none. */
struct wc_candidate {
	enum wc_source source;
	const char *shown;			  /* "tp_btf/sched_waking"; NULL: end of list */
	const char *progs[WC_CANDIDATE_PROG_MAX]; /* names in the BPF object */
	const char *tps[WC_CANDIDATE_PROG_MAX];	  /* tracepoints it needs */
	int switch_args;			  /* sched_switch must have so many; 0: any */
	const char *funcs[WC_CANDIDATE_PROG_MAX]; /* functions it needs, by exact name */
	const char *suffixed; /* kprobe on this name, or on it with .isra.N or .constprop.N */
	bool partial;	      /* CPU chosen: for remote wakes only */
	bool iterator;	      /* loaded, and read instead of attached */
};

enum wc_boundary_id {
	WC_BOUND_CORE = 0, /* sched_waking, sched_wakeup, sched_wakeup_new, sched_switch */
	WC_BOUND_CHOSEN = 1,
	WC_BOUND_HANDLED = 2,
	WC_BOUND_ENTRY = 3,
	WC_BOUND_EXIT = 4,
	WC_BOUND_TIMERS = 5,
	WC_BOUND_SYSCALLS = 6,
	WC_BOUND_FOLLOW = 7,
	WC_BOUND_TASKS = 8,
	WC_BOUND_AHEAD = 9,
	WC_BOUND_CNT = 10,
};

struct wc_boundary_def {
	const char *name;
	bool required;
	struct wc_candidate candidates[WC_CANDIDATE_MAX];
};

extern const struct wc_boundary_def wc_boundaries[WC_BOUND_CNT];

/*
 * The symbol a kprobe can be set on: name itself, or name.isra.N / name.constprop.N; never
 * .cold, .part or __pfx_. list is the text of kallsyms. 0, or -ENOENT.
 */
int wc_symbol__resolve(const char *list, const char *name, char *out, size_t sz);

/* Stage table from what is had: chosen[i] is the candidate in use, or NULL. */
/* record: find and return are of system calls where those are had; else they are of stamps. */
int wc_sources__stages(const struct wc_candidate *const chosen[WC_BOUND_CNT],
		       const char *const why[WC_BOUND_CNT], bool record,
		       struct wc_stage_info rows[WC_STAGE_CNT]);

#endif
