/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "timers.h"

static void heap__put(struct timers *t, size_t place, struct timer *timer)
{
	t->heap[place - 1] = timer;
	timer->place = place;
}

static void heap__up(struct timers *t, struct timer *timer)
{
	size_t at = timer->place;

	while (at > 1 && t->heap[at / 2 - 1]->due_ns > timer->due_ns) {
		heap__put(t, at, t->heap[at / 2 - 1]);
		at /= 2;
	}
	heap__put(t, at, timer);
}

static void heap__down(struct timers *t, struct timer *timer)
{
	size_t at = timer->place, child;

	while ((child = at * 2) <= t->cnt) {
		if (child < t->cnt && t->heap[child]->due_ns < t->heap[child - 1]->due_ns)
			child++;
		if (t->heap[child - 1]->due_ns >= timer->due_ns)
			break;
		heap__put(t, at, t->heap[child - 1]);
		at = child;
	}
	heap__put(t, at, timer);
}

int timers__set(struct timers *t, struct timer *timer, u64 due_ns)
{
	size_t cap = t->cap ? t->cap * 2 : 64;
	struct timer **more;

	if (timer->place)
		timers__cancel(t, timer);
	if (t->cnt == t->cap) {
		more = reallocarray(t->heap, cap, sizeof(struct timer *));
		if (!more)
			return -ENOMEM;
		t->heap = more;
		t->cap = cap;
	}
	timer->due_ns = due_ns;
	timer->place = ++t->cnt;
	heap__up(t, timer);
	return 0;
}

void timers__cancel(struct timers *t, struct timer *timer)
{
	struct timer *last;

	if (!timer->place)
		return;
	last = t->heap[--t->cnt];
	if (last != timer) {
		last->place = timer->place;
		t->heap[last->place - 1] = last;
		heap__up(t, last);
		heap__down(t, last);
	}
	timer->place = 0;
}

struct timer *timers__due(struct timers *t, u64 now_ns)
{
	struct timer *first = t->cnt ? t->heap[0] : NULL;

	if (!first || first->due_ns > now_ns)
		return NULL;
	timers__cancel(t, first);
	return first;
}

u64 timers__next_ns(const struct timers *t)
{
	return t->cnt ? t->heap[0]->due_ns : UINT64_MAX;
}

void timers__free(struct timers *t)
{
	free(t->heap);
	memset(t, 0, sizeof(*t));
}
