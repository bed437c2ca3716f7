/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * What `record` wants beyond the stages: stacks of both sides for a sample of the wakes, sums by
 * path, histograms by pair, and a walk over the tasks at the end. All of it is behind constants,
 * so that it costs `run` nothing.
 *
 * Which wakes: every K-th of each wakee (its cohort, begun at a different place for each), and
 * every slow one. A slow wake counts 1, a cohort's other wakes count K, so sums stay unbiased. The
 * waker's stack must be taken before it is known how the wake will end: for a slow one outside
 * the cohort it is there only if the wakee's last wake was slow too.
 */
#ifndef WAKECOST_RECORD_BPF_H
#define WAKECOST_RECORD_BPF_H

#include "bpf/filter.bpf.h"
#include "bpf/unwind.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set before load when used */
	__type(key, struct wc_chain_key);
	__type(value, struct wc_chain_sums);
} chains SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* cfg_pair_hists_max when used */
	__type(key, u32);
	__type(value, struct wc_pair_hists);
} pair_hists SEC(".maps");

/* At sched_waking, in the waker's context. */
static __always_inline void record__waking(void *ctx, struct wc_rec *r, struct wc_cpu *c)
{
	struct wc_wake *w = &r->wake;

	w->blocked_ns = r->off_ns ? w->at_ns[WC_BND_WAKING] - r->off_ns : 0;
	r->off_ns = 0;
	w->cohort = 0;
	w->waker_kernel = WC_STACK_NOT_TAKEN;
	w->waker_user = WC_STACK_NOT_TAKEN;
	w->wakee_kernel = 0;
	w->wakee_user = 0;
	w->waker_taking_ns = 0;
	w->wakee_taking_ns = 0;
	if (!cfg_stack_every)
		return;
	w->cohort = r->wakes++ % cfg_stack_every == 0;
	if (!w->cohort && !r->suspect)
		return;
	w->waker_kernel = stack__take(ctx, c, WC_SITE_WAKER, 0);
	w->waker_user = 0;
	if (w->context == WC_CTX_TASK)
		w->waker_user = unwind__take(ctx, c, WC_SITE_WAKER);
	w->waker_taking_ns = bpf_ktime_get_ns() - w->at_ns[WC_BND_WAKING];
}

/* Back in the wakee: its stack is the one it slept with. */
static __always_inline void record__back(void *ctx, struct wc_cpu *c)
{
	u64 *at = c->run.at_ns;
	bool slow;

	if (!cfg_stack_every)
		return;
	slow = cfg_slow_ns && at[WC_BND_EXIT] - at[WC_BND_WAKING] >= cfg_slow_ns;
	if (!slow && !c->run.cohort)
		return;
	c->run.wakee_kernel = stack__take(ctx, c, WC_SITE_WAKEE, 0);
	c->run.wakee_user = unwind__take(ctx, c, WC_SITE_WAKEE);
	c->run.wakee_taking_ns = bpf_ktime_get_ns() - at[WC_BND_EXIT];
}

/* NULL: not yet, or none is left, which the user side sees from the pair. */
static __always_inline struct wc_pair_hists *record__hists_of(struct wc_pair *pair)
{
	u32 idx = pair->hists;

	if (!idx) {
		if (pair->total.count <= WC_PAIR_HISTS_AFTER ||
		    pair_hists_next >= cfg_pair_hists_max)
			return 0;
		idx = __sync_fetch_and_add(&pair_hists_next, 1) + 1;
		if (idx > cfg_pair_hists_max)
			return 0;
		pair->hists = idx;
	}
	idx--;
	return bpf_map_lookup_elem(&pair_hists, &idx);
}

