/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the session_*.c files and nobody else. */
#ifndef WC_PROBE_SESSION_INTERNAL_H
#define WC_PROBE_SESSION_INTERNAL_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "user/probe/session.h"
#include "user/probe/sources.h"
#include "wakecost.skel.h"

#define WC_LINK_MAX	     24
#define WC_PAIR_MAX_DEFAULT  65536
#define WC_PAIR_MAX_RECORD   32768
#define WC_PAIR_HISTS_MIN    4096 /* of so many pairs, if there can be as many; 9 KiB each */
#define WC_PAIR_HISTS_PART   8	  /* .. and of one in so many */
#define WC_STACK_MAX_DEFAULT 16384
#define WC_CHAIN_MAX_DEFAULT 16384
#define WC_RECS_BY_TID_MAX   131072
#define WC_HINT_MAX	     65536
#define WC_HINT_ASKED_BYTES  (256u << 10)

struct wc_bound_state {
	const struct wc_candidate *chosen; /* NULL: not to be had */
	bool refused[WC_CANDIDATE_MAX];
	char why[256]; /* why the best one that was refused was refused */
	size_t why_cand;
	struct wc_boundary_info info;
};

struct wc_session {
	struct wc_session_opts opts;
	struct wakecost_bpf *skel;
	struct wc_bound_state bounds[WC_BOUND_CNT];
	struct bpf_link *links[WC_LINK_MAX];
	size_t link_cnt;
	struct ring_buffer *ring;
	struct ring_buffer *asked; /* addresses without a hint */
	int (*ask_fn)(void *ctx, const struct wc_hint_ask *a);
	void *ask_ctx;
	void (*event_fn)(void *ctx, const struct wc_event *e);
	void *event_ctx;
	int *counter_fds; /* a counter counts as long as its descriptor is open */
	size_t counter_fd_cnt;
	unsigned int cpu_cnt; /* possible */
	long preempt_dist;    /* from a run queue to preempt_count; 0: unknown */
	uint64_t recursion_base;
	char *kallsyms;
	char load_failed[64]; /* program the verifier refused, from libbpf's own words */
	char error[512];
};

/* Formats the session's error and returns err. */
int session__fail(struct wc_session *s, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* session_load.c */
int session__choose_and_load(struct wc_session *s);
/* session.c: one try; on failure names the candidate to give up in *bound, *cand (or -1). */
int session__attach_all(struct wc_session *s, int *bad_bound);

/* The front of struct wc_cpu in bpf/state.bpf.h, in the same order. */
struct wc_cpu_view {
	uint64_t counters[WC_CNT_CNT];
	uint64_t contexts[WC_CTX_CNT];
	struct wc_sum other[WC_CLASS_CNT];
	uint64_t sums[WC_CLASS_CNT * WC_METRIC_CNT];
};

/* session_read.c */
int session__cpu_view(struct wc_session *s, unsigned int cpu, struct wc_cpu_view *out);

/* session_record.c */
int session__reset_record(struct wc_session *s);

/* Makes the records of the tasks there are. What fails is made, or counted, at the task's wake. */
void session__prepare_tasks(struct wc_session *s);

/* session_pmu.c: nothing where no counters are asked for. */
int session__size_counters(struct wc_session *s); /* before load */
int session__open_counters(struct wc_session *s); /* after; fails with the sentence set */
void session__close_counters(struct wc_session *s);
int session__reset_counters(struct wc_session *s);
int session__read_counters(struct wc_session *s, struct wc_round *round);

/* session_unwind.c: can these probes walk user stacks themselves? */
bool session__can_unwind(void);

uint64_t session__recursion_misses(const struct wc_session *s);

#endif
