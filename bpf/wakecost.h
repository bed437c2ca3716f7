/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The only contract between the probes and the user side: names of stages, kinds of wake and
 * counters, and the layout of every map value. Plain C types, 64-bit aligned. Enumerations only
 * grow at their end: their values are stored in recordings.
 */
#ifndef WAKECOST_H
#define WAKECOST_H

#include "hist.h"

/*
 * Stages of a wake, in order (docs/method.md). A span whose inner boundary this kernel cannot
 * give is kept under its first stage; the session says which names it stands for.
 */
enum wc_stage {
	WC_STAGE_FIND = 0,    /* call that wakes .. sched_waking */
	WC_STAGE_SELECT = 1,  /* sched_waking .. CPU chosen */
	WC_STAGE_SEND = 2,    /* queued to another CPU .. handled there */
	WC_STAGE_ENQUEUE = 3, /* .. sched_wakeup */
	WC_STAGE_WAIT = 4,    /* sched_wakeup .. scheduler entered on the target CPU */
	WC_STAGE_PICK = 5,    /* .. sched_switch */
	WC_STAGE_SWITCH = 6,  /* .. back in the wakee, in the kernel */
	WC_STAGE_RETURN = 7,  /* .. the call that slept has returned */
	WC_STAGE_CNT = 8,
};

/* What histograms are kept of: every stage, then the whole. */
enum wc_metric {
	WC_METRIC_TOTAL = WC_STAGE_CNT,
	WC_METRIC_CNT = WC_STAGE_CNT + 1,
};

/* Kinds of wake; each wake is of exactly one. */
enum wc_class {
	WC_CLASS_LOCAL = 0,    /* selected and enqueued by the waker itself */
	WC_CLASS_DELAYED = 1,  /* still queued by delayed dequeue: no selection, no real enqueue */
	WC_CLASS_REMOTE = 2,   /* handed to the target CPU, which enqueued it */
	WC_CLASS_RACED = 3,    /* wakee was still leaving its CPU */
	WC_CLASS_MIGRATED = 4, /* ran on another CPU than the one it was enqueued on */
	WC_CLASS_NEW = 5,      /* first run of a new task */
	WC_CLASS_TIMED = 6,    /* its own timer ended the sleep: counted, not in the main table */
	WC_CLASS_CNT = 7,
};

/* Who called: from preempt_count, not from current. */
enum wc_context {
	WC_CTX_TASK = 0,
	WC_CTX_SOFTIRQ = 1,
	WC_CTX_HARDIRQ = 2,
	WC_CTX_NMI = 3,
	WC_CTX_TIMER = 4, /* a timer's callback, in either kind of interrupt */
	WC_CTX_CNT = 5,
};

