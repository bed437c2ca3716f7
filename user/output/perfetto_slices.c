// SPDX-License-Identifier: BSD-2-Clause
#include "user/output/perfetto_slices.h"

#include <errno.h>
#include <stdlib.h>

/* The two whole ones and a slice a stage. */
#define SLICES_A_WAKE (2 + WC_STAGE_CNT)

struct list {
	struct wc_slice *items;
	size_t cnt;
};

static void add(struct list *l, const struct wc_slice *whole, uint64_t begin_ns, uint64_t end_ns,
		unsigned int stages)
{
	struct wc_slice *s = &l->items[l->cnt++];

	*s = *whole;
	s->kind = WC_SLICE_STAGES;
	s->begin_ns = begin_ns;
	s->end_ns = end_ns;
	s->stages = stages;
}

#define BIT(stage) (1u << WC_STAGE_##stage)

/* From sched_waking on: what it spans where the kernel shows fewer boundaries. */
static void add_choosing(struct list *l, const struct wc_slice *whole, const struct wc_event *e)
{
	const unsigned long long *at = e->at_ns;
	/* nothing is chosen for what is still queued */
	unsigned int both =
		e->wake_class == WC_CLASS_DELAYED ? BIT(ENQUEUE) : BIT(SELECT) | BIT(ENQUEUE);

	if (!at[WC_BND_CHOSEN])
		add(l, whole, at[WC_BND_WAKING], at[WC_BND_WAKEUP], both);
	else
		add(l, whole, at[WC_BND_WAKING], at[WC_BND_CHOSEN], BIT(SELECT));
}

static void add_queueing(struct list *l, const struct wc_slice *whole, const struct wc_event *e)
{
	const unsigned long long *at = e->at_ns;

	if (!at[WC_BND_CHOSEN])
		return;
	if (at[WC_BND_HANDLED]) {
		add(l, whole, at[WC_BND_CHOSEN], at[WC_BND_HANDLED], BIT(SEND));
		add(l, whole, at[WC_BND_HANDLED], at[WC_BND_WAKEUP], BIT(ENQUEUE));
	} else {
		add(l, whole, at[WC_BND_CHOSEN], at[WC_BND_WAKEUP], BIT(ENQUEUE));
	}
}

/* Another CPU queues the wakee: to its waker the wake is over once the CPU is chosen. */
static uint64_t waker_end(const struct wc_event *e)
{
	if (e->wake_class != WC_CLASS_REMOTE)
		return e->at_ns[WC_BND_WAKEUP];
	return e->at_ns[e->at_ns[WC_BND_CHOSEN] ? WC_BND_CHOSEN : WC_BND_WAKING];
}

/* last_ns: when this waker had finished the wake before, perhaps of the same call. */
static void add_waker(struct list *l, const struct wc_event *e, size_t event, uint64_t last_ns)
{
	uint64_t waking = e->at_ns[WC_BND_WAKING], call = e->at_ns[WC_BND_CALL];
	bool task = e->context == WC_CTX_TASK;
	struct wc_slice *whole = &l->items[l->cnt++];

	*whole = (struct wc_slice){
		.track = { e->context, task && e->waker_tid ? e->waker_tid : e->waker_cpu,
			   task && !e->waker_tid },
		.begin_ns = call && call < waking ? call : waking,
		.end_ns = waker_end(e),
		.event = event,
		.kind = WC_SLICE_WAKE,
	};
	if (last_ns > whole->begin_ns)
		whole->begin_ns = last_ns < waking ? last_ns : waking;
	if (whole->begin_ns < waking)
		add(l, whole, whole->begin_ns, waking, BIT(FIND));
	if (whole->end_ns == waking)
		return;
	add_choosing(l, whole, e);
	if (e->wake_class != WC_CLASS_REMOTE)
		add_queueing(l, whole, e);
}

