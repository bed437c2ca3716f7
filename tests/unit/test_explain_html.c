/* SPDX-License-Identifier: BSD-2-Clause */
/* What explain draws and prints of a made-up experiment: whole, safe, and the figures it has. */
#include <errno.h>
#include <jansson.h>
#include <math.h>

#include "tests/unit/made.h"
#include "user/model/book.h"
#include "user/model/explain_cells.h"
#include "user/model/store.h"
#include "user/output/book.h"
#include "user/output/explain.h"

#define HOSTILE "</script><script>alert(1)</script>\033[31m\"'&"

static struct wc_result *experiment(void)
{
	const struct made m = { .seed = 3, .rounds = 9, .per_waiter = 9.6, .ring = 3000 };
	struct wc_result *r = made_result(&m);
	int err = 0;

	err |= wc_kvs__set(&r->host, "kernel", "6.18.0");
	err |= wc_kvs__set(&r->host, "scheduler", "EEVDF");
	err |= wc_kvs__set(&r->params, "parked", "0,250,1000,4000,16000,30000");
	assert_int_equal(err, 0);
	return r;
}

/* For the tests of the command line: tests/golden/explain.wakecost, made anew by make golden. */
static void recording(void **state)
{
	const struct made m = { .seed = 1, .rounds = 6, .per_waiter = 9.6, .handoffs = 9 };
	const char *mode = getenv("WAKECOST_GOLDEN"), *path = "tests/golden/explain.wakecost";
	struct wc_result *r;
	struct wc_explain *e;
	char *why = NULL;

	(void)state;
	if (mode && !strcmp(mode, "write")) {
		r = made_result(&m);
		assert_int_equal(wc_kvs__set(&r->host, "scheduler", "EEVDF"), 0);
		unlink(path);
		assert_int_equal(wc_store__write(r, path, &why), 0);
		wc_result__free(r);
	}
	assert_int_equal(wc_store__read(path, &r, &why), 0);
	e = wc_explain__of(r);
	assert_non_null(e);
	assert_true(e->rounds == 6 && e->level_cnt == 5 && e->levels[4].parked == 30000);
	assert_true(e->levels[4].growth.has_ci && e->levels[4].growth.ns > 15000);
	wc_explain__free(e);
	wc_result__free(r);
}

static char *page_of(const struct wc_result *r)
{
	struct wc_explain *e = wc_explain__of(r);
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(e);
	assert_non_null(f);
	assert_int_equal(wc_out_explain_html(f, r, e), 0);
	fclose(f);
	assert_int_equal(strlen(text), len); /* no NUL inside */
	wc_explain__free(e);
	return text;
}

static unsigned int count(const char *text, const char *what)
{
	unsigned int cnt = 0;

	for (text = strstr(text, what); text; text = strstr(text + 1, what))
		cnt++;
	return cnt;
}

static void sections(void **state)
{
	static const char *const ids[] = {
		"verdict",   "causes", "slope",	 "stages",	"change",
		"contrasts", "book",   "checks", "environment", "repeat"
	};
	static const char *const tags[] = { "svg", "g",	      "table", "thead", "tbody",
					    "tr",  "td",      "th",    "div",	"ul",
					    "li",  "section", "title", "style", "script" };
	struct wc_result *r = experiment();
	char *page = page_of(r), open[32], shut[32];

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		snprintf(open, sizeof(open), "<section id=\"%s\">", ids[i]);
		assert_int_equal(count(page, open), 1);
	}
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		unsigned int opened;

		snprintf(open, sizeof(open), "<%s>", tags[i]);
		opened = count(page, open);
		snprintf(open, sizeof(open), "<%s ", tags[i]);
		opened += count(page, open);
		snprintf(shut, sizeof(shut), "</%s>", tags[i]);
		assert_int_equal(opened, count(page, shut));
	}
	/* every level as a bar, a point, a column of the map */
	assert_int_equal(count(page, "<div class=\"at\">"), 5);
	assert_int_equal(count(page, "class=\"tip point\""), 6);
	assert_non_null(strstr(page, "selection, which waiter"));
	assert_null(strstr(page, "nan"));
	free(page);
	wc_result__free(r);
}

