// SPDX-License-Identifier: BSD-2-Clause
/* From lists of values to cells. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "user/experiment/cells.h"

static struct wc_result *build(const char *const *specs, size_t cnt, int want)
{
	struct wc_result *r = wc_result__new();
	char why[256];

	assert_non_null(r);
	assert_int_equal(wc_cells__build(r, "handoff", specs, cnt, why, sizeof(why)), want);
	if (want)
		assert_true(why[0]);
	return r;
}

static void assert_param(const struct wc_result *r, size_t cell, const char *key, const char *value)
{
	assert_string_equal(wc_kvs__get(&r->cells[cell].params, key), value);
}

static void test_product(void **state)
{
	static const char *const specs[] = { "background=pause,timed", "parked=1,2,3" };
	struct wc_result *r = build(specs, 2, 0);

	(void)state;
	assert_int_equal(r->cell_cnt, 6);
	assert_param(r, 0, "background", "pause");
	assert_param(r, 0, "parked", "1");
	assert_param(r, 2, "parked", "3");
	assert_param(r, 3, "background", "timed");
	wc_result__free(r);
}

static void test_nobody_is_one_point(void **state)
{
	static const char *const specs[] = { "parked=10,20", "background=none,pause",
					     "mechanism=futex,pipe" };
	struct wc_result *r = build(specs, 3, 0);
	size_t i, none = 0;

	(void)state;
	assert_int_equal(r->cell_cnt, 6); /* none: by mechanism; pause: by both */
	for (i = 0; i < r->cell_cnt; i++) {
		if (strcmp(wc_kvs__get(&r->cells[i].params, "background"), "none"))
			continue;
		assert_param(r, i, "parked", "0");
		none++;
	}
	assert_int_equal(none, 2);
	wc_result__free(r);
}

static void test_twice_is_twice(void **state)
{
	static const char *const specs[] = { "background=pause", "parked=10,10" };
	struct wc_result *r = build(specs, 2, 0);

	(void)state;
	assert_int_equal(r->cell_cnt, 2);
	wc_result__free(r);
}

static void test_bad_lists(void **state)
{
	static const char *const bad[] = { "parked", "=1", "parked=", "parked=1,,2", "parked=1," };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		wc_result__free(build(&bad[i], 1, -EINVAL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_product),
		cmocka_unit_test(test_nobody_is_one_point),
		cmocka_unit_test(test_twice_is_twice),
		cmocka_unit_test(test_bad_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
