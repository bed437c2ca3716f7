// SPDX-License-Identifier: BSD-2-Clause
/* Servers beside published figures: which cell answers a row, and by what it is divided. */
#include "tests/unit/fixture.h"

#include <jansson.h>
#include <math.h>

#include "user/model/book_work.h"
#include "user/output/book.h"

static const char *const gauge_names[] = { "requests", "throughput", "ended_rate",
					   "unserved_share" };
static const char *const gauge_units[] = { "1", "1/s", "1/s", "share" };

static struct wc_result *made(const char *shape)
{
	struct wc_result *r = wc_result__new();

	assert_non_null(r);
	r->shape = strdup(shape);
	r->work = strdup("request");
	for (size_t i = 0; i < 4; i++) {
		struct wc_gauge *g = wc_result__add_gauge(r);

		assert_non_null(g);
		g->name = strdup(gauge_names[i]);
		g->unit = strdup(gauge_units[i]);
		g->better = strdup("");
		g->group = strdup("");
		g->label = strdup("");
		g->help = strdup("");
	}
	return r;
}

static void set(struct wc_cell *cell, const char *params)
{
	char copy[512], *rest = copy, *item, *eq;

	assert_true((size_t)snprintf(copy, sizeof(copy), "%s", params) < sizeof(copy));
	while ((item = strsep(&rest, ","))) {
		eq = strchr(item, '=');
		assert_non_null(eq);
		*eq = '\0';
		assert_int_equal(wc_kvs__set(&cell->params, item, eq + 1), 0);
	}
}

/* Seven rounds, each of base + its index with the probes, and 10 less without. */
static void add_cell(struct wc_result *r, const char *params, size_t gauge, double base, bool bare)
{
	struct wc_cell *cell = wc_result__add_cell(r);

	assert_non_null(cell);
	set(cell, params);
	for (unsigned int i = 0; i <= 7; i++) {
		struct wc_round *round = wc_cell__add_round(cell);

		assert_non_null(round);
		round->index = i;
		round->warmup = i == 0;
		round->complete = true;
		round->probed.valid = true;
		assert_int_equal(wc_phase__make_gauges(r, &round->probed), 0);
		round->probed.gauges[gauge] = base + i;
		if (!bare)
			continue;
		round->bare.valid = true;
		assert_int_equal(wc_phase__make_gauges(r, &round->bare), 0);
		round->bare.gauges[gauge] = base + i - 10;
	}
}

static const struct wc_work_beside *row_of(const struct wc_work_beside *rows, size_t cnt,
					   const char *id)
{
	for (size_t i = 0; i < cnt; i++)
		if (!strcmp(rows[i].row->id, id))
			return &rows[i];
	fail_msg("no row %s", id);
	return NULL;
}

#define POOL(n)                                                                         \
	"shape=server,model=per-request,pool=" n ",calls=sleep,mode=burst,clients=500," \
	"service=1s,scale=1,work=0"
#define SMALL(service) \
	"max_threads=20,min_spare=5,max_connections=50,accept_count=30,clients=100,service=" service
#define DEFAULTS                                                                          \
	"max_threads=200,min_spare=10,max_connections=8192,accept_count=100,clients=100," \
	"service=5s"

static void of_one_recording_by_round(void **state)
{
	struct wc_result *r = made("server");
	const struct wc_result *results[] = { r };
	struct wc_work_beside *rows;
	size_t cnt;

	(void)state;
	/* Another service, and then the same in other units. */
	add_cell(r, POOL("50"), 1, 400, true);
	assert_int_equal(wc_work_book__beside(results, 1, &rows, &cnt), 0);
	assert_int_equal(row_of(rows, cnt, "ch9-pool50-rps")->own.n, 0);
	free(rows);
	set(&r->cells[0], "service=100000us");
	add_cell(r, POOL("200"), 1, 1000, true);
	set(&r->cells[1], "service=100ms");
	assert_int_equal(wc_work_book__beside(results, 1, &rows, &cnt), 0);
	/* Without the probes, where there are such phases; rounds 1 to 7 have the median 4. */
	assert_true(row_of(rows, cnt, "ch9-pool50-rps")->own.ns == 394);
	assert_true(row_of(rows, cnt, "ch9-pool50-rps")->ratio.ns == 1);
	assert_int_equal(row_of(rows, cnt, "ch9-pool200-rps")->own.n, 7);
	assert_true(fabs(row_of(rows, cnt, "ch9-pool200-rps")->ratio.ns - 994.0 / 394) < 1e-9);
	assert_true(row_of(rows, cnt, "ch9-pool200-rps")->ratio.has_ci);
	assert_true(fabs(row_of(rows, cnt, "ch9-pool200-rps")->book_ratio - 1449.0 / 466) < 1e-9);
	/* No cell, or no such gauge. */
	assert_int_equal(row_of(rows, cnt, "ch9-pool1000-rps")->own.n, 0);
	assert_int_equal(row_of(rows, cnt, "ch9-pool50-p50")->own.n, 0);
	free(rows);
	wc_result__free(r);
}

