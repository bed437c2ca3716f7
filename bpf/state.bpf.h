/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * State between events. What belongs to a sleeping wakee is in its task's record; what belongs
 * to a CPU, or to the task now running on it, is in that CPU's slot of an array. A task cannot
 * change its CPU between its switch-in and its switch-out, so the record of the wake that put it
 * there moves to the CPU at switch-in and is settled from there: one storage lookup a switch.
 */
#ifndef WAKECOST_STATE_BPF_H
#define WAKECOST_STATE_BPF_H

#include "bpf/compat.bpf.h"
#include "bpf/stamp.h"
#include "bpf/wakecost.h"

#define WC_HIST_CNT (WC_CLASS_CNT * WC_METRIC_CNT)

/* Where a task's record stands. */
enum wc_phase {
	WC_REC_IDLE = 0,   /* no wake under way */
	WC_REC_WAKING = 1, /* sched_waking seen */
	WC_REC_WOKEN = 2,  /* sched_wakeup seen */
	WC_REC_RESUME = 3, /* ran, and was preempted before its call had returned */
};

#define WC_SLOT_UNKNOWN 0u	    /* slots are kept as index + 1 */
#define WC_SLOT_NONE	0xffffffffu /* looked for and not there */

/* One wake on its way. */
struct wc_wake {
	u64 call_id; /* 0: not inside a stamped call */
	u64 at_ns[WC_BND_CNT];
	u32 phase;
	u32 wake_class;
	u32 context;
	u32 waker_tid, waker_tgid;
	u32 waker_cpu, prev_cpu, chosen_cpu;
	u32 waker_kernel, waker_user; /* stacks */
	u32 wakee_kernel, wakee_user;
	u32 cohort;			      /* one of those that stand for all */
	u64 blocked_ns;			      /* the sleep it ends; 0: from before the window */
	u64 waker_taking_ns, wakee_taking_ns; /* of these times, spent on taking the stacks */
	u64 seq;			      /* number of this waking on its waker's CPU */
	char waker_comm[16];
};

struct wc_rec {
	struct wc_wake wake;
	u32 gen;  /* of the window: a record from before the last reset is stale */
	u32 slot; /* stamp slot + 1 */
	u32 rec_id;
	/* the pair last used, so that a steady waker costs no hash lookup */
	u32 pair_waker_tid, pair_context;
	u32 pair_idx; /* index + 1; 0: none */
	u32 tid;
	u32 seen;    /* woken or switched in since the window opened */
	u32 wakes;   /* counted for the cohort */
	u32 suspect; /* its last wake was slow: take the next waker's stack */
	u64 off_ns;  /* fell asleep; 0: before the window, or not asleep */
	u64 call_ns; /* preempted inside a system call entered then */
	u64 switched_in_cnt;
};

/*
 * "CPU chosen" is seen on the waker's CPU but needed on the wakee's: a short ring by waking
 * number, so that one call that wakes many loses none of them.
 */
#define WC_CHOSEN_CNT 128u

struct wc_chosen {
	u64 seq;
	u64 at_ns;
};

struct wc_cpu {
	/* read by the user side: keep in front, in this order */
	u64 counters[WC_CNT_CNT];
	u64 contexts[WC_CTX_CNT];
	struct wc_sum other[WC_CLASS_CNT];
	u64 sums[WC_HIST_CNT]; /* of the histograms, by their key */

	u64 entry_ns;	/* scheduler entered; 0: not since the last switch */
	u64 handled_ns; /* last time this CPU took over wakes sent to it */
	u64 preempt_at; /* this CPU's preempt_count */
	u64 seq;	/* wakings made here */
	u32 in_timer;	/* bit per enum wc_context: a timer's callback runs in it */
	u32 in_timeout; /* .. one that ends a sleep */
	u64 scratch;
	/* the running task and the wake that put it here */
	u32 run_tid; /* 0: not one of ours */
	u32 run_slot;
	u32 run_live; /* run below is to be settled */
	u32 run_rec_id;
	u32 run_pair_waker_tid, run_pair_context, run_pair_idx;
	u32 run_suspect;
	char run_comm[16]; /* as it leaves */
	u64 call_ns;	   /* the running task's system call; 0: none */
	struct wc_wake run;
	struct wc_chosen chosen[WC_CHOSEN_CNT];
};

/* Knobs fixed at load. */
enum wc_mode {
	WC_MODE_FULL = 0,
	WC_MODE_EMPTY = 1, /* bench: the programs and nothing in them */
	WC_MODE_CLOCK = 2, /* bench: one clock read each */
};

const volatile __u32 cfg_mode = WC_MODE_FULL;
const volatile bool cfg_handoffs = false;     /* histograms are of stamped handoffs */
const volatile bool cfg_stamps = false;	      /* read the stamp page */
const volatile bool cfg_select_exact = false; /* "CPU chosen" is seen for local wakes too */
const volatile bool cfg_have_entry = false, cfg_have_exit = false;
const volatile __u32 cfg_event_every = 0; /* sample one wake in so many; 0: none */
const volatile __u32 cfg_pair_max = 1;
const volatile __u32 cfg_pair_hists_max = 1;
const volatile __u32 cfg_cpu_max = 1;

