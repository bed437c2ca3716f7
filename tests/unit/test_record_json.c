/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "tests/unit/fixture_record.h"
#include "tests/unit/json_keys.h"
#include "user/output/output.h"
#include "user/output/record.h"

static struct wc_report_opts how;

static int by_key(FILE *f, const struct wc_result *r)
{
	return wc_out_record_json(f, r, &how);
}

static void as_printed(void **state)
{
	(void)state;
	fix_golden_of("record.json", rec_result(), wc_out_json);
}

/* What a row has depends on the key: all of them together have every key. */
static void the_page_and_the_documents_agree(void **state)
{
	struct wc_result *r = rec_result();
	struct keys keys = { .page = "docs/json-record.md" };

	(void)state;
	keys__read(&keys);
	for (unsigned int by = 0; wc_report__by_name(by); by++) {
		json_t *document;

		how = (struct wc_report_opts){ .by = (enum wc_profile_by)by };
		document = keys__document(r, by_key);
		keys__walk(&keys, "", document);
		json_decref(document);
	}
	keys__all_seen(&keys);
	wc_result__free(r);
}

static json_t *row_at(const json_t *document, size_t i)
{
	return json_array_get(json_object_get(json_object_get(document, "rows"), "items"), i);
}

static json_int_t number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

/* Worked out on paper, so that a wrong golden file cannot hide. */
static void figures_are_those_of_the_fixture(void **state)
{
	struct wc_result *r = rec_result();
	json_t *document, *row, *wakes;

	(void)state;
	how = (struct wc_report_opts){ .sort = WC_SORT_WAKES, .limit = 3 };
	document = keys__document(r, by_key);
	wakes = json_object_get(document, "wakes");
	assert_int_equal(number(wakes, "count"), 9377);
	assert_int_equal(number(json_object_get(wakes, "kinds"), "timed"), 100);
	assert_int_equal(number(json_object_get(document, "rows"), "count"), 6);
	assert_null(row_at(document, 3));
	row = row_at(document, 0);
	assert_int_equal(number(row, "wakes"), 5000);
	assert_int_equal(number(row, "mean_ns"), 2000 + REC_REST_NS);
	assert_int_equal(number(row, "total_ns"), 5000 * (2000 + REC_REST_NS));
	assert_int_equal(number(row, "blocked_mean_ns"), 40000);
	row = row_at(document, 2);
	assert_true(json_is_null(json_object_get(row, "waker")));
	assert_string_equal(json_string_value(json_object_get(row, "waker_context")), "softirq");
	assert_int_equal(number(json_object_get(document, "lost"), "stack_full"), 2);
	json_decref(document);
	wc_result__free(r);
}

static void names_can_be_had_back(void **state)
{
	struct wc_result *r = rec_result();
	json_t *document, *name;

	(void)state;
	how = (struct wc_report_opts){ .by = WC_BY_WAKER, .sort = WC_SORT_COST };
	document = keys__document(r, by_key);
	name = json_object_get(json_object_get(row_at(document, 5), "waker"), "name");
	/* no UTF-8: all that is not printable is escaped */
	assert_string_equal(json_string_value(name), "a;b,\"c\\x0a\\x1b[31m\\x80");
	json_decref(document);
	free(r->profile->tasks[REC_HOST].comm);
	r->profile->tasks[REC_HOST].comm = strdup("a;b,\"c\n\033[31m");
	document = keys__document(r, by_key);
	name = json_object_get(json_object_get(row_at(document, 5), "waker"), "name");
	assert_string_equal(json_string_value(name), "a;b,\"c\n\033[31m");
	json_decref(document);
	wc_result__free(r);
}

static void nothing_is_a_document(void **state)
{
	struct wc_result *r = wc_result__new();
	json_t *document;

	(void)state;
	assert_int_equal(wc_out_record_json(stdout, r, NULL), -ENODATA);
	r->profile = wc_profile__new();
	document = keys__document(r, wc_out_json);
	assert_int_equal(number(json_object_get(document, "rows"), "count"), 0);
	assert_true(json_is_null(json_object_get(json_object_get(document, "wakes"), "p50_ns")));
	json_decref(document);
	wc_result__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_printed),
		cmocka_unit_test(the_page_and_the_documents_agree),
		cmocka_unit_test(figures_are_those_of_the_fixture),
		cmocka_unit_test(names_can_be_had_back),
		cmocka_unit_test(nothing_is_a_document),
	};

	return cmocka_run_group_tests_name("record json", tests, NULL, NULL);
}
