/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The wakee's half: scheduler entered, switched in, back in the kernel, and off again. The wake
 * is settled when its wakee next leaves the CPU: only then has it stamped its return.
 */
#ifndef WAKECOST_RUN_BPF_H
#define WAKECOST_RUN_BPF_H

#include "bpf/account.bpf.h"
#include "bpf/filter.bpf.h"

static __always_inline int run__entry(void)
{
	struct wc_cpu *c = cpu__this();

	if (c)
		c->entry_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int run__exit(void)
{
	struct wc_cpu *c = cpu__this();

	if (c && c->run_live && !c->run.at_ns[WC_BND_EXIT])
		c->run.at_ns[WC_BND_EXIT] = bpf_ktime_get_ns();
	return 0;
}

/* prev goes. Its pair cache and an unfinished return go back to its record. */
static __always_inline void run__leave(struct wc_cpu *c, struct task_struct *prev, bool blocked,
				       bool raw)
{
	bool handoff = false, keep = false;
	struct wc_stamp_slot *s;
	struct wc_rec *r;
	u32 cached;

	if (!blocked)
		c->counters[WC_CNT_PREEMPTED]++;
	if (c->run_live && c->run.call_id) {
		s = slot__at(c->run_slot);
		handoff = s && s->ret_id == c->run.call_id;
		if (handoff)
			c->run.at_ns[WC_BND_RETURN] = s->ret_ns;
		keep = !handoff && !blocked; /* on its way back to user space */
	}
	cached = c->run_pair_idx;
	if (c->run_live && !keep)
		wake__settle(task__addr(prev, c), handoff);
	if (!keep && (!blocked || cached == c->run_pair_idx))
		goto out;
	r = rec__get(prev, c, raw);
	if (!r)
		goto out;
	r->pair_idx = c->run_pair_idx;
	r->pair_waker_tid = c->run_pair_waker_tid;
	r->pair_context = c->run_pair_context;
	if (keep && r->wake.phase == WC_REC_IDLE) {
		r->wake = c->run;
		r->wake.phase = WC_REC_RESUME;
	}
out:
	c->run_live = 0;
	c->run_tid = 0;
}

static __always_inline void run__load(struct wc_cpu *c, struct wc_rec *r, u32 tid)
{
	c->run_tid = tid;
	c->run_slot = r->slot;
	c->run_rec_id = r->rec_id;
	c->run_pair_idx = r->pair_idx;
	c->run_pair_waker_tid = r->pair_waker_tid;
	c->run_pair_context = r->pair_context;
}

/* next comes. Entry into the scheduler belongs to this switch and to no later one. */
static __always_inline void run__enter(struct wc_cpu *c, struct task_struct *next, u64 now,
				       bool raw)
{
	u32 tid = WC_READ(raw, next, pid), cpu = bpf_get_smp_processor_id(), phase;
	struct wc_rec *r;

	if (!filter__wakee(next, raw))
		return;
	r = rec__make(next, c, raw);
	if (!r)
		return;
	if (cfg_stamps && r->slot == WC_SLOT_UNKNOWN)
		r->slot = slot__find(task__addr(next, c));
	run__load(c, r, tid);
	phase = r->wake.phase;
	if (phase == WC_REC_IDLE) {
		if (!r->seen)
			c->counters[WC_CNT_CENSORED_START]++;
		r->seen = 1;
		return;
	}
	r->wake.phase = WC_REC_IDLE;
	if (phase == WC_REC_WAKING) {
		c->counters[WC_CNT_NO_WAKEUP]++;
		return;
	}
	if (!filter__cpu(cpu)) {
		c->counters[WC_CNT_OTHER_CPU]++;
		return;
	}
	c->run = r->wake;
	c->run_live = 1;
	if (phase == WC_REC_RESUME)
		return;
	c->run.at_ns[WC_BND_ENTRY] = c->entry_ns;
	c->run.at_ns[WC_BND_SWITCH] = now;
	c->run.at_ns[WC_BND_EXIT] = 0;
	c->run.at_ns[WC_BND_RETURN] = 0;
	if (c->run.chosen_cpu != cpu && c->run.wake_class != WC_CLASS_TIMED &&
	    c->run.wake_class != WC_CLASS_NEW)
		c->run.wake_class = WC_CLASS_MIGRATED;
}

static __always_inline int run__forget(struct task_struct *p)
{
	u32 tid = BPF_CORE_READ(p, pid);

	bpf_map_delete_elem(&recs_by_tid, &tid);
	return 0;
}

static __always_inline int run__switch(struct task_struct *prev, struct task_struct *next,
				       bool blocked, bool raw)
{
	struct wc_cpu *c = cpu__this();
	u64 now;

	if (!c)
		return 0;
	now = bpf_ktime_get_ns();
	if (c->run_tid && c->run_tid == (u32)WC_READ(raw, prev, pid))
		run__leave(c, prev, blocked, raw);
	else
		c->run_live = 0;
	c->run_tid = 0;
	run__enter(c, next, now, raw);
	c->entry_ns = 0;
	return 0;
}

#endif
