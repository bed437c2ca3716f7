/* SPDX-License-Identifier: BSD-2-Clause */
/* Results that count work: summary, table, CSV, Prometheus, and the recording there and back. */
#include "tests/unit/fixture_work.h"
#include "user/model/store.h"
#include "user/output/gauge.h"
#include "user/output/output.h"

static int plain(FILE *f, const struct wc_result *r)
{
	const struct wc_table_opts opts = { 0 };

	return wc_out_table(f, r, &opts);
}

static int wide(FILE *f, const struct wc_result *r)
{
	const struct wc_table_opts opts = { .wide = true, .by = WC_TABLE_BY_CLASS };

	return wc_out_table(f, r, &opts);
}

static void as_printed(void **state)
{
	(void)state;
	fix_golden_of("work.txt", fix_work_result(), plain);
	fix_golden_of("work_wide.txt", fix_work_result(), wide);
	fix_golden_of("work.csv", fix_work_result(), wc_out_csv);
	fix_golden_of("work.prom", fix_work_result(), wc_out_prom);
}

static char *text_of(const struct wc_result *r, int (*print)(FILE *f, const struct wc_result *r))
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(print(f, r), 0);
	fclose(f);
	return text;
}

/* Rounds 1..7 of a figure that is base + n: known without a golden file. */
static void figures_are_medians_over_rounds(void **state)
{
	struct wc_result *r = fix_work_result();
	struct wc_figure f = wc_cell__gauge(&r->cells[0], FIX_THROUGHPUT, true);
	struct wc_cell_summary s;

	(void)state;
	assert_int_equal(f.n, 7);
	assert_true(f.median == 470 && f.min == 467 && f.max == 473 && f.has_ci);
	assert_true(f.lo < 470 && f.hi > 470);
	f = wc_cell__gauge(&r->cells[0], FIX_THROUGHPUT, false);
	assert_true(f.median == 480);
	f = wc_cell__gauge(&r->cells[0], FIX_NEVER, true);
	assert_int_equal(f.n, 0);
	wc_cell__summarise(r, &r->cells[0], &s);
	assert_true(s.wakes_per_work.median == 1.5);
	assert_true(s.timed_per_work.median == 1);
	/* the first run of a thread is no wake of it */
	assert_int_equal(s.slept_cnt, 7 * 150);
	assert_int_equal(s.classes[WC_CLASS_NEW], 7 * 50);
	assert_true(s.handoff.total_mean_ns == 4000);
	wc_result__free(r);
}

static void values_have_units(void **state)
{
	struct wc_gauge g = { .unit = (char *)"ns" };
	char buf[WC_GAUGE_VALUE_SZ];

	(void)state;
	assert_string_equal(wc_gauge__format(&g, 614e6, buf), "614 ms");
	g.unit = (char *)"share";
	assert_string_equal(wc_gauge__format(&g, 0.956, buf), "95.6 %");
	g.unit = (char *)"bytes";
	assert_string_equal(wc_gauge__format(&g, 4 << 20, buf), "4.0 MiB");
	g.unit = (char *)"1/s";
	assert_string_equal(wc_gauge__format(&g, 2488.4, buf), "2,488");
	g.unit = (char *)"1";
	assert_string_equal(wc_gauge__format(&g, 51, buf), "51");
	assert_string_equal(wc_gauge__format(&g, 1.424, buf), "1.42");
	assert_string_equal(wc_gauge__format(&g, -12.34, buf), "-12.3");
	/* a recording may say anything */
	wc_gauge__format(&g, 1e300, buf);
	wc_gauge__format(&g, -1e300, buf);
	g.unit = (char *)"bytes";
	wc_gauge__format(&g, -1, buf);
	wc_gauge__format(&g, 1e300, buf);
	g.unit = (char *)"\033";
	wc_gauge__format(&g, 5, buf);
}

static void nothing_of_a_name_reaches_a_terminal_or_the_format(void **state)
{
	struct wc_result *r = fix_work_result();
	char *table = text_of(r, plain), *prom = text_of(r, wc_out_prom);

	(void)state;
	assert_null(strchr(table, '\033'));
	assert_null(strchr(prom, '\033'));
	assert_non_null(strstr(prom, "wakecost_work_effi_ciency__ratio{"));
	assert_non_null(strstr(prom,
			       "wakecost_work_latency_p50_seconds{shape=\"server\",model=\"per-"
			       "request\"} 0.614000004\n"));
	/* measured nowhere: no series, and no column */
	assert_null(strstr(prom, "never"));
	assert_null(strstr(table, "never"));
	/* nothing everywhere: a series, and no column */
	assert_non_null(strstr(prom, "wakecost_work_zero{"));
	assert_null(strstr(table, "zero"));
	free(table);
	free(prom);
	wc_result__free(r);
}

static void without_probes_the_bare_figures_stand(void **state)
{
	struct wc_result *r = fix_work_result();
	char *table;

	(void)state;
	for (size_t i = 0; i < r->cell_cnt; i++)
		for (size_t k = 0; k < r->cells[i].round_cnt; k++)
			r->cells[i].rounds[k].probed.valid = false;
	table = text_of(r, plain);
	assert_non_null(strstr(table, "480"));
	assert_null(strstr(table, "bare"));
	assert_null(strstr(table, "Wakes of its process"));
	free(table);
	wc_result__free(r);
}

static void same_gauges(const double *a, const double *b, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		assert_true(isnan(a[i]) ? isnan(b[i]) : a[i] == b[i]);
}

static void there_and_back(void **state)
{
	struct wc_result *r = fix_work_result(), *back;
	char dir[] = "/tmp/wakecost-work-XXXXXX", path[64], *why = NULL;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/w.data", dir);
	assert_int_equal(wc_store__write(r, path, &why), 0);
	assert_int_equal(wc_store__read(path, &back, &why), 0);
	assert_string_equal(back->work, "request");
	assert_int_equal(back->gauge_cnt, r->gauge_cnt);
	for (size_t i = 0; i < r->gauge_cnt; i++) {
		assert_string_equal(back->gauges[i].name, r->gauges[i].name);
		assert_string_equal(back->gauges[i].unit, r->gauges[i].unit);
		assert_string_equal(back->gauges[i].better, r->gauges[i].better);
		assert_string_equal(back->gauges[i].group, r->gauges[i].group);
		assert_string_equal(back->gauges[i].label, r->gauges[i].label);
		assert_string_equal(back->gauges[i].help, r->gauges[i].help);
	}
	for (size_t k = 0; k < r->cells[0].round_cnt; k++) {
		same_gauges(r->cells[0].rounds[k].probed.gauges,
			    back->cells[0].rounds[k].probed.gauges, r->gauge_cnt);
		same_gauges(r->cells[0].rounds[k].bare.gauges, back->cells[0].rounds[k].bare.gauges,
			    r->gauge_cnt);
	}
	wc_result__free(back);
	wc_result__free(r);
	unlink(path);
	rmdir(dir);
}

static void so_many_gauges_and_no_more(void **state)
{
	struct wc_result *r = wc_result__new();

	(void)state;
	for (size_t i = 0; i < WC_GAUGE_MAX; i++)
		assert_non_null(wc_result__add_gauge(r));
	assert_null(wc_result__add_gauge(r));
	wc_result__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_printed),
		cmocka_unit_test(figures_are_medians_over_rounds),
		cmocka_unit_test(values_have_units),
		cmocka_unit_test(nothing_of_a_name_reaches_a_terminal_or_the_format),
		cmocka_unit_test(without_probes_the_bare_figures_stand),
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(so_many_gauges_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
