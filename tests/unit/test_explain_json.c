/* SPDX-License-Identifier: BSD-2-Clause */
/* docs/json-explain.md names every key of both documents, and no other. */
#include <math.h>

#include "tests/unit/json_keys.h"
#include "user/model/profile.h"
#include "user/output/explain.h"
#include "user/output/running.h"

static struct wc_explain *e;
static struct wc_running run;
static struct wc_whatif w;

static int print_experiment(FILE *f, const struct wc_result *r)
{
	return wc_out_explain_json(f, r, e);
}

static int print_program(FILE *f, const struct wc_result *r)
{
	return wc_out_running_json(f, r, &run, &w);
}

static int print_plain(FILE *f, const struct wc_result *r)
{
	return wc_out_running_json(f, r, &run, NULL);
}

static struct wc_effect effect(double ns)
{
	return (struct wc_effect){ .n = 7, .has_ci = true, .ns = ns, .lo = ns - 1, .hi = ns + 1 };
}

static struct wc_slope slope(double per_x)
{
	return (struct wc_slope){ .n = 7,
				  .levels = 3,
				  .bends = true,
				  .knee = 1000,
				  .has_ci = true,
				  .per_x = per_x,
				  .lo = per_x,
				  .hi = per_x,
				  .lower = per_x,
				  .upper = per_x,
				  .ols = per_x };
}

/* Everything there is. */
static void fill_experiment(void)
{
	e = calloc(1, sizeof(*e));
	assert_non_null(e);
	e->rounds = 7;
	e->base = e->noise = e->tool_cost = e->per_waiter = effect(1750);
	e->slope = slope(1.5);
	e->levels = calloc(1, sizeof(*e->levels));
	assert_non_null(e->levels);
	e->level_cnt = 1;
	e->levels[0] = (struct wc_level){
		.parked = 4000, .handoff = effect(3000), .growth = effect(1250), .chain = 250
	};
	for (unsigned int i = 0; i < WC_CAUSE_CNT; i++)
		e->levels[0].causes[i] = effect(100 * i);
	e->contrast_cnt = 1;
	e->contrasts[0] = (struct wc_contrast){ .role = WC_ROLE_RING,
						.what = "ring",
						.x = 64,
						.handoff = effect(1800),
						.growth = effect(50),
						.worth_level = WC_MEM_MEMORY,
						.worth = { NAN, 12, 3, 0.5, 1 } };
	e->has_memory = true;
	for (unsigned int i = 0; i < WC_MEM_CNT; i++)
		e->memory.levels[i] = (struct wc_memory_level){ .known = true, .ns = 1 + i };
	e->memory.walk_huge_ns = 3;
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		e->contrasts[0].stages[i] = effect(i);
		e->stage_slopes[i] = slope(i);
	}
	e->check_cnt = 1;
	strcpy(e->checks[0].what, "slots up");
	strcpy(e->checks[0].saw, "nothing left");
	e->verdicts[0] = strdup("which waiter");
	e->verdict_cnt = 1;
}

static void fill_program(void)
{
	static char sentence[] = "the walk dominates";

	run = (struct wc_running){ .pid = 17,
				   .name = "ja\nva\x80",
				   .slots = 16,
				   .basis = WC_SLOTS_RULE,
				   .has_before = true,
				   .has_after = true,
				   .window_ns = 3000000000,
				   .wakes = 100,
				   .total_ns = 200000,
				   .mean_ns = 2000,
				   .find_known = true,
				   .top = WC_PART_WALK };
	run.before.ahead_share = run.after.ahead_share = 0.5;
	run.verdicts[0] = sentence;
	run.verdict_cnt = 1;
	w.rounds = 7;
	w.slots_asked = w.slots_after = 4096;
	w.slots_before = 16;
	for (unsigned int m = 0; m < WC_WHATIF_CNT; m++)
		w.before[m] = w.after[m] = w.change[m] = effect(10 * m);
	strcpy(w.verdict, "less");
}

static void the_page_and_the_documents_agree(void **state)
{
	struct wc_result *r = fix_result();
	struct keys keys = { .page = "docs/json-explain.md" };
	json_t *document;

	(void)state;
	fill_experiment();
	fill_program();
	fix_counters(r);
	*wc_result__add_access(r) = (struct wc_access){ .bytes = 4096, .lines = 64, .ns = 1 };
	keys__read(&keys);
	document = keys__document(r, print_experiment);
	keys__walk(&keys, "", document);
	json_decref(document);
	document = keys__document(r, print_program);
	keys__walk(&keys, "", document);
	assert_string_equal(json_string_value(json_object_get(document, "dominant")),
			    "finding the waiter");
	json_decref(document);
	keys__all_seen(&keys);
	wc_explain__free(e);
	wc_result__free(r);
}

static void what_is_not_known_is_null(void **state)
{
	struct wc_result *r = fix_result();
	json_t *document, *threads;

	(void)state;
	memset(&run, 0, sizeof(run));
	run.top = WC_PART_CNT;
	document = keys__document(r, print_plain);
	threads = json_object_get(document, "threads");
	assert_true(json_is_null(json_object_get(document, "dominant")));
	assert_true(json_is_null(json_object_get(document, "what_if")));
	assert_true(json_is_null(json_object_get(threads, "futex_slots")));
	assert_true(json_is_null(json_object_get(threads, "before")));
	assert_string_equal(json_string_value(json_object_get(threads, "slots_basis")), "unknown");
	json_decref(document);
	wc_result__free(r);
}

static void as_text(void **state)
{
	struct wc_result *r = fix_result();
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	fill_program();
	assert_int_equal(wc_out_running_text(f, r, &run, &w, false), 0);
	fclose(f);
	assert_int_equal(strncmp(text, "* less\n* the walk dominates\n", 28), 0);
	assert_non_null(strstr(text, "What if it had 4096 futex slots, 7 rounds"));
	assert_non_null(strstr(text, "16 futex slots: what this kernel gives"));
	assert_null(strchr(text, '\033'));
	free(text);
	wc_result__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_and_the_documents_agree),
		cmocka_unit_test(what_is_not_known_is_null),
		cmocka_unit_test(as_text),
	};

	return cmocka_run_group_tests_name("explain json", tests, NULL, NULL);
}
