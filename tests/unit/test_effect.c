/* SPDX-License-Identifier: BSD-2-Clause */
/* Differences paired by round: on paper, and how often their 95 % interval is right. */
#include <errno.h>
#include <math.h>

#include "tests/unit/made.h"
#include "user/model/effect.h"
#include "user/model/explain_cells.h"

static void on_paper(void **state)
{
	double v[] = { NAN, 5, 3, 9, NAN, 1, 7, 4, 8, 6, 2 };
	struct wc_series s = { v, sizeof(v) / sizeof(v[0]) }, none = { v, 1 };
	struct wc_effect e;

	(void)state;
	wc_effect__of(&s, &e);
	/* nine values: second lowest and second highest, 96.1 % of the time around the median */
	assert_true(e.n == 9 && e.has_ci && e.ns == 5 && e.lo == 2 && e.hi == 8);
	assert_true(wc_effect__is_real(&e));
	wc_effect__of(&none, &e);
	assert_true(e.n == 0 && !e.has_ci && !wc_effect__is_real(&e));
}

static void five_rounds_have_no_interval(void **state)
{
	double v[] = { 5, 3, 1, 2, 4 };
	struct wc_series s = { v, 5 };
	struct wc_effect e;

	(void)state;
	wc_effect__of(&s, &e);
	assert_true(e.n == 5 && !e.has_ci && e.ns == 3 && e.lo == 3 && e.hi == 3);
	assert_false(wc_effect__is_real(&e)); /* though all five are above zero */
}

static void series_are_paired_by_round(void **state)
{
	double a[] = { 10, 20, NAN, 40, 50 }, b[] = { 1, NAN, 3, 4 };
	double over[] = { 8, 8, 8, NAN, 8 }, under[] = { 2, 0, -1, 4 };
	struct wc_series x = { a, 5 }, y = { b, 4 }, p = { over, 5 }, q = { under, 4 };

	(void)state;
	wc_series__add(&x, &y, -2);
	assert_true(a[0] == 8 && isnan(a[1]) && isnan(a[2]) && a[3] == 32 && isnan(a[4]));
	wc_series__divide(&p, &q);
	assert_true(over[0] == 4 && isnan(over[1]) && isnan(over[2]) && isnan(over[3]) &&
		    isnan(over[4]));
}

static struct wc_round *add_round(struct wc_cell *cell, unsigned int index, uint64_t find)
{
	struct wc_round *round = wc_cell__add_round(cell);

	assert_non_null(round);
	round->index = index;
	round->complete = true;
	fix_add(round, WC_CLASS_DELAYED, WC_STAGE_FIND, find);
	fix_add(round, WC_CLASS_LOCAL, WC_STAGE_FIND, find);
	fix_add(round, WC_CLASS_TIMED, WC_STAGE_FIND, 1 << 20);
	fix_add(round, WC_CLASS_DELAYED, WC_METRIC_TOTAL, find + 8);
	return round;
}

static void what_a_series_is_made_of(void **state)
{
	struct wc_result *r = wc_result__new();
	struct wc_cell *cell = wc_result__add_cell(r);
	struct wc_series s;

	(void)state;
	add_round(cell, 0, 31)->warmup = true;
	add_round(cell, 2, 20); /* rounds lie as they ended, not as they began */
	add_round(cell, 1, 10);
	add_round(cell, 3, 30)->complete = false;
	assert_int_equal(wc_series__of(cell, WC_BITS_FIND, &s), 0);
	assert_true(s.cnt == 4 && isnan(s.v[0]) && s.v[1] == 10 && s.v[2] == 20 && isnan(s.v[3]));
	wc_series__free(&s);
	/* a stage that did not happen took no time */
	assert_int_equal(wc_series__of(cell, WC_BITS_FIND | WC_BITS_NEXT, &s), 0);
	assert_true(s.v[1] == 10);
	wc_series__free(&s);
	/* without probes the workload's own figure stands for the whole */
	add_round(cell, 4, 1);
	free(cell->rounds[4].hists[WC_CLASS_DELAYED][WC_METRIC_TOTAL]);
	cell->rounds[4].hists[WC_CLASS_DELAYED][WC_METRIC_TOTAL] = NULL;
	cell->rounds[4].bare.valid = true;
	cell->rounds[4].bare.handoff.p50_ns = 77;
	assert_int_equal(wc_series__of(cell, WC_BITS_TOTAL, &s), 0);
	assert_true(s.v[1] == 18 && s.v[4] == 77);
	wc_series__free(&s);
	cell->rounds[4].bare.valid = false;
	assert_int_equal(wc_series__of(cell, WC_BITS_TOTAL, &s), 0);
	assert_true(isnan(s.v[4]));
	wc_series__free(&s);
	wc_result__free(r);
}

/* A stranger's recording may number its rounds as it likes. */
static void numbers_of_rounds_are_not_trusted(void **state)
{
	struct wc_result *r = wc_result__new();
	struct wc_cell *cell = wc_result__add_cell(r);
	struct wc_series s;

	(void)state;
	add_round(cell, 1, 10);
	add_round(cell, UINT32_MAX, 10);
	assert_int_equal(wc_series__of(cell, WC_BITS_FIND, &s), -EINVAL);
	cell->rounds[1].index = WC_ROUND_MAX + 1;
	assert_int_equal(wc_series__of(cell, WC_BITS_FIND, &s), -EINVAL);
	cell->rounds[1].index = WC_ROUND_MAX;
	assert_int_equal(wc_series__of(cell, WC_BITS_FIND, &s), 0);
	wc_series__free(&s);
	wc_result__free(r);
}

/* Differences of two cells, each now and then disturbed for a whole round. */
static double disturbed(struct wc_rng *g)
{
	double v = made_normal(g);

	if (made_uniform(g) < 0.08)
		v += 15 * made_uniform(g);
	if (made_uniform(g) < 0.08)
		v -= 15 * made_uniform(g);
	return v;
}

/* What "95 %" promises: with any number of rounds, zero is inside at least as often. */
static void intervals_keep_their_promise(void **state)
{
	static const unsigned int rounds[] = { 6, 7, 8, 9, 10, 12, 15, 20, 40 };
	struct wc_rng g = { 20240229 };
	double v[40];

	(void)state;
	for (size_t i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
		unsigned int inside = 0, tries = 4000;

		for (unsigned int t = 0; t < tries; t++) {
			struct wc_series s = { v, rounds[i] };
			struct wc_effect e;

			for (unsigned int n = 0; n < rounds[i]; n++)
				v[n] = disturbed(&g);
			wc_effect__of(&s, &e);
			inside += e.lo <= 0 && 0 <= e.hi;
		}
		print_message("%u rounds: %.1f %%\n", rounds[i], inside * 100.0 / tries);
		/* less two standard errors of so many tries */
		assert_true(inside >= (0.95 - 2 * sqrt(0.95 * 0.05 / tries)) * tries);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_paper),
		cmocka_unit_test(five_rounds_have_no_interval),
		cmocka_unit_test(series_are_paired_by_round),
		cmocka_unit_test(what_a_series_is_made_of),
		cmocka_unit_test(numbers_of_rounds_are_not_trusted),
		cmocka_unit_test(intervals_keep_their_promise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
