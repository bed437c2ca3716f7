/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "tests/unit/fixture.h"

static void keys_are_unique_and_keep_their_order(void **state)
{
	struct wc_kvs kvs = { 0 };

	(void)state;
	assert_null(wc_kvs__get(&kvs, "a"));
	assert_int_equal(wc_kvs__set(&kvs, "b", "1"), 0);
	assert_int_equal(wc_kvs__set(&kvs, "a", "2"), 0);
	assert_int_equal(wc_kvs__setf(&kvs, "b", "%d-%s", 3, "x"), 0);
	assert_int_equal(kvs.cnt, 2);
	assert_string_equal(kvs.items[0].key, "b");
	assert_string_equal(wc_kvs__get(&kvs, "b"), "3-x");
	assert_string_equal(wc_kvs__get(&kvs, "a"), "2");
	wc_kvs__free(&kvs);
	assert_int_equal(kvs.cnt, 0);
}

static void a_value_may_be_set_to_itself(void **state)
{
	struct wc_kvs kvs = { 0 };

	(void)state;
	assert_int_equal(wc_kvs__set(&kvs, "a", "same"), 0);
	assert_int_equal(wc_kvs__set(&kvs, "a", wc_kvs__get(&kvs, "a")), 0);
	assert_string_equal(wc_kvs__get(&kvs, "a"), "same");
	wc_kvs__free(&kvs);
}

static void the_same_warning_is_kept_once(void **state)
{
	struct wc_result *r = wc_result__new();

	(void)state;
	assert_int_equal(wc_result__warnf(r, "load %d", 1), 0);
	assert_int_equal(wc_result__warnf(r, "load %d", 2), 0);
	assert_int_equal(wc_result__warnf(r, "load 1"), 0);
	assert_int_equal(r->warning_cnt, 2);
	assert_string_equal(r->warnings[1], "load 2");
	wc_result__free(r);
	wc_result__free(NULL);
}

/* Arrays move while they grow: what was written must come along, what is new be zero. */
static void cells_and_rounds_grow(void **state)
{
	struct wc_result *r = wc_result__new();

	(void)state;
	for (unsigned int i = 0; i < 37; i++) {
		struct wc_cell *cell = wc_result__add_cell(r);

		assert_int_equal(cell->round_cnt, 0);
		assert_int_equal(wc_kvs__setf(&cell->params, "n", "%u", i), 0);
		for (unsigned int k = 0; k < i; k++) {
			struct wc_round *round = wc_cell__add_round(cell);

			assert_int_equal(round->parked_cnt, 0);
			assert_true(round->chain_cnt == UINT64_MAX);
			round->parked_cnt = i * 100 + k;
		}
	}
	for (unsigned int i = 0; i < 37; i++) {
		char n[12];

		snprintf(n, sizeof(n), "%u", i);
		assert_string_equal(wc_kvs__get(&r->cells[i].params, "n"), n);
		assert_int_equal(r->cells[i].round_cnt, i);
		for (unsigned int k = 0; k < i; k++)
			assert_int_equal(r->cells[i].rounds[k].parked_cnt, i * 100 + k);
	}
	wc_result__free(r);
}

static void a_cell_takes_so_many_rounds(void **state)
{
	struct wc_cell cell = { .round_cnt = WC_ROUND_MAX };

	(void)state;
	assert_null(wc_cell__add_round(&cell));
}

static void every_name_is_there_and_different(void **state)
{
	static const struct {
		const char *(*name)(unsigned int);
		unsigned int cnt;
	} lists[] = {
		{ wc_stage__name, WC_METRIC_CNT },
		{ wc_class__name, WC_CLASS_CNT },
		{ wc_counter__name, WC_CNT_CNT },
		{ wc_context__name, WC_CTX_CNT },
		{ wc_status__name, 3 },
		{ wc_counter__meaning, WC_CNT_CNT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		for (unsigned int k = 0; k < lists[i].cnt; k++) {
			assert_non_null(lists[i].name(k));
			for (unsigned int j = 0; j < k; j++)
				assert_string_not_equal(lists[i].name(k), lists[i].name(j));
		}
		assert_null(lists[i].name(lists[i].cnt));
	}
	assert_string_equal(wc_stage__name(WC_METRIC_TOTAL), "total");
	assert_true(wc_counter__is_loss(WC_CNT_NO_PAIR));
	assert_false(wc_counter__is_loss(WC_CNT_NOOP));
	assert_false(wc_counter__is_loss(WC_CNT_CNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_unique_and_keep_their_order),
		cmocka_unit_test(a_value_may_be_set_to_itself),
		cmocka_unit_test(the_same_warning_is_kept_once),
		cmocka_unit_test(cells_and_rounds_grow),
		cmocka_unit_test(a_cell_takes_so_many_rounds),
		cmocka_unit_test(every_name_is_there_and_different),
	};

	return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
