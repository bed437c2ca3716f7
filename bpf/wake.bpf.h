/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The waker's half: from the call to sched_wakeup. What kind of wake it is, is decided here,
 * from the wakee's state at sched_waking; that is the only moment it can be seen.
 */
#ifndef WAKECOST_WAKE_BPF_H
#define WAKECOST_WAKE_BPF_H

#include "bpf/filter.bpf.h"
#include "bpf/pmu.bpf.h"
#include "bpf/record.bpf.h"

static __always_inline u32 wake__preempt_count(struct wc_cpu *c, bool cast)
{
	if (!c->preempt_at)
		c->preempt_at = compat__preempt_count_at();
	return compat__preempt_count(c->preempt_at, cast);
}

/* From preempt_count: current is an innocent bystander when an interrupt wakes. */
static __always_inline u32 wake__context(struct wc_cpu *c, bool cast)
{
	u32 count = wake__preempt_count(c, cast), ctx = WC_CTX_TASK;

	if (count & WC_NMI_BITS)
		return WC_CTX_NMI;
	if (count & WC_HARDIRQ_BITS)
		ctx = WC_CTX_HARDIRQ;
	else if (count & WC_SOFTIRQ_SERVING)
		ctx = WC_CTX_SOFTIRQ;
	if (ctx != WC_CTX_TASK && c->in_timer & (1u << ctx))
		return WC_CTX_TIMER;
	return ctx;
}

/* A callback that does nothing but end its own task's sleep, in this kind of interrupt. */
static __always_inline bool wake__is_timeout(struct wc_cpu *c)
{
	u32 ctx = wake__preempt_count(c, false) & WC_HARDIRQ_BITS ? WC_CTX_HARDIRQ : WC_CTX_SOFTIRQ;

	return c->in_timeout & (1u << ctx);
}

/* Who calls, and, inside a stamped call, since when. */
static __always_inline void wake__waker(struct wc_wake *w, struct wc_cpu *c, bool raw)
{
	struct task_struct *cur = bpf_get_current_task_btf();
	struct wc_stamp_slot *s;
	u32 slot;

	w->waker_tid = cur->pid;
	w->waker_tgid = cur->tgid;
	__builtin_memcpy(w->waker_comm, cur->comm, sizeof(w->waker_comm));
	if (cfg_syscalls && c->run_tid == w->waker_tid)
		w->at_ns[WC_BND_CALL] = c->call_ns;
	if (!cfg_stamps)
		return;
	slot = c->run_slot;
	if (c->run_tid != w->waker_tid) { /* on this CPU since before the window */
		struct wc_rec *r;

		if (!filter__wakee(cur, false))
			return;
		r = rec__make(cur, c, raw);
		if (!r)
			return;
		if (r->slot == WC_SLOT_UNKNOWN)
			r->slot = slot__find(task__addr(cur, c));
		slot = r->slot;
	}
	s = slot__at(slot);
	if (!s || !s->call_id)
		return;
	w->call_id = s->call_id;
	w->at_ns[WC_BND_CALL] = s->call_ns;
}

static __always_inline void wake__begin(struct wc_rec *r, struct wc_cpu *c, struct task_struct *p,
					u64 now, bool raw)
{
	struct wc_wake *w = &r->wake;

	if (w->phase == WC_REC_WAKING || w->phase == WC_REC_WOKEN)
		c->counters[WC_CNT_SUPERSEDED]++;
	w->call_id = 0;
	w->at_ns[WC_BND_CALL] = 0;
	w->at_ns[WC_BND_WAKING] = now;
	w->at_ns[WC_BND_CHOSEN] = 0;
	w->at_ns[WC_BND_HANDLED] = 0;
	w->at_ns[WC_BND_WAKEUP] = 0;
	w->phase = WC_REC_WAKING;
	w->waker_cpu = bpf_get_smp_processor_id();
	w->prev_cpu = compat__task_cpu(p, raw);
	w->seq = ++c->seq;
	r->seen = 1;
	c->counters[WC_CNT_WAKING]++;
	if (cfg_stamps && r->slot == WC_SLOT_UNKNOWN)
		r->slot = slot__find(task__addr(p, c));
}

/* raw: see bpf/compat.bpf.h; cast: bpf_rdonly_cast() exists. */
static __always_inline int wake__waking(void *bpf_ctx, struct task_struct *p, bool raw, bool cast)
{
	bool delayed, on_rq;
	struct wc_cpu *c;
	struct wc_rec *r;
	u32 ctx;
	u64 now;

	if (!filter__wakee(p, raw))
		return 0;
	c = cpu__this();
	if (!c)
		return 0;
	delayed = compat__sched_delayed(p, raw);
	on_rq = WC_READ(raw, p, on_rq);
	if (on_rq && !delayed) { /* had not gone to sleep; no switch will follow */
		c->counters[WC_CNT_NOOP]++;
		return 0;
	}
	ctx = wake__context(c, cast);
	if (!filter__waker(ctx))
		return 0;
	r = rec__make(p, c, raw);
	if (!r) {
		c->counters[WC_CNT_NO_STORAGE]++;
		return 0;
	}
	now = bpf_ktime_get_ns();
	wake__begin(r, c, p, now, raw);
	c->contexts[ctx]++;
	r->wake.context = ctx;
	r->wake.wake_class = delayed ? WC_CLASS_DELAYED : WC_CLASS_LOCAL;
	if (!on_rq && WC_READ(raw, p, on_cpu))
		r->wake.wake_class = WC_CLASS_RACED;
	if (ctx == WC_CTX_TASK) {
		wake__waker(&r->wake, c, raw);
	} else {
		r->wake.waker_tid = 0;
		r->wake.waker_tgid = 0;
		if (ctx == WC_CTX_TIMER && wake__is_timeout(c))
			r->wake.wake_class = WC_CLASS_TIMED;
	}
	if (cfg_record)
		record__waking(bpf_ctx, r, c);
	if (cfg_counter_cnt)
		pmu__waking(r->wake.waker_tid, WC_READ(raw, p, pid));
	return 0;
}