static void nothing_is_fetched(void **state)
{
	struct wc_result *r = experiment();
	char *page = page_of(r);

	(void)state;
	assert_null(strstr(page, "http:"));
	assert_null(strstr(page, "https:"));
	assert_null(strstr(page, "url("));
	assert_null(strstr(page, "@import"));
	assert_null(strstr(page, " src="));
	assert_non_null(strstr(page, "default-src 'none'"));
	free(page);
	wc_result__free(r);
}

static void text_from_elsewhere_is_text(void **state)
{
	struct wc_result *r = experiment();
	char *page;

	(void)state;
	for (size_t i = 0; i < r->cell_cnt; i++)
		assert_int_equal(wc_kvs__set(&r->cells[i].params, "background", HOSTILE), 0);
	assert_int_equal(wc_kvs__set(&r->host, "kernel", HOSTILE), 0);
	assert_int_equal(wc_kvs__set(&r->host, HOSTILE, HOSTILE), 0);
	assert_int_equal(wc_kvs__set(&r->params, "parked", HOSTILE), 0);
	assert_int_equal(wc_result__warnf(r, "%s", HOSTILE), 0);
	r->stages[WC_STAGE_PICK].shown_as = strdup(HOSTILE);
	r->stages[WC_STAGE_PICK].why = strdup(HOSTILE);
	free(r->tool_version);
	r->tool_version = strdup(HOSTILE);
	page = page_of(r);
	assert_int_equal(count(page, "<script"), 1);
	assert_null(strstr(page, "\033"));
	assert_null(strstr(page, "alert(1)</script>\n"));
	assert_true(count(page, "&lt;script&gt;alert(1)") > 5);
	free(page);
	wc_result__free(r);
}

/* As one whose rounds are too few, or whose cells are none but the base. */
/* What the ring costs more, 3 us and some, is counted in accesses of 101 ns each, less the L1's. */
static void growth_is_counted_in_accesses(void **state)
{
	struct wc_result *r = experiment();
	struct wc_explain *e;
	char *text;

	(void)state;
	text = page_of(r);
	assert_null(strstr(text, "id=\"memory\""));
	free(text);
	assert_int_equal(wc_kvs__set(&r->host, WC_HOST_CACHE_L1, "49152"), 0);
	*wc_result__add_access(r) = (struct wc_access){ .bytes = 32768, .lines = 512, .ns = 1 };
	*wc_result__add_access(r) =
		(struct wc_access){ .bytes = 1 << 27, .lines = 1 << 21, .ns = 101 };
	e = wc_explain__of(r);
	assert_non_null(e);
	for (size_t i = 0; i < e->contrast_cnt; i++) {
		const struct wc_contrast *c = &e->contrasts[i];

		if (strcmp(c->role, WC_ROLE_RING) != 0)
			assert_true(c->worth_level == WC_MEM_CNT || isnan(c->worth[WC_MEM_L1]));
		else
			assert_true(fabs(c->worth[WC_MEM_MEMORY] - c->growth.ns / 100) < 1e-6);
	}
	wc_explain__free(e);
	text = page_of(r);
	assert_non_null(strstr(text, "id=\"memory\""));
	assert_non_null(strstr(text, "\xc3\x97 memory"));
	assert_non_null(strstr(text, " accesses to memory (101 ns each)"));
	free(text);
	wc_result__free(r);
}

