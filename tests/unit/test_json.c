/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <jansson.h>

#include "tests/unit/fixture.h"
#include "user/output/output.h"

static void as_printed(void **state)
{
	(void)state;
	fix_golden("run.json", wc_out_json);
}

static json_t *document_of(const struct wc_result *r)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	json_error_t why;
	json_t *document;

	assert_non_null(f);
	assert_int_equal(wc_out_json(f, r), 0);
	fclose(f);
	for (size_t i = 0; i < len; i++)
		assert_true(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'));
	document = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	assert_non_null(document);
	free(text);
	return document;
}

/* ---- docs/json.md and the document name the same keys ---- */

#define PATH_MAX_CNT 512

struct paths {
	char *items[PATH_MAX_CNT];
	bool seen[PATH_MAX_CNT];
	size_t cnt;
};

static void read_documented(struct paths *p)
{
	char line[512];
	FILE *f = fopen("docs/json.md", "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *end = strncmp(line, "| `", 3) ? NULL : strchr(line + 3, '`');

		if (!end)
			continue;
		*end = '\0';
		assert_true(p->cnt < PATH_MAX_CNT);
		p->items[p->cnt++] = strdup(line + 3);
	}
	fclose(f);
	assert_true(p->cnt > 50);
}

static bool mark(struct paths *p, const char *path)
{
	for (size_t i = 0; i < p->cnt; i++)
		if (!strcmp(p->items[i], path))
			return p->seen[i] = true;
	return false;
}

static void walk(struct paths *p, const char *path, const json_t *value);

static void walk_object(struct paths *p, const char *path, const json_t *value)
{
	void *it = json_object_iter((json_t *)value);
	char inner[256];

	for (; it; it = json_object_iter_next((json_t *)value, it)) {
		snprintf(inner, sizeof(inner), "%s%s%s", path, *path ? "." : "",
			 json_object_iter_key(it));
		walk(p, inner, json_object_iter_value(it));
	}
}

/* A leaf stands under its own name, or under the * of its parent. */
static void leaf(struct paths *p, const char *path)
{
	char star[256];
	char *dot;

	if (mark(p, path))
		return;
	snprintf(star, sizeof(star), "%s", path);
	dot = strrchr(star, '.');
	if (dot) {
		strcpy(dot, ".*");
		if (mark(p, star))
			return;
	}
	print_error("docs/json.md lacks %s\n", path);
	fail();
}

static void walk(struct paths *p, const char *path, const json_t *value)
{
	char inner[256];
	size_t i;
	const json_t *item;

	if (json_is_object(value)) {
		walk_object(p, path, value);
	} else if (json_is_array(value)) {
		snprintf(inner, sizeof(inner), "%s[]", path);
		json_array_foreach((json_t *)value, i, item)
			walk(p, inner, item);
	} else if (!json_is_null(value)) { /* an array or number that is not there */
		leaf(p, path);
	}
}

static void the_page_and_the_document_agree(void **state)
{
	struct wc_result *r = fix_result();
	json_t *document = document_of(r);
	struct paths p = { 0 };

	(void)state;
	read_documented(&p);
	walk(&p, "", document);
	for (size_t i = 0; i < p.cnt; i++) {
		if (!p.seen[i])
			print_error("no document has %s\n", p.items[i]);
		assert_true(p.seen[i]);
		free(p.items[i]);
	}
	json_decref(document);
	wc_result__free(r);
}

static json_int_t at(const json_t *cell, const char *object, const char *key)
{
	return json_integer_value(json_object_get(json_object_get(cell, object), key));
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
		cmocka_unit_test(figures_are_those_of_the_fixture),
		cmocka_unit_test(foreign_text_comes_out_whole_or_escaped),
		cmocka_unit_test(few_rounds_have_no_interval),
		cmocka_unit_test(an_empty_result_is_a_document),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
