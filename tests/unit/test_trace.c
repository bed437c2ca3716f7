// SPDX-License-Identifier: BSD-2-Clause
/* pprof and Perfetto where files cannot show it: no data, full disks, wakes that overlap. */
#include <errno.h>

#include "tests/unit/fixture_record.h"
#include "user/output/output.h"
#include "user/output/perfetto_slices.h"
#include "user/util/rng.h"

static int pprof_chain(FILE *f, const struct wc_result *r)
{
	return wc_out_pprof(f, r, WC_VIEW_CHAIN);
}

static int pprof_stage(FILE *f, const struct wc_result *r)
{
	return wc_out_pprof(f, r, WC_VIEW_STAGE);
}

static int (*const prints[])(FILE *f, const struct wc_result *r) = {
	pprof_chain,
	pprof_stage,
	wc_out_perfetto,
};

static void the_same_bytes_each_time(void **state)
{
	struct wc_result *r = rec_result();
	char *text[2] = { NULL };
	size_t len[2];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 2; k++) {
			FILE *f = open_memstream(&text[k], &len[k]);

			assert_non_null(f);
			assert_int_equal(prints[i](f, r), 0);
			fclose(f);
		}
		assert_int_equal(len[0], len[1]);
		assert_true(len[0] > 200);
		assert_memory_equal(text[0], text[1], len[0]);
		free(text[0]);
		free(text[1]);
	}
	wc_result__free(r);
}

static void nothing_to_tell_is_an_error(void **state)
{
	struct wc_result *run = fix_result(), *record = rec_result();
	FILE *f = fopen("/dev/null", "w");

	(void)state;
	assert_non_null(f);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(prints[i](f, run), -ENODATA);
	record->profile->event_cnt = 0;
	assert_int_equal(wc_out_perfetto(f, record), -ENODATA);
	fclose(f);
	wc_result__free(record);
	wc_result__free(run);
}

static void a_full_disk_is_an_error(void **state)
{
	struct wc_result *r = rec_result();

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		FILE *f = fopen("/dev/full", "w");

		assert_non_null(f);
		assert_int_equal(prints[i](f, r), -ENOSPC);
		fclose(f);
	}
	wc_result__free(r);
}

/* ---- slices ---- */

#define EVENT_CNT 3000

/* Boundaries in order, some not seen; few threads, so that much overlaps what cannot overlap. */
static void draw(struct wc_event *e, struct wc_rng *rng)
{
	uint64_t at = 1000000 + wc_rng__below(rng, 300000);

	*e = (struct wc_event){ .wake_class = (unsigned int)wc_rng__below(rng, WC_CLASS_CNT) };
	for (unsigned int b = 0; b < WC_BND_CNT; b++) {
		bool needed = b == WC_BND_WAKING || b == WC_BND_WAKEUP || b == WC_BND_SWITCH;

		at += wc_rng__below(rng, 100);
		e->at_ns[b] = needed || wc_rng__below(rng, 3) ? at : 0;
	}
	if (!e->at_ns[WC_BND_CHOSEN])
		e->at_ns[WC_BND_HANDLED] = 0;
	e->context = wc_rng__below(rng, 4) ? WC_CTX_TASK : WC_CTX_SOFTIRQ;
	e->waker_tid = e->context == WC_CTX_TASK ? (unsigned int)wc_rng__below(rng, 6) : 0;
	e->wakee_tid = 1 + (unsigned int)wc_rng__below(rng, 5);
	e->waker_cpu = (unsigned int)wc_rng__below(rng, 2);
}

/* Each inside the one before it that is still open, or after its end. */
static void check_nesting(const struct wc_slice *s, size_t cnt)
{
	size_t open[EVENT_CNT], depth = 0;

	for (size_t i = 0; i < cnt; i++) {
		assert_true(s[i].begin_ns <= s[i].end_ns);
		if (i && wc_track__compare(&s[i - 1].track, &s[i].track)) {
			assert_true(wc_track__compare(&s[i - 1].track, &s[i].track) < 0);
			depth = 0;
		} else if (i) {
			assert_true(s[i - 1].begin_ns <= s[i].begin_ns);
		}
		while (depth && s[open[depth - 1]].end_ns <= s[i].begin_ns)
			depth--;
		if (depth)
			assert_true(s[i].end_ns <= s[open[depth - 1]].end_ns);
		if (s[i].kind == WC_SLICE_STAGES) {
			assert_true(depth && s[i].begin_ns < s[i].end_ns && s[i].stages);
			assert_int_equal(s[open[depth - 1]].event, s[i].event);
			assert_true(s[open[depth - 1]].kind != WC_SLICE_STAGES);
		}
		assert_true(depth < EVENT_CNT);
		open[depth++] = i;
	}
}

static void slices_nest_whatever_overlaps(void **state)
{
	struct wc_profile *p = wc_profile__new();
	unsigned char wholes[EVENT_CNT][2] = { { 0 } };
	struct wc_rng rng = { 11 };
	struct wc_slice *slices;
	size_t cnt, stages = 0;

	(void)state;
	assert_non_null(p);
	p->events = calloc(EVENT_CNT, sizeof(*p->events));
	assert_non_null(p->events);
	p->event_cnt = EVENT_CNT;
	for (size_t i = 0; i < EVENT_CNT; i++)
		draw(&p->events[i], &rng);
	assert_int_equal(wc_slices__of(p, &slices, &cnt), 0);
	check_nesting(slices, cnt);
	for (size_t i = 0; i < cnt; i++) {
		stages += slices[i].kind == WC_SLICE_STAGES;
		if (slices[i].kind != WC_SLICE_STAGES)
			wholes[slices[i].event][slices[i].kind]++;
	}
	for (size_t i = 0; i < EVENT_CNT; i++)
		assert_true(wholes[i][0] == 1 && wholes[i][1] == 1);
	assert_true(stages > EVENT_CNT);
	free(slices);
	wc_profile__free(p);
}

/* A wake alone loses nothing: its stages fill both wholes. */
static void stages_fill_their_wholes(void **state)
{
	struct wc_profile *p = wc_profile__new();
	struct wc_rng rng = { 12 };
	struct wc_slice *slices;
	size_t cnt;

	(void)state;
	assert_non_null(p);
	p->events = calloc(1, sizeof(*p->events));
	assert_non_null(p->events);
	p->event_cnt = 1;
	for (unsigned int i = 0; i < 500; i++) {
		uint64_t filled[2] = { 0 }, whole[2] = { 0 };
		unsigned int side = 0;

		draw(p->events, &rng);
		p->events[0].waker_tid += 10; /* another than the wakee */
		assert_int_equal(wc_slices__of(p, &slices, &cnt), 0);
		for (size_t k = 0; k < cnt; k++) {
			uint64_t ns = slices[k].end_ns - slices[k].begin_ns;

			if (slices[k].kind == WC_SLICE_STAGES) {
				filled[side] += ns;
			} else {
				side = slices[k].kind;
				whole[side] = ns;
			}
		}
		assert_int_equal(filled[0], whole[0]);
		assert_int_equal(filled[1], whole[1]);
		free(slices);
	}
	wc_profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_bytes_each_time),
		cmocka_unit_test(nothing_to_tell_is_an_error),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(slices_nest_whatever_overlaps),
		cmocka_unit_test(stages_fill_their_wholes),
	};

	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
