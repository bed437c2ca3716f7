/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Slopes: against values computed by another program (medians over all pairs, written down here),
 * and of lines with a known slope and a known bend.
 */
#include "tests/unit/made.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

#define ROUNDS	   7
#define LEVELS	   6

static const double tasks[LEVELS] = { 0, 250, 1000, 4000, 16000, 30000 };

/* Columns of a table of rounds by levels. */
static void columns(struct wc_series *y, double *v, const double *table, size_t rounds,
		    size_t levels)
{
	for (size_t i = 0; i < levels; i++) {
		y[i].v = v + i * rounds;
		y[i].cnt = rounds;
		for (size_t n = 0; n < rounds; n++)
			y[i].v[n] = table[n * levels + i];
	}
}

static const double measured[ROUNDS * LEVELS] = {
	1643,  1814,  2394,  4453, 11499, 19081, 1664,	1870,  2290,  4384, 12685,
	19696, 1680,  1791,  2405, 4469,  11941, 19950, 1714,  1883,  2312, 3999,
	10538, 18419, 1684,  1817, 2340,  4340,	 10860, 18768, 1717,  1882, 2425,
	3969,  11221, 19092, 1678, 1852,  2400,	 4020,	11928, 21105,
};

static void as_computed_elsewhere(void **state)
{
	double v[ROUNDS * LEVELS];
	struct wc_series y[LEVELS];
	struct wc_slope s;

	(void)state;
	columns(y, v, measured, ROUNDS, LEVELS);
	assert_int_equal(wc_slope__of(tasks, y, LEVELS, &s), 0);
	assert_true(s.n == ROUNDS && s.levels == LEVELS && s.has_ci && !s.bends && s.knee == 0);
	NEAR(s.per_x, 0.6149206349206349);
	NEAR(s.lo, 0.5568333333333333);
	NEAR(s.hi, 0.6704);
	NEAR(s.ols, 0.5818778563232231);
	NEAR(s.lower, 0.6653333333333333);
	NEAR(s.upper, 0.5816538461538462);
	NEAR(s.bend_lo, -0.14050128205128198);
	NEAR(s.bend_hi, 0.016365384615384726);
}

/* The example the estimator was published with (P. K. Sen, 1968): 4, where least squares has 4.02 */
static void as_published(void **state)
{
	const double x[] = { 1, 2, 3, 4, 10, 12, 18 }, table[] = { 9, 15, 19, 20, 45, 55, 78 };
	struct wc_series y[7];
	struct wc_slope s;
	double v[7];

	(void)state;
	columns(y, v, table, 1, 7);
	assert_int_equal(wc_slope__of(x, y, 7, &s), 0);
	assert_true(s.n == 1 && !s.has_ci && !s.bends);
	NEAR(s.per_x, 4);
	NEAR(s.lo, 4);
	NEAR(s.hi, 4);
	NEAR(s.ols, 4.0213523131672595);
}

/* One level of a round gone wild moves least squares, and this hardly. */
static void one_outlier(void **state)
{
	double v[ROUNDS * LEVELS], table[ROUNDS * LEVELS];
	struct wc_series y[LEVELS];
	struct wc_slope s;

	(void)state;
	for (size_t n = 0; n < ROUNDS; n++) {
		for (size_t i = 0; i < LEVELS; i++)
			table[n * LEVELS + i] = 1700 + 0.5 * tasks[i];
		table[n * LEVELS + LEVELS - 1] *= 3;
	}
	columns(y, v, table, ROUNDS, LEVELS);
	assert_int_equal(wc_slope__of(tasks, y, LEVELS, &s), 0);
	assert_true(s.per_x > 0.49 && s.per_x < 0.51);
	assert_true(s.ols > 1);
}

