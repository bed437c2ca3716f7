/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "tests/unit/drawn.h"

static char *drawn(const struct wc_result *r, const struct wc_result *base,
		   const struct wc_flame_opts *opts)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(wc_out_flame(f, r, base, opts), 0);
	fclose(f);
	return text;
}

static struct wc_result *jvm(uint64_t handoff_ns)
{
	struct wc_result *r = prof_result("wakecost record -- java Handoff");

	prof_jvm(r->profile, handoff_ns);
	return r;
}

/* Style and script out: a golden file is of what C writes. */
static void without_block(char *text, const char *tag)
{
	char open[32], close[32], *from, *to;

	snprintf(open, sizeof(open), "<%s><![CDATA[", tag);
	snprintf(close, sizeof(close), "]]></%s>", tag);
	from = strstr(text, open);
	if (!from)
		return;
	to = strstr(from, close);
	assert_non_null(to);
	memmove(from + strlen(open), to, strlen(to) + 1);
}

static void golden(const char *name, const struct wc_result *r, const struct wc_result *base,
		   const struct wc_flame_opts *opts)
{
	char *text = drawn(r, base, opts);

	without_block(text, "style");
	without_block(text, "script");
	drawn_golden(name, text);
	free(text);
}

static void as_drawn(void **state)
{
	struct wc_flame_opts stage = { .view = WC_VIEW_STAGE }, chain = { .threads = true };
	struct wc_result *r = jvm(25000), *hostile = prof_result("a\"b<c>\n&\x1b[31m]]>");

	(void)state;
	prof_hostile(hostile->profile);
	golden("flame_stage.svg", r, NULL, &stage);
	golden("flame_hostile.svg", hostile, NULL, &chain);
	wc_result__free(r);
	wc_result__free(hostile);
}

static void the_same_twice(void **state)
{
	struct wc_flame_opts opts = { 0 };
	struct wc_result *a = jvm(25000), *b = jvm(25000);
	char *x = drawn(a, NULL, &opts), *y = drawn(b, NULL, &opts);

	(void)state;
	assert_string_equal(x, y);
	free(x);
	free(y);
	wc_result__free(a);
	wc_result__free(b);
}

static uint64_t attribute(const char *at, const char *name, const char *end)
{
	char key[32];
	const char *value;

	snprintf(key, sizeof(key), " data-%s=\"", name);
	value = strstr(at, key);
	return value && value < end ? strtoull(value + strlen(key), NULL, 10) : UINT64_MAX;
}

/* Walks the frames: each lies within its parent, and beside its sisters. */
static void check_nesting(const char *text)
{
	uint64_t end[FILENAME_MAX], from, width;
	const char *at = text;
	unsigned int depth, rows = (unsigned int)attribute(text, "rows", strchr(text, '>') + 4000);

	assert_true(rows > 0 && rows < 500);
	while ((at = strstr(at, "<g class=\"f "))) {
		const char *close = strchr(at, '>'), *y = strstr(at, " y=\"");

		depth = rows - 1 - (unsigned int)strtoul(y + 4, NULL, 10) / 18;
		from = attribute(at, "x", close);
		width = attribute(at, "w", close);
		if (width == UINT64_MAX)
			width = attribute(at, "v", close);
		assert_true(width > 0);
		if (depth)
			assert_true(from + width <= end[depth - 1]);
		end[depth] = from + width;
		at = close;
	}
}

static void frames_lie_on_their_parents(void **state)
{
	struct wc_result *r = jvm(25000), *base = jvm(9000);

	(void)state;
	for (unsigned int v = 0; v <= WC_VIEW_STAGE; v++) {
		struct wc_flame_opts opts = { .view = (enum wc_view)v, .min_width_pct = 1e-9 };
		char *text = drawn(r, NULL, &opts);

		check_nesting(text);
		assert_non_null(strstr(text, "data-total=\"2977975000\""));
		free(text);
		text = drawn(r, base, &opts);
		check_nesting(text);
		free(text);
	}
	wc_result__free(r);
	wc_result__free(base);
}

