/* SPDX-License-Identifier: BSD-2-Clause */
/* The histogram shared with the probes, and reading it. */
#include "tests/unit/fixture.h"

static void slots_and_bounds_agree(void **state)
{
	(void)state;
	for (unsigned int slot = 0; slot < WC_HIST_SLOT_CNT; slot++) {
		unsigned long long low = wc_hist_slot_low(slot), end = wc_hist_slot_low(slot + 1);

		assert_true(end > low);
		assert_int_equal(wc_hist_slot(low), slot);
		assert_int_equal(wc_hist_slot(end - 1), slot);
		if (low >= 32) /* never wider than 1/32 of its value */
			assert_true((end - low) * 32 <= low);
	}
	assert_int_equal(wc_hist_slot(UINT64_MAX), WC_HIST_SLOT_CNT - 1);
	assert_true(wc_hist_slot_low(WC_HIST_SLOT_CNT) == 1ull << 36);
}

static void quantiles_of_small_numbers_are_exact(void **state)
{
	struct wc_hist h = { 0 };

	(void)state;
	assert_true(wc_hist__quantile(&h, 0.5) == 0);
	for (unsigned int ns = 1; ns <= 60; ns++) {
		h.slots[wc_hist_slot(ns)]++;
		h.count++;
	}
	assert_true(wc_hist__quantile(&h, 0.5) == 30);
	assert_true(wc_hist__quantile(&h, 0.9) == 54);
	assert_true(wc_hist__quantile(&h, 1) == 60);
	assert_true(wc_hist__quantile(&h, 0) == 1);
}

static void quantiles_are_linear_inside_a_slot(void **state)
{
	struct wc_hist h = { .count = 100 };
	unsigned int slot = wc_hist_slot(17000);
	double low = (double)wc_hist_slot_low(slot), width = 512;

	(void)state;
	assert_true((double)wc_hist_slot_low(slot + 1) == low + width);
	h.slots[slot] = 100;
	assert_true(wc_hist__quantile(&h, 0.25) == low + width / 4);
	assert_true(wc_hist__quantile(&h, 0.5) == low + width / 2);
	assert_int_equal(wc_hist__lowest(&h), (uint64_t)low);
	assert_int_equal(wc_hist__highest(&h), (uint64_t)(low + width) - 1);
}

static void the_open_slot_promises_no_more_than_it_knows(void **state)
{
	struct wc_hist h = { .count = 1 };
	double low = (double)wc_hist_slot_low(WC_HIST_SLOT_CNT - 1);

	(void)state;
	h.slots[WC_HIST_SLOT_CNT - 1] = 1;
	assert_true(wc_hist__quantile(&h, 0.99) == low);
	assert_true((double)wc_hist__highest(&h) == low);
}

static void uniform_values_give_their_quantiles(void **state)
{
	struct wc_hist h = { 0 };

	(void)state;
	for (uint64_t ns = 1; ns <= 100000; ns++) {
		h.slots[wc_hist_slot(ns)]++;
		h.count++;
	}
	for (int percent = 1; percent <= 99; percent++) {
		double want = percent * 1000, got = wc_hist__quantile(&h, percent / 100.0);

		assert_true(got > want * 0.998 && got < want * 1.002 + 1);
	}
}

static void merging_adds(void **state)
{
	struct wc_hist a = { .count = 2, .sum = 30 }, b = { .count = 1, .sum = 20 };

	(void)state;
	a.slots[15] = 2;
	b.slots[20] = 1;
	wc_hist__merge(&a, &b);
	wc_hist__merge(&a, NULL);
	assert_int_equal(a.count, 3);
	assert_int_equal(a.sum, 50);
	assert_int_equal(a.slots[15], 2);
	assert_int_equal(a.slots[20], 1);
	assert_true(wc_hist__quantile(&a, 0.9) == 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_and_bounds_agree),
		cmocka_unit_test(quantiles_of_small_numbers_are_exact),
		cmocka_unit_test(quantiles_are_linear_inside_a_slot),
		cmocka_unit_test(the_open_slot_promises_no_more_than_it_knows),
		cmocka_unit_test(uniform_values_give_their_quantiles),
		cmocka_unit_test(merging_adds),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
