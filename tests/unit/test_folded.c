/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>

#include "tests/unit/drawn.h"

static char *folded(const struct wc_result *r, enum wc_view view, unsigned int weigh)
{
	struct wc_folded_opts opts = { .view = view, .weigh = weigh, .threads = true };
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(wc_out_folded(f, r, &opts), 0);
	fclose(f);
	return text;
}

static struct wc_result *jvm(void)
{
	struct wc_result *r = prof_result("x");

	prof_jvm(r->profile, 25000);
	return r;
}

static void as_printed(void **state)
{
	struct wc_result *r = jvm();
	char *text = folded(r, WC_VIEW_CHAIN, WC_WEIGH_COST);

	(void)state;
	drawn_golden("jvm.folded", text);
	free(text);
	wc_result__free(r);
}

static void every_line_is_a_path_and_a_whole_number(void **state)
{
	struct wc_result *r = jvm();
	char *text = folded(r, WC_VIEW_WAKEE, WC_WEIGH_COUNT), *line = text, *prev = NULL, *end;
	uint64_t sum = 0, want = 0;

	(void)state;
	for (size_t i = 0; i < r->profile->chain_cnt; i++)
		want += r->profile->chains[i].weight;
	for (; *line; prev = line, line = end + 1) {
		char *space;

		end = strchr(line, '\n');
		assert_non_null(end);
		*end = '\0';
		space = strrchr(line, ' ');
		assert_non_null(space);
		assert_int_equal(strspn(space + 1, "0123456789"), strlen(space + 1));
		sum += strtoull(space + 1, NULL, 10);
		*space = '\0'; /* paths come once, in order of their bytes */
		assert_true(!prev || strcmp(prev, line) < 0);
	}
	assert_int_equal(sum, want);
	free(text);
	wc_result__free(r);
}

static void suffixes_tell_what_a_frame_is(void **state)
{
	struct wc_result *r = jvm();
	char *text = folded(r, WC_VIEW_CHAIN, WC_WEIGH_COST);

	(void)state;
	assert_non_null(strstr(text, ";Handoff.pong_[j];Handoff.await_[i];"));
	assert_non_null(strstr(text, ";-;entry_SYSCALL_64_after_hwframe_[k];"));
	assert_non_null(strstr(text, ";__schedule_[k];--;try_to_wake_up_[w];"));
	assert_non_null(strstr(text, ";[timer] "));
	assert_null(strstr(text, "Innocent"));
	free(text);
	text = folded(r, WC_VIEW_WAKER, WC_WEIGH_COST);
	assert_null(strstr(text, "_[w]"));
	free(text);
	wc_result__free(r);
}

static void names_cannot_break_a_line(void **state)
{
	struct wc_result *r = prof_result("x");
	char *text;

	(void)state;
	prof_hostile(r->profile);
	text = folded(r, WC_VIEW_CHAIN, WC_WEIGH_COUNT);
	drawn_golden("hostile.folded", text);
	assert_int_equal(drawn_cnt(text, "\n"), 1);
	assert_non_null(strstr(text, "</text><script>alert(1)</script>\\x0d;"));
	assert_non_null(strstr(text, ";\\xed\\xa0\\x80\\xef\\xbf\\xbf\\x01\\x0b;"));
	assert_non_null(strstr(text, ";a\\x3bb c\\x0a\\x1b[31m;"));
	assert_non_null(strstr(text, ";x  9_[k];\\x20 lead_[k];"));
	for (const char *s = text; *s; s++)
		assert_true(*s == '\n' || ((unsigned char)*s >= 0x20 && *s != 0x7f));
	free(text);
	wc_result__free(r);
}

/* Another program's reading: the number is the last field, the rest is the path. */
static void another_reader_gets_the_same_sum(void **state)
{
	struct wc_result *r = jvm();
	char *text = folded(r, WC_VIEW_STAGE, WC_WEIGH_COST), command[256];
	uint64_t want = 0;
	int status;

	(void)state;
	for (size_t i = 0; i < r->profile->chain_cnt; i++)
		want += r->profile->chains[i].total_ns;
	snprintf(command, sizeof(command),
		 "awk '!/^[^;].* [0-9]+$/ { exit 1 } { s += $NF } END { exit s != %" PRIu64 " }'",
		 want);
	status = drawn_feed(command, text);
	if (status >= 0)
		assert_int_equal(status, 0);
	free(text);
	wc_result__free(r);
}

static void without_a_profile_there_is_no_data(void **state)
{
	struct wc_folded_opts opts = { 0 };
	struct wc_result *r = wc_result__new();
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_int_equal(wc_out_folded(stderr, r, &opts), -ENODATA);
	wc_result__free(r);
	r = jvm();
	assert_non_null(full);
	assert_int_equal(wc_out_folded(full, r, &opts), -ENOSPC);
	fclose(full);
	wc_result__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_printed),
		cmocka_unit_test(every_line_is_a_path_and_a_whole_number),
		cmocka_unit_test(suffixes_tell_what_a_frame_is),
		cmocka_unit_test(names_cannot_break_a_line),
		cmocka_unit_test(another_reader_gets_the_same_sum),
		cmocka_unit_test(without_a_profile_there_is_no_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