static void any_name_gives_valid_xml(void **state)
{
	struct wc_result *r = prof_result("a\"b<c>'\n&\x1b[31m]]>\xff"), *base = jvm(10);

	(void)state;
	prof_hostile(r->profile);
	assert_int_equal(wc_kvs__set(&r->host, "kernel", "6.18\x01<"), 0);
	for (unsigned int i = 0; i < 4; i++) {
		struct wc_flame_opts opts = { .view = (enum wc_view)i, .threads = true };
		char *text = drawn(r, i & 1 ? base : NULL, &opts);
		int status;

		assert_null(strstr(text, "<script>alert"));
		assert_true(i > 1 || strstr(text, "&lt;/text&gt;&lt;script&gt;")); /* the wakee */
		for (const char *s = text; *s; s++)
			assert_true(*s == '\n' || *s == '\t' || (unsigned char)*s >= 0x20);
		status = drawn_feed("command -v xmllint >/dev/null || exit 127; xmllint --noout -",
				    text);
		free(text);
		if (status < 0)
			skip();
		assert_int_equal(status, 0);
	}
	wc_result__free(r);
	wc_result__free(base);
}

static void the_head_says_what_was_recorded(void **state)
{
	struct wc_flame_opts opts = { .title = "mine & yours" };
	struct wc_result *r = jvm(25000);
	struct wc_cell *cell = wc_result__add_cell(r);
	char *text;

	(void)state;
	wc_cell__add_round(cell)->counters[WC_CNT_NO_PAIR] = 3;
	cell->rounds[0].counters[WC_CNT_WAKING] = 99; /* no loss */
	text = drawn(r, NULL, &opts);
	assert_non_null(strstr(text, ">mine &amp; yours</text>"));
	assert_non_null(strstr(text, ">2.98 s (2,977,975,000 ns) in 117,039 wakes, 25.4 us each<"));
	assert_non_null(strstr(text, ">kernel 6.18.0<"));
	assert_non_null(strstr(text, ">EEVDF<"));
	assert_non_null(strstr(text, ">2 CPUs<"));
	assert_non_null(strstr(text, ">recorded for 10.0 s<"));
	assert_non_null(strstr(text, ">lost: 3 wakes, 7 stacks<"));
	assert_non_null(strstr(text, ">stacks of 1 wake in 16 and of all over 1.00 ms<"));
	assert_non_null(strstr(text, ">0.62 % of user stacks cut: no frame pointers<"));
	assert_non_null(strstr(text, ">not scaled<"));
	assert_non_null(strstr(text, ">wakecost 0.0.1<"));
	assert_non_null(strstr(text, " role=\"img\""));
	assert_non_null(strstr(text, "<desc id=\"wc-desc\">Flame graph."));
	assert_null(strstr(text, " hidden: frames"));
	free(text);
	opts = (struct wc_flame_opts){ .weigh = WC_WEIGH_STAGE + WC_STAGE_FIND };
	r->stages[WC_STAGE_FIND].shown_as = strdup("find<1>");
	text = drawn(r, NULL, &opts);
	assert_non_null(strstr(text, ">Stage find&lt;1&gt; of wakes by wakee and waker"));
	free(text);
	wc_result__free(r);
}

static void nothing_outside_is_needed(void **state)
{
	struct wc_flame_opts opts = { .no_js = true, .width = 800, .inverted = true };
	struct wc_result *r = jvm(25000);
	char *text = drawn(r, NULL, &opts);

	(void)state;
	assert_null(strstr(text, "<script"));
	assert_null(strstr(text, "<!DOCTYPE"));
	assert_int_equal(drawn_cnt(text, "://"), 1); /* the name space */
	assert_non_null(strstr(text, " width=\"800\""));
	assert_non_null(strstr(text, "<rect x=\"0%\" y=\"0\" width=\"100%\"")); /* root on top */
	assert_non_null(strstr(text, "LockSupport.unpark</text>"));
	free(text);
	opts.no_js = false;
	text = drawn(r, NULL, &opts);
	assert_int_equal(drawn_cnt(text, "<script>"), 1);
	free(text);
	wc_result__free(r);
}

