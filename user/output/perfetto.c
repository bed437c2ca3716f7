// SPDX-License-Identifier: BSD-2-Clause
/*
 * Single wakes as a Perfetto trace: a track a thread, on it the side of the waker or the wakee
 * with its stages inside, and a flow from the one to the other; docs/export.md.
 *
 * A trace is packets one after the other, so each is encoded and written by itself.
 */
#include <errno.h>
#include <stdlib.h>

#include "user/output/output.h"
#include "user/output/perfetto_impl.h"
#include "user/output/summaries.h"
#include "user/util/arena.h"

enum note {
	NOTE_CLASS,
	NOTE_WAKER_CPU,
	NOTE_PREV_CPU,
	NOTE_CHOSEN_CPU,
	NOTE_RAN_CPU,
	NOTE_CNT,
};

static const char *const note_names[NOTE_CNT] = {
	"class", "waker_cpu", "prev_cpu", "chosen_cpu", "ran_cpu",
};

void perfetto__put(struct trace *t, Perfetto__Packet *packet)
{
	Perfetto__Packet *one[] = { packet };
	Perfetto__Trace trace = PERFETTO__TRACE__INIT;
	size_t len;

	trace.packets = one;
	trace.n_packets = 1;
	packet->has_sequence = true;
	packet->sequence = SEQUENCE;
	len = perfetto__trace__get_packed_size(&trace);
	if (len > t->cap) {
		uint8_t *buf = realloc(t->buf, len * 2);

		if (!buf) {
			t->err = -ENOMEM;
			return;
		}
		t->buf = buf;
		t->cap = len * 2;
	}
	perfetto__trace__pack(&trace, t->buf);
	fwrite(t->buf, 1, len, t->f);
}

/* ---- names ---- */

static uint64_t intern(struct trace *t, const char *name)
{
	uint32_t i = wc_strtab__add(&t->names, name);

	if (i == WC_STRTAB_NONE)
		t->err = -ENOMEM;
	return (uint64_t)i + 1;
}

static uint64_t stages_name(struct trace *t, unsigned int stages)
{
	char buf[96] = "";
	size_t n = 0;

	for (unsigned int i = 0; i < WC_STAGE_CNT && n < sizeof(buf); i++)
		if (stages & (1u << i))
			n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s%s", n ? "+" : "",
					      wc_stage__name(i));
	return intern(t, buf);
}

static uint64_t slice_name(struct trace *t, const struct wc_slice *s)
{
	const struct wc_event *e = &t->p->events[s->event];
	bool wake = s->kind == WC_SLICE_WAKE, interrupt = e->context != WC_CTX_TASK;
	char buf[512], *who;

	if (s->kind == WC_SLICE_STAGES)
		return stages_name(t, s->stages);
	if (!wake && (interrupt || !e->waker_tid)) {
		snprintf(buf, sizeof(buf), "woken by [%s]",
			 interrupt ? wc_context__name(e->context) : "idle");
		return intern(t, buf);
	}
	who = perfetto__thread_name(t, wake ? e->wakee_tid : e->waker_tid);
	if (!who)
		return 0;
	snprintf(buf, sizeof(buf), "%s %s", wake ? "wake" : "woken by", who);
	free(who);
	return intern(t, buf);
}

static bool name_list(struct wc_arena *a, char *const *names, size_t cnt, Perfetto__Name ***list)
{
	Perfetto__Name *items = wc_arena__alloc(a, cnt * sizeof(*items));

	*list = wc_arena__alloc(a, cnt * sizeof(void *));
	if (!items || !*list)
		return false;
	for (size_t i = 0; i < cnt; i++) {
		perfetto__name__init(&items[i]);
		items[i].has_iid = true;
		items[i].iid = i + 1;
		items[i].name = names[i];
		(*list)[i] = &items[i];
	}
	return true;
}

/* All names at once, ahead of their use. */
static void put_names(struct trace *t)
{
	static char category[] = "wakecost";
	char *const categories[] = { category };
	Perfetto__Packet packet = PERFETTO__PACKET__INIT;
	Perfetto__Interned interned = PERFETTO__INTERNED__INIT;
	Perfetto__Defaults defaults = PERFETTO__DEFAULTS__INIT;
	struct wc_arena a = { 0 };

	interned.n_categories = 1;
	interned.n_events = t->names.cnt;
	interned.n_annotations = NOTE_CNT;
	if (name_list(&a, categories, 1, &interned.categories) &&
	    name_list(&a, t->names.items, t->names.cnt, &interned.events) &&
	    name_list(&a, (char *const *)note_names, NOTE_CNT, &interned.annotations)) {
		defaults.has_clock_id = true;
		defaults.clock_id = CLOCK_ID_MONOTONIC;
		packet.interned = &interned;
		packet.defaults = &defaults;
		packet.has_sequence_flags = true;
		packet.sequence_flags = FLAG_CLEARED;
		perfetto__put(t, &packet);
	} else {
		t->err = -ENOMEM;
	}
	wc_arena__free(&a);
}

