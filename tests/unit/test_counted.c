/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters by name, and what the rounds of a cell make of what was counted. */
#include <errno.h>

#include "tests/unit/fixture.h"
#include "user/model/counted.h"
#include "user/output/output.h"
#include "user/probe/pmu.h"

static void means_are_over_complete_rounds(void **state)
{
	struct wc_result *r = fix_result();
	struct wc_cell *cell = &r->cells[0];
	unsigned int rounds = 0;
	struct wc_counted c;

	(void)state;
	fix_counters(r);
	for (size_t i = 0; i < cell->round_cnt; i++) {
		rounds += cell->rounds[i].complete && !cell->rounds[i].warmup;
		if (cell->rounds[i].warmup)
			cell->rounds[i].spans[WC_SPAN_FIND].sums[0] = 1000000;
	}
	c = wc_cell__counted(cell, WC_SPAN_FIND, 0);
	assert_true(c.mean == 3);
	assert_int_equal(c.count, 100 * rounds);
	assert_int_equal(c.discarded, 2 * rounds);
	assert_int_equal(c.failed, rounds);
	assert_true(wc_cell__counted(cell, WC_SPAN_USER, 1).mean == 0.25);
	wc_result__free(r);
}

static void as_a_table(void **state)
{
	const struct wc_table_opts opts = { 0 };
	struct wc_result *r = fix_result();
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	fix_counters(r);
	assert_int_equal(wc_out_table(f, r, &opts), 0);
	fclose(f);
	assert_non_null(strstr(text, "Counted on one CPU, mean of each time through a stage"));
	assert_non_null(strstr(text, "page-faults  3.00"));
	assert_non_null(strstr(text, "cycles: core cycles"));
	free(text);
	wc_result__free(r);
}

static void names_are_known_or_refused(void **state)
{
	static const char *const bad[] = { "",
					   ",",
					   "cyclops",
					   "cycles,cyclops",
					   "cycles cycles",
					   "cycles,instructions,page-faults,cpu-clock,task-clock" };
	struct wc_kvs counters = { 0 };
	char why[512];

	(void)state;
	assert_int_equal(wc_pmu__parse("page-faults,cycles", &counters, why, sizeof(why)), 0);
	assert_int_equal(counters.cnt, 2);
	assert_string_equal(counters.items[0].key, "page-faults");
	assert_string_equal(counters.items[1].key, "cycles");
	assert_true(counters.items[1].value[0]);
	wc_kvs__free(&counters);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(wc_pmu__parse(bad[i], &counters, why, sizeof(why)), -EINVAL);
		assert_non_null(strstr(why, "--counters"));
		wc_kvs__free(&counters);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_are_over_complete_rounds),
		cmocka_unit_test(as_a_table),
		cmocka_unit_test(names_are_known_or_refused),
	};

	return cmocka_run_group_tests_name("counted", tests, NULL, NULL);
}