/* "CPU chosen", on the waker's CPU, interrupts off since sched_waking: nothing comes between. */
static __always_inline int wake__chosen(void)
{
	struct wc_cpu *c = cpu__this();
	struct wc_chosen *at;

	if (!c)
		return 0;
	at = &c->chosen[c->seq & (WC_CHOSEN_CNT - 1)];
	if (at->seq == c->seq) /* the first after its waking counts */
		return 0;
	at->seq = c->seq;
	at->at_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int wake__handled(void)
{
	struct wc_cpu *c = cpu__this();

	if (c)
		c->handled_ns = bpf_ktime_get_ns();
	return 0;
}

/* Joins what the waker's CPU saw of this wake. */
static __always_inline void wake__join(struct wc_wake *w, struct wc_cpu *c, bool remote)
{
	struct wc_chosen *at;
	struct wc_cpu *from = c;

	if (remote)
		from = bpf_map_lookup_elem(&cpus, &w->waker_cpu);
	if (!from)
		return;
	at = &from->chosen[w->seq & (WC_CHOSEN_CNT - 1)];
	if (at->seq == w->seq)
		w->at_ns[WC_BND_CHOSEN] = at->at_ns;
	else if (remote && from->seq - w->seq >= WC_CHOSEN_CNT)
		c->counters[WC_CNT_NO_CHOSEN]++;
	if (remote && w->at_ns[WC_BND_CHOSEN] && c->handled_ns > w->at_ns[WC_BND_CHOSEN])
		w->at_ns[WC_BND_HANDLED] = c->handled_ns;
}

static __always_inline int wake__wakeup(struct task_struct *p, bool raw)
{
	struct wc_cpu *c;
	struct wc_rec *r;
	bool remote;

	if (!filter__wakee(p, raw))
		return 0;
	c = cpu__this();
	if (!c)
		return 0;
	r = rec__get(p, c, raw);
	if (!r || r->wake.phase != WC_REC_WAKING)
		return 0;
	r->wake.at_ns[WC_BND_WAKEUP] = bpf_ktime_get_ns();
	r->wake.phase = WC_REC_WOKEN;
	if (cfg_counter_cnt)
		pmu__wakeup(WC_READ(raw, p, pid));
	r->wake.chosen_cpu = compat__task_cpu(p, raw);
	remote = r->wake.waker_cpu != bpf_get_smp_processor_id();
	if (remote || cfg_select_exact)
		wake__join(&r->wake, c, remote);
	if (remote && r->wake.wake_class == WC_CLASS_LOCAL)
		r->wake.wake_class = WC_CLASS_REMOTE;
	return 0;
}

/* A new task has no sched_waking: its wake begins where it is queued. */
static __always_inline int wake__new(struct task_struct *p, bool raw)
{
	struct wc_cpu *c;
	struct wc_rec *r;

	if (!filter__wakee(p, raw))
		return 0;
	c = cpu__this();
	if (!c || !filter__waker(WC_CTX_TASK))
		return 0;
	r = rec__make(p, c, raw);
	if (!r) {
		c->counters[WC_CNT_NO_STORAGE]++;
		return 0;
	}
	wake__begin(r, c, p, bpf_ktime_get_ns(), raw);
	c->contexts[WC_CTX_TASK]++;
	r->wake.context = WC_CTX_TASK;
	r->wake.wake_class = WC_CLASS_NEW;
	r->wake.waker_tid = bpf_get_current_pid_tgid();
	r->wake.waker_tgid = bpf_get_current_pid_tgid() >> 32;
	bpf_get_current_comm(r->wake.waker_comm, sizeof(r->wake.waker_comm));
	r->wake.at_ns[WC_BND_WAKEUP] = r->wake.at_ns[WC_BND_WAKING];
	r->wake.chosen_cpu = r->wake.prev_cpu;
	if (cfg_record) {
		r->wake.cohort = 0;
		r->wake.blocked_ns = 0;
		r->wake.waker_kernel = WC_STACK_NOT_TAKEN;
		r->wake.waker_user = WC_STACK_NOT_TAKEN;
		r->wake.wakee_kernel = 0;
	}
	r->wake.phase = WC_REC_WOKEN;
	return 0;
}

/* Timers: in softirq context the callback may itself be interrupted, so a bit for each. */
static __always_inline int wake__timer(bool enter, bool timeout)
{
	struct wc_cpu *c = cpu__this();
	u32 bit;

	if (!c)
		return 0;
	bit = 1u << (wake__preempt_count(c, false) & WC_HARDIRQ_BITS ? WC_CTX_HARDIRQ
								     : WC_CTX_SOFTIRQ);
	if (enter)
		c->in_timer |= bit;
	else
		c->in_timer &= ~bit;
	if (enter && timeout)
		c->in_timeout |= bit;
	else
		c->in_timeout &= ~bit;
	return 0;
}

#endif