/* ---- slices ---- */

static void put_event(struct trace *t, Perfetto__TrackEvent *event, const struct wc_track *track,
		      uint64_t at_ns)
{
	Perfetto__Packet packet = PERFETTO__PACKET__INIT;

	event->has_type = event->has_track_uuid = true;
	event->track_uuid = perfetto__track_uuid(track);
	packet.event = event;
	packet.has_at_ns = packet.has_sequence_flags = true;
	packet.at_ns = at_ns;
	packet.sequence_flags = FLAG_NEEDS;
	perfetto__put(t, &packet);
}

static void put_end(struct trace *t, const struct wc_slice *s)
{
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

	event.type = TYPE_END;
	put_event(t, &event, &s->track, s->end_ns);
}

/* One flow a wake: a flow is a line and cannot fork, even where one call wakes thousands. */
static void put_begin(struct trace *t, const struct wc_slice *s)
{
	const struct wc_event *e = &t->p->events[s->event];
	const uint32_t cpus[NOTE_CNT] = { 0, e->waker_cpu, e->prev_cpu, e->chosen_cpu, e->ran_cpu };
	const char *wake_class = wc_class__name(e->wake_class);
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;
	Perfetto__Annotation notes[NOTE_CNT], *list[NOTE_CNT];
	uint64_t category = 1, flow = s->event + 1;

	for (unsigned int i = 0; i < NOTE_CNT; i++) {
		perfetto__annotation__init(&notes[i]);
		notes[i].has_name_iid = true;
		notes[i].name_iid = i + 1;
		notes[i].has_number = i != NOTE_CLASS;
		notes[i].number = cpus[i];
		list[i] = &notes[i];
	}
	notes[NOTE_CLASS].text = (char *)(wake_class ? wake_class : "");
	event.type = TYPE_BEGIN;
	event.has_name_iid = true;
	event.name_iid = slice_name(t, s);
	event.category_iids = &category;
	event.n_category_iids = 1;
	event.flow_ids = event.ending_flow_ids = &flow;
	event.n_flow_ids = s->kind == WC_SLICE_WAKE;
	event.n_ending_flow_ids = s->kind == WC_SLICE_WOKEN;
	event.annotations = list;
	event.n_annotations = s->kind == WC_SLICE_STAGES ? 0 : NOTE_CNT;
	put_event(t, &event, &s->track, s->begin_ns);
}

/* Ends before beginnings: then what lies side by side is not taken for nested. */
static void put_slices(struct trace *t, const struct wc_slice *slices, size_t cnt)
{
	size_t *open = reallocarray(NULL, cnt ? cnt : 1, sizeof(*open)), depth = 0;

	if (!open) {
		t->err = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < cnt; i++) {
		bool same = i && !wc_track__compare(&slices[i - 1].track, &slices[i].track);

		while (depth && (!same || slices[open[depth - 1]].end_ns <= slices[i].begin_ns))
			put_end(t, &slices[open[--depth]]);
		put_begin(t, &slices[i]);
		open[depth++] = i;
	}
	while (depth)
		put_end(t, &slices[open[--depth]]);
	free(open);
}

int wc_out_perfetto(FILE *f, const struct wc_result *r)
{
	struct trace t = { .f = f, .p = r->profile };
	struct wc_slice *slices = NULL;
	size_t cnt;

	if (!t.p || !t.p->event_cnt)
		return -ENODATA;
	t.err = perfetto__know_tasks(&t);
	if (!t.err)
		t.err = wc_slices__of(t.p, &slices, &cnt);
	if (!t.err) {
		for (size_t i = 0; i < cnt; i++)
			slice_name(&t, &slices[i]);
		perfetto__put_clocks(&t);
		put_names(&t);
		perfetto__put_tracks(&t, slices, cnt);
		put_slices(&t, slices, cnt);
	}
	free(slices);
	free(t.tasks);
	free(t.buf);
	wc_strtab__free(&t.names);
	return t.err ? t.err : wc_summaries__finish(f);
}