static void what_is_too_narrow_is_counted(void **state)
{
	struct wc_flame_opts opts = { .min_width_pct = 50 };
	struct wc_result *r = jvm(25000);
	char *text = drawn(r, NULL, &opts);
	size_t all;

	(void)state;
	assert_non_null(strstr(text, " hidden: frames below 50 %<"));
	all = drawn_cnt(text, "<g class=\"f ");
	all += strtoul(strstr(text, ">+") + 2, NULL, 10);
	free(text);
	opts.min_width_pct = 1e-9;
	text = drawn(r, NULL, &opts);
	assert_int_equal(drawn_cnt(text, "<g class=\"f "), all);
	free(text);
	wc_result__free(r);
}

/* Paths that a browser could not bear: fewer are drawn, and the rest is said. */
static void a_large_one_stays_small(void **state)
{
	struct wc_flame_opts opts = { .min_width_pct = 1e-9 };
	struct wc_result *r = prof_result("x");
	uint32_t edge = prof_edge(r->profile, WC_NONE, WC_CTX_TASK,
				  prof_task(r->profile, 1, 1, "many", "many", false));
	char stack[128], *text;

	(void)state;
	for (unsigned int i = 0; i < 50000; i++) {
		struct prof_path path = { edge, 1, 1000 + i % 100, 1, stack, NULL, NULL, NULL, 0 };

		snprintf(stack, sizeof(stack), "main;a%u;b%u;c%u", i / 1000, i / 10, i);
		prof_chain(r->profile, &path);
	}
	text = drawn(r, NULL, &opts);
	assert_true(strlen(text) < 12000000);
	assert_true(drawn_cnt(text, "<g class=\"f ") <= 30000);
	assert_non_null(strstr(text, " hidden: frames below "));
	free(text);
	wc_result__free(r);
}

/* A deep stack: its top is left out, not its time. */
static void deeper_than_drawn(void **state)
{
	struct wc_flame_opts opts = { .view = WC_VIEW_WAKEE };
	struct wc_result *r = prof_result("x");
	uint32_t frames[5000], stack;
	struct wc_chain *c;
	char *text;

	(void)state;
	prof_edge(r->profile, WC_NONE, WC_CTX_TASK,
		  prof_task(r->profile, 1, 1, "deep", "deep", false));
	for (uint32_t i = 0; i < 5000; i++) {
		struct wc_frame f = { .name = "f", .module = "m", .addr = i };

		frames[i] = wc_profile__frame(r->profile, &f);
	}
	stack = wc_profile__stack(r->profile, frames, 5000, true, false);
	c = wc_profile__add_chain(r->profile);
	c->wakee_user = stack;
	c->wakee_kernel = c->waker_user = c->waker_kernel = WC_NONE;
	c->total_ns = 1234;
	text = drawn(r, NULL, &opts);
	assert_non_null(strstr(text, "data-total=\"1234\""));
	assert_non_null(strstr(text, "data-rows=\"401\""));
	free(text);
	wc_result__free(r);
}

static struct wc_result *side(const char *user, uint64_t ns, uint64_t weight, uint64_t window_ns)
{
	struct wc_result *r = prof_result("record");
	uint32_t t = prof_task(r->profile, 1, 1, "t", "t", false);
	struct prof_path path = { prof_edge(r->profile, t, WC_CTX_TASK, t),
				  weight,
				  100,
				  1,
				  "main;same",
				  NULL,
				  NULL,
				  NULL,
				  0 };

	prof_chain(r->profile, &path);
	path.wakee_user = user;
	path.ns = ns;
	prof_chain(r->profile, &path);
	r->profile->window_ns = window_ns;
	return r;
}

static void what_is_gone_and_new_is_both_there(void **state)
{
	struct wc_flame_opts opts = { .view = WC_VIEW_WAKEE };
	struct wc_result *now = side("main;fresh;leaf", 200, 10, 1000000000);
	struct wc_result *before = side("main;former;leaf", 300, 10, 1000000000);
	char *text = drawn(now, before, &opts);

	(void)state;
	assert_int_equal(drawn_cnt(text, "<g class=\"f new\""), 2);
	assert_int_equal(drawn_cnt(text, "<g class=\"f gone\""), 2);
	assert_int_equal(drawn_cnt(text, "<title>former\n"), 1);
	/* 3000 now, 3000 that is gone beside it */
	assert_non_null(strstr(text, "data-total=\"3000\" data-base=\"4000\""));
	assert_non_null(strstr(text, "data-x=\"0\" data-v=\"3000\" data-w=\"6000\""));
	golden("flame_diff.svg", now, before, &opts);
	free(text);
	wc_result__free(now);
	wc_result__free(before);
}

