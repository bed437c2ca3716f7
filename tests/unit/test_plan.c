// SPDX-License-Identifier: BSD-2-Clause
/* Which cells the experiment has, by what was asked for. */
#include <errno.h>

#include "tests/unit/fixture.h"
#include "user/experiment/plan.h"
#include "user/model/explain.h"

static const uint64_t levels[] = { 0, 1000, 4000, 16000 };

static struct wc_plan plan_of(enum wc_plan_size size)
{
	return (struct wc_plan){ .size = size,
				 .parked = levels,
				 .parked_cnt = 4,
				 .background = "futex-own",
				 .mechanism = "futex",
				 .placement = "same",
				 .slots = 16 };
}

static struct wc_result *build(const struct wc_plan *p)
{
	struct wc_result *r = wc_result__new();
	char why[256];

	assert_non_null(r);
	assert_int_equal(wc_plan__build(r, p, why, sizeof(why)), 0);
	return r;
}

static const struct wc_cell *find(const struct wc_result *r, const char *role, size_t n)
{
	for (size_t i = 0; i < r->cell_cnt; i++)
		if (!strcmp(wc_kvs__get(&r->cells[i].params, WC_ROLE_KEY), role) && !n--)
			return &r->cells[i];
	return NULL;
}

static size_t role_cnt(const struct wc_result *r, const char *role)
{
	size_t cnt = 0;

	while (find(r, role, cnt))
		cnt++;
	return cnt;
}

static void sizes_hold_each_other(void **state)
{
	size_t cells[3];

	(void)state;
	for (int size = WC_PLAN_QUICK; size <= WC_PLAN_THOROUGH; size++) {
		struct wc_plan p = plan_of((enum wc_plan_size)size);
		struct wc_result *r = build(&p);

		cells[size] = r->cell_cnt;
		assert_int_equal(role_cnt(r, WC_ROLE_BASE), 1);
		assert_int_equal(role_cnt(r, WC_ROLE_AGAIN), 1);
		assert_int_equal(role_cnt(r, WC_ROLE_SUBJECT), 3);
		assert_int_equal(role_cnt(r, WC_ROLE_CGROUP), size == WC_PLAN_QUICK	? 0
							      : size == WC_PLAN_DEFAULT ? 1
											: 3);
		wc_result__free(r);
	}
	assert_true(cells[0] < 16); /* two minutes */
	assert_true(cells[0] < cells[1] && cells[1] < cells[2]);
	assert_true(cells[1] < 42); /* ten */
}

static void knobs_know_the_slots(void **state)
{
	static const char *const raised[] = { "policy=other", "futex_slots=4096" };
	struct wc_plan p = plan_of(WC_PLAN_QUICK);
	struct wc_result *r = build(&p);

	(void)state;
	assert_string_equal(wc_kvs__get(&find(r, WC_ROLE_SLOTS_HALF, 0)->params, "futex_slots"),
			    "8");
	assert_string_equal(wc_kvs__get(&find(r, WC_ROLE_SLOTS_UP, 0)->params, "futex_slots"),
			    "4096");
	wc_result__free(r);

	p.extra = raised;
	p.extra_cnt = 2;
	r = build(&p);
	assert_null(find(r, WC_ROLE_SLOTS_UP, 0)); /* the subject is that cell */
	assert_string_equal(wc_kvs__get(&find(r, WC_ROLE_SLOTS_HALF, 0)->params, "futex_slots"),
			    "2048");
	assert_string_equal(wc_kvs__get(&find(r, WC_ROLE_SUBJECT, 0)->params, "futex_slots"),
			    "4096");
	assert_string_equal(wc_kvs__get(&find(r, WC_ROLE_BASE, 0)->params, "policy"), "other");
	wc_result__free(r);
}

static void one_futex_has_no_slot_knobs(void **state)
{
	static const char *const pair[] = { "bucket=pair" };
	struct wc_plan p = plan_of(WC_PLAN_DEFAULT);
	struct wc_result *r;

	(void)state;
	p.background = "futex-one";
	p.extra = pair;
	p.extra_cnt = 1;
	r = build(&p);
	assert_null(find(r, WC_ROLE_SLOTS_UP, 0));
	assert_null(find(r, WC_ROLE_SLOTS_HALF, 0));
	assert_string_equal(wc_kvs__get(&find(r, WC_ROLE_SUBJECT, 0)->params, "bucket"), "pair");
	assert_string_equal(wc_kvs__get(&find(r, WC_ROLE_ONE_OTHER, 0)->params, "bucket"), "other");
	wc_result__free(r);
}

static void another_mechanism_has_no_walk_to_take_away(void **state)
{
	struct wc_plan p = plan_of(WC_PLAN_DEFAULT);
	struct wc_result *r;

	(void)state;
	p.mechanism = "pipe";
	r = build(&p);
	assert_null(find(r, WC_ROLE_SLOTS_UP, 0));
	assert_null(find(r, WC_ROLE_ONE_PAIR, 0));
	wc_result__free(r);
}

static void lists_are_refused(void **state)
{
	static const char *const bad[] = { "policy=other,batch", "policy", "=1" };
	char why[256];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct wc_plan p = plan_of(WC_PLAN_QUICK);
		struct wc_result *r = wc_result__new();

		p.extra = &bad[i];
		p.extra_cnt = 1;
		assert_int_equal(wc_plan__build(r, &p, why, sizeof(why)), -EINVAL);
		assert_non_null(strstr(why, bad[i]));
		wc_result__free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_hold_each_other),
		cmocka_unit_test(knobs_know_the_slots),
		cmocka_unit_test(one_futex_has_no_slot_knobs),
		cmocka_unit_test(another_mechanism_has_no_walk_to_take_away),
		cmocka_unit_test(lists_are_refused),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