static void add_wakee(struct list *l, const struct wc_event *e, size_t event)
{
	const unsigned long long *at = e->at_ns;
	uint64_t entry = at[WC_BND_ENTRY], back = at[WC_BND_EXIT], ret = at[WC_BND_RETURN];
	struct wc_slice *whole = &l->items[l->cnt++];

	*whole = (struct wc_slice){
		.track = { WC_CTX_TASK, e->wakee_tid, false },
		.begin_ns = waker_end(e),
		.end_ns = ret	 ? ret
			  : back ? back
				 : at[WC_BND_SWITCH],
		.event = event,
		.kind = WC_SLICE_WOKEN,
	};
	if (e->wake_class == WC_CLASS_REMOTE) {
		if (!at[WC_BND_CHOSEN])
			add_choosing(l, whole, e);
		add_queueing(l, whole, e);
	}
	if (entry && entry < at[WC_BND_WAKEUP]) /* woken while its CPU was choosing already */
		entry = at[WC_BND_WAKEUP];
	if (entry) {
		add(l, whole, at[WC_BND_WAKEUP], entry, BIT(WAIT));
		add(l, whole, entry, at[WC_BND_SWITCH], BIT(PICK));
	} else {
		add(l, whole, at[WC_BND_WAKEUP], at[WC_BND_SWITCH], BIT(WAIT) | BIT(PICK));
	}
	if (back)
		add(l, whole, at[WC_BND_SWITCH], back, BIT(SWITCH));
	if (ret && back)
		add(l, whole, back, ret, BIT(RETURN));
	else if (ret)
		add(l, whole, at[WC_BND_SWITCH], ret, BIT(SWITCH) | BIT(RETURN));
}

int wc_track__compare(const struct wc_track *a, const struct wc_track *b)
{
	if (a->context != b->context)
		return a->context < b->context ? -1 : 1;
	if (a->idle != b->idle)
		return a->idle ? 1 : -1;
	return (a->id > b->id) - (a->id < b->id);
}

static int compare(const void *a, const void *b)
{
	const struct wc_slice *x = a, *y = b;
	int d = wc_track__compare(&x->track, &y->track);

	if (d)
		return d;
	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->stages > y->stages) - (x->stages < y->stages);
}

/* A stage shows inside the whole it is of, or not at all. */
static bool shows(const struct wc_slice *s, const struct wc_slice *around)
{
	if (s->kind != WC_SLICE_STAGES)
		return true;
	return s->end_ns > s->begin_ns && around && around->event == s->event &&
	       around->kind != WC_SLICE_STAGES;
}

/* Sorted in, sorted out. */
static int nest(struct list *l)
{
	size_t *open = reallocarray(NULL, l->cnt ? l->cnt : 1, sizeof(*open));
	size_t depth = 0, kept = 0;

	if (!open)
		return -ENOMEM;
	for (size_t i = 0; i < l->cnt; i++) {
		struct wc_slice s = l->items[i], *around;

		if (kept && wc_track__compare(&l->items[kept - 1].track, &s.track))
			depth = 0;
		while (depth && l->items[open[depth - 1]].end_ns <= s.begin_ns)
			depth--;
		around = depth ? &l->items[open[depth - 1]] : NULL;
		if (around && s.end_ns > around->end_ns)
			s.end_ns = around->end_ns;
		if (!shows(&s, around))
			continue;
		l->items[kept] = s;
		open[depth++] = kept++;
	}
	free(open);
	l->cnt = kept;
	return 0;
}

/* Wakes of one waker by time. */
struct turn {
	const struct wc_event *e;
	size_t event;
};

static int compare_turns(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;
	unsigned long long m = x->e->at_ns[WC_BND_WAKING], n = y->e->at_ns[WC_BND_WAKING];

	if (x->e->context != y->e->context)
		return x->e->context < y->e->context ? -1 : 1;
	if (x->e->waker_tid != y->e->waker_tid)
		return x->e->waker_tid < y->e->waker_tid ? -1 : 1;
	if (m != n)
		return m < n ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

static bool same_waker(const struct wc_event *a, const struct wc_event *b)
{
	return a->context == WC_CTX_TASK && b->context == WC_CTX_TASK && a->waker_tid &&
	       a->waker_tid == b->waker_tid;
}

int wc_slices__of(const struct wc_profile *p, struct wc_slice **out, size_t *cnt)
{
	size_t n = p->event_cnt ? p->event_cnt : 1;
	struct list l = { reallocarray(NULL, n, SLICES_A_WAKE * sizeof(*l.items)), 0 };
	struct turn *turns = reallocarray(NULL, n, sizeof(*turns));
	int err = l.items && turns ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->event_cnt && !err; i++)
		turns[i] = (struct turn){ &p->events[i], i };
	if (!err && p->event_cnt)
		qsort(turns, p->event_cnt, sizeof(*turns), compare_turns);
	for (size_t i = 0; i < p->event_cnt && !err; i++) {
		bool same = i && same_waker(turns[i - 1].e, turns[i].e);

		add_waker(&l, turns[i].e, turns[i].event, same ? waker_end(turns[i - 1].e) : 0);
		add_wakee(&l, turns[i].e, turns[i].event);
	}
	free(turns);
	if (!err && l.cnt)
		qsort(l.items, l.cnt, sizeof(*l.items), compare);
	err = err ? err : nest(&l);
	if (err) {
		free(l.items);
		return err;
	}
	*out = l.items;
	*cnt = l.cnt;
	return 0;
}
