/* SPDX-License-Identifier: BSD-2-Clause */
/* CSV and Prometheus of a recording. */
#include <errno.h>

#include "tests/unit/fixture_record.h"
#include "user/output/output.h"
#include "user/output/record.h"

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

static void as_printed(void **state)
{
	(void)state;
	fix_golden_of("record.csv", rec_result(), wc_out_csv);
	fix_golden_of("record.prom", rec_result(), wc_out_prom);
}

/* RFC 4180: commas outside quotes divide, and every row has as many. */
static void every_row_has_every_field(void **state)
{
	struct wc_result *r = rec_result();
	char *text = text_of(r, wc_out_csv);
	size_t fields = 0, first = 0, rows = 0;
	bool quoted = false;

	(void)state;
	for (const char *c = text; *c; c++) {
		assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
		quoted ^= *c == '"';
		fields += *c == ',' && !quoted;
		if (*c != '\n')
			continue;
		assert_false(quoted);
		first = rows++ ? first : fields;
		assert_int_equal(fields, first);
		fields = 0;
	}
	assert_int_equal(first, 16);
	/* six pairs with their wholes; the first stage is not there once, send is there once */
	assert_int_equal(rows, 1 + 6 * 7);
	assert_non_null(strstr(text, ",\"a;b,\"\"c\\x0a\\x1b[31m\\x80\",java,"));
	assert_null(strstr(text, ",gone,"));
	free(text);
	wc_result__free(r);
}

static void stages_of_a_pair_add_up(void **state)
{
	struct wc_result *r = rec_result();
	char *text = text_of(r, wc_out_csv), *row = strstr(text, "\n0,task,");
	double total = 0, sum = 0, mean;

	(void)state;
	assert_non_null(row);
	for (row++; !strncmp(row, "0,", 2); row = strchr(row, '\n') + 1) {
		char *end = strchr(row, '\n'), *at = end;

		for (unsigned int i = 0; i < 2; i++)
			for (at--; *at != ',';)
				at--;
		mean = strtod(at + 1, NULL);
		if (total > 0)
			sum += mean;
		else
			total = mean;
	}
	assert_float_equal(total, 2000 + REC_REST_NS, 0.1);
	assert_float_equal(sum, total - 10, 0.1);
	free(text);
	wc_result__free(r);
}

static void prom_has_few_series_and_no_names(void **state)
{
	struct wc_result *r = rec_result();
	char *text = text_of(r, wc_out_prom);
	size_t lines = 0;

	(void)state;
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	assert_in_range(lines, 100, 250);
	assert_null(strstr(text, "ping"));
	assert_non_null(strstr(text, "\nwakecost_wake_seconds_count{shape=\"record\"} 9377\n"));
	assert_non_null(strstr(text, "\nwakecost_wakes_total{kind=\"timed\"} 100\n"));
	assert_non_null(strstr(text, "\nwakecost_lost_total{kind=\"stack_full\"} 2\n"));
	assert_non_null(strstr(text, "\nwakecost_wake_stage_seconds_count{stage=\"send\"} 300\n"));
	free(text);
	wc_result__free(r);
	r = wc_result__new();
	assert_int_equal(wc_out_record_prom(stdout, r), -ENODATA);
	assert_int_equal(wc_out_record_csv(stdout, r), -ENODATA);
	wc_result__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_printed),
		cmocka_unit_test(every_row_has_every_field),
		cmocka_unit_test(stages_of_a_pair_add_up),
		cmocka_unit_test(prom_has_few_series_and_no_names),
	};

	return cmocka_run_group_tests_name("record csv and prom", tests, NULL, NULL);
}
