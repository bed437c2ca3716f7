/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording made by hand. A wake of n ns finds for n, then spends select+enqueue 300, wait 100,
 * pick 250, switch 150, return 600 and 10 that are nobody's; remote ones send for 400 as well.
 *
 *	ping -> pong       5000 delayed, n = 2000      pong -> ping       4000 delayed, n = 2000
 *	[softirq] -> pool   300 remote,  n = 0         nginx -> pool        50 local,   n = 500000
 *	[timer] -> pool 104 100 timed (apart)          ping -> gone          1 new (apart)
 *	hostile -> pong       7 local,   n = 1000      rcu -> pool 104      20 raced,   n = 90000
 *
 * nginx is no target; one thread never sleeps, one sleeps all through, two are open at the end.
 */
#ifndef WC_TESTS_FIXTURE_RECORD_H
#define WC_TESTS_FIXTURE_RECORD_H

#include "tests/unit/fixture.h"
#include "user/model/profile.h"

#define REC_REST_NS  1410
#define REC_HOSTILE  "a;b,\"c\n\033[31m\x80"
#define REC_WINDOW_S 10

enum {
	REC_PING,
	REC_PONG,
	REC_POOL,
	REC_POOL2,
	REC_RCU,
	REC_NGINX,
	REC_SPIN,
	REC_PARKED,
	REC_GONE,
	REC_HOST
};

static inline struct wc_task *rec_task(struct wc_profile *p, uint32_t tid, uint32_t tgid,
				       const char *comm, const char *process)
{
	struct wc_task *t = wc_profile__add_task(p);

	assert_non_null(t);
	t->tid = tid;
	t->tgid = tgid;
	t->comm = strdup(comm);
	t->process = strdup(process);
	t->switched_in_cnt = 5;
	return t;
}

static inline void rec_tasks(struct wc_profile *p)
{
	rec_task(p, 101, 100, "ping", "java");
	rec_task(p, 102, 100, "pong", "java");
	rec_task(p, 103, 100, "pool-1", "java")->ns_tid = 3;
	rec_task(p, 104, 100, "pool-1", "java");
	rec_task(p, 15, 15, "rcu_preempt", "rcu_preempt")->kernel_thread = true;
	p->tasks[REC_RCU].outside = true;
	rec_task(p, 900, 900, "nginx", "nginx")->outside = true;
	rec_task(p, 105, 100, "spinner", "java");
	rec_task(p, 106, 100, "parked", "java")->switched_in_cnt = 0;
	rec_task(p, 200, 200, "gone", "sh")->exited = true;
	rec_task(p, 100, 100, REC_HOSTILE, "java");
}

static inline void rec_stage(struct wc_result *r, struct wc_edge *e, unsigned int wake_class,
			     unsigned int metric, uint64_t cnt, uint64_t ns)
{
	struct wc_hist **h = &r->cells[0].rounds[0].hists[wake_class][metric];
	struct wc_sum *sum = metric == WC_METRIC_TOTAL ? &e->total : &e->stages[metric];

	if (!*h)
		*h = calloc(1, sizeof(**h));
	if (!e->hists[metric])
		e->hists[metric] = calloc(1, sizeof(*e->hists[metric]));
	assert_true(*h && e->hists[metric]);
	(*h)->slots[wc_hist_slot(ns)] += cnt;
	(*h)->count += cnt;
	(*h)->sum += cnt * ns;
	/* the probes keep those apart out of a pair's times */
	if (wake_class == WC_CLASS_TIMED || wake_class == WC_CLASS_NEW)
		return;
	e->hists[metric]->slots[wc_phist_slot(ns)] += (unsigned int)cnt;
	sum->count += cnt;
	sum->sum += cnt * ns;
}