const volatile bool cfg_record = false;	  /* blocked time, and histograms of pairs */
const volatile bool cfg_syscalls = false; /* find and return from system calls */
const volatile __u32 cfg_stack_every = 0; /* take the stacks of one wake in so many; 0: none */
const volatile __u64 cfg_slow_ns = 0;	  /* .. and of every wake this slow; 0: of no other */
const volatile __u32 cfg_stack_mask = 0;  /* slots of the stack table - 1 */

/* Knobs that change between windows. */
__u32 cfg_gen = 1;
__u32 pair_next = 0;
__u32 rec_next = 0;
__u32 pair_hists_next = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* possible CPUs, set before load */
	__type(key, u32);
	__type(value, struct wc_cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wc_rec);
} recs SEC(".maps");

/* In place of task storage where only raw_tp is to be had: by thread id, removed at exit. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set before load when used */
	__type(key, u32);
	__type(value, struct wc_rec);
} recs_by_tid SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, WC_STAMP_SLOT_CNT);
	__type(key, u32);
	__type(value, struct wc_stamp_slot);
} stamps SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WC_HIST_CNT);
	__type(key, u32);
	__type(value, struct wc_hist);
} hists SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* cfg_pair_max */
	__type(key, struct wc_pair_key);
	__type(value, u32);
} pair_idx SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* cfg_pair_max */
	__type(key, u32);
	__type(value, struct wc_pair);
} pairs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* set before load when used */
} events SEC(".maps");

static __always_inline struct wc_cpu *cpu__this(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &cpu);
}

/*
 * A typed pointer as a plain number, which is what a function that the verifier checks on its own
 * takes. Through memory, as the verifier lets no arithmetic do it; interrupts are off in every
 * caller.
 */
static __always_inline u64 task__addr(struct task_struct *p, struct wc_cpu *c)
{
	*(volatile u64 *)&c->scratch = (u64)p;
	return *(volatile u64 *)&c->scratch;
}

/* A new window makes every record blank again, without a walk over the tasks. */
static __always_inline struct wc_rec *rec__fresh(struct wc_rec *r, struct wc_cpu *c,
						 struct task_struct *p, bool raw)
{
	if (!r || r->gen == cfg_gen)
		return r;
	r->gen = cfg_gen;
	r->wake.phase = WC_REC_IDLE;
	r->slot = WC_SLOT_UNKNOWN;
	r->rec_id = __sync_fetch_and_add(&rec_next, 1) + 1;
	r->pair_idx = 0;
	r->seen = 0;
	r->suspect = 0;
	r->off_ns = 0;
	r->call_ns = 0;
	r->switched_in_cnt = 0;
	r->wakes = r->rec_id * 2654435761u >> 8; /* threads take their turns at different times */
	r->tid = WC_READ(raw, p, pid);
	c->counters[WC_CNT_TASK_SEEN]++;
	return r;
}

static __always_inline struct wc_rec *rec__get(struct task_struct *p, struct wc_cpu *c, bool raw)
{
	if (raw) {
		u32 tid = BPF_CORE_READ(p, pid);

		return rec__fresh(bpf_map_lookup_elem(&recs_by_tid, &tid), c, p, raw);
	}
	return rec__fresh(bpf_task_storage_get(&recs, p, 0, 0), c, p, raw);
}

static __always_inline struct wc_rec *rec__make(struct task_struct *p, struct wc_cpu *c, bool raw)
{
	struct wc_rec *r;

	if (raw) {
		static const struct wc_rec blank;
		u32 tid = BPF_CORE_READ(p, pid);

		r = bpf_map_lookup_elem(&recs_by_tid, &tid);
		if (!r) {
			bpf_map_update_elem(&recs_by_tid, &tid, &blank, BPF_NOEXIST);
			r = bpf_map_lookup_elem(&recs_by_tid, &tid);
		}
	} else {
		r = bpf_task_storage_get(&recs, p, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	}
	return rec__fresh(r, c, p, raw); /* NULL: no memory this moment */
}

/* Finds a thread's slot once; a thread without one stays without. */
__noinline int slot__find(u64 task)
{
	u32 tid = compat__own_tid((void *)task), at = wc_stamp_home(tid), i;
	struct wc_cpu *c = cpu__this();

	for (i = 0; i < WC_STAMP_PROBE_CNT; i++) {
		u32 idx = (at + i) & (WC_STAMP_SLOT_CNT - 1);
		struct wc_stamp_slot *s = bpf_map_lookup_elem(&stamps, &idx);

		if (!s || !s->tid)
			break;
		if (s->tid == tid)
			return idx + 1;
	}
	if (c)
		c->counters[WC_CNT_NO_SLOT]++;
	return WC_SLOT_NONE;
}

static __always_inline struct wc_stamp_slot *slot__at(u32 slot)
{
	u32 idx = slot - 1;

	return bpf_map_lookup_elem(&stamps, &idx); /* NULL for unknown and none */
}

#endif
