/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <time.h>
#include <cmocka.h>

#include "tests/unit/fixture_profile.h"

static void equal_frames_are_one(void **state)
{
	struct wc_profile *p = wc_profile__new();
	struct wc_frame f = {
		.kind = WC_FRAME_USER, .name = "f", .module = "libc.so.6", .addr = 1
	};
	struct wc_frame other = f;
	char name[] = "f";
	uint32_t a;

	(void)state;
	a = wc_profile__frame(p, &f);
	other.name = name; /* the text counts, and a copy is kept */
	assert_int_equal(wc_profile__frame(p, &other), a);
	name[0] = 'g';
	assert_string_equal(p->frames[a].name, "f");
	assert_int_not_equal(wc_profile__frame(p, &other), a);
	for (unsigned int i = 0; i < 5; i++) {
		other = f;
		switch (i) {
		case 0:
			other.kind = WC_FRAME_JIT;
			break;
		case 1:
			other.module = "ibc.so.6";
			break;
		case 2:
			other.line = 7;
			break;
		case 3:
			other.addr = 2;
			break;
		case 4:
			other.build_id = "l";
			break;
		}
		assert_int_equal(wc_profile__frame(p, &other), i + 2);
	}
	assert_int_equal(p->frame_cnt, 7);
	assert_string_equal(p->frames[a].file, "");
	wc_profile__free(p);
	wc_profile__free(NULL);
}

static void equal_stacks_are_one(void **state)
{
	struct wc_profile *p = wc_profile__new();
	uint32_t abc[] = { 1, 2, 3 }, acb[] = { 1, 3, 2 };
	uint32_t first = wc_profile__stack(p, abc, 3, true, false);

	(void)state;
	assert_int_equal(wc_profile__stack(p, abc, 3, true, false), first);
	assert_int_not_equal(wc_profile__stack(p, acb, 3, true, false), first);
	assert_int_not_equal(wc_profile__stack(p, abc, 2, true, false), first);
	assert_int_not_equal(wc_profile__stack(p, abc, 3, false, false), first);
	assert_int_not_equal(wc_profile__stack(p, abc, 3, true, true), first);
	assert_int_equal(p->stack_cnt, 5);
	abc[0] = 9;
	assert_int_equal(p->stacks[first].frames[0], 1);
	assert_int_equal(wc_profile__stack(p, NULL, 0, true, false), 5);
	assert_int_equal(wc_profile__stack(p, NULL, 0, true, false), 5);
	wc_profile__free(p);
}