static inline void rec_edge(struct wc_result *r, uint32_t waker, uint32_t context, uint32_t wakee,
			    unsigned int wake_class, uint64_t cnt, uint64_t find_ns)
{
	static const uint64_t ns[WC_STAGE_CNT] = { 0, 300, 0, 0, 100, 250, 150, 600 };
	uint64_t send = wake_class == WC_CLASS_REMOTE ? 400 : 0;
	struct wc_edge *e = wc_profile__add_edge(r->profile);

	assert_non_null(e);
	e->waker = waker;
	e->context = context;
	e->wakee = wakee;
	e->wakes[wake_class] = cnt;
	e->blocked = (struct wc_sum){ cnt, cnt * 40000 };
	if (find_ns)
		rec_stage(r, e, wake_class, WC_STAGE_FIND, cnt, find_ns);
	if (send)
		rec_stage(r, e, wake_class, WC_STAGE_SEND, cnt, send);
	for (unsigned int i = 1; i < WC_STAGE_CNT; i++)
		if (ns[i])
			rec_stage(r, e, wake_class, i, cnt, ns[i]);
	rec_stage(r, e, wake_class, WC_METRIC_TOTAL, cnt, find_ns + send + REC_REST_NS);
	r->cells[0].rounds[0].contexts[context] += cnt;
	r->cells[0].rounds[0].counters[WC_CNT_COMPLETED] += cnt;
}

static inline void rec_edges(struct wc_result *r)
{
	rec_edge(r, REC_PING, WC_CTX_TASK, REC_PONG, WC_CLASS_DELAYED, 5000, 2000);
	rec_edge(r, REC_PONG, WC_CTX_TASK, REC_PING, WC_CLASS_DELAYED, 4000, 2000);
	rec_edge(r, WC_NONE, WC_CTX_SOFTIRQ, REC_POOL, WC_CLASS_REMOTE, 300, 0);
	rec_edge(r, REC_NGINX, WC_CTX_TASK, REC_POOL, WC_CLASS_LOCAL, 50, 500000);
	rec_edge(r, WC_NONE, WC_CTX_TIMER, REC_POOL2, WC_CLASS_TIMED, 100, 0);
	rec_edge(r, REC_PING, WC_CTX_TASK, REC_GONE, WC_CLASS_NEW, 1, 0);
	rec_edge(r, REC_HOST, WC_CTX_TASK, REC_PONG, WC_CLASS_LOCAL, 7, 1000);
	rec_edge(r, REC_RCU, WC_CTX_TASK, REC_POOL2, WC_CLASS_RACED, 20, 90000);
}

static inline uint32_t rec_stack(struct wc_profile *p, bool user, bool truncated,
				 const char *leaf_first)
{
	char *copy = strdup(leaf_first), *rest = copy, *name;
	uint32_t frames[16], cnt = 0;

	while ((name = strsep(&rest, " "))) {
		struct wc_frame f = {
			.kind = user ? WC_FRAME_USER : WC_FRAME_KERNEL,
			.name = name,
			.module = user ? "libjvm.so" : "[kernel]",
			.build_id = user ? "0badcafe" : "",
			.addr = user ? 0x1000 + cnt : 0xffffffff81000000ull + cnt,
		};

		frames[cnt] = wc_profile__frame(p, &f);
		assert_int_not_equal(frames[cnt], WC_NONE);
		cnt++;
	}
	free(copy);
	return wc_profile__stack(p, frames, cnt, user, truncated);
}

static inline void rec_chain(struct wc_profile *p, uint32_t edge, uint64_t weight, bool cut)
{
	uint32_t wk = rec_stack(p, false, false, "try_to_wake_up futex_wake do_futex");
	uint32_t wu = rec_stack(p, true, cut, "pthread_cond_signal Unsafe_Unpark Handoff.ping");
	uint32_t sk = rec_stack(p, false, false, "__schedule futex_wait do_futex");
	uint32_t su = rec_stack(p, true, false, "pthread_cond_wait Unsafe_Park Handoff.pong");
	const struct wc_edge *e = &p->edges[edge];
	struct wc_chain *c = wc_profile__add_chain(p);

	assert_non_null(c);
	c->edge = edge;
	c->waker_kernel = wk;
	c->waker_user = e->context == WC_CTX_TASK ? wu : WC_NONE;
	c->wakee_kernel = sk;
	c->wakee_user = su;
	c->sampled_cnt = weight / 16 + 1;
	c->weight = weight;
	c->total_ns = weight * e->total.sum / e->total.count;
	c->blocked_ns = weight * 40000;
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		c->stage_ns[i] = weight * e->stages[i].sum / e->total.count;
	p->user_stack_cnt += weight;
	p->user_truncated_cnt += cut ? weight : 0;
}

