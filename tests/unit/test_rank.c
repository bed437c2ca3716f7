// SPDX-License-Identifier: BSD-2-Clause
/* Against published tables and examples, and against counting all cases elsewhere. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "user/model/rank.h"
#include "user/util/rng.h"

#define LEN(v) (sizeof(v) / sizeof((v)[0]))

static void assert_near(double got, double want)
{
	assert_true(fabs(got - want) < 1e-9 * (1 + fabs(want)));
}

/* Hollander and Wolfe, Nonparametric Statistical Methods: permeability of membranes. */
static double term[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
static double early[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };

static void two_groups_as_published(void **state)
{
	double lo, hi;

	(void)state;
	assert_near(wc_rank__sum_p(term, 10, early, 5), 764.0 / 3003); /* 2 x 0.1272 */
	assert_near(wc_rank__sum_p(early, 5, term, 10), 764.0 / 3003);
	wc_rank__sort(term, 10);
	wc_rank__sort(early, 5);
	assert_near(wc_rank__shift(term, 10, early, 5), -0.305);
	assert_near(wc_rank__shift(early, 5, term, 10), 0.305);
	assert_true(wc_rank__shift_interval(early, 5, term, 10, &lo, &hi));
	assert_near(lo, -0.15);
	assert_near(hi, 0.76);
}

static void ties_are_counted_exactly(void **state)
{
	const double a[] = { 1, 2, 2, 3, 5, 5, 7 }, b[] = { 2, 5, 6, 8, 8, 9, 9 };
	const double same[] = { 4, 4, 4, 4 };

	(void)state;
	assert_near(wc_rank__sum_p(a, 7, b, 7), 0.03613053613053613);
	assert_near(wc_rank__shift(a, 7, b, 7), 3);
	assert_near(wc_rank__sum_p(same, 4, same, 4), 1);
	assert_near(wc_rank__shift(same, 4, same, 4), 0);
}

/* Critical values of U, two-sided, 5 %: differences are 0 .. na nb - 1, so ends are ranks. */
static void intervals_end_at_the_ranks_of_the_tables(void **state)
{
	static const struct {
		size_t na, nb;
		double critical;
	} known[] = {
		{ 3, 5, 0 },   { 4, 4, 0 },    { 5, 5, 2 },    { 6, 6, 5 },	{ 7, 7, 8 },
		{ 8, 8, 13 },  { 9, 9, 17 },   { 10, 10, 23 }, { 5, 10, 8 },	{ 12, 12, 37 },
		{ 7, 20, 34 }, { 15, 15, 64 }, { 20, 5, 20 },  { 20, 20, 127 },
	};
	double a[20], b[20], lo, hi;

	(void)state;
	for (size_t i = 0; i < LEN(known); i++) {
		size_t na = known[i].na, nb = known[i].nb;

		for (size_t k = 0; k < na; k++)
			a[k] = -(double)((na - 1 - k) * nb);
		for (size_t k = 0; k < nb; k++)
			b[k] = (double)k;
		assert_true(wc_rank__shift_interval(a, na, b, nb, &lo, &hi));
		assert_near(lo, known[i].critical);
		assert_near(hi, (double)(na * nb - 1) - known[i].critical);
	}
	assert_false(wc_rank__shift_interval(a, 3, b, 4, &lo, &hi));
	assert_false(wc_rank__shift_interval(a, 0, b, 4, &lo, &hi));
}

static void least_p_is_that_of_groups_apart(void **state)
{
	const double low[] = { 1, 2, 3, 4, 5, 6, 7 }, high[] = { 11, 12, 13, 14, 15, 16, 17 };

	(void)state;
	assert_near(wc_rank__least_p(4, 4), 2.0 / 70);
	assert_near(wc_rank__least_p(7, 7), 2.0 / 3432);
	for (size_t n = 1; n <= 7; n++)
		assert_near(wc_rank__sum_p(low, n, high, n), wc_rank__least_p(n, n));
	assert_near(wc_rank__sum_p(high, 7, low, 7), 2.0 / 3432);
	assert_near(wc_rank__least_p(0, 7), 1);
	assert_near(wc_rank__sum_p(low, 0, high, 7), 1);
}

/* 20 and 21 a side: exact and normal must meet. */
static void many_rounds_go_on_smoothly(void **state)
{
	double a[60], b[60], lo, hi, lo21, hi21, p20, p21;

	(void)state;
	for (size_t i = 0; i < 60; i++) {
		size_t lap = i / 20;

		a[i] = (double)(i % 20) + 0.1 * (double)lap;
		b[i] = a[i] + 4.05;
	}
	p20 = wc_rank__sum_p(a, 20, b, 20);
	wc_rank__sort(a, 21);
	wc_rank__sort(b, 21);
	p21 = wc_rank__sum_p(a, 21, b, 21);
	assert_true(p20 > 0.02 && p20 < 0.06);
	assert_true(fabs(p21 - p20) < 0.02);
	assert_true(wc_rank__shift_interval(a, 20, b, 20, &lo, &hi));
	assert_true(wc_rank__shift_interval(a, 21, b, 21, &lo21, &hi21));
	assert_true(fabs(lo - lo21) < 0.6 && fabs(hi - hi21) < 0.6);
	wc_rank__sort(a, 60);
	wc_rank__sort(b, 60);
	assert_true(fabs(wc_rank__shift(a, 60, b, 60) - 4.05) < 0.2);
}

/* The interval holds the true shift in 95 of 100 cases: of 1,000, give or take 7. */
static void intervals_hold_what_they_should(void **state)
{
	struct wc_rng rng = { 7 };
	unsigned int held = 0;
	double a[7], b[7], lo, hi;

	(void)state;
	for (unsigned int i = 0; i < 1000; i++) {
		for (size_t k = 0; k < 7; k++) {
			a[k] = (double)(wc_rng__next(&rng) >> 11);
			b[k] = (double)(wc_rng__next(&rng) >> 11) + 1e15;
		}
		wc_rank__sort(a, 7);
		wc_rank__sort(b, 7);
		assert_true(wc_rank__shift_interval(a, 7, b, 7, &lo, &hi));
		held += lo <= 1e15 && hi >= 1e15;
	}
	assert_in_range(held, 940, 990); /* 96.2 % for 7 and 7: ranks are whole */
}

/* Hollander and Wolfe: depression of nine patients, before and after. */
static void pairs_as_published(void **state)
{
	const double before[] = { 1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30 };
	const double after[] = { 0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29 };
	const double ties[] = { 1, -1, 2, 2, 3, -4, 5, 0, 6 }, none[] = { 0, 0, 0 };
	const double up[] = { 1, 2, 3, 4, 5, 6 };
	double d[9];

	(void)state;
	for (size_t i = 0; i < 9; i++)
		d[i] = before[i] - after[i];
	assert_near(wc_rank__signed_p(d, 9), 0.0390625); /* 2 x 0.01953 */
	assert_near(wc_rank__signed_p(ties, 9), 0.15625);
	assert_near(wc_rank__signed_p(up, 6), 2.0 / 64);
	assert_near(wc_rank__signed_p(none, 3), 1);
	assert_near(wc_rank__signed_p(none, 0), 1);
}

static void pairs_without_number_go_on_smoothly(void **state)
{
	double d[60], exact, normal;

	(void)state;
	for (size_t i = 0; i < 60; i++)
		d[i] = (i % 3 ? 1.0 : -1.0) * (double)(1 + (i * 7) % 60);
	exact = wc_rank__signed_p(d, 40);
	normal = wc_rank__signed_p(d, 41);
	assert_true(exact > 0.001 && exact < 0.2);
	assert_true(fabs(exact - normal) < 0.02);
}

static void holm_as_published(void **state)
{
	double p[] = { 0.01, 0.02, 0.03, 0.04 }, q[] = { 0.04, 0.001, 0.5, 0.02 },
	       r[] = { 0.9, 0.8 };

	(void)state;
	assert_int_equal(wc_rank__holm(p, 4), 0);
	assert_near(p[0], 0.04);
	assert_near(p[1], 0.06);
	assert_near(p[2], 0.06);
	assert_near(p[3], 0.06);
	assert_int_equal(wc_rank__holm(q, 4), 0);
	assert_near(q[0], 0.08);
	assert_near(q[1], 0.004);
	assert_near(q[2], 0.5);
	assert_near(q[3], 0.06);
	assert_int_equal(wc_rank__holm(r, 2), 0);
	assert_near(r[0], 1);
	assert_near(r[1], 1);
	assert_int_equal(wc_rank__holm(NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_groups_as_published),
		cmocka_unit_test(ties_are_counted_exactly),
		cmocka_unit_test(intervals_end_at_the_ranks_of_the_tables),
		cmocka_unit_test(least_p_is_that_of_groups_apart),
		cmocka_unit_test(many_rounds_go_on_smoothly),
		cmocka_unit_test(intervals_hold_what_they_should),
		cmocka_unit_test(pairs_as_published),
		cmocka_unit_test(pairs_without_number_go_on_smoothly),
		cmocka_unit_test(holm_as_published),
	};

	return cmocka_run_group_tests_name("rank", tests, NULL, NULL);
}