static void of_two_recordings_by_median(void **state)
{
	struct wc_result *a = made("admission"), *b = made("admission");
	const struct wc_result *results[] = { a, b };
	struct wc_work_beside *rows;
	size_t cnt;

	(void)state;
	add_cell(a, SMALL("5000ms") ",scale=1", 2, 16, false);
	add_cell(b, DEFAULTS ",scale=1", 2, 76, false);
	assert_int_equal(wc_work_book__beside(results, 2, &rows, &cnt), 0);
	assert_true(row_of(rows, cnt, "tomcat-small-rps")->own.ns == 20);
	assert_true(row_of(rows, cnt, "tomcat-default-rps")->own.ns == 80);
	assert_true(row_of(rows, cnt, "tomcat-small-rps")->ratio.ns == 0.25);
	assert_false(row_of(rows, cnt, "tomcat-small-rps")->ratio.has_ci);
	free(rows);
	/* Scaled, a rate is another one; an outcome is the same. */
	set(&a->cells[0], "scale=0.1");
	assert_int_equal(wc_work_book__beside(results, 2, &rows, &cnt), 0);
	assert_int_equal(row_of(rows, cnt, "tomcat-small-rps")->own.n, 0);
	assert_int_equal(row_of(rows, cnt, "tomcat-small-rps")->ratio.n, 0);
	free(rows);
	wc_result__free(a);
	wc_result__free(b);
}

/* The figures as they were published, each once more by hand. */
static void as_published(void **state)
{
	static const struct {
		const char *id;
		double value;
	} book[] = {
		{ "ch9-pool50-rps", 466 },
		{ "ch9-pool200-rps", 1449 },
		{ "ch9-pool1000-rps", 2488 },
		{ "ch9-virtual-rps", 2326 },
		{ "ch9-pool50-p50", 614e6 },
		{ "ch9-pool200-p50", 214e6 },
		{ "ch9-pool1000-p50", 142e6 },
		{ "ch9-pool50-p99", 1055e6 },
		{ "ch9-pool1000-p99", 173e6 },
		{ "ch9-virtual-p99", 147e6 },
		{ "ch9-pool1000-elapsed", 201e6 },
		{ "ch9-pool50-threads", 68 },
		{ "ch9-pool200-threads", 218 },
		{ "ch9-pool1000-threads", 518 },
		{ "ch9-virtual-threads", 19 },
		{ "ch9-floor", 59e6 },
		{ "tomcat-default-rps", 16.7 },
		{ "tomcat-small-rps", 4.9 },
		{ "tomcat-default-errors", 0 },
		{ "tomcat-small-errors", 0.20 },
		{ "tomcat-small-served", 20 },
		{ "tomcat-small-queued", 30 },
		{ "tomcat-small-backlog", 30 },
		{ "vt-off-rps", 16.6 },
		{ "vt-on-rps", 45.5 },
		{ "vt-off-p95", 7e9 },
		{ "vt-on-p95", 2.4e9 },
		{ "vt-off-threads", 68 },
		{ "vt-on-threads", 33 },
		{ "vt-off-waiters", 36 },
		{ "vt-on-waiters", 34 },
		{ "vt-off-held", 80e6 },
		{ "vt-on-held", 29.3e6 },
		{ "vt-pool4", 43.7 },
		{ "vt-pool32", 23.6 },
		{ "vt-pool4-commits", 131 },
		{ "vt-pool32-commits", 75 },
		{ "vt-pool4-waiters", 59 },
		{ "vt-pool32-waiters", 27 },
		{ "vt-http80-off", 171 },
		{ "vt-http80-on", 92 },
		{ "vt-http150-off", 261 },
		{ "vt-http150-on", 112 },
	};

	(void)state;
	assert_int_equal(sizeof(book) / sizeof(book[0]), wc_work_book__row_cnt);
	for (size_t i = 0; i < wc_work_book__row_cnt; i++) {
		const struct wc_work_row *row = &wc_work_book__rows[i];
		bool base_before = !row->base;

		assert_string_equal(row->id, book[i].id);
		assert_true(row->value == book[i].value);
		assert_non_null(wc_work_book__of(row->shape));
		assert_true(*row->what && *row->why &&
			    !strncmp(row->todo, "sudo wakecost run ", 18));
		for (size_t k = 0; k <= i && row->base; k++)
			base_before |= !strcmp(wc_work_book__rows[k].id, row->base);
		assert_true(base_before);
	}
}

static void as_text_and_json(void **state)
{
	struct wc_result *r = made("admission");
	const struct wc_result *results[] = { r };
	char *text = NULL;
	size_t len;
	FILE *f;
	json_t *doc, *row;

	(void)state;
	add_cell(r, SMALL("5s"), 3, -3.81, false);
	f = open_memstream(&text, &len);
	assert_int_equal(wc_out_book_work_text(f, results, 1, false), 0);
	fclose(f);
	assert_non_null(strstr(text, "macOS 15.5"));
	assert_non_null(strstr(text, "small: clients unserved"));
	assert_non_null(strstr(text, "20.0 %"));
	assert_non_null(strstr(text, "19.0 %"));
	assert_non_null(strstr(text, "with: sudo wakecost run admission"));
	free(text);
	f = open_memstream(&text, &len);
	assert_int_equal(wc_out_book_work_json(f, results, 1), 0);
	fclose(f);
	doc = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(doc);
	row = json_array_get(json_object_get(doc, "rows"), 3);
	assert_string_equal(json_string_value(json_object_get(row, "id")), "tomcat-small-errors");
	assert_string_equal(json_string_value(json_object_get(row, "unit")), "share");
	assert_string_equal(json_string_value(json_object_get(row, "comparable")), "value");
	assert_true(json_is_null(json_object_get(row, "measure_with")));
	json_decref(doc);
	free(text);
	wc_result__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_one_recording_by_round),
		cmocka_unit_test(of_two_recordings_by_median),
		cmocka_unit_test(as_published),
		cmocka_unit_test(as_text_and_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
