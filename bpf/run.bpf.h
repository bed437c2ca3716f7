/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The wakee's half: scheduler entered, switched in, back in the kernel, and off again. The wake
 * is settled when its wakee next leaves the CPU: only then has it stamped its return.
 */
#ifndef WAKECOST_RUN_BPF_H
#define WAKECOST_RUN_BPF_H

#include "bpf/account.bpf.h"
#include "bpf/filter.bpf.h"
#include "bpf/pmu.bpf.h"

static __always_inline int run__entry(void)
{
	struct wc_cpu *c = cpu__this();

	if (c)
		c->entry_ns = bpf_ktime_get_ns();
	if (cfg_counter_cnt)
		pmu__entry();
	return 0;
}

static __always_inline int run__exit(void *ctx)
{
	struct wc_cpu *c = cpu__this();

	if (!c || !c->run_live || c->run.at_ns[WC_BND_EXIT])
		return 0;
	c->run.at_ns[WC_BND_EXIT] = bpf_ktime_get_ns();
	if (cfg_counter_cnt)
		pmu__back(c->run_tid);
	if (cfg_record)
		record__back(ctx, c);
	return 0;
}

static __always_inline int run__syscall(bool enter)
{
	struct wc_cpu *c = cpu__this();

	if (!c || !c->run_tid)
		return 0;
	if (cfg_counter_cnt)
		pmu__syscall(c->run_tid, enter);
	if (!cfg_syscalls)
		return 0;
	if (enter) {
		c->call_ns = bpf_ktime_get_ns();
		return 0;
	}
	c->call_ns = 0;
	/* without a source of the end of a switch the return is all there is behind it */
	if (c->run_live && (c->run.at_ns[WC_BND_EXIT] || !cfg_have_exit) &&
	    !c->run.at_ns[WC_BND_RETURN])
		c->run.at_ns[WC_BND_RETURN] = bpf_ktime_get_ns();
	return 0;
}

/* Has the call that slept returned? With stamps, also whether it is this wake's. */
static __always_inline bool run__returned(struct wc_cpu *c)
{
	struct wc_stamp_slot *s;

	if (!cfg_stamps)
		return !cfg_syscalls || c->run.at_ns[WC_BND_RETURN];
	if (!c->run.call_id)
		return true;
	s = slot__at(c->run_slot);
	if (!s || s->ret_id != c->run.call_id)
		return false;
	c->run.at_ns[WC_BND_RETURN] = s->ret_ns;
	return true;
}

/* What the task takes along: its pair, a return still to come, and when it fell asleep. */
static __always_inline void run__save(struct wc_cpu *c, struct wc_rec *r, bool blocked, bool keep,
				      u64 now)
{
	r->pair_idx = c->run_pair_idx;
	r->pair_waker_tid = c->run_pair_waker_tid;
	r->pair_context = c->run_pair_context;
	if (cfg_record) {
		r->suspect = c->run_suspect;
		/* a waker may have come before this switch: then it has slept no time at all */
		r->off_ns = blocked && r->wake.phase == WC_REC_IDLE ? now : 0;
		r->call_ns = blocked ? 0 : c->call_ns;
	}
	if (keep && r->wake.phase == WC_REC_IDLE) {
		r->wake = c->run;
		r->wake.phase = WC_REC_RESUME;
	}
}

/* prev goes. One that is on its way back to user space, and preempted, is settled later. */
static __always_inline void run__leave(struct wc_cpu *c, struct task_struct *prev, bool blocked,
				       u64 now, bool raw)
{
	u32 cached = c->run_pair_idx;
	bool keep = false;
	struct wc_rec *r;

	if (!blocked)
		c->counters[WC_CNT_PREEMPTED]++;
	if (c->run_live) {
		bool returned = run__returned(c);

		keep = !returned && !blocked;
		if (!returned && cfg_stamps) /* woken, and asleep again before its call was over */
			c->run.at_ns[WC_BND_CALL] = keep ? c->run.at_ns[WC_BND_CALL] : 0;
		if (cfg_record && raw)
			BPF_CORE_READ_INTO(&c->run_comm, prev, comm);
		else if (cfg_record)
			__builtin_memcpy(c->run_comm, prev->comm, sizeof(c->run_comm));
		if (!keep)
			wake__settle(task__addr(prev, c));
	}
	if (!cfg_record && !keep && cached == c->run_pair_idx)
		return;
	r = rec__get(prev, c, raw);
	if (r)
		run__save(c, r, blocked, keep, now);
}

static __always_inline void run__load(struct wc_cpu *c, struct wc_rec *r, u32 tid)
{
	c->run_tid = tid;
	c->run_slot = r->slot;
	c->run_rec_id = r->rec_id;
	c->run_pair_idx = r->pair_idx;
	c->run_pair_waker_tid = r->pair_waker_tid;
	c->run_pair_context = r->pair_context;
	if (cfg_record) {
		c->run_suspect = r->suspect;
		c->call_ns = r->call_ns;
		r->switched_in_cnt++;
	}
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
		run__leave(c, prev, blocked, now, raw);
	c->run_live = 0;
	c->run_tid = 0;
	run__enter(c, next, now, raw);
	if (cfg_counter_cnt)
		pmu__switch(c->run_tid, c->run_live);
	c->entry_ns = 0;
	return 0;
}

#endif
