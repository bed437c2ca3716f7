/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/fixture.h"
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

static int pairs(FILE *f, const struct wc_result *r)
{
	const struct wc_table_opts opts = { .by = WC_TABLE_BY_PAIR, .limit = 1 };

	return wc_out_table(f, r, &opts);
}

static void as_printed(void **state)
{
	(void)state;
	fix_golden("run.txt", plain);
	fix_golden("run_wide.txt", wide);
	fix_golden("run_pairs.txt", pairs);
}

static char *text_of(const struct wc_result *r, const struct wc_table_opts *opts)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(wc_out_table(f, r, opts), 0);
	fclose(f);
	return text;
}

static void fits_a_terminal(void **state)
{
	struct wc_result *r = fix_result();
	const struct wc_table_opts opts = { 0 };
	char *text, *stages, *end;

	(void)state;
	assert_int_equal(wc_kvs__set(&r->cells[3].params, "mechanism", "futex"), 0);
	text = text_of(r, &opts);
	stages = strstr(text, "\nStages");
	assert_non_null(stages);
	end = strstr(stages, "\n\n");
	assert_non_null(end);
	for (char *line = text, *next; (next = strchr(line, '\n')); line = next + 1)
		/* six stages beside each other take a little more */
		assert_in_range(next - line, 0, line > stages && line < end ? 92 : 79);
	free(text);
	wc_result__free(r);
}

static void colour_only_when_asked(void **state)
{
	struct wc_result *r = fix_result();
	struct wc_table_opts opts = { .by = WC_TABLE_BY_PAIR };
	char *text = text_of(r, &opts);

	(void)state;
	assert_null(strchr(text, '\033')); /* nor from a name that holds an escape */
	assert_non_null(strstr(text, "po\"ng\\x1b[31m"));
	free(text);
	opts.colour = true;
	text = text_of(r, &opts);
	assert_non_null(strstr(text, "\033[1m"));
	free(text);
	wc_result__free(r);
}

/* The order of cells by a key, and no more than asked for. */
static void sorting_and_limit(void **state)
{
	struct wc_result *r = fix_result();
	struct wc_table_opts opts = { .sort = WC_TABLE_SORT_P50 };
	char *text = text_of(r, &opts), *own, *none;

	(void)state;
	own = strstr(text, "futex-own  ");
	none = strstr(text, "none  ");
	assert_true(own && none && own < none);
	free(text);
	opts.limit = 1;
	text = text_of(r, &opts);
	assert_non_null(strstr(text, "futex-own  "));
	assert_null(strstr(text, "none  "));
	free(text);
	wc_result__free(r);
}

static void few_rounds_are_said(void **state)
{
	struct wc_result *r = fix_result();
	const struct wc_table_opts opts = { 0 };
	char *text;

	(void)state;
	r->interrupted = true;
	for (size_t i = 0; i < r->cell_cnt; i++)
		for (size_t k = 4; k < r->cells[i].round_cnt; k++)
			r->cells[i].rounds[k].complete = false;
	text = text_of(r, &opts);
	assert_non_null(strstr(text, "INTERRUPTED: 3 of 7 rounds"));
	assert_non_null(strstr(text, "(n too small)"));
	assert_non_null(strstr(text, "3 rounds: too few to be sure"));
	free(text);
	for (size_t i = 0; i < r->cell_cnt; i++)
		for (size_t k = 0; k < r->cells[i].round_cnt; k++)
			r->cells[i].rounds[k].complete = false;
	text = text_of(r, &opts);
	assert_non_null(strstr(text, "INTERRUPTED: 0 of 7 rounds"));
	assert_null(strstr(text, "nan"));
	free(text);
	wc_result__free(r);
}

static void a_warmup_is_said_where_there_was_one(void **state)
{
	struct wc_result *r = fix_result();
	const struct wc_table_opts opts = { 0 };
	char *text = text_of(r, &opts);

	(void)state;
	assert_non_null(strstr(text, "7 rounds and a warm-up, medians"));
	free(text);
	for (size_t i = 0; i < r->cell_cnt; i++)
		r->cells[i].rounds[0].warmup = false;
	text = text_of(r, &opts);
	assert_non_null(strstr(text, "7 rounds, medians"));
	free(text);
	wc_result__free(r);
}

static void excess_is_said(void **state)
{
	struct wc_result *r = fix_result();
	const struct wc_table_opts opts = { 0 };
	char *text;

	(void)state;
	for (size_t k = 1; k <= 7; k++)
		r->cells[1].rounds[k].probed.handoff.count = 1000;
	text = text_of(r, &opts);
	assert_non_null(strstr(text, "cell 2: the probes saw 35 handoffs more"));
	free(text);
	wc_result__free(r);
}

static void nothing_at_all(void **state)
{
	struct wc_result *r = wc_result__new();
	const struct wc_table_opts opts = { .wide = true };
	char *text = text_of(r, &opts);

	(void)state;
	assert_non_null(strstr(text, "0 cells"));
	free(text);
	wc_result__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_printed),
		cmocka_unit_test(fits_a_terminal),
		cmocka_unit_test(colour_only_when_asked),
		cmocka_unit_test(sorting_and_limit),
		cmocka_unit_test(few_rounds_are_said),
		cmocka_unit_test(a_warmup_is_said_where_there_was_one),
		cmocka_unit_test(excess_is_said),
		cmocka_unit_test(nothing_at_all),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
