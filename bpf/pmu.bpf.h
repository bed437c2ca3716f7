/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Hardware and software counters between the boundaries of a wake. A counter belongs to a CPU, so
 * only spans that begin and end on one CPU are counted, and of a task only what it ran through
 * without a switch. Off unless asked for: cfg_counter_cnt is a constant at load, and 0 makes all of
 * this dead code.
 */
#ifndef WAKECOST_PMU_BPF_H
#define WAKECOST_PMU_BPF_H

#include "bpf/state.bpf.h"

const volatile __u32 cfg_counter_cnt = 0;

/* As in linux/bpf.h. */
struct wc_pmu_value {
	u64 counter, enabled, running;
};

/* Where counters are read; of each the last on this CPU. */
enum wc_pmu_at {
	WC_PMU_ENTER = 0,  /* the running task entered a system call */
	WC_PMU_WAKING = 1, /* it, of the wakee */
	WC_PMU_WAKEUP = 2, /* of the wakee, until that runs */
	WC_PMU_SCHED = 3,  /* scheduler entered, with such a wakee queued */
	WC_PMU_SWITCH = 4, /* to the wakee */
	WC_PMU_BACK = 5,   /* the wakee is back in the kernel */
	WC_PMU_LEAVE = 6,  /* the running task left a system call */
	WC_PMU_AT_CNT = 7,
};

struct wc_pmu_mark {
	u64 tid; /* whose; 0: not to be used */
	struct wc_pmu_value v[WC_PMU_MAX];
};

struct wc_pmu_cpu {
	struct wc_span spans[WC_SPAN_CNT]; /* read by the user side: in front */
	struct wc_pmu_mark marks[WC_PMU_AT_CNT];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1); /* WC_PMU_MAX x possible CPUs when used: by counter, then CPU */
	__type(key, u32);
	__type(value, u32);
} pmu_events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* possible CPUs when used */
	__type(key, u32);
	__type(value, struct wc_pmu_cpu);
} pmu_cpus SEC(".maps");

static __always_inline struct wc_pmu_cpu *pmu__this(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&pmu_cpus, &cpu);
}

static __always_inline void pmu__read(struct wc_pmu_mark *m, u32 tid)
{
	u32 cpu = bpf_get_smp_processor_id(), i;
	bool whole = true;

#pragma clang loop unroll(full)
	for (i = 0; i < WC_PMU_MAX; i++) {
		if (i < cfg_counter_cnt &&
		    bpf_perf_event_read_value(&pmu_events, i * cfg_cpu_max + cpu, (void *)&m->v[i],
					      sizeof(m->v[i])))
			whole = false;
	}
	m->tid = whole ? tid : 0;
}

/* A counter that did not run all of the time was shared with others, and says nothing of a span. */
static __always_inline void pmu__span(struct wc_pmu_cpu *c, u32 span, const struct wc_pmu_mark *a,
				      const struct wc_pmu_mark *b)
{
	struct wc_span *s = &c->spans[span];
	u64 shared = 0;
	u32 i;

	if (!a->tid || !b->tid) {
		s->failed++;
		return;
	}
#pragma clang loop unroll(full)
	for (i = 0; i < WC_PMU_MAX; i++) {
		if (i < cfg_counter_cnt)
			shared |= (b->v[i].enabled - a->v[i].enabled) ^
				  (b->v[i].running - a->v[i].running);
	}
	if (shared) {
		s->discarded++;
		return;
	}
	s->count++;
#pragma clang loop unroll(full)
	for (i = 0; i < WC_PMU_MAX; i++) {
		if (i < cfg_counter_cnt)
			s->sums[i] += b->v[i].counter - a->v[i].counter;
	}
}

