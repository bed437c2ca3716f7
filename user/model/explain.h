/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What grew, why, and how sure: the conclusion of an `explain` experiment, computed from its cells
 * alone, so that a recording gives it again. docs/method.md says why it may be believed.
 *
 * Cells carry a parameter ".role" (not passed to the workload) that says what each is for.
 */
#ifndef WC_MODEL_EXPLAIN_H
#define WC_MODEL_EXPLAIN_H

#include "user/model/effect.h"
#include "user/model/memory.h"

#define WC_EXPLAIN_SCHEMA "wakecost.explain/1"
#define WC_ROLE_KEY	  ".role"

/* Roles; axes have several cells, told apart by the parameter in brackets. */
#define WC_ROLE_BASE	   "base"	     /* nobody parked */
#define WC_ROLE_AGAIN	   "base-again"	     /* the same: the noise floor */
#define WC_ROLE_SUBJECT	   "subject"	     /* [parked] in the way asked about */
#define WC_ROLE_TASKS	   "tasks"	     /* [parked] in pause(): they only exist */
#define WC_ROLE_SLOTS_UP   "slots-up"	     /* the largest subject, with many futex slots */
#define WC_ROLE_SLOTS_HALF "slots-half"	     /* .. with half as many as it has by itself */
#define WC_ROLE_MECHANISM  "other-mechanism" /* .. handing off without a futex */
#define WC_ROLE_MECH_BASE  "other-mechanism-base"
#define WC_ROLE_ONE_OTHER  "one-futex-other" /* all on one futex, in another bucket */
#define WC_ROLE_ONE_PAIR   "one-futex-pair"  /* .. in the pair's */
#define WC_ROLE_COROUTINE  "coroutine"	     /* [parked] the kernel sees one thread */
#define WC_ROLE_STACK	   "stack"	     /* [stack] size of the parked ones' stacks */
#define WC_ROLE_RING	   "ring"	     /* [threads] each wakee cold */
#define WC_ROLE_RING_PAGES "ring-pages"	     /* .. and touching stack pages of its own */
#define WC_ROLE_RING_HUGE  "ring-huge"	     /* .. those on huge pages */
#define WC_ROLE_CGROUP	   "cgroup"	     /* [cgroup_depth] the pair in nested groups */
#define WC_ROLE_RUNNABLE   "runnable"	     /* [parked] spinners */
#define WC_ROLE_TIMED	   "timed"	     /* [parked] asleep with a timer each */
#define WC_ROLE_PROCESS	   "process"	     /* [parked] processes */
#define WC_ROLE_BYTES	   "bytes"	     /* [walk_bytes] touched between handoffs */
#define WC_ROLE_PAGES	   "pages"	     /* [walk_pages] likewise */
#define WC_ROLE_READ	   "read"	     /* nobody parked, the pair reads from pipes */
#define WC_ROLE_READ_CROSS "read-cross"	     /* .. on two CPUs */
#define WC_ROLE_SPIN	   "spin"	     /* .. where it spins instead */

enum wc_cause {
	WC_CAUSE_TASKS = 0,  /* the mere existence of more tasks */
	WC_CAUSE_WAITER = 1, /* selection: which waiter */
	WC_CAUSE_CPU = 2,    /* selection: which CPU */
	WC_CAUSE_NEXT = 3,   /* selection: which next task */
	WC_CAUSE_COLD = 4,   /* cache and TLB: wait, switch and return, where nothing is chosen */
	WC_CAUSE_NONE = 5,   /* not explained */
	WC_CAUSE_CNT = 6,
};

const char *wc_cause__name(unsigned int cause);	 /* "which waiter" */
const char *wc_cause__group(unsigned int cause); /* "selection" */

/* Growth at one number of parked, and what it is made of. */
struct wc_level {
	uint64_t parked;
	struct wc_effect handoff; /* p50, not a difference */
	struct wc_effect growth;  /* over base */
	struct wc_effect causes[WC_CAUSE_CNT];
	struct wc_effect stages[WC_STAGE_CNT]; /* p50s, no differences */
	struct wc_effect stage_growth[WC_STAGE_CNT];
	uint64_t chain; /* predicted waiters ahead, median of rounds; UINT64_MAX: unknown */
};

/* A difference along an axis of its own: "ring 4,096 against 2". */
struct wc_contrast {
	const char *role;
	char what[96]; /* in the reader's words */
	uint64_t x;    /* value of the axis */
	struct wc_effect handoff, growth;
	struct wc_effect stages[WC_STAGE_CNT];
	/*
	 * Of what only caches and TLBs can cost: how many accesses to this level make the growth, and
	 * to each other one; NAN: not calibrated, or the growth is something else's.
	 */
	unsigned int worth_level;
	double worth[WC_MEM_CNT];
};

enum wc_check_result {
	WC_CHECK_PASSED = 0,
	WC_CHECK_FAILED = 1,
	WC_CHECK_UNDECIDED = 2, /* too few rounds, or too much noise */
	WC_CHECK_NOT_RUN = 3,	/* its cells could not be had here */
};

struct wc_check {
	char what[128];
	char saw[256];
	enum wc_check_result result;
};

#define WC_CHECK_MAX	16
#define WC_CONTRAST_MAX 64
#define WC_VERDICT_MAX	12

struct wc_explain {
	unsigned int rounds;   /* complete ones of the base cell */
	struct wc_effect base; /* p50 of the handoff with nobody parked */
	struct wc_effect base_stages[WC_STAGE_CNT];
	struct wc_effect noise;	    /* base against itself */
	double noise_floor_ns;	    /* largest |difference| its interval allows */
	struct wc_effect tool_cost; /* mean of all handoffs, probes on against off, at base */
	struct wc_level *levels;    /* ascending */
	size_t level_cnt;
	struct wc_slope slope; /* ns per parked task */
	struct wc_slope stage_slopes[WC_STAGE_CNT];
	double slope_rest;	     /* slope less the sum of its stages' */
	struct wc_effect per_waiter; /* ns a waiter ahead costs, from one-futex-pair */
	double predicted_slope;	     /* per_waiter x (chain / parked) at the top; 0: not known */
	bool has_memory;
	struct wc_memory memory; /* calibration */
	struct wc_contrast contrasts[WC_CONTRAST_MAX];
	size_t contrast_cnt;
	struct wc_check checks[WC_CHECK_MAX];
	size_t check_cnt;
	unsigned int rounds_needed;	/* further ones for a verdict; 0: enough */
	char *verdicts[WC_VERDICT_MAX]; /* sentences; owned */
	size_t verdict_cnt;
};

/* NULL when r is no such experiment, or has no complete base; errno says which (EINVAL, ENODATA). */
struct wc_explain *wc_explain__of(const struct wc_result *r);
void wc_explain__free(struct wc_explain *e);

const char *wc_check_result__name(unsigned int result);
/* What to type to have the experiment again, so many rounds of it; free() it. NULL: no memory. */
char *wc_explain__command(const struct wc_result *r, unsigned int rounds);

#endif
