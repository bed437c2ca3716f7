/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/fixture.h"
#include "user/model/stats.h"

static void medians(void **state)
{
	double odd[] = { 9, 1, 5 }, even[] = { 4, 1, 3, 2 };

	(void)state;
	assert_true(wc_stats__median(odd, 3) == 5);
	assert_true(wc_stats__median(even, 4) == 2.5);
	assert_true(wc_stats__median(NULL, 0) == 0);
}

/* From tables of the sign test: n, and the rank of the lower end. */
static void ranks_are_those_of_the_tables(void **state)
{
	static const size_t known[][2] = { { 6, 1 },   { 7, 1 },   { 8, 1 },   { 9, 2 },  { 11, 2 },
					   { 12, 3 },  { 15, 4 },  { 17, 5 },  { 20, 6 }, { 25, 8 },
					   { 30, 10 }, { 50, 18 }, { 100, 40 } };
	size_t lo, hi;

	(void)state;
	for (size_t n = 0; n < 6; n++)
		assert_false(wc_stats__median_ranks(n, &lo, &hi));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_true(wc_stats__median_ranks(known[i][0], &lo, &hi));
		assert_int_equal(lo, known[i][1]);
		assert_int_equal(hi, known[i][0] + 1 - known[i][1]);
	}
}

static void many_rounds_go_on_smoothly(void **state)
{
	size_t exact, normal, hi;

	(void)state;
	assert_true(wc_stats__median_ranks(1000, &exact, &hi));
	assert_int_equal(exact, 469);
	assert_true(wc_stats__median_ranks(1001, &normal, &hi));
	assert_in_range(normal, exact - 1, exact + 1);
	assert_true(wc_stats__median_ranks(16384, &normal, &hi));
	assert_in_range(normal, 8060, 8070);
}

static void seven_rounds_span_their_range(void **state)
{
	double v[] = { 7, 3, 1, 6, 2, 5, 4 };
	struct wc_figure f = wc_stats__figure(v, 7);

	(void)state;
	assert_int_equal(f.n, 7);
	assert_true(f.median == 4 && f.has_ci);
	assert_true(f.lo == 1 && f.hi == 7 && f.min == 1 && f.max == 7);
}

static void five_rounds_have_no_interval(void **state)
{
	double v[] = { 5, 3, 1, 2, 4 };
	struct wc_figure f = wc_stats__figure(v, 5), none = wc_stats__figure(v, 0);

	(void)state;
	assert_false(f.has_ci);
	assert_true(f.median == 3 && f.min == 1 && f.max == 5 && f.lo == 0 && f.hi == 0);
	assert_int_equal(none.n, 0);
	assert_true(none.median == 0);
}

static void nine_rounds_leave_the_ends_out(void **state)
{
	double v[] = { 9, 8, 7, 6, 5, 4, 3, 2, 1 };
	struct wc_figure f = wc_stats__figure(v, 9);

	(void)state;
	assert_true(f.median == 5 && f.lo == 2 && f.hi == 8 && f.min == 1 && f.max == 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(medians),
		cmocka_unit_test(ranks_are_those_of_the_tables),
		cmocka_unit_test(many_rounds_go_on_smoothly),
		cmocka_unit_test(seven_rounds_span_their_range),
		cmocka_unit_test(five_rounds_have_no_interval),
		cmocka_unit_test(nine_rounds_leave_the_ends_out),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