static __always_inline void pmu__syscall(u32 tid, bool enter)
{
	struct wc_pmu_cpu *c = pmu__this();
	struct wc_pmu_mark *m;

	if (!c)
		return;
	m = c->marks;
	if (enter) {
		pmu__read(&m[WC_PMU_ENTER], tid);
		if (m[WC_PMU_LEAVE].tid == tid)
			pmu__span(c, WC_SPAN_USER, &m[WC_PMU_LEAVE], &m[WC_PMU_ENTER]);
		m[WC_PMU_LEAVE].tid = 0;
		return;
	}
	pmu__read(&m[WC_PMU_LEAVE], tid);
	if (m[WC_PMU_BACK].tid == tid)
		pmu__span(c, WC_SPAN_RETURN, &m[WC_PMU_BACK], &m[WC_PMU_LEAVE]);
	m[WC_PMU_BACK].tid = 0;
	m[WC_PMU_ENTER].tid = 0;
}

/* waker: 0 for an interrupt's. */
static __always_inline void pmu__waking(u32 waker, u32 wakee)
{
	struct wc_pmu_cpu *c = pmu__this();
	struct wc_pmu_mark *m;

	if (!c)
		return;
	m = c->marks;
	pmu__read(&m[WC_PMU_WAKING], wakee);
	if (waker && m[WC_PMU_ENTER].tid == waker)
		pmu__span(c, WC_SPAN_FIND, &m[WC_PMU_ENTER], &m[WC_PMU_WAKING]);
}

static __always_inline void pmu__wakeup(u32 wakee)
{
	struct wc_pmu_cpu *c = pmu__this();
	struct wc_pmu_mark *m;

	if (!c)
		return;
	m = c->marks;
	if (m[WC_PMU_WAKING].tid != wakee) /* made on another CPU */
		return;
	pmu__read(&m[WC_PMU_WAKEUP], wakee);
	pmu__span(c, WC_SPAN_SELECT, &m[WC_PMU_WAKING], &m[WC_PMU_WAKEUP]);
	m[WC_PMU_WAKING].tid = 0;
}

static __always_inline void pmu__entry(void)
{
	struct wc_pmu_cpu *c = pmu__this();

	if (c && c->marks[WC_PMU_WAKEUP].tid)
		pmu__read(&c->marks[WC_PMU_SCHED], 1);
}

/* live: next runs because it was woken. What prev had begun, it goes on with elsewhere or later. */
static __always_inline void pmu__switch(u32 next, bool live)
{
	struct wc_pmu_cpu *c = pmu__this();
	struct wc_pmu_mark *m;

	if (!c)
		return;
	m = c->marks;
	m[WC_PMU_ENTER].tid = 0;
	m[WC_PMU_LEAVE].tid = 0;
	m[WC_PMU_BACK].tid = 0;
	m[WC_PMU_SWITCH].tid = 0;
	if (live) {
		pmu__read(&m[WC_PMU_SWITCH], next);
		if (m[WC_PMU_WAKEUP].tid == next && m[WC_PMU_SCHED].tid) {
			pmu__span(c, WC_SPAN_WAIT, &m[WC_PMU_WAKEUP], &m[WC_PMU_SCHED]);
			pmu__span(c, WC_SPAN_PICK, &m[WC_PMU_SCHED], &m[WC_PMU_SWITCH]);
		}
	}
	if (m[WC_PMU_WAKEUP].tid == next)
		m[WC_PMU_WAKEUP].tid = 0;
	m[WC_PMU_SCHED].tid = 0;
}

static __always_inline void pmu__back(u32 tid)
{
	struct wc_pmu_cpu *c = pmu__this();
	struct wc_pmu_mark *m;

	if (!c || c->marks[WC_PMU_SWITCH].tid != tid)
		return;
	m = c->marks;
	pmu__read(&m[WC_PMU_BACK], tid);
	pmu__span(c, WC_SPAN_SWITCH, &m[WC_PMU_SWITCH], &m[WC_PMU_BACK]);
	m[WC_PMU_SWITCH].tid = 0;
}

#endif
