// SPDX-License-Identifier: BSD-2-Clause
/* The tracks of a Perfetto trace, who they are, and the clock they are timed by. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "user/output/perfetto_impl.h"
#include "user/util/text.h"

/* Kinds of track live apart; 0 is nobody's. */
enum uuid_kind {
	UUID_THREAD = 1,
	UUID_PROCESS = 2,
	UUID_INTERRUPTS = 3,
	UUID_CONTEXT = 4, /* + enum wc_context */
};

/* ---- who ---- */

static int compare_tids(const void *a, const void *b)
{
	const struct wc_task *x = *(const struct wc_task *const *)a;
	const struct wc_task *y = *(const struct wc_task *const *)b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

int perfetto__know_tasks(struct trace *t)
{
	t->tasks = reallocarray(NULL, t->p->task_cnt ? t->p->task_cnt : 1, sizeof(void *));
	if (!t->tasks)
		return -ENOMEM;
	for (size_t i = 0; i < t->p->task_cnt; i++)
		t->tasks[i] = &t->p->tasks[i];
	if (t->p->task_cnt)
		qsort(t->tasks, t->p->task_cnt, sizeof(void *), compare_tids);
	return 0;
}

static const struct wc_task *task_of(const struct trace *t, uint32_t tid)
{
	const struct wc_task key = { .tid = tid }, *want = &key, **found;

	found = bsearch(&want, t->tasks, t->p->task_cnt, sizeof(void *), compare_tids);
	return found ? *found : NULL;
}

static char *safe_text(struct trace *t, const char *raw)
{
	size_t len = wc_text__safe(NULL, 0, raw);
	char *safe = malloc(len + 1);

	if (!safe)
		t->err = -ENOMEM;
	else
		wc_text__safe(safe, len + 1, raw);
	return safe;
}

char *perfetto__thread_name(struct trace *t, uint32_t tid)
{
	const struct wc_task *task = task_of(t, tid);
	char number[32];

	snprintf(number, sizeof(number), "thread %" PRIu32, tid);
	return safe_text(t, task && task->comm && *task->comm ? task->comm : number);
}

static uint64_t uuid(unsigned int kind, uint32_t id)
{
	return (uint64_t)kind << 40 | id;
}

/* An idle CPU that wakes somebody is no thread: it goes with the interrupts. */
uint64_t perfetto__track_uuid(const struct wc_track *track)
{
	if (track->context == WC_CTX_TASK && !track->idle)
		return uuid(UUID_THREAD, track->id);
	return uuid(UUID_CONTEXT + track->context, track->id);
}

/* ---- the clock ---- */

void perfetto__put_clocks(struct trace *t)
{
	Perfetto__ClockSnapshot__Clock monotonic = PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT;
	Perfetto__ClockSnapshot__Clock realtime = PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT;
	Perfetto__ClockSnapshot__Clock *list[] = { &monotonic, &realtime };
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__Packet packet = PERFETTO__PACKET__INIT;

	monotonic.has_id = monotonic.has_at_ns = true;
	monotonic.id = CLOCK_ID_MONOTONIC;
	monotonic.at_ns = t->p->started_ns;
	realtime.has_id = realtime.has_at_ns = true;
	realtime.id = CLOCK_ID_REALTIME;
	realtime.at_ns = t->p->started_ns + t->p->clock_offset_ns;
	snapshot.clocks = list;
	snapshot.n_clocks = t->p->clock_offset_ns ? 2 : 1;
	snapshot.has_primary = true;
	snapshot.primary = CLOCK_ID_MONOTONIC;
	packet.clocks = &snapshot;
	packet.has_at_ns = packet.has_clock_id = true;
	packet.at_ns = t->p->started_ns;
	packet.clock_id = CLOCK_ID_MONOTONIC;
	perfetto__put(t, &packet);
}

/* ---- tracks ---- */

static void put_track(struct trace *t, Perfetto__TrackDescriptor *track, uint64_t id)
{
	Perfetto__Packet packet = PERFETTO__PACKET__INIT;

	track->has_uuid = true;
	track->uuid = id;
	packet.track = track;
	perfetto__put(t, &packet);
}

static void put_thread(struct trace *t, uint32_t tid, uint32_t tgid)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__Thread thread = PERFETTO__THREAD__INIT;
	char *name = perfetto__thread_name(t, tid);

	if (!name)
		return;
	thread.has_pid = thread.has_tid = true;
	thread.pid = (int32_t)(tgid ? tgid : tid);
	thread.tid = (int32_t)tid;
	thread.name = name;
	track.thread = &thread;
	put_track(t, &track, uuid(UUID_THREAD, tid));
	free(name);
}

static void put_process(struct trace *t, uint32_t tgid, uint32_t tid)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__Process process = PERFETTO__PROCESS__INIT;
	const struct wc_task *task = task_of(t, tid);
	char *name = NULL;

	if (task && task->process && *task->process)
		name = safe_text(t, task->process);
	process.has_pid = true;
	process.pid = (int32_t)tgid;
	process.name = name;
	track.process = &process;
	put_track(t, &track, uuid(UUID_PROCESS, tgid));
	free(name);
}

static void put_interrupts(struct trace *t)
{
	static char name[] = "Interrupts and idle CPUs";
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;

	track.name = name;
	put_track(t, &track, uuid(UUID_INTERRUPTS, 0));
}

static void put_interrupt(struct trace *t, const struct wc_track *which)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	char name[64];

	snprintf(name, sizeof(name), "[%s] CPU %" PRIu32,
		 which->idle ? "idle" : wc_context__name(which->context), which->id);
	track.name = name;
	track.has_parent_uuid = true;
	track.parent_uuid = uuid(UUID_INTERRUPTS, 0);
	put_track(t, &track, perfetto__track_uuid(which));
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Each process once, named as the first of its threads says. */
static void put_processes(struct trace *t)
{
	uint64_t *ids = reallocarray(NULL, t->p->event_cnt, 2 * sizeof(*ids));
	size_t cnt = 0;

	if (!ids) {
		t->err = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < t->p->event_cnt; i++) {
		const struct wc_event *e = &t->p->events[i];

		ids[cnt++] = (uint64_t)e->wakee_tgid << 32 | e->wakee_tid;
		if (e->context == WC_CTX_TASK && e->waker_tid)
			ids[cnt++] = (uint64_t)e->waker_tgid << 32 | e->waker_tid;
	}
	qsort(ids, cnt, sizeof(*ids), compare_numbers);
	for (size_t i = 0; i < cnt; i++)
		if (ids[i] >> 32 && (!i || ids[i] >> 32 != ids[i - 1] >> 32))
			put_process(t, (uint32_t)(ids[i] >> 32), (uint32_t)ids[i]);
	free(ids);
}

void perfetto__put_tracks(struct trace *t, const struct wc_slice *slices, size_t cnt)
{
	bool interrupts = false;

	put_processes(t);
	for (size_t i = 0; i < cnt; i++) {
		const struct wc_slice *s = &slices[i];
		const struct wc_event *e = &t->p->events[s->event];

		if (i && !wc_track__compare(&slices[i - 1].track, &s->track))
			continue;
		if (s->track.context == WC_CTX_TASK && !s->track.idle) {
			put_thread(t, s->track.id,
				   s->kind == WC_SLICE_WAKE ? e->waker_tgid : e->wakee_tgid);
			continue;
		}
		if (!interrupts)
			put_interrupts(t);
		interrupts = true;
		put_interrupt(t, &s->track);
	}
}
