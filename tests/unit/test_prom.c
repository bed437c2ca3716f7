/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/fixture.h"
#include "user/output/output.h"

static char *text_of(const struct wc_result *r)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(wc_out_prom(f, r), 0);
	fclose(f);
	return text;
}

static void as_printed(void **state)
{
	(void)state;
	fix_golden("run.prom", wc_out_prom);
}

/* No series twice, every one under its TYPE, buckets rising, the last newline there. */
static void the_format_is_kept(void **state)
{
	struct wc_result *r = fix_result();
	char *text = text_of(r), *lines[4096], type[64] = "";
	unsigned long long below = 0;
	size_t cnt = 0, buckets = 0;

	(void)state;
	assert_int_equal(text[strlen(text) - 1], '\n');
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *value = strrchr(line, ' ');

		if (sscanf(line, "# TYPE %63s", type) == 1 || *line == '#')
			continue;
		assert_int_equal(strncmp(line, type, strlen(type)), 0);
		assert_non_null(value);
		if (strstr(line, "_bucket{")) {
			unsigned long long n = strtoull(value, NULL, 10);

			assert_true(buckets == 0 || n >= below);
			below = n;
			buckets = strstr(line, "le=\"+Inf\"") ? 0 : buckets + 1;
			assert_true(buckets <= 15);
		}
		*value = '\0';
		assert_true(cnt < 4096);
		for (size_t i = 0; i < cnt; i++)
			assert_string_not_equal(lines[i], line);
		lines[cnt++] = line;
	}
	assert_true(cnt > 100);
	free(text);
	wc_result__free(r);
}

/* 1628..1682 ns and remote ones 400 more: all above 1 us, none above 5. */
static void buckets_hold_what_they_say(void **state)
{
	struct wc_result *r = fix_result();
	char *text = text_of(r);
	static const char labels[] =
		"{shape=\"handoff\",mechanism=\"futex\",background=\"none\",parked=\"0\"";
	static const char *const want[] = { ",le=\"1e-06\"} 0\n", ",le=\"2e-06\"} 6930\n",
					    ",le=\"5e-06\"} 7000\n", ",le=\"+Inf\"} 7000\n" };
	char line[256];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		snprintf(line, sizeof(line), "wakecost_handoff_seconds_bucket%s%s", labels,
			 want[i]);
		assert_non_null(strstr(text, line));
	}
	/* 7000 * 1642 ns */
	snprintf(line, sizeof(line), "wakecost_handoff_seconds_sum%s} 0.011494\n", labels);
	assert_non_null(strstr(text, line));
	assert_non_null(strstr(text, "wakecost_lost_total{kind=\"no_pair\"} 6\n"));
	assert_non_null(strstr(text, "wakecost_last_run_timestamp_seconds 1700000000\n"));
	free(text);
	wc_result__free(r);
}

static void hostile_labels(void **state)
{
	struct wc_result *r = fix_result();
	char *text;

	(void)state;
	assert_int_equal(wc_kvs__set(&r->cells[0].params, "le", "a\"} 1\nx \\"), 0);
	assert_int_equal(wc_kvs__set(&r->cells[0].params, "9-x", "\033"), 0);
	text = text_of(r);
	assert_non_null(strstr(text, ",param_le=\"a\\\"} 1\\nx \\\\\""));
	assert_non_null(strstr(text, ",param_9_x=\"?\""));
	assert_null(strstr(text, "\nx "));
	free(text);
	wc_result__free(r);
}

static void twins_are_told_apart(void **state)
{
	struct wc_result *r = fix_result();
	char *text;

	(void)state;
	assert_int_equal(wc_kvs__set(&r->cells[1].params, "background", "none"), 0);
	assert_int_equal(wc_kvs__set(&r->cells[1].params, "parked", "0"), 0);
	text = text_of(r);
	assert_non_null(strstr(text, ",parked=\"0\",cell=\"0\",le="));
	assert_non_null(strstr(text, ",parked=\"0\",cell=\"1\",le="));
	free(text);
	wc_result__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_printed),
		cmocka_unit_test(the_format_is_kept),
		cmocka_unit_test(buckets_hold_what_they_say),
		cmocka_unit_test(hostile_labels),
		cmocka_unit_test(twins_are_told_apart),
	};

	return cmocka_run_group_tests_name("prom", tests, NULL, NULL);
}