static inline void rec_ends(struct wc_profile *p)
{
	static const struct wc_open opens[] = {
		{ REC_PONG, true, 4000 },
		{ REC_POOL, false, 2500000000ull },
		{ REC_PARKED, false, REC_WINDOW_S * 1000000000ull },
	};
	struct wc_event e = {
		.at_ns = { 0, 1000500, 1000800, 0, 1000900, 1001000, 1001250, 1001400, 1002000 },
		.waker_tid = 101,
		.waker_tgid = 100,
		.wakee_tid = 102,
		.wakee_tgid = 100,
		.wake_class = WC_CLASS_DELAYED,
		.ran_cpu = 1,
	};

	for (size_t i = 0; i < 3; i++)
		*wc_profile__add_open(p) = opens[i];
	p->cpus = calloc(2, sizeof(*p->cpus));
	p->events = calloc(2, sizeof(*p->events));
	assert_true(p->cpus && p->events);
	p->cpu_cnt = p->event_cnt = 2;
	p->events[0] = e;
	e.at_ns[WC_BND_CALL] = 1000100; /* before its waking */
	p->events[1] = e;
	for (uint32_t i = 0; i < 2; i++) {
		p->cpus[i] = (struct wc_cpu_stats){ .cpu = i * 2, .wakes = 5000 + i };
		p->cpus[i].total = (struct wc_sum){ 5000 + i, 20000000 };
		p->cpus[i].stages[WC_STAGE_FIND] = (struct wc_sum){ 5000 + i, 9000000 };
	}
}

static inline struct wc_result *rec_result(void)
{
	struct wc_result *r = wc_result__new();
	struct wc_round *round;
	int err = 0;

	assert_non_null(r);
	free(r->schema);
	r->schema = strdup("wakecost.record/1");
	r->tool_version = strdup("0.0.1");
	r->command_line = strdup("wakecost record -p 100 -d 10s");
	r->shape = strdup("record");
	r->started_s = 1700000000;
	r->rounds_wanted = 1;
	r->profile = wc_profile__new();
	assert_non_null(r->profile);
	err |= wc_kvs__set(&r->params, "pid", "100");
	err |= wc_kvs__set(&r->host, "kernel", "6.18.0");
	err |= wc_kvs__set(&r->host, "scheduler", "EEVDF");
	err |= wc_kvs__set(&r->host, "cpus", "2");
	err |= wc_result__warnf(r, "virtual machine: times include the host's; measure on iron");
	assert_int_equal(err, 0);
	fix_stages(r);
	round = wc_cell__add_round(wc_result__add_cell(r));
	assert_non_null(round);
	round->index = 1;
	round->complete = true;
	round->counters[WC_CNT_NO_PAIR] = 3;
	r->profile->window_ns = REC_WINDOW_S * 1000000000ull;
	r->profile->started_ns = 1000000;
	r->profile->clock_offset_ns = 1699999999000000000ull;
	r->profile->stack_every = 16;
	r->profile->slow_ns = 1000000;
	r->profile->stacks_full_cnt = 2;
	rec_tasks(r->profile);
	rec_edges(r);
	rec_chain(r->profile, 0, 4992, false);
	rec_chain(r->profile, 1, 4000, true);
	rec_chain(r->profile, 2, 304, false);
	rec_ends(r->profile);
	return r;
}

#endif
