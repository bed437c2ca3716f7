/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <jansson.h>

#include "tests/unit/fixture_limited.h"
#include "tests/unit/fixture_work.h"
#include "tests/unit/json_keys.h"
#include "user/output/output.h"

static json_int_t at(const json_t *cell, const char *object, const char *key)
{
	return json_integer_value(json_object_get(json_object_get(cell, object), key));
}

static void as_printed(void **state)
{
	(void)state;
	fix_golden("run.json", wc_out_json);
}

static json_t *document_of(const struct wc_result *r)
{
	return keys__document(r, wc_out_json);
}

static void the_page_and_the_document_agree(void **state)
{
	struct wc_result *r = fix_result(), *work = fix_work_result();
	struct wc_result *limited = fix_limited_result(5, 0);
	struct keys p = { .page = "docs/json.md" };
	json_t *document, *of_work, *of_limited;

	(void)state;
	fix_counters(r);
	document = document_of(r);
	of_work = document_of(work);
	of_limited = document_of(limited);
	keys__read(&p);
	keys__walk(&p, "", document);
	keys__walk(&p, "", of_work);
	keys__walk(&p, "", of_limited);
	keys__all_seen(&p);
	json_decref(document);
	json_decref(of_work);
	json_decref(of_limited);
	wc_result__free(limited);
	wc_result__free(r);
	wc_result__free(work);
}

static double gauge_at(const json_t *cell, const char *gauge, const char *key)
{
	const json_t *o = json_object_get(json_object_get(cell, "gauges"), gauge);

	return json_number_value(json_object_get(o, key));
}

static void work_is_gauges_and_wakes_and_no_handoffs(void **state)
{
	struct wc_result *r = fix_work_result();
	json_t *document = document_of(r);
	json_t *cell = json_array_get(json_object_get(document, "cells"), 0);
	json_t *never = json_object_get(json_object_get(cell, "gauges"), "never");

	(void)state;
	assert_string_equal(json_string_value(json_object_get(document, "work")), "request");
	assert_int_equal(json_array_size(json_object_get(document, "gauge_table")), 7);
	assert_true(gauge_at(cell, "throughput", "median") == 466 + 4);
	assert_true(gauge_at(cell, "throughput", "bare_median") == 466 + 14);
	assert_true(gauge_at(cell, "throughput", "min") == 467);
	assert_true(gauge_at(cell, "throughput", "max") == 473);
	assert_int_equal(
		json_array_size(json_object_get(
			json_object_get(json_object_get(cell, "gauges"), "throughput"), "ci95")),
		2);
	assert_true(json_is_null(json_object_get(never, "median")));
	assert_true(json_number_value(json_object_get(cell, "wakes_per_work")) == 1.5);
	assert_true(json_number_value(json_object_get(cell, "timed_wakes_per_work")) == 1);
	assert_int_equal(at(cell, "wake_ns", "count"), 7 * 150);
	assert_int_equal(at(cell, "handoff_ns", "count"), 0);
	assert_true(json_is_null(json_object_get(cell, "handoff_source")));
	assert_true(json_is_null(json_object_get(document, "growth")));
	json_decref(document);
	wc_result__free(r);
}

/* Known figures, so that a wrong golden file cannot hide. */
static void figures_are_those_of_the_fixture(void **state)
{
	struct wc_result *r = fix_result();
	json_t *document = document_of(r), *cells = json_object_get(document, "cells");
	json_t *cell = json_array_get(cells, 0), *stages = json_object_get(cell, "stages");
	json_int_t sum = at(cell, "unattributed_ns", "mean");

	(void)state;
	assert_int_equal(json_array_size(cells), 4);
	assert_int_equal(at(cell, "handoff_ns", "mean"), 1642);
	assert_int_equal(at(cell, "bare_handoff_ns", "p50"), 1338);
	assert_int_equal(at(cell, "unslept", "count"), 665);
	assert_int_equal(at(cell, "unslept", "mean_ns"), 200);
	assert_int_equal(at(cell, "probe_cost_ns", "median"), 300);
	assert_int_equal(at(cell, "params", "parked_actual"), 0);
	assert_int_equal(at(cell, "classes", "timed"), 35);
	for (size_t i = 0; i < json_array_size(stages); i++)
		sum += json_integer_value(json_object_get(json_array_get(stages, i), "mean_ns"));
	assert_in_range(sum, 1642 - 4, 1642 + 4);
	cell = json_array_get(cells, 3);
	assert_string_equal(json_string_value(json_object_get(cell, "handoff_source")), "workload");
	assert_int_equal(at(cell, "handoff_ns", "p50"), 2000);
	assert_true(
		json_is_null(json_object_get(json_object_get(cell, "unattributed_ns"), "mean")));
	json_decref(document);
	wc_result__free(r);
}

static void foreign_text_comes_out_whole_or_escaped(void **state)
{
	struct wc_result *r = fix_result();
	json_t *document, *host;

	(void)state;
	assert_int_equal(wc_kvs__set(&r->host, "model", "\033[31m\"\xc2\x9b\xe2\x82\xac"), 0);
	assert_int_equal(wc_kvs__set(&r->host, "broken",
				     "a\xff"
				     "b"),
			 0);
	assert_int_equal(wc_kvs__set(&r->host, "leading", "007"), 0);
	document = document_of(r);
	host = json_object_get(document, "host");
	assert_string_equal(json_string_value(json_object_get(host, "model")),
			    "\033[31m\"\xc2\x9b\xe2\x82\xac");
	assert_string_equal(json_string_value(json_object_get(host, "broken")), "a\\xffb");
	assert_string_equal(json_string_value(json_object_get(host, "leading")), "007");
	assert_int_equal(json_integer_value(json_object_get(host, "cpus")), 2);
	json_decref(document);
	wc_result__free(r);
}

static void few_rounds_have_no_interval(void **state)
{
	struct wc_result *r = fix_result();
	json_t *document, *dist;

	(void)state;
	for (size_t k = 3; k < 8; k++)
		r->cells[0].rounds[k].complete = false;
	document = document_of(r);
	dist = json_object_get(json_array_get(json_object_get(document, "cells"), 0), "handoff_ns");
	assert_true(json_is_null(json_object_get(dist, "ci95")));
	assert_true(json_is_integer(json_object_get(dist, "p50")));
	json_decref(document);
	wc_result__free(r);
}

static void an_empty_result_is_a_document(void **state)
{
	struct wc_result *r = wc_result__new();
	json_t *document = document_of(r);

	(void)state;
	assert_int_equal(json_array_size(json_object_get(document, "cells")), 0);
	assert_true(json_is_null(json_object_get(document, "growth")));
	json_decref(document);
	wc_result__free(r);
}

static void a_full_disk_is_an_error(void **state)
{
	struct wc_result *r = fix_result();
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(f);
	assert_int_equal(wc_out_json(f, r), -ENOSPC);
	fclose(f);
	wc_result__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_printed),
		cmocka_unit_test(the_page_and_the_document_agree),
		cmocka_unit_test(work_is_gauges_and_wakes_and_no_handoffs),
		cmocka_unit_test(figures_are_those_of_the_fixture),
		cmocka_unit_test(foreign_text_comes_out_whole_or_escaped),
		cmocka_unit_test(few_rounds_have_no_interval),
		cmocka_unit_test(an_empty_result_is_a_document),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
