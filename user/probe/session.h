/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of the probes: open and load once, then attach, read, reset and detach as often as an
 * experiment wants. Only user/probe/ knows libbpf.
 *
 * Functions return 0 or -errno; what the user must know is in wc_session__error(), one sentence
 * that ends with what to do.
 */
#ifndef WC_PROBE_SESSION_H
#define WC_PROBE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "user/model/result.h"

/* Kinds of program, in order of preference. */
enum wc_source {
	WC_SRC_TP_BTF = 0,
	WC_SRC_RAW_TP = 1,
	WC_SRC_FENTRY = 2, /* fentry and fexit */
	WC_SRC_KPROBE = 3, /* kprobe and kretprobe */
	WC_SRC_CNT = 4,
};

const char *wc_source__name(enum wc_source src); /* "tp_btf" */
/* "tp_btf,fentry" -> bits (1u << enum wc_source); -EINVAL on an unknown word. */
int wc_source__parse_list(const char *list, unsigned int *mask);

/* Which wakes are counted. Empty lists and zeroes mean "any". All must hold. */
struct wc_filter {
	const pid_t *tgids; /* wakee's process, in the caller's pid namespace */
	size_t tgid_cnt;
	const pid_t *tids; /* wakee's thread */
	size_t tid_cnt;
	const char *comm;	  /* wakee's name, glob with * at the end only */
	uint64_t cgroup_id;	  /* wakee's cgroup (v2 id) or one below it */
	int cgroup_level;	  /* its depth below the root; -1: not known, and slower */
	uint64_t waker_cgroup_id; /* the waker's */
	int waker_cgroup_level;
	const uint8_t *cpus; /* bit per CPU the wakee ran on; NULL: any */
	size_t cpu_cnt;
	bool follow;	   /* children of these processes too (opts.follow) */
	bool exclude_self; /* not this process; not together with tgids */
};

struct wc_session_opts {
	unsigned int disable_sources; /* bits of enum wc_source */
	bool handoffs;		      /* a workload stamps: histograms are of handoffs */
	bool no_return;		      /* stages without find and return (ignore the stamps) */
	unsigned int pair_max;	      /* 0: default 65536 */
	unsigned int event_bytes;     /* ring buffer of single wakes; 0: none */
	unsigned int event_every;     /* sample one wake in so many */
	bool record;		      /* blocked time, histograms of pairs, and what follows */
	bool syscalls;		      /* find and return from system calls: all tasks pay */
	bool follow;		      /* children can be followed */
	unsigned int stack_every;     /* stacks of one wake in so many; 0: none */
	uint64_t slow_ns;	      /* .. and of every wake this slow; 0: of no other */
	unsigned int stack_max;	      /* 0: default 16384 */
	unsigned int chain_max;	      /* 0: default 16384 */
	bool unwind;		      /* user stacks by hints as well; false where they cannot be */
	const struct wc_kvs *counters; /* to read at the boundaries (wc_pmu__parse); NULL: none */
	bool all_boundaries;	       /* doctor: also those that nothing above asks for */
	bool empty;		       /* bench: same programs, empty */
	bool clock_only;	       /* bench: same programs, one clock read each */
};

/* How one boundary is had on this kernel. */
struct wc_boundary_info {
	const char *name; /* "sched_waking" */
	bool have;
	enum wc_source source;
	const char *program; /* "tp_btf/sched_waking"; "" when missing */
	const char *why;     /* why missing, or why not a better source; "" otherwise */
};

struct wc_session;

/* Opens and loads. *out is set even on error so that its error can be read; free it either way. */
int wc_session__open(const struct wc_session_opts *opts, struct wc_session **out);
void wc_session__free(struct wc_session *s); /* NULL allowed; detaches */
const char *wc_session__error(const struct wc_session *s);

int wc_session__set_filter(struct wc_session *s, const struct wc_filter *filter);
int wc_session__attach(struct wc_session *s);
void wc_session__detach(struct wc_session *s);
int wc_session__reset(struct wc_session *s); /* zero all that was counted */
/* Adds what was counted since the reset to a round: histograms, counters, pairs. */
int wc_session__read(struct wc_session *s, struct wc_round *round);

int wc_session__stamp_fd(const struct wc_session *s); /* for the workload to mmap */
/* Single wakes sampled so far; fn is called for each. Returns how many, or -errno. */
int wc_session__events(struct wc_session *s, void (*fn)(void *ctx, const struct wc_event *e),
		       void *ctx);

/*
 * With opts.record, after detach. Ids of stacks and indices of pairs are those of this window
 * (pairs: of the round that wc_session__read() filled first). fn returns 0 to go on.
 */
int wc_session__tasks(struct wc_session *s, int (*fn)(void *ctx, const struct wc_task_out *t),
		      void *ctx);
int wc_session__chains(struct wc_session *s,
		       int (*fn)(void *ctx, const struct wc_chain_key *key,
				 const struct wc_chain_sums *sums),
		       void *ctx);
/* Addresses, leaf first, and a 0 where a walk by hints knew its end; their number (0: no such stack), or -errno. */
int wc_session__stack(struct wc_session *s, unsigned int id, uint64_t ips[WC_STACK_DEPTH]);
/*
 * With opts.unwind, while attached: fn is called for each address met without a hint, once, until
 * it returns non-zero; what is left then comes next time. 0 or -errno.
 */
int wc_session__hints_asked(struct wc_session *s, int (*fn)(void *ctx, const struct wc_hint_ask *a),
			    void *ctx);
/* Also for an address that was not asked for. */
int wc_session__hint(struct wc_session *s, const struct wc_hint_key *key, const struct wc_hint *h);
bool wc_session__has_hint(const struct wc_session *s, const struct wc_hint_key *key);
/* As if never asked. */
void wc_session__unhint(struct wc_session *s, const struct wc_hint_key *key);
/* Whether one found no place; then none is asked for until this has made some: all go that say
 * nothing, and those that fn says true of. */
bool wc_session__hints_full(const struct wc_session *s);
int wc_session__hints_drop(struct wc_session *s, bool (*fn)(void *ctx, uint64_t space), void *ctx);

/* hists: as in struct wc_pair. */
int wc_session__pair_hists(struct wc_session *s, unsigned int hists, struct wc_pair_hists *out);
/* Sums of one stage (or WC_METRIC_TOTAL) on one CPU, over kinds of wake but timed ones
 * and first runs. */
int wc_session__cpu_sum(struct wc_session *s, unsigned int cpu, unsigned int metric,
			struct wc_sum *out);
unsigned int wc_session__cpu_cnt(const struct wc_session *s); /* possible ones */
const struct wc_session_opts *wc_session__opts(const struct wc_session *s);

/* Valid after open. */
size_t wc_session__boundary_cnt(const struct wc_session *s);
const struct wc_boundary_info *wc_session__boundary(const struct wc_session *s, size_t i);
/* The stage table of this kernel: strings are allocated into the rows. */
int wc_session__stages(const struct wc_session *s, struct wc_stage_info rows[WC_STAGE_CNT]);
uint64_t wc_session__map_bytes(const struct wc_session *s); /* kernel memory of all maps */

#endif