/* Twice 100,000 of each: a table that compared all with all would take minutes. */
static void many_are_quick(void **state)
{
	struct wc_profile *p = wc_profile__new();
	struct timespec from, to;
	char name[32];

	(void)state;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (uint32_t i = 0; i < 200000; i++) {
		uint32_t stack[] = { i % 100000, i % 100000 / 2, 5 };
		struct wc_frame f = { .kind = WC_FRAME_USER, .name = name, .module = "m" };

		snprintf(name, sizeof(name), "function_%u", i % 100000);
		f.addr = i % 100000 * 16;
		assert_int_equal(wc_profile__frame(p, &f), i % 100000);
		assert_int_equal(wc_profile__stack(p, stack, 3, true, false), i % 100000);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	assert_int_equal(p->frame_cnt, 100000);
	assert_int_equal(p->stack_cnt, 100000);
	assert_true(to.tv_sec - from.tv_sec < 10);
	wc_profile__free(p);
}

static void added_ones_are_zeroed_and_freed(void **state)
{
	struct wc_result *r = prof_result("x");

	(void)state;
	for (unsigned int i = 0; i < 100; i++) {
		struct wc_edge *e = wc_profile__add_edge(r->profile);

		assert_int_equal(e->total.count, 0);
		memset(e, 0xff, sizeof(*e));
		memset(e->hists, 0, sizeof(e->hists));
		e->hists[0] = calloc(1, sizeof(struct wc_phist));
		assert_int_equal(wc_profile__add_open(r->profile)->since_ns, 0);
		assert_int_equal(wc_profile__add_chain(r->profile)->weight, 0);
		assert_null(wc_profile__add_task(r->profile)->comm);
	}
	assert_int_equal(r->profile->edge_cnt, 100);
	wc_result__free(r); /* with its profile: the sanitizer counts */
}

struct seen {
	char text[8][2048];
	uint64_t value[8], sum;
	unsigned int cnt;
};

static int see(void *ctx, const struct wc_path *path)
{
	struct seen *s = ctx;
	size_t len = 0;

	s->sum += path->value;
	if (s->cnt < 8) {
		char *text = s->text[s->cnt];

		for (size_t i = 0; i < path->frame_cnt; i++)
			len += (size_t)snprintf(text + len, 2048 - len, "%s%s:%d", i ? " " : "",
						path->frames[i].name, path->frames[i].path_class);
		s->value[s->cnt] = path->value;
	}
	s->cnt++;
	return 0;
}

static struct seen *seen_of(const struct wc_profile *p, enum wc_view view, unsigned int weigh,
			    bool threads)
{
	struct seen *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	assert_int_equal(wc_profile__paths(p, view, weigh, threads, see, s), 0);
	return s;
}

static void expect(const struct wc_profile *p, enum wc_view view, bool threads, const char *want)
{
	struct seen *s = seen_of(p, view, WC_WEIGH_COUNT, threads);

	assert_int_equal(s->cnt, 1);
	assert_string_equal(s->text[0], want);
	free(s);
}

static struct wc_result *one(unsigned int context, const char *wakee_user, const char *waker_user,
			     unsigned int how)
{
	struct wc_result *r = prof_result("x");
	uint32_t a = prof_task(r->profile, 1, 1, "ping", "java", false);
	uint32_t b = prof_task(r->profile, 2, 2, "pong", "server", false);
	struct prof_path path = {
		prof_edge(r->profile, context == WC_CTX_TASK ? a : WC_NONE, context, b),
		5,
		100,
		1,
		wakee_user,
		"sys;schedule",
		"sys2;ttwu",
		waker_user,
		how,
	};

	prof_chain(r->profile, &path);
	return r;
}

static void a_chain_reads_from_wakee_to_waker(void **state)
{
	struct wc_result *r = one(WC_CTX_TASK, "main;wait", "main2;post", 0);

	(void)state;
	expect(r->profile, WC_VIEW_CHAIN, false,
	       "server:0 main:1 wait:1 -:3 sys:2 schedule:2 --:3 "
	       "ttwu:4 sys2:4 -:3 post:5 main2:5 java:0");
	expect(r->profile, WC_VIEW_CHAIN, true,
	       "server:0 pong:0 main:1 wait:1 -:3 sys:2 schedule:2 --:3 "
	       "ttwu:4 sys2:4 -:3 post:5 main2:5 ping:0 java:0");
	expect(r->profile, WC_VIEW_WAKEE, false, "server:0 main:1 wait:1 -:3 sys:2 schedule:2");
	expect(r->profile, WC_VIEW_WAKER, false, "java:0 main2:5 post:5 -:3 sys2:4 ttwu:4");
	expect(r->profile, WC_VIEW_STAGE, false, "java:0 main2:5 post:5 -:3 sys2:4 ttwu:4");
	wc_result__free(r);
}

static void an_interrupt_never_names_whom_it_hit(void **state)
{
	static const struct {
		unsigned int context;
		const char *want;
	} cases[] = {
		{ WC_CTX_SOFTIRQ, "[softirq]:6 sys2:4 ttwu:4" },
		{ WC_CTX_HARDIRQ, "[hardirq]:6 sys2:4 ttwu:4" },
		{ WC_CTX_TIMER, "[timer]:6 sys2:4 ttwu:4" },
		{ WC_CTX_NMI, "[nmi]:6 sys2:4 ttwu:4" },
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct wc_result *r = one(cases[i].context, "main", "innocent", 0);

		r->profile->edges[0].waker = 0; /* even when a task stands there */
		expect(r->profile, WC_VIEW_WAKER, true, cases[i].want);
		wc_result__free(r);
	}
}

static void what_is_missing_says_so(void **state)
{
	struct wc_result *r = one(WC_CTX_TASK, "main;wait", "main2", PROF_WAKEE_CUT);

	(void)state;
	expect(r->profile, WC_VIEW_WAKEE, false,
	       "server:0 [no frame pointers]:8 main:1 wait:1 -:3 sys:2 schedule:2");
	r->profile->chains[0].wakee_user = WC_NONE;
	expect(r->profile, WC_VIEW_WAKEE, false, "server:0 sys:2 schedule:2");
	r->profile->chains[0].wakee_kernel = 77; /* beyond the end: as none */
	expect(r->profile, WC_VIEW_WAKEE, false, "server:0 [lost stack]:8");
	r->profile->chains[0].waker_missing = true;
	expect(r->profile, WC_VIEW_WAKER, false, "java:0 [waker not sampled]:8");
	r->profile->edges[0].waker = WC_NONE;
	expect(r->profile, WC_VIEW_WAKER, false, "[unknown]:0 [waker not sampled]:8");
	r->profile->chains[0].edge = 9;
	assert_int_equal(wc_profile__paths(r->profile, WC_VIEW_CHAIN, 0, false, see, NULL), 0);
	wc_result__free(r);
}

/* No stacks taken: pairs still say who woke whom. */
static void without_stacks_there_are_pairs(void **state)
{
	struct wc_result *r = one(WC_CTX_TASK, "main", "main2", 0);
	struct seen *s;

	(void)state;
	r->profile->chain_cnt = 0;
	r->profile->stack_every = 0;
	expect(r->profile, WC_VIEW_CHAIN, false, "server:0 --:3 java:0");
	s = seen_of(r->profile, WC_VIEW_STAGE, WC_WEIGH_COST, false);
	assert_int_equal(s->sum, 500);
	free(s);
	wc_result__free(r);
}

static uint64_t want_of(const struct wc_profile *p, unsigned int weigh)
{
	uint64_t want = 0;

	for (size_t i = 0; i < p->chain_cnt; i++) {
		const struct wc_chain *c = &p->chains[i];

		want += weigh == WC_WEIGH_COST	    ? c->total_ns
			: weigh == WC_WEIGH_WAIT    ? c->stage_ns[WC_STAGE_WAIT]
			: weigh == WC_WEIGH_BLOCKED ? c->blocked_ns
			: weigh == WC_WEIGH_COUNT   ? c->weight
						    : c->stage_ns[weigh - WC_WEIGH_STAGE];
	}
	return want;
}

static void every_view_adds_up_to_the_whole(void **state)
{
	struct wc_result *r = prof_result("x");

	(void)state;
	prof_jvm(r->profile, 25001);
	prof_db(r->profile, 60007);
	for (unsigned int v = WC_VIEW_CHAIN; v <= WC_VIEW_STAGE; v++) {
		for (unsigned int w = 0; w < WC_WEIGH_STAGE + WC_STAGE_CNT; w++) {
			struct seen *s = seen_of(r->profile, (enum wc_view)v, w, v & 1);

			assert_int_equal(s->sum, want_of(r->profile, w));
			assert_true(s->sum > 0 || w == WC_WEIGH_STAGE + WC_STAGE_SEND);
			free(s);
		}
	}
	wc_result__free(r);
}

static void stages_stand_on_the_waker(void **state)
{
	struct wc_result *r = one(WC_CTX_TASK, "main", "main2", 0);
	struct seen *s = seen_of(r->profile, WC_VIEW_STAGE, WC_WEIGH_COST, false);

	(void)state;
	assert_int_equal(s->cnt, 9); /* eight stages, and what none covers */
	assert_string_equal(s->text[0], "java:0 main2:5 -:3 sys2:4 ttwu:4 find:7");
	assert_int_equal(s->value[0], 40);
	assert_int_equal(s->sum, 500);
	free(s);
	s = seen_of(r->profile, WC_VIEW_STAGE, WC_WEIGH_STAGE + WC_STAGE_PICK, false);
	assert_int_equal(s->cnt, 1);
	assert_string_equal(s->text[0], "java:0 main2:5 -:3 sys2:4 ttwu:4 pick:7");
	assert_int_equal(s->value[0], 60);
	free(s);
	wc_result__free(r);
}

static int refuse(void *ctx, const struct wc_path *path)
{
	(void)path;
	++*(int *)ctx;
	return -EPIPE;
}

static void the_caller_can_stop(void **state)
{
	struct wc_result *r = prof_result("x");
	int calls = 0;

	(void)state;
	prof_jvm(r->profile, 1000);
	assert_int_equal(
		wc_profile__paths(r->profile, WC_VIEW_STAGE, WC_WEIGH_COST, false, refuse, &calls),
		-EPIPE);
	assert_int_equal(calls, 1);
	wc_result__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_frames_are_one),
		cmocka_unit_test(equal_stacks_are_one),
		cmocka_unit_test(many_are_quick),
		cmocka_unit_test(added_ones_are_zeroed_and_freed),
		cmocka_unit_test(a_chain_reads_from_wakee_to_waker),
		cmocka_unit_test(an_interrupt_never_names_whom_it_hit),
		cmocka_unit_test(what_is_missing_says_so),
		cmocka_unit_test(without_stacks_there_are_pairs),
		cmocka_unit_test(every_view_adds_up_to_the_whole),
		cmocka_unit_test(stages_stand_on_the_waker),
		cmocka_unit_test(the_caller_can_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