static void few_levels(void **state)
{
	const double table[] = { 10, 20, 30, 10, 22, 34, NAN, NAN, 50 };
	struct wc_series y[3];
	struct wc_slope s;
	double v[9];

	(void)state;
	columns(y, v, table, 3, 3);
	/* the third round has one level, and so no slope */
	assert_int_equal(wc_slope__of((const double[]){ 0, 10, 20 }, y, 3, &s), 0);
	assert_true(s.n == 2 && !s.has_ci && !s.bends);
	NEAR(s.per_x, 1.1);
	assert_true(isnan(s.lower) && isnan(s.upper));
	assert_int_equal(wc_slope__of((const double[]){ 0 }, y, 1, &s), 0);
	assert_int_equal(s.n, 0);
	/* all at one place */
	assert_int_equal(wc_slope__of((const double[]){ 5, 5, 5 }, y, 3, &s), 0);
	assert_int_equal(s.n, 0);
}

/* Rounds that lack a level count with what they have. */
static void holes(void **state)
{
	double v[ROUNDS * LEVELS], table[ROUNDS * LEVELS];
	struct wc_series y[LEVELS];
	struct wc_slope s;

	(void)state;
	for (size_t n = 0; n < ROUNDS; n++)
		for (size_t i = 0; i < LEVELS; i++)
			table[n * LEVELS + i] =
				n % LEVELS == i ? NAN : 1700 + (0.5 + 0.01 * (double)n) * tasks[i];
	/* in this one only the lower half is left */
	table[2 * LEVELS + 3] = table[2 * LEVELS + 4] = table[2 * LEVELS + 5] = NAN;
	columns(y, v, table, ROUNDS, LEVELS);
	assert_int_equal(wc_slope__of(tasks, y, LEVELS, &s), 0);
	assert_int_equal(s.n, ROUNDS);
	NEAR(s.per_x, 0.53);
	NEAR(s.lo, 0.5);
	NEAR(s.hi, 0.56);
	assert_false(s.bends);
	NEAR(s.lower, 0.53);
	assert_true(s.upper > 0.5 && s.upper < 0.56);
}

static struct wc_slope slope_of(const struct made *m)
{
	struct wc_result *r = made_result(m);
	struct wc_explain *e = wc_explain__of(r);
	struct wc_slope s;

	assert_non_null(e);
	s = e->slope;
	wc_explain__free(e);
	wc_result__free(r);
	return s;
}

static void known_slope(void **state)
{
	struct made m = { .rounds = 12, .per_waiter = 9.6 };
	unsigned int inside = 0, straight = 0;

	(void)state;
	for (m.seed = 101; m.seed <= 120; m.seed++) {
		struct wc_slope s = slope_of(&m);

		inside += s.has_ci && s.lo <= 0.6 && 0.6 <= s.hi;
		straight += !s.bends;
	}
	print_message("slope: inside %u, straight %u of 20\n", inside, straight);
	assert_true(inside >= 19 && straight >= 19);
}

static void known_knee(void **state)
{
	static const double knees[] = { 1000, 4000, 16000 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct made m = { .rounds = 12,
				  .per_task = { [WC_STAGE_FIND] = 0.2 },
				  .knee = knees[i],
				  .beyond = 1.2 };
		unsigned int found = 0, sides = 0;

		for (m.seed = 1; m.seed <= 20; m.seed++) {
			struct wc_slope s = slope_of(&m);

			found += s.bends && s.knee == knees[i];
			sides += fabs(s.lower - 0.2) < 0.06 && fabs(s.upper - 1.2) < 0.1;
		}
		print_message("knee %.0f: found %u, slopes of its sides %u of 20\n", knees[i],
			      found, sides);
		assert_true(found >= 19 && sides >= 19);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_computed_elsewhere),
		cmocka_unit_test(as_published),
		cmocka_unit_test(one_outlier),
		cmocka_unit_test(few_levels),
		cmocka_unit_test(holes),
		cmocka_unit_test(known_slope),
		cmocka_unit_test(known_knee),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
