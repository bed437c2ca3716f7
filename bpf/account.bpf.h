/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * A wake at its end: cut into stages, added to histograms and to its pair. Once a wake, on the
 * CPU the wakee leaves, so every sum has one writer at a time.
 */
#ifndef WAKECOST_ACCOUNT_BPF_H
#define WAKECOST_ACCOUNT_BPF_H

#include "bpf/record.bpf.h"

/* Stage lengths of one wake; a stage that was not seen, or is in the one before it, is -1. */
struct wc_cut {
	s64 stage_ns[WC_STAGE_CNT];
	s64 total_ns;
	bool called;   /* the waker's call was seen to begin */
	bool returned; /* the wakee's call was seen to end */
};

/* sched_waking to sched_wakeup: up to three stages, on up to two CPUs. */
static __always_inline void cut__waker_side(struct wc_cut *k, const u64 *at, u32 wake_class)
{
	s64 all = at[WC_BND_WAKEUP] - at[WC_BND_WAKING];
	u64 chosen = at[WC_BND_CHOSEN], handled = at[WC_BND_HANDLED];

	k->stage_ns[WC_STAGE_SELECT] = -1;
	k->stage_ns[WC_STAGE_SEND] = -1;
	k->stage_ns[WC_STAGE_ENQUEUE] = -1;
	if (wake_class == WC_CLASS_NEW)
		return;
	if (handled) {
		s64 select = chosen - at[WC_BND_WAKING], send = handled - chosen;
		s64 enqueue = at[WC_BND_WAKEUP] - handled;

		k->stage_ns[WC_STAGE_SEND] = send;
		k->stage_ns[WC_STAGE_SELECT] = cfg_select_exact ? select : select + enqueue;
		if (cfg_select_exact)
			k->stage_ns[WC_STAGE_ENQUEUE] = enqueue;
	} else if (cfg_select_exact && chosen) {
		k->stage_ns[WC_STAGE_SELECT] = chosen - at[WC_BND_WAKING];
		k->stage_ns[WC_STAGE_ENQUEUE] = at[WC_BND_WAKEUP] - chosen;
	} else if (cfg_select_exact) {
		k->stage_ns[WC_STAGE_ENQUEUE] = all; /* nothing was selected */
	} else {
		k->stage_ns[WC_STAGE_SELECT] = all;
	}
}

/* sched_wakeup to the end: on the CPU the wakee ran on. */
static __always_inline void cut__wakee_side(struct wc_cut *k, const u64 *at, struct wc_cpu *c)
{
	u64 entry = at[WC_BND_ENTRY], end = at[WC_BND_EXIT];

	k->stage_ns[WC_STAGE_PICK] = -1;
	k->stage_ns[WC_STAGE_SWITCH] = -1;
	k->stage_ns[WC_STAGE_RETURN] = -1;
	if (entry) {
		if (entry < at[WC_BND_WAKEUP]) /* woken while its CPU was choosing already */
			entry = at[WC_BND_WAKEUP];
		k->stage_ns[WC_STAGE_WAIT] = entry - at[WC_BND_WAKEUP];
		k->stage_ns[WC_STAGE_PICK] = at[WC_BND_SWITCH] - entry;
	} else {
		c->counters[WC_CNT_NO_ENTRY] += cfg_have_entry;
		k->stage_ns[WC_STAGE_WAIT] = at[WC_BND_SWITCH] - at[WC_BND_WAKEUP];
	}
	if (end) {
		k->stage_ns[WC_STAGE_SWITCH] = end - at[WC_BND_SWITCH];
		if (k->returned)
			k->stage_ns[WC_STAGE_RETURN] = at[WC_BND_RETURN] - end;
	} else {
		c->counters[WC_CNT_NO_EXIT] += cfg_have_exit;
		if (k->returned)
			k->stage_ns[WC_STAGE_SWITCH] = at[WC_BND_RETURN] - at[WC_BND_SWITCH];
	}
}

