/* SPDX-License-Identifier: BSD-2-Clause */
/* When a number that is looked at again and again is steady. */
#include "tests/unit/fixture.h"
#include "user/experiment/steady.h"

#define MS 1000000ull

static void not_before_its_time(void **state)
{
	struct wc_steady s = {};
	uint64_t at;

	(void)state;
	for (at = 0; at < 2000; at += 250)
		assert_false(wc_steady__add(&s, at * MS, 7));
	assert_true(wc_steady__add(&s, 2000 * MS, 7));
	assert_true(wc_steady__add(&s, 2001 * MS, 8)); /* one more or less is the program's life */
	assert_false(wc_steady__add(&s, 2002 * MS, 9));
}

static void while_it_grows_it_is_not(void **state)
{
	struct wc_steady s = {};
	uint64_t at;

	(void)state;
	for (at = 0; at < 20000; at += 250)
		assert_false(wc_steady__add(&s, at * MS, at));
	for (; at < 20000 + 1750; at += 250)
		assert_false(wc_steady__add(&s, at * MS, 20000));
	/* then all of the last 2 s are alike */
	for (; at < 24000; at += 250)
		wc_steady__add(&s, at * MS, 20000);
	assert_true(wc_steady__add(&s, at * MS, 20100));
	assert_false(wc_steady__add(&s, (at + 250) * MS, 21000));
}

static void few_looks_far_apart_will_do(void **state)
{
	struct wc_steady s = {};

	(void)state;
	assert_false(wc_steady__add(&s, 0, 30000));
	assert_true(wc_steady__add(&s, 2000 * MS, 30000));
	assert_false(wc_steady__add(&s, 4000 * MS, 31000));
	assert_true(wc_steady__add(&s, 6000 * MS, 31000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_before_its_time),
		cmocka_unit_test(while_it_grows_it_is_not),
		cmocka_unit_test(few_looks_far_apart_will_do),
	};

	return cmocka_run_group_tests_name("steady", tests, NULL, NULL);
}
