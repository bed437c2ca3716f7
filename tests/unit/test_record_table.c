/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "tests/unit/fixture_record.h"
#include "user/output/interval.h"
#include "user/output/record.h"

static struct wc_report_opts how;

static int table(FILE *f, const struct wc_result *r)
{
	return wc_out_record_table(f, r, &how);
}

static void as_printed(void **state)
{
	(void)state;
	how = (struct wc_report_opts){ 0 };
	fix_golden_of("record.txt", rec_result(), table);
	how = (struct wc_report_opts){ .by = WC_BY_STACK };
	fix_golden_of("record_stacks.txt", rec_result(), table);
	how = (struct wc_report_opts){ .by = WC_BY_PROCESS, .sort = WC_SORT_STAGE, .wide = true };
	fix_golden_of("record_wide.txt", rec_result(), table);
}

static char *text_of(const struct wc_result *r, const struct wc_report_opts *opts)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(wc_out_record_table(f, r, opts), 0);
	fclose(f);
	return text;
}

/* Whatever it is by, and however long the names are. */
static void fits_a_terminal(void **state)
{
	struct wc_result *r = rec_result();

	(void)state;
	free(r->profile->tasks[REC_PONG].comm);
	r->profile->tasks[REC_PONG].comm = strdup("fifteen bytes..");
	for (unsigned int by = 0; wc_report__by_name(by); by++) {
		for (unsigned int sort = 0; wc_report__sort_name(sort); sort++) {
			const struct wc_report_opts opts = { .by = (enum wc_profile_by)by,
							     .sort = sort };
			char *text = text_of(r, &opts);

			assert_non_null(strstr(text, "\nBy "));
			for (char *line = text, *next; (next = strchr(line, '\n')); line = next + 1)
				assert_in_range(next - line, 0, 79);
			free(text);
		}
	}
	wc_result__free(r);
}

static void hostile_names_are_harmless_and_whole(void **state)
{
	struct wc_result *r = rec_result();
	struct wc_report_opts opts = { .wide = true };
	char *text;

	(void)state;
	free(r->profile->frames[0].name);
	r->profile->frames[0].name = strdup("\033]0;gone\a");
	for (unsigned int by = 0; wc_report__by_name(by); by++) {
		opts.by = (enum wc_profile_by)by;
		text = text_of(r, &opts);
		for (const char *c = text; *c; c++)
			assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
		if (by == WC_BY_PAIR)
			assert_non_null(strstr(text, "a;b,\"c\\x0a\\x1b[31m\\x80 100 -> pong 102"));
		if (by == WC_BY_STACK)
			assert_non_null(strstr(text, "\\x1b]0;gone\\x07"));
		free(text);
	}
	wc_result__free(r);
}

static void limit_and_fold(void **state)
{
	struct wc_result *r = rec_result();
	struct wc_report_opts opts = { .limit = 2 };
	char *text = text_of(r, &opts);

	(void)state;
	assert_non_null(strstr(text, "ping 101 -> pong 102"));
	assert_null(strstr(text, "pong 102 -> ping 101"));
	assert_non_null(strstr(text, "\n4 more; -n shows them\n"));
	free(text);
	opts = (struct wc_report_opts){ .by = WC_BY_WAKEE, .fold_names = true };
	text = text_of(r, &opts);
	assert_non_null(strstr(text, "pool-1 (100)"));
	assert_null(strstr(text, "pool-1 104"));
	free(text);
	wc_result__free(r);
}

static void what_cannot_be_shown_is_said(void **state)
{
	struct wc_result *r = rec_result();
	struct wc_report_opts opts = { .by = WC_BY_STACK };
	char *text;

	(void)state;
	r->profile->chain_cnt = 0;
	r->profile->stack_every = 0;
	r->profile->edges[0].wakes[WC_CLASS_TIMED] = 11;
	r->profile->edges[0].total.count += 11;
	r->interrupted = true;
	text = text_of(r, &opts);
	assert_non_null(strstr(text, "recorded without stacks"));
	assert_non_null(strstr(text, "none were taken"));
	assert_non_null(strstr(text, "note: times of pairs include 11 sleeps that timed out"));
	assert_non_null(strstr(text, "INTERRUPTED: 10.0 s"));
	free(text);
	wc_result__free(r);
	r = wc_result__new();
	assert_int_equal(wc_out_record_table(stdout, r, &opts), -ENODATA);
	wc_result__free(r);
}

static void a_recording_of_nothing(void **state)
{
	struct wc_result *r = wc_result__new();
	const struct wc_report_opts opts = { .wide = true };
	char *text;

	(void)state;
	r->profile = wc_profile__new();
	text = text_of(r, &opts);
	assert_non_null(strstr(text, "0 wakes"));
	assert_null(strstr(text, "nan"));
	free(text);
	wc_result__free(r);
}

/* ---- live ---- */

static char *block_of(const struct wc_interval *in)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(wc_out_interval(f, in), 0);
	fclose(f);
	return text;
}

static void columns_stay_where_they_are(void **state)
{
	struct wc_interval in = { .t_s = 12, .interval_s = 2, .wakes = 365000 };
	char *text, *later, *at;

	(void)state;
	in.stages[WC_STAGE_FIND] = (struct wc_interval_stage){ "find", 9, 420, 12300 };
	in.stages[WC_STAGE_SELECT] = (struct wc_interval_stage){ "select+enqueue", 0, 0, 0 };
	in.total = (struct wc_interval_stage){ NULL, 9, 1840, 99996 };
	in.pairs[0] = (struct wc_interval_pair){ "a\033[31m", 7,    WC_CTX_TASK, "pong", 8,
						 180000,      1840, "find",	 0.523 };
	in.pairs[1] =
		(struct wc_interval_pair){ NULL, 0, WC_CTX_SOFTIRQ, "pong", 8, 3, 2500, NULL, 0 };
	in.pair_cnt = 2;
	text = block_of(&in);
	assert_string_equal(text,
			    "    12.0 s      182500 wakes/s\n"
			    "  us     find select+enqueue   total\n"
			    "  p50    0.42              -    1.84\n"
			    "  p99   12.30              -   100.0\n"
			    "     wakes/s   mean us  most in             waker -> wakee\n"
			    "       90000      1.84  find 52%            a\\x1b[31m 7 -> pong 8\n"
			    "           2      2.50  -                   [softirq] -> pong 8\n\n");
	in.t_s = 14;
	in.wakes = in.total.count = in.pair_cnt = 0;
	in.lost = 3;
	in.stages[WC_STAGE_FIND].p50_ns = 1234567;
	later = block_of(&in);
	at = strstr(later, "  us     find select+enqueue   total\n  p50  1234.6 ");
	assert_non_null(at);
	assert_non_null(strstr(later, "  lost 3\n"));
	assert_null(strchr(later, '\033'));
	in.colour = true;
	free(later);
	later = block_of(&in);
	assert_non_null(strstr(later, "\033[1m"));
	free(later);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_printed),
		cmocka_unit_test(fits_a_terminal),
		cmocka_unit_test(hostile_names_are_harmless_and_whole),
		cmocka_unit_test(limit_and_fold),
		cmocka_unit_test(what_cannot_be_shown_is_said),
		cmocka_unit_test(a_recording_of_nothing),
		cmocka_unit_test(columns_stay_where_they_are),
	};

	return cmocka_run_group_tests_name("record table", tests, NULL, NULL);
}