static void little_is_drawn_too(void **state)
{
	const struct made m = { .seed = 1, .rounds = 2, .per_waiter = 9.6 };
	struct wc_result *r = made_result(&m);
	char *page = page_of(r);

	(void)state;
	assert_non_null(strstr(page, "Inconclusive"));
	assert_null(strstr(page, "nan"));
	free(page);
	for (size_t i = 1; i < r->cell_cnt; i++)
		for (size_t n = 0; n < r->cells[i].round_cnt; n++)
			r->cells[i].rounds[n].complete = false;
	page = page_of(r);
	assert_null(strstr(page, "<section id=\"causes\">"));
	assert_non_null(strstr(page, "<section id=\"checks\">"));
	assert_null(strstr(page, "nan"));
	free(page);
	wc_result__free(r);
}

static void the_command_is_for_a_shell(void **state)
{
	struct wc_result *r = experiment();
	char *command;

	(void)state;
	r->seed = 42;
	assert_int_equal(wc_kvs__set(&r->params, "size", "quick"), 0);
	assert_int_equal(wc_kvs__set(&r->params, "placement", "it's; rm -r"), 0);
	assert_int_equal(wc_kvs__set(&r->params, "-P futex_slots", "1024"), 0);
	command = wc_explain__command(r, 7);
	assert_string_equal(command,
			    "sudo wakecost explain --quick --parked 0,250,1000,4000,16000,30000 "
			    "--placement 'it'\\''s; rm -r' -P futex_slots=1024 -r 7 --seed 42");
	free(command);
	wc_result__free(r);
}

/* ---- the book ---- */

static void add_cell(struct wc_result *r, const char *role, const char *key, uint64_t value,
		     uint64_t ns)
{
	struct wc_cell *cell = wc_result__add_cell(r);
	int err = wc_kvs__set(&cell->params, WC_ROLE_KEY, role);

	err |= wc_kvs__setf(&cell->params, key, "%llu", (unsigned long long)value);
	assert_int_equal(err, 0);
	for (unsigned int n = 1; n <= 6; n++) {
		struct wc_round *round = wc_cell__add_round(cell);

		round->index = n;
		round->complete = true;
		round->bare.valid = true;
		round->bare.handoff.count = 1000;
		round->bare.handoff.p50_ns = ns;
		round->bare.csw_voluntary_cnt = 1000;
		round->bare.cpu_ns = 1000 * ns / 2;
	}
}

static const struct wc_beside *row_of(const struct wc_beside *rows, const char *id)
{
	for (size_t i = 0; i < WC_BOOK_ROW_CNT; i++)
		if (!strcmp(rows[i].row->id, id))
			return &rows[i];
	fail_msg("no row %s", id);
	return NULL;
}

static void ratios_are_to_the_own_baseline(void **state)
{
	struct wc_result *r = wc_result__new();
	struct wc_beside rows[WC_BOOK_ROW_CNT];

	(void)state;
	add_cell(r, WC_ROLE_BASE, "parked", 0, 2000);
	add_cell(r, WC_ROLE_SUBJECT, "parked", 4000, 6000);
	add_cell(r, WC_ROLE_STACK, "stack", 8 << 20, 7000);
	add_cell(r, WC_ROLE_COROUTINE, "parked", 100000, 1900);
	add_cell(r, WC_ROLE_READ, "parked", 0, 3000);
	add_cell(r, WC_ROLE_READ_CROSS, "parked", 0, 10000);
	add_cell(r, WC_ROLE_SPIN, "parked", 0, 400);
	wc_book__beside(r, rows);
	assert_true(row_of(rows, "parked-0")->ratio.ns == 1);
	assert_true(row_of(rows, "parked-4000")->own.ns == 6000 &&
		    row_of(rows, "parked-4000")->ratio.ns == 3 &&
		    row_of(rows, "parked-4000")->ratio.has_ci);
	assert_true(row_of(rows, "stack-8m")->ratio.ns == 3.5);
	assert_int_equal(row_of(rows, "stack-512k")->own.n, 0);
	assert_int_equal(row_of(rows, "virtual-4000")->own.n, 0);
	assert_true(row_of(rows, "virtual-100000")->ratio.ns == 0.95);
	assert_true(row_of(rows, "read-switches")->own.ns == 1);
	assert_true(row_of(rows, "read-wake")->ratio.ns == 1.5);
	assert_true(fabs(row_of(rows, "spin-cpu")->own.ns - 0.04) < 1e-9);
	assert_int_equal(row_of(rows, "ceiling")->own.n, 0);
	wc_result__free(r);
}