static __always_inline void record__pair_hists(struct wc_pair *pair, const s64 *stage_ns,
					       s64 total_ns)
{
	struct wc_pair_hists *h = record__hists_of(pair);
	u32 i;

	if (!h)
		return;
	for (i = 0; i < WC_STAGE_CNT; i++) {
		u64 absent = (u64)(stage_ns[i] >> 63);

		h->metrics[i].slots[wc_phist_slot(stage_ns[i] & ~absent)] += 1 + (u32)absent;
	}
	h->metrics[WC_METRIC_TOTAL].slots[wc_phist_slot(total_ns)]++;
}

/*
 * A sampled wake stands for others whose stacks were not taken, so the time it took to take its own
 * is not in the sums of its path: neither in the stage after sched_waking nor in return.
 */
static __always_inline void record__without_taking(struct wc_chain_sums *s, const struct wc_wake *w,
						   const s64 *stage_ns, u64 weight)
{
	u64 absent = (u64)(stage_ns[WC_STAGE_SELECT] >> 63);
	u64 back = w->wakee_taking_ns & ~(u64)(stage_ns[WC_STAGE_RETURN] >> 63);

	s->stage_ns[WC_STAGE_SELECT] -= (w->waker_taking_ns & ~absent) * weight;
	s->stage_ns[WC_STAGE_ENQUEUE] -= (w->waker_taking_ns & absent) * weight;
	s->stage_ns[WC_STAGE_RETURN] -= back * weight;
	s->total_ns -= (w->waker_taking_ns + back) * weight;
}

/* The sums of one path; one writer at a time, since the pair and with it the wakee is in the key. */
static __always_inline void record__chain(struct wc_cpu *c, u32 pair, const s64 *stage_ns,
					  s64 total_ns)
{
	struct wc_wake *w = &c->run;
	bool slow = cfg_slow_ns && (u64)total_ns >= cfg_slow_ns;
	struct wc_chain_key key = {
		.pair = pair,
		.waker_kernel = w->waker_kernel,
		.waker_user = w->waker_user,
		.wakee_kernel = c->run.wakee_kernel,
		.wakee_user = c->run.wakee_user,
	};
	static const struct wc_chain_sums zero;
	u64 weight = slow ? 1 : cfg_stack_every;
	struct wc_chain_sums *s;
	u32 i;

	c->run_suspect = slow;
	if (!cfg_stack_every || (!slow && !w->cohort) || !c->run.wakee_kernel)
		return;
	s = bpf_map_lookup_elem(&chains, &key);
	if (!s) {
		bpf_map_update_elem(&chains, &key, &zero, BPF_NOEXIST);
		s = bpf_map_lookup_elem(&chains, &key);
	}
	if (!s) {
		c->counters[WC_CNT_CHAIN_FULL]++;
		return;
	}
	s->taken_cnt++;
	s->weight += weight;
	s->total_ns += total_ns * weight;
	s->blocked_ns += w->blocked_ns * weight;
	for (i = 0; i < WC_STAGE_CNT; i++)
		s->stage_ns[i] += (stage_ns[i] & ~(u64)(stage_ns[i] >> 63)) * weight;
	record__without_taking(s, w, stage_ns, weight);
}

/* One task at the end of the window. */
static __always_inline void task__describe(struct wc_task_out *o, struct task_struct *p,
					   const struct wc_rec *r)
{
	o->tid = p->pid;
	o->tgid = p->tgid;
	o->ns_tid = compat__own_tid(p);
	o->kernel_thread = !!(p->flags & WC_PF_KTHREAD);
	__builtin_memcpy(o->comm, p->comm, sizeof(o->comm));
	__builtin_memcpy(o->process, p->group_leader->comm, sizeof(o->process));
	o->asleep = compat__state(p) != 0;
	if (!r || r->gen != cfg_gen)
		return;
	o->woken = r->wake.phase == WC_REC_WAKING || r->wake.phase == WC_REC_WOKEN;
	o->since_ns = o->woken ? r->wake.at_ns[WC_BND_WAKING] : r->off_ns;
	o->switched_in_cnt = r->switched_in_cnt;
}

#endif
