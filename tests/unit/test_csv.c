/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/fixture.h"
#include "user/output/output.h"

static char *text_of(const struct wc_result *r)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(wc_out_csv(f, r), 0);
	fclose(f);
	return text;
}

static void as_printed(void **state)
{
	(void)state;
	fix_golden("run.csv", wc_out_csv);
}

/* Fields of one line as RFC 4180 reads them; returns how many, *end behind the line. */
static size_t field_cnt(const char *line, const char **end)
{
	bool quoted = false;
	size_t cnt = 1;

	for (; *line && (quoted || *line != '\n'); line++) {
		quoted ^= *line == '"';
		cnt += *line == ',' && !quoted;
	}
	assert_int_equal(*line, '\n');
	*end = line + 1;
	return cnt;
}

static void every_row_has_every_field(void **state)
{
	struct wc_result *r = fix_result();
	size_t columns, rows = 0;
	const char *line;
	char *text;

	(void)state;
	assert_int_equal(wc_kvs__set(&r->cells[1].params, "note", "a,\"b\"\n\033c"), 0);
	text = text_of(r);
	columns = field_cnt(text, &line);
	for (; *line; rows++)
		assert_int_equal(field_cnt(line, &line), columns);
	/* handoff, all, bare; of three cells seven stages and the rest */
	assert_int_equal(rows, 4 * 3 + 3 * 8);
	assert_non_null(strstr(text, ",\"a,\"\"b\"\"\\x0a\\x1bc\","));
	assert_null(strchr(text, '\033'));
	assert_null(strchr(text, '\r'));
	free(text);
	wc_result__free(r);
}

/* Field number n of a line without quotes. */
static const char *field_at(const char *line, unsigned int n)
{
	for (; n && line; n--) {
		line = strchr(line, ',');
		line = line ? line + 1 : NULL;
	}
	assert_non_null(line);
	return line ? line : "";
}

static void means_of_a_cell_add_up(void **state)
{
	struct wc_result *r = fix_result();
	char *text = text_of(r);
	double total = 0, sum = 0;

	(void)state;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const char *stage;

		if (strncmp(line, "0,", 2))
			continue;
		stage = field_at(line, 8);
		if (!strncmp(stage, "handoff,", 8))
			total = atof(field_at(line, 15));
		else if (strncmp(stage, "all,", 4) && strncmp(stage, "bare,", 5))
			sum += atof(field_at(line, 15));
	}
	assert_true(total == 1642.0);
	assert_true(sum > total - 0.5 && sum < total + 0.5);
	free(text);
	wc_result__free(r);
}

static void an_empty_result_is_a_head(void **state)
{
	struct wc_result *r = wc_result__new();
	char *text = text_of(r);

	(void)state;
	assert_int_equal(strncmp(text, "cell,rounds,stage,", 18), 0);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	free(text);
	wc_result__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_printed),
		cmocka_unit_test(every_row_has_every_field),
		cmocka_unit_test(means_of_a_cell_add_up),
		cmocka_unit_test(an_empty_result_is_a_head),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
