// SPDX-License-Identifier: BSD-2-Clause
/* From the probes' maps to a profile: tasks and pairs by index, addresses by name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "user/experiment/frames.h"
#include "user/experiment/record.h"

struct gather {
	struct wc_session *s;
	const struct wc_round *round;
	struct wc_profile *p;
	struct wc_frames *frames;
	uint64_t end_ns;
	uint64_t *named_ns; /* by task: when its name was seen; UINT64_MAX: at the end */
	size_t named_cap;
	/* tids of the tasks so far, open addressing; index + 1 */
	uint32_t *by_tid;
	size_t mask;
};

static uint32_t task__find(const struct gather *g, uint32_t tid)
{
	size_t i = tid * 2654435761u & g->mask;

	for (; g->by_tid[i]; i = (i + 1) & g->mask) {
		if (g->p->tasks[g->by_tid[i] - 1].tid == tid)
			return g->by_tid[i] - 1;
	}
	return WC_NONE;
}

static void index__put(struct gather *g, uint32_t task)
{
	size_t i = g->p->tasks[task].tid * 2654435761u & g->mask;

	while (g->by_tid[i])
		i = (i + 1) & g->mask;
	g->by_tid[i] = task + 1;
}

/* At most half full. */
static int index__grow(struct gather *g)
{
	size_t size = g->mask ? (g->mask + 1) * 2 : 1024, i;
	uint32_t *more;

	if (g->by_tid && g->p->task_cnt * 2 < g->mask)
		return 0;
	more = calloc(size, sizeof(*more));
	if (!more)
		return -ENOMEM;
	free(g->by_tid);
	g->by_tid = more;
	g->mask = size - 1;
	for (i = 0; i < g->p->task_cnt; i++)
		index__put(g, i);
	return 0;
}