/* False: the clock went backwards somewhere inside; nothing of this wake is added. */
static __always_inline bool cut__make(struct wc_cut *k, const struct wc_wake *w, struct wc_cpu *c)
{
	const u64 *at = w->at_ns;
	u64 from, to;

	cut__waker_side(k, at, w->wake_class);
	cut__wakee_side(k, at, c);
	k->stage_ns[WC_STAGE_FIND] = -1;
	from = at[WC_BND_WAKING];
	to = at[WC_BND_EXIT] ? at[WC_BND_EXIT] : at[WC_BND_SWITCH];
	if (k->called) {
		k->stage_ns[WC_STAGE_FIND] = at[WC_BND_WAKING] - at[WC_BND_CALL];
		from = at[WC_BND_CALL];
	}
	if (k->returned)
		to = at[WC_BND_RETURN];
	k->total_ns = to - from;
	return k->total_ns >= 0 && (s64)(at[WC_BND_WAKEUP] - at[WC_BND_WAKING]) >= 0 &&
	       (s64)(at[WC_BND_SWITCH] - at[WC_BND_WAKEUP]) >= 0 &&
	       (!at[WC_BND_CHOSEN] || at[WC_BND_CHOSEN] >= at[WC_BND_WAKING]) &&
	       (!at[WC_BND_HANDLED] || at[WC_BND_HANDLED] <= at[WC_BND_WAKEUP]) &&
	       (!k->called || at[WC_BND_CALL] <= at[WC_BND_WAKING]) &&
	       (!k->returned || at[WC_BND_RETURN] >= at[WC_BND_EXIT]);
}

/* The sum of a stage is in the CPU's slot, beside its neighbours; the count is that of the slots. */
static __always_inline void hist__add(struct wc_cpu *c, u32 key, s64 ns)
{
	u64 absent = (u64)ns >> 63; /* not seen, or in the stage before it */
	struct wc_hist *h;

	/* a test of ns itself is remembered by the verifier, which then follows every combination */
	WC_OPAQUE(absent);
	if (absent)
		return;
	h = bpf_map_lookup_elem(&hists, &key);
	if (!h || key >= WC_HIST_CNT)
		return;
	c->sums[key] += ns;
	h->slots[wc_hist_slot(ns)]++;
}

static __always_inline struct wc_pair *
pair__new(const struct wc_pair_key *key, const struct wc_wake *w, struct task_struct *p, u32 *idx)
{
	struct wc_pair *pair;
	u32 at;

	if (pair_next >= cfg_pair_max)
		return 0;
	at = __sync_fetch_and_add(&pair_next, 1);
	pair = bpf_map_lookup_elem(&pairs, &at);
	if (!pair)
		return 0;
	pair->key = *key;
	pair->waker_tgid = w->waker_tgid;
	pair->wakee_tgid = BPF_CORE_READ(p, tgid);
	if (w->context == WC_CTX_TASK)
		__builtin_memcpy(pair->waker_comm, w->waker_comm, sizeof(pair->waker_comm));
	if (!cfg_record) /* named at each wake */
		BPF_CORE_READ_INTO(&pair->wakee_comm, p, comm);
	*idx = at;
	if (bpf_map_update_elem(&pair_idx, key, idx, BPF_NOEXIST))
		return 0;
	return pair;
}

/* Found again without a lookup while the waker stays the same. */
static __always_inline struct wc_pair *pair__of(struct wc_cpu *c, struct task_struct *p)
{
	struct wc_wake *w = &c->run;
	struct wc_pair_key key = {};
	struct wc_pair *pair;
	u32 idx, *known;

	if (c->run_pair_idx && c->run_pair_waker_tid == w->waker_tid &&
	    c->run_pair_context == w->context) {
		idx = c->run_pair_idx - 1;
		return bpf_map_lookup_elem(&pairs, &idx);
	}
	key.waker_tid = w->waker_tid;
	key.waker_context = w->context;
	key.wakee_tid = c->run_tid;
	key.wakee_gen = c->run_rec_id;
	known = bpf_map_lookup_elem(&pair_idx, &key);
	if (known) {
		idx = *known;
		pair = bpf_map_lookup_elem(&pairs, &idx);
	} else {
		pair = pair__new(&key, w, p, &idx);
	}
	if (!pair)
		return 0;
	c->run_pair_idx = idx + 1;
	c->run_pair_waker_tid = w->waker_tid;
	c->run_pair_context = w->context;
	return pair;
}

/* Threads are born with their creator's name, and get their own later. */
static __always_inline void pair__name(struct wc_pair *pair, struct wc_cpu *c)
{
	if (c->run.context == WC_CTX_TASK)
		__builtin_memcpy(pair->waker_comm, c->run.waker_comm, sizeof(pair->waker_comm));
	__builtin_memcpy(pair->wakee_comm, c->run_comm, sizeof(pair->wakee_comm));
}

/* Counted, and in no figure but their own: nobody was waited for. */
static __always_inline bool wake__is_apart(u32 wake_class)
{
	return wake_class == WC_CLASS_TIMED || wake_class == WC_CLASS_NEW;
}

static __always_inline void pair__add(struct wc_pair *pair, const struct wc_cut *k, u32 wake_class,
				      struct wc_cpu *c)
{
	u32 i;