/* The figures as they were published, each once more by hand. */
static void as_published(void **state)
{
	static const struct {
		const char *id;
		double value, ratio;
	} book[] = { { "parked-0", 2275, 1 },	     { "parked-4000", 48800, 21.45 },
		     { "stack-512k", 46000, 20.22 }, { "stack-8m", 49000, 21.54 },
		     { "virtual-4000", 2255, 0.99 }, { "virtual-100000", 2938, 1.29 },
		     { "ceiling", 4068, 0 },	     { "read-switches", 1, 0 },
		     { "read-wake", 31000, 13.63 },  { "spin-cpu", 40, 0 } };

	(void)state;
	assert_int_equal(sizeof(book) / sizeof(book[0]), WC_BOOK_ROW_CNT);
	for (size_t i = 0; i < WC_BOOK_ROW_CNT; i++) {
		const struct wc_book_row *row = &wc_book__rows[i];

		assert_string_equal(row->id, book[i].id);
		assert_true(row->value == book[i].value && fabs(row->ratio - book[i].ratio) < 0.01);
		assert_true(*row->what && *row->why && !strncmp(row->todo, "sudo wakecost ", 14));
	}
}

static void book_as_text_and_json(void **state)
{
	struct wc_result *r = wc_result__new();
	char *text = NULL;
	size_t len;
	FILE *f;
	json_t *doc, *rows;

	(void)state;
	add_cell(r, WC_ROLE_BASE, "parked", 0, 2000);
	add_cell(r, WC_ROLE_SUBJECT, "parked", 4000, 6000);
	assert_int_equal(wc_kvs__set(&r->host, "scheduler", "EEVDF"), 0);
	f = open_memstream(&text, &len);
	assert_int_equal(wc_out_book_text(f, r, false), 0);
	fclose(f);
	assert_non_null(strstr(text, WC_BOOK_SOURCE));
	assert_non_null(strstr(text, "scheduler: EEVDF"));
	assert_non_null(strstr(text, "48,800 ns"));
	assert_non_null(strstr(text, "3.00 [3.00, 3.00]"));
	assert_non_null(strstr(text, "sudo wakecost ceiling"));
	free(text);
	f = open_memstream(&text, &len);
	assert_int_equal(wc_out_book_json(f, r), 0);
	fclose(f);
	doc = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(doc);
	rows = json_object_get(doc, "rows");
	assert_int_equal(json_array_size(rows), WC_BOOK_ROW_CNT);
	assert_true(
		json_number_value(json_object_get(
			json_object_get(json_object_get(json_array_get(rows, 1), "here"), "ratio"),
			"value")) == 3);
	assert_true(json_is_null(json_object_get(json_array_get(rows, 1), "measure_with")));
	assert_true(json_is_string(json_object_get(json_array_get(rows, 2), "measure_with")));
	json_decref(doc);
	free(text);
	wc_result__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recording),
		cmocka_unit_test(sections),
		cmocka_unit_test(nothing_is_fetched),
		cmocka_unit_test(text_from_elsewhere_is_text),
		cmocka_unit_test(growth_is_counted_in_accesses),
		cmocka_unit_test(little_is_drawn_too),
		cmocka_unit_test(the_command_is_for_a_shell),
		cmocka_unit_test(ratios_are_to_the_own_baseline),
		cmocka_unit_test(as_published),
		cmocka_unit_test(book_as_text_and_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