static void expect_scale(enum wc_per per, const char *fact, const char *css)
{
	struct wc_flame_opts opts = { .view = WC_VIEW_WAKEE, .per = per };
	struct wc_result *now = side("main;other", 200, 20, 2000000000);
	struct wc_result *before = side("main;other", 200, 10, 500000000);
	char *text = drawn(now, before, &opts);

	assert_non_null(strstr(text, fact));
	assert_int_equal(drawn_cnt(text, css), 5); /* all of them, root and process included */
	free(text);
	wc_result__free(now);
	wc_result__free(before);
}

/* Twice the wakes, four times the length, the same each. */
static void a_base_is_scaled_as_asked_and_says_so(void **state)
{
	(void)state;
	expect_scale(WC_PER_WAKE, "scaled to the same number of wakes: x 2 = 6.00 us<",
		     "\"f same\"");
	expect_scale(WC_PER_SECOND, "scaled to the same length: x 4 = 12.0 us<", "\"f less3\"");
	expect_scale(WC_PER_SHARE, "scaled to the same total: x 2 = 6.00 us<", "\"f same\"");
	expect_scale(WC_PER_NONE, "scaled by nothing: x 1 = 3.00 us<", "\"f more3\"");
}

static void small_changes_are_none(void **state)
{
	struct wc_flame_opts opts = { .view = WC_VIEW_WAKEE, .min_delta_pct = 20 };
	struct wc_result *now = side("main;other", 220, 10, 1),
			 *before = side("main;other", 200, 10, 1);
	char *text = drawn(now, before, &opts);

	(void)state;
	assert_int_equal(drawn_cnt(text, "<g class=\"f same\""), 5);
	free(text);
	opts.min_delta_pct = 0;
	text = drawn(now, before, &opts);
	assert_int_equal(drawn_cnt(text, "<g class=\"f same\""), 1); /* "same" itself */
	assert_non_null(strstr(text, " data-d=\"+10 %\""));
	free(text);
	opts.self = true;
	text = drawn(now, before, &opts);
	assert_int_equal(drawn_cnt(text, "<g class=\"f same\""), 4); /* but the leaf that changed */
	free(text);
	wc_result__free(now);
	wc_result__free(before);
}

static void refusals(void **state)
{
	struct wc_flame_opts opts = { 0 }, odd = { .weigh = WC_WEIGH_STAGE + WC_STAGE_CNT };
	struct wc_result *r = jvm(25000), *none = wc_result__new();
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	assert_int_equal(wc_out_flame(stderr, none, NULL, &opts), -ENODATA);
	assert_int_equal(wc_out_flame(stderr, r, none, &opts), -ENODATA);
	assert_int_equal(wc_out_flame(stderr, r, NULL, &odd), -EINVAL);
	assert_int_equal(wc_out_flame(full, r, NULL, &opts), -ENOSPC);
	fclose(full);
	wc_result__free(r);
	wc_result__free(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_drawn),
		cmocka_unit_test(the_same_twice),
		cmocka_unit_test(frames_lie_on_their_parents),
		cmocka_unit_test(any_name_gives_valid_xml),
		cmocka_unit_test(the_head_says_what_was_recorded),
		cmocka_unit_test(nothing_outside_is_needed),
		cmocka_unit_test(what_is_too_narrow_is_counted),
		cmocka_unit_test(a_large_one_stays_small),
		cmocka_unit_test(deeper_than_drawn),
		cmocka_unit_test(what_is_gone_and_new_is_both_there),
		cmocka_unit_test(a_base_is_scaled_as_asked_and_says_so),
		cmocka_unit_test(small_changes_are_none),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
