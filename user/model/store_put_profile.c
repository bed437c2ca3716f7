/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a profile. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "user/model/phist.h"
#include "user/model/store_rows.h"

/* A stack of more is cut at its root, and said to be: a reader has its limits. */
#define STACK_FRAMES_MAX 4096

static uint64_t or_absent(uint32_t index)
{
	return index == WC_NONE ? ABSENT : index;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static void put_tasks(struct writer *w, const struct wc_profile *p)
{
	for (size_t i = 0; i < p->task_cnt; i++) {
		const struct wc_task *t = &p->tasks[i];

		writer__put(w, T_TASK, U(i), U(t->tid), U(t->tgid), U(t->ns_tid), or_empty(t->comm),
			    or_empty(t->process), U(t->kernel_thread), U(t->exited), U(t->outside),
			    t->switched_in_cnt);
	}
}

static void put_edge_stage(struct writer *w, size_t edge, unsigned int metric,
			   const struct wc_sum *sum, const struct wc_phist *h)
{
	unsigned char bytes[WC_STORE_PHIST_MAX];
	struct wc_pooled pooled = { 0 };
	size_t len = 0;
	bool any;

	wc_pooled__add(&pooled, h);
	any = pooled.count != 0;
	if (!sum->count && !any)
		return;
	if (any)
		len = wc_store__encode_phist(h, bytes);
	writer__put(w, T_EDGE_STAGE, U(edge), U(metric), U(sum->count), U(sum->sum),
		    any ? round(wc_pooled__quantile(&pooled, 0.50)) : NO_REAL,
		    any ? round(wc_pooled__quantile(&pooled, 0.99)) : NO_REAL, any ? bytes : NULL,
		    len);
}

static void put_edges(struct writer *w, const struct wc_profile *p)
{
	for (size_t i = 0; i < p->edge_cnt; i++) {
		const struct wc_edge *e = &p->edges[i];

		writer__put(w, T_EDGE, U(i), or_absent(e->waker), U(e->context), U(e->wakee),
			    U(e->blocked.count), U(e->blocked.sum));
		for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
			if (e->wakes[c])
				writer__put(w, T_EDGE_CLASS, U(i), U(c), e->wakes[c]);
		for (unsigned int m = 0; m < WC_METRIC_CNT; m++)
			put_edge_stage(w, i, m, m == WC_METRIC_TOTAL ? &e->total : &e->stages[m],
				       e->hists[m]);
	}
}

static void put_frames(struct writer *w, const struct wc_profile *p)
{
	for (size_t i = 0; i < p->frame_cnt; i++) {
		const struct wc_frame *f = &p->frames[i];

		writer__put(w, T_FRAME, U(i), U(f->kind), or_empty(f->name), or_empty(f->module),
			    or_empty(f->build_id), or_empty(f->file), U(f->line), (int64_t)f->addr);
	}
}

static void put_stacks(struct writer *w, const struct wc_profile *p)
{
	for (size_t i = 0; i < p->stack_cnt && !w->err; i++) {
		const struct wc_stack *s = &p->stacks[i];
		bool cut = s->frame_cnt > STACK_FRAMES_MAX;
		char *text =
			wc_store__encode_list(s->frames, cut ? STACK_FRAMES_MAX : s->frame_cnt);

		if (text)
			writer__put(w, T_STACK, U(i), U(s->user), U(s->truncated || cut), text);
		else
			w->err = -ENOMEM;
		free(text);
	}
}

static void put_chains(struct writer *w, const struct wc_profile *p)
{
	for (size_t i = 0; i < p->chain_cnt; i++) {
		const struct wc_chain *c = &p->chains[i];

		writer__put(w, T_CHAIN, U(i), or_absent(c->edge), or_absent(c->waker_user),
			    or_absent(c->waker_kernel), or_absent(c->wakee_kernel),
			    or_absent(c->wakee_user), U(c->waker_missing), c->sampled_cnt,
			    c->weight, c->total_ns, c->blocked_ns);
		for (unsigned int s = 0; s < WC_STAGE_CNT; s++)
			if (c->stage_ns[s])
				writer__put(w, T_CHAIN_STAGE, U(i), U(s), c->stage_ns[s]);
	}
}

static void put_cpus(struct writer *w, const struct wc_profile *p)
{
	for (size_t i = 0; i < p->cpu_cnt; i++) {
		const struct wc_cpu_stats *c = &p->cpus[i];

		writer__put(w, T_CPU, U(c->cpu), c->wakes);
		for (unsigned int m = 0; m < WC_METRIC_CNT; m++) {
			const struct wc_sum *sum = m == WC_METRIC_TOTAL ? &c->total : &c->stages[m];

			if (sum->count)
				writer__put(w, T_CPU_STAGE, U(c->cpu), U(m), U(sum->count),
					    U(sum->sum));
		}
	}
}

static int64_t after(uint64_t at_ns, uint64_t from_ns)
{
	return at_ns ? (int64_t)(at_ns - from_ns) : NO_SIGNED;
}

/* Small numbers take few bytes: the waking is told from the window's start, the rest from it. */
static void put_event(struct writer *w, uint64_t id, uint64_t started_ns, const struct wc_event *e)
{
	const unsigned long long *at = e->at_ns;
	uint64_t from = at[WC_BND_WAKING] ? at[WC_BND_WAKING] : started_ns;

	writer__put(w, T_EVENT, id, after(at[WC_BND_WAKING], started_ns), U(e->wake_class),
		    U(e->context), U(e->waker_tid), U(e->waker_tgid), U(e->wakee_tid),
		    U(e->wakee_tgid), U(e->waker_cpu), U(e->prev_cpu), U(e->chosen_cpu),
		    U(e->ran_cpu), after(at[WC_BND_CALL], from), after(at[WC_BND_CHOSEN], from),
		    after(at[WC_BND_HANDLED], from), after(at[WC_BND_WAKEUP], from),
		    after(at[WC_BND_ENTRY], from), after(at[WC_BND_SWITCH], from),
		    after(at[WC_BND_EXIT], from), after(at[WC_BND_RETURN], from));
}

void writer__profile(struct writer *w, const struct wc_profile *p)
{
	writer__put(w, T_PROFILE, p->window_ns, p->started_ns, (int64_t)p->clock_offset_ns,
		    U(p->stack_every), p->slow_ns, p->stacks_full_cnt, p->stacks_failed_cnt,
		    p->chains_full_cnt, p->user_stack_cnt, p->user_truncated_cnt);
	put_tasks(w, p);
	put_edges(w, p);
	put_frames(w, p);
	put_stacks(w, p);
	put_chains(w, p);
	for (size_t i = 0; i < p->open_cnt; i++)
		writer__put(w, T_OPEN_END, U(i), U(p->opens[i].task), U(p->opens[i].woken),
			    p->opens[i].since_ns);
	put_cpus(w, p);
	for (size_t i = 0; i < p->event_cnt; i++)
		put_event(w, i, p->started_ns, &p->events[i]);
}