/* The name last seen counts. */
static int task__rename(struct gather *g, uint32_t task, const char *comm, uint64_t at_ns)
{
	size_t cap = g->named_cap ? g->named_cap : 1024;
	uint64_t *more;
	char *copy;

	while (cap <= task)
		cap *= 2;
	if (cap > g->named_cap) {
		more = reallocarray(g->named_ns, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		memset(more + g->named_cap, 0, (cap - g->named_cap) * sizeof(*more));
		g->named_ns = more;
		g->named_cap = cap;
	}
	if (at_ns < g->named_ns[task])
		return 0;
	g->named_ns[task] = at_ns;
	if (g->p->tasks[task].comm && !strncmp(g->p->tasks[task].comm, comm, 16))
		return 0;
	copy = strndup(comm, 16);
	if (!copy)
		return -ENOMEM;
	free(g->p->tasks[task].comm);
	g->p->tasks[task].comm = copy;
	return 0;
}

static struct wc_task *task__add(struct gather *g, uint32_t tid, const char *comm, size_t comm_sz)
{
	struct wc_task *t;

	if (index__grow(g))
		return NULL;
	t = wc_profile__add_task(g->p);
	if (!t)
		return NULL;
	t->tid = tid;
	t->comm = strndup(comm, comm_sz);
	index__put(g, g->p->task_cnt - 1);
	return t->comm ? t : NULL;
}

static int open__add(struct gather *g, const struct wc_task_out *o)
{
	struct wc_open *open;

	if (!o->woken && !o->asleep)
		return 0;
	open = wc_profile__add_open(g->p);
	if (!open)
		return -ENOMEM;
	open->task = g->p->task_cnt - 1;
	open->woken = o->woken;
	/* asleep since before the window: for at least as long as that was */
	open->since_ns =
		o->since_ns && o->since_ns < g->end_ns ? g->end_ns - o->since_ns : g->p->window_ns;
	return 0;
}

static int on_task(void *ctx, const struct wc_task_out *o)
{
	struct gather *g = ctx;
	struct wc_task *t = task__add(g, o->tid, o->comm, sizeof(o->comm));

	if (!t)
		return -ENOMEM;
	t->tgid = o->tgid;
	t->ns_tid = o->ns_tid == o->tid ? 0 : o->ns_tid;
	t->kernel_thread = o->kernel_thread;
	t->switched_in_cnt = o->switched_in_cnt;
	t->process = strndup(o->process, sizeof(o->process));
	if (!t->process || task__rename(g, g->p->task_cnt - 1, o->comm, UINT64_MAX))
		return -ENOMEM;
	return open__add(g, o);
}

/* Of a pair, and no longer there at the end; or, as a waker, not one of those meant. */
static uint32_t task__of_pair(struct gather *g, uint32_t tid, uint32_t tgid, const char *comm,
			      uint64_t at_ns)
{
	uint32_t at = task__find(g, tid), leader;
	struct wc_task *t;

	if (at != WC_NONE)
		return task__rename(g, at, comm, at_ns) ? WC_NONE : at;
	t = task__add(g, tid, comm, 16);
	if (!t)
		return WC_NONE;
	t->tgid = tgid;
	t->exited = !wc_frames__task_lives(tgid, tid);
	t->kernel_thread = !t->exited && wc_frames__is_kernel_thread(tgid);
	t->outside = true; /* till it turns out to be a wakee */
	leader = task__find(g, tgid);
	t = &g->p->tasks[g->p->task_cnt - 1];
	t->process = strdup(leader == WC_NONE ? t->comm : g->p->tasks[leader].comm);
	if (!t->process || task__rename(g, g->p->task_cnt - 1, comm, at_ns))
		return WC_NONE;
	return g->p->task_cnt - 1;
}

static int edge__hists(struct gather *g, uint32_t pair, struct wc_edge *e)
{
	const struct wc_pair *from = &g->round->pairs[pair];
	struct wc_pair_hists h;
	unsigned int m, i;
	int err;

	if (!from->hists) {
		g->p->plain_pair_cnt += from->total.count > WC_PAIR_HISTS_AFTER;
		return 0;
	}
	err = wc_session__pair_hists(g->s, from->hists, &h);
	for (m = 0; !err && m < WC_METRIC_CNT; m++) {
		for (i = 0; i < WC_PHIST_SLOT_CNT && !h.metrics[m].slots[i]; i++)
			;
		if (i == WC_PHIST_SLOT_CNT)
			continue;
		e->hists[m] = malloc(sizeof(h.metrics[m]));
		if (!e->hists[m])
			return -ENOMEM;
		*e->hists[m] = h.metrics[m];
	}
	return err;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * A waker that was never a wakee, nor found by the walk over those meant, is from outside, unless
 * it belongs to a process that is not.
 */
static int mark_outside(struct gather *g)
{
	uint32_t *inside = calloc(g->p->task_cnt + 1, sizeof(*inside));
	size_t cnt = 0, i;

	if (!inside)
		return -ENOMEM;
	for (i = 0; i < g->p->task_cnt; i++) {
		if (!g->p->tasks[i].outside)
			inside[cnt++] = g->p->tasks[i].tgid;
	}
	qsort(inside, cnt, sizeof(*inside), by_number);
	for (i = 0; i < g->p->task_cnt; i++) {
		struct wc_task *t = &g->p->tasks[i];

		if (t->outside && bsearch(&t->tgid, inside, cnt, sizeof(*inside), by_number))
			t->outside = false;
	}
	free(inside);
	return 0;
}

/* Edges stand at the index of their pair. */
static int gather__edges(struct gather *g)
{
	size_t i;
	int err;

	for (i = 0; i < g->round->pair_cnt; i++) {
		const struct wc_pair *pair = &g->round->pairs[i];
		struct wc_edge *e = wc_profile__add_edge(g->p);

		if (!e)
			return -ENOMEM;
		e->context = pair->key.waker_context;
		memcpy(e->wakes, pair->wakes, sizeof(e->wakes));
		e->total = pair->total;
		memcpy(e->stages, pair->stages, sizeof(e->stages));
		e->blocked = pair->blocked;
		e->waker = WC_NONE;
		if (e->context == WC_CTX_TASK) {
			e->waker = task__of_pair(g, pair->key.waker_tid, pair->waker_tgid,
						 pair->waker_comm, pair->last_ns);
			if (e->waker == WC_NONE)
				return -ENOMEM;
		}
		e->wakee = task__of_pair(g, pair->key.wakee_tid, pair->wakee_tgid, pair->wakee_comm,
					 pair->last_ns);
		err = e->wakee == WC_NONE ? -ENOMEM : edge__hists(g, i, e);
		if (err)
			return err;
		g->p->tasks[e->wakee].outside = false;
	}
	return mark_outside(g);
}

static void count_cut(struct wc_profile *p, uint32_t stack, uint64_t weight)
{
	if (stack == WC_NONE)
		return;
	p->user_stack_cnt += weight;
	if (p->stacks[stack].truncated)
		p->user_truncated_cnt += weight;
}

static int on_chain(void *ctx, const struct wc_chain_key *key, const struct wc_chain_sums *sums)
{
	struct gather *g = ctx;
	const struct wc_pair *pair;
	struct wc_chain *c;

	if (!key->pair || key->pair > g->p->edge_cnt)
		return 0; /* its pair found no place, and was counted as lost */
	pair = &g->round->pairs[key->pair - 1];
	c = wc_profile__add_chain(g->p);
	if (!c)
		return -ENOMEM;
	c->edge = key->pair - 1;
	c->waker_missing = key->waker_kernel == WC_STACK_NOT_TAKEN;
	c->waker_kernel = wc_frames__kernel(g->frames, key->waker_kernel,
					    pair->key.waker_context != WC_CTX_TASK);
	c->waker_user = wc_frames__user(g->frames, key->waker_user, pair->waker_tgid);
	c->wakee_kernel = wc_frames__kernel(g->frames, key->wakee_kernel, false);
	c->wakee_user = wc_frames__user(g->frames, key->wakee_user, pair->wakee_tgid);
	c->sampled_cnt = sums->taken_cnt;
	c->weight = sums->weight;
	c->total_ns = sums->total_ns;
	c->blocked_ns = sums->blocked_ns;
	memcpy(c->stage_ns, sums->stage_ns, sizeof(c->stage_ns));
	count_cut(g->p, c->waker_user, c->weight);
	count_cut(g->p, c->wakee_user, c->weight);
	return wc_frames__error(g->frames);
}

static int gather__cpus(struct gather *g)
{
	unsigned int cnt = wc_session__cpu_cnt(g->s), cpu, m;
	struct wc_cpu_stats *c;
	int err = 0;

	g->p->cpus = calloc(cnt, sizeof(*g->p->cpus));
	if (!g->p->cpus)
		return -ENOMEM;
	for (cpu = 0; !err && cpu < cnt; cpu++) {
		c = &g->p->cpus[g->p->cpu_cnt];
		c->cpu = cpu;
		err = wc_session__cpu_sum(g->s, cpu, WC_METRIC_TOTAL, &c->total);
		c->wakes = c->total.count;
		for (m = 0; !err && m < WC_STAGE_CNT; m++)
			err = wc_session__cpu_sum(g->s, cpu, m, &c->stages[m]);
		if (c->wakes)
			g->p->cpu_cnt++;
	}
	return err;
}

/* Processes that were not known before can be named only as long as they live. */
static void see_all(struct gather *g, struct wc_symbols *syms)
{
	uint32_t last = 0;
	size_t i;

	for (i = 0; i < g->p->task_cnt; i++) {
		const struct wc_task *t = &g->p->tasks[i];

		if (t->tgid == last || t->kernel_thread || t->exited)
			continue;
		last = t->tgid;
		wc_symbols__snapshot(syms, t->tgid);
	}
}

static int by_waking(const void *a, const void *b)
{
	const struct wc_event *x = a, *y = b;

	return (x->at_ns[WC_BND_WAKING] > y->at_ns[WC_BND_WAKING]) -
	       (x->at_ns[WC_BND_WAKING] < y->at_ns[WC_BND_WAKING]);
}

int wc_record__gather(struct wc_session *s, struct wc_symbols *syms, const struct wc_round *round,
		      struct wc_profile *p)
{
	struct gather g = { .s = s, .round = round, .p = p };
	int err;

	g.end_ns = p->started_ns + p->window_ns;
	g.frames = wc_frames__new(s, syms, p);
	err = g.frames ? index__grow(&g) : -ENOMEM;
	err = err ? err : wc_session__tasks(s, on_task, &g);
	err = err ? err : gather__edges(&g);
	if (!err && p->stack_every) {
		see_all(&g, syms);
		err = wc_session__chains(s, on_chain, &g);
	}
	err = err ? err : gather__cpus(&g);
	if (p->event_cnt)
		qsort(p->events, p->event_cnt, sizeof(*p->events), by_waking);
	p->stacks_full_cnt = round->counters[WC_CNT_STACK_FULL];
	p->stacks_failed_cnt = round->counters[WC_CNT_STACK_FAILED];
	p->chains_full_cnt = round->counters[WC_CNT_CHAIN_FULL];
	wc_frames__free(g.frames);
	free(g.by_tid);
	free(g.named_ns);
	return err;
}