/* Everything counted that is not a measured wake. Lost and odd things included: no silent drop. */
enum wc_counter {
	WC_CNT_WAKING = 0,	    /* sched_waking of a wanted wakee */
	WC_CNT_COMPLETED = 1,	    /* .. that was followed to its end */
	WC_CNT_HANDOFF = 2,	    /* .. with both stamps of one handoff */
	WC_CNT_NOOP = 3,	    /* not a wake: the wakee had not slept */
	WC_CNT_PREEMPTED = 4,	    /* not a wake: a runnable task went on */
	WC_CNT_CENSORED_START = 5,  /* switched in from sleep, its sched_waking before the window */
	WC_CNT_SUPERSEDED = 6,	    /* a second sched_waking before the first had run */
	WC_CNT_CLOCK_BACKWARDS = 7, /* a stage that came out negative; that wake is not added */
	WC_CNT_NO_STORAGE = 8,	    /* no memory for a task's record: lost */
	WC_CNT_NO_PAIR = 9,	    /* pair table full: in the totals, not in the pairs */
	WC_CNT_NO_WAKEUP = 10,	    /* ran without its sched_wakeup having been seen: lost */
	WC_CNT_NO_ENTRY = 11,	    /* scheduler entry not seen: its pick is inside wait */
	WC_CNT_NO_EXIT = 12,	    /* scheduler exit not seen: its return is inside switch */
	WC_CNT_NO_CHOSEN =
		13,	      /* "CPU chosen" overwritten before it was read: send inside enqueue */
	WC_CNT_NO_EVENT = 14, /* single wakes not sampled: ring buffer full */
	WC_CNT_SAME_CPU = 15, /* ran where it had last run */
	WC_CNT_WAKER_CPU = 16,	  /* ran on its waker's CPU */
	WC_CNT_TASK_SEEN = 17,	  /* tasks given a record */
	WC_CNT_NO_SLOT = 18,	  /* wanted tasks without a stamp slot */
	WC_CNT_OTHER_CPU = 19,	  /* ran on a CPU that was not asked for */
	WC_CNT_RECURSION = 20,	  /* events not seen: their program was running already */
	WC_CNT_STACK_FULL = 21,	  /* stacks not kept: table full */
	WC_CNT_STACK_FAILED = 22, /* stacks that could not be walked */
	WC_CNT_CHAIN_FULL = 23,	  /* paths not kept: table full */
	WC_CNT_CNT = 24,
};

/* Sum of a stage over wakes. */
struct wc_sum {
	unsigned long long count;
	unsigned long long sum; /* ns */
};

/*
 * What counters (cycles, misses, page faults) are counted in: stages as far as both ends are on one
 * CPU, and what the threads meant run between their system calls. Numbers are not stored.
 */
enum wc_span_of {
	WC_SPAN_FIND = 0,   /* system call entered .. sched_waking */
	WC_SPAN_SELECT = 1, /* .. sched_wakeup: select and enqueue */
	WC_SPAN_WAIT = 2,   /* .. scheduler entered */
	WC_SPAN_PICK = 3,   /* .. sched_switch */
	WC_SPAN_SWITCH = 4, /* .. back in the wakee, in the kernel */
	WC_SPAN_RETURN = 5, /* .. system call left */
	WC_SPAN_USER = 6,   /* system call left .. the next entered */
	WC_SPAN_CNT = 7,
};

#define WC_PMU_MAX 4

struct wc_span {
	unsigned long long count;	     /* spans counted */
	unsigned long long discarded;	     /* a counter was shared with others meanwhile */
	unsigned long long failed;	     /* a counter could not be read */
	unsigned long long sums[WC_PMU_MAX]; /* by counter */
};

/*
 * One waker and wakee. Written only when the wakee leaves its CPU, so never by two CPUs at once.
 * A waker that is an interrupt has tid 0 and its context.
 */
struct wc_pair_key {
	unsigned int waker_tid;
	unsigned int waker_context; /* enum wc_context */
	unsigned int wakee_tid;
	unsigned int wakee_gen; /* generation of the wakee's record: tids are reused */
};

struct wc_pair {
	struct wc_pair_key key;
	unsigned int waker_tgid;
	unsigned int wakee_tgid;
	char waker_comm[16];
	char wakee_comm[16];
	unsigned long long wakes[WC_CLASS_CNT];
	unsigned long long handoff_cnt;
	struct wc_sum total; /* of handoffs; where there are no stamps, of wakes */
	struct wc_sum stages[WC_STAGE_CNT];
	struct wc_sum blocked;	    /* asleep before these wakes */
	unsigned long long last_ns; /* of the last wake; the names are as they were then */
	unsigned int hists;	    /* index + 1 of its histograms; 0: none */
	unsigned int reserved;
};

/*
 * Histograms of a pair: every stage, then the whole. They are large, and most pairs have met once or
 * twice (a thread and its maker): a pair is given some with its fourth wake, which is the first in
 * them.
 */
#define WC_PAIR_HISTS_AFTER 3
struct wc_pair_hists {
	struct wc_phist metrics[WC_METRIC_CNT];
};