	WC_OPAQUE(wake_class);
	if (wake_class < WC_CLASS_CNT)
		pair->wakes[wake_class]++;
	if (cfg_handoffs && !k->called)
		return;
	if (cfg_record) {
		pair->last_ns = c->run.at_ns[WC_BND_SWITCH];
		pair__name(pair, c);
		if (wake__is_apart(wake_class))
			return;

		pair->blocked.count += c->run.blocked_ns != 0;
		pair->blocked.sum += c->run.blocked_ns;
	}
	pair->handoff_cnt++;
	pair->total.count++;
	pair->total.sum += k->total_ns;
	if (!cfg_record) /* experiments have few pairs, and all alike */
		return;
	for (i = 0; i < WC_STAGE_CNT; i++) {
		u64 present = ~(u64)(k->stage_ns[i] >> 63);

		pair->stages[i].count += present & 1;
		pair->stages[i].sum += k->stage_ns[i] & present;
	}
}

static __always_inline void event__emit(struct wc_cpu *c, u32 ran_cpu, struct task_struct *p)
{
	struct wc_wake *w = &c->run;
	struct wc_event *e;

	if (!cfg_event_every || c->counters[WC_CNT_COMPLETED] % cfg_event_every)
		return;
	e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	if (!e) {
		c->counters[WC_CNT_NO_EVENT]++;
		return;
	}
	__builtin_memcpy(e->at_ns, w->at_ns, sizeof(e->at_ns));
	e->waker_tid = w->waker_tid;
	e->waker_tgid = w->waker_tgid;
	e->wakee_tid = c->run_tid;
	e->wakee_tgid = BPF_CORE_READ(p, tgid);
	e->waker_cpu = w->waker_cpu;
	e->prev_cpu = w->prev_cpu;
	e->chosen_cpu = w->chosen_cpu;
	e->ran_cpu = ran_cpu;
	e->wake_class = w->wake_class;
	e->context = w->context;
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
}

/* A wake that is no handoff. Its class is held to its range here: see pair__add(). */
static __always_inline void wake__other(struct wc_cpu *c, u32 wake_class, s64 total_ns)
{
	WC_OPAQUE(wake_class);
	if (wake_class >= WC_CLASS_CNT)
		return;
	c->other[wake_class].count++;
	c->other[wake_class].sum += total_ns;
}

/*
 * The wake that put this task on this CPU is over: it is leaving. With handoffs, only those whose
 * two stamps belong together have both ends.
 */
__noinline int wake__settle(u64 task)
{
	u32 cpu = bpf_get_smp_processor_id(), wake_class, i;
	struct task_struct *p = (void *)task;
	struct wc_cpu *c = cpu__this();
	struct wc_pair *pair;
	struct wc_cut k;

	if (!c)
		return 0;
	wake_class = c->run.wake_class;
	k.called = c->run.at_ns[WC_BND_CALL] != 0;
	k.returned = c->run.at_ns[WC_BND_RETURN] != 0;
	if (!cut__make(&k, &c->run, c)) {
		c->counters[WC_CNT_CLOCK_BACKWARDS]++;
		return 0;
	}
	c->counters[WC_CNT_COMPLETED]++;
	c->counters[WC_CNT_HANDOFF] += k.called && k.returned;
	c->counters[WC_CNT_SAME_CPU] += c->run.prev_cpu == cpu;
	c->counters[WC_CNT_WAKER_CPU] += c->run.waker_cpu == cpu;
	if (wake_class >= WC_CLASS_CNT)
		return 0;
	if (cfg_handoffs && !k.called) {
		wake__other(c, wake_class, k.total_ns);
	} else {
		/* the verifier of 6.1 takes no loop whose last instruction falls into its first */
#pragma clang loop unroll(full)
		for (i = 0; i < WC_STAGE_CNT; i++)
			hist__add(c, wake_class * WC_METRIC_CNT + i, k.stage_ns[i]);
		hist__add(c, wake_class * WC_METRIC_CNT + WC_METRIC_TOTAL, k.total_ns);
	}
	pair = pair__of(c, p);
	if (pair)
		pair__add(pair, &k, wake_class, c);
	else
		c->counters[WC_CNT_NO_PAIR]++;
	if (cfg_record && !wake__is_apart(wake_class)) {
		if (pair)
			record__pair_hists(pair, k.stage_ns, k.total_ns);
		record__chain(c, pair ? c->run_pair_idx : 0, k.stage_ns, k.total_ns);
	}
	event__emit(c, cpu, p);
	return 0;
}

#endif