#define WC_STACK_DEPTH 127

/*
 * A stack, kept once. Empty: hash 0. Not to be read before ready. A last address of 0 says that
 * the walk knew where it ended.
 */
struct wc_stack_slot {
	unsigned long long hash;
	unsigned int cnt;   /* addresses, leaf first */
	unsigned int ready; /* 1 */
	unsigned long long ips[WC_STACK_DEPTH];
};

/* Ids of stacks: slot + 1; 0 where there is none to be had. */
#define WC_STACK_LOST	   0xffffffffu /* not kept, or could not be walked: counted */
#define WC_STACK_NOT_TAKEN 0xfffffffeu /* waker of a wake that only afterwards proved slow */

/*
 * How to leave the frame of one instruction, where the frame pointer does not say. Kept by
 * address and by address space (a number of the kernel's that no other ever gets), so that
 * neither a new program in an old process nor a new process with an old number is misled.
 */
enum wc_hint_kind {
	WC_HINT_FP = 0,	 /* by the frame pointer; with a cfa_off of 0: not known (yet) */
	WC_HINT_SP = 1,	 /* the caller's frame begins at sp + cfa_off */
	WC_HINT_BP = 2,	 /* .. at bp + cfa_off */
	WC_HINT_END = 3, /* nobody called it */
};

struct wc_hint_key {
	unsigned long long ip;
	unsigned long long space;
};

/* Eight bytes, read in one piece. */
struct wc_hint {
	int cfa_off;
	short bp_words;	     /* where the caller's bp is, from there; 0: still in its register */
	unsigned short kind; /* enum wc_hint_kind */
};

/* Sent once for each address met without a hint, with the registers of its frame. */
struct wc_hint_ask {
	struct wc_hint_key key;
	unsigned long long sp, bp;
	unsigned long long stack_start; /* of the address space, as /proc/PID/stat tells it */
	unsigned int tgid;
	unsigned int leaf; /* 1: where the thread is; 0: a return address */
};

struct wc_chain_key {
	unsigned int pair; /* index + 1; 0: the pair table was full */
	unsigned int waker_kernel, waker_user;
	unsigned int wakee_kernel, wakee_user;
	unsigned int reserved;
};

/* Weighted: a wake taken one in K counts K. */
struct wc_chain_sums {
	unsigned long long taken_cnt; /* wakes really taken */
	unsigned long long weight;
	unsigned long long total_ns;
	unsigned long long blocked_ns;
	unsigned long long stage_ns[WC_STAGE_CNT];
};

/* What a walk over the tasks at the end says of each one that was meant. */
struct wc_task_out {
	unsigned int tid, tgid, ns_tid;
	unsigned int kernel_thread, asleep; /* 0 or 1 */
	unsigned int woken;		    /* sched_waking seen, not yet run */
	unsigned long long since_ns; /* of the sleep or the wake; 0: since before the window */
	unsigned long long switched_in_cnt;
	char comm[16], process[16];
};

/* One sampled wake, as sent through the ring buffer. Boundaries not seen are 0. */
enum wc_boundary {
	WC_BND_CALL = 0,
	WC_BND_WAKING = 1,
	WC_BND_CHOSEN = 2,
	WC_BND_HANDLED = 3,
	WC_BND_WAKEUP = 4,
	WC_BND_ENTRY = 5,
	WC_BND_SWITCH = 6,
	WC_BND_EXIT = 7,
	WC_BND_RETURN = 8,
	WC_BND_CNT = 9,
};

struct wc_event {
	unsigned long long at_ns[WC_BND_CNT]; /* CLOCK_MONOTONIC */
	unsigned int waker_tid, waker_tgid;
	unsigned int wakee_tid, wakee_tgid;
	unsigned int waker_cpu, prev_cpu, chosen_cpu, ran_cpu;
	unsigned int wake_class; /* enum wc_class */
	unsigned int context;	 /* enum wc_context */
};

#endif
