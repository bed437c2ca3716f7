// SPDX-License-Identifier: BSD-2-Clause
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/capture.h"
#include "user/util/log.h"

static struct capture cap;

static int default_level(void **state)
{
	(void)state;
	wc_log__set_level(WC_LOG_INFO);
	return 0;
}

static void levels(void **state)
{
	(void)state;
	capture__start(&cap, stderr);
	wc_err("a %d", 1);
	wc_warn("b");
	wc_info("c");
	wc_debug("d");
	assert_string_equal(capture__end(&cap),
			    "wakecost: error: a 1\nwakecost: warning: b\nwakecost: c\n");

	wc_log__set_level(WC_LOG_ERR);
	capture__start(&cap, stderr);
	wc_err("a");
	wc_warn("b");
	wc_info("c");
	assert_string_equal(capture__end(&cap), "wakecost: error: a\n");

	wc_log__set_level(WC_LOG_DEBUG);
	capture__start(&cap, stderr);
	wc_debug("d");
	assert_string_equal(capture__end(&cap), "wakecost: debug: d\n");
}

static void every_line_has_the_prefix(void **state)
{
	(void)state;
	capture__start(&cap, stderr);
	wc_info("one\n\ntwo\n");
	assert_string_equal(capture__end(&cap), "wakecost: one\nwakecost: \nwakecost: two\n");
}

static void foreign_text_is_harmless(void **state)
{
	(void)state;
	capture__start(&cap, stderr);
	wc_info("task '%s'", "\033]0;x\a");
	assert_string_equal(capture__end(&cap), "wakecost: task '\\x1b]0;x\\x07'\n");
}

static void long_lines_are_whole(void **state)
{
	char text[3001];
	const char *said;

	(void)state;
	memset(text, '\001', sizeof(text) - 1);
	text[1500] = '\0';
	capture__start(&cap, stderr);
	wc_info("%s", text);
	said = capture__end(&cap);
	assert_int_equal(strlen(said), strlen("wakecost: \n") + 1500 * 4);
}

static void colour(void **state)
{
	(void)state;
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	capture__start(&cap, stderr);
	assert_false(wc_log__may_colour(fileno(stderr)));
	capture__end(&cap);
}

static void progress_silent_without_terminal(void **state)
{
	struct wc_progress p;

	(void)state;
	capture__start(&cap, stderr);
	wc_progress__start(&p);
	wc_progress__update(&p, 1, 10, "x");
	wc_progress__end(&p);
	assert_string_equal(capture__end(&cap), "");
	assert_false(p.active);
}

static void progress_line(void **state)
{
	const uint64_t s = 1000000000ull;
	char line[200];

	(void)state;
	wc_progress__format(line, sizeof(line), 79, 0, 90, 5 * s, "pause 4000");
	assert_string_equal(line, "0/90  0 %  pause 4000");
	wc_progress__format(line, sizeof(line), 79, 30, 90, 20 * s + s / 2, "pause 4000");
	assert_string_equal(line, "30/90  33 %  0:41 left  pause 4000");
	wc_progress__format(line, sizeof(line), 79, 1, 90, s / 2, "x");
	assert_string_equal(line, "1/90  1 %  x");
	wc_progress__format(line, sizeof(line), 79, 90, 90, 90 * s, "x");
	assert_string_equal(line, "90/90  100 %  0:00 left  x");
	wc_progress__format(line, sizeof(line), 79, 95, 90, s / 2, "x");
	assert_string_equal(line, "90/90  100 %  x");
	wc_progress__format(line, sizeof(line), 79, 0, 0, 0, "x");
	assert_string_equal(line, "0/0  100 %  x");
	wc_progress__format(line, sizeof(line), 79, 1, 10, 1000 * s, "x");
	assert_string_equal(line, "1/10  10 %  150:00 left  x");
}

static void progress_line_fits(void **state)
{
	char line[200];

	(void)state;
	assert_int_equal(wc_progress__format(line, sizeof(line), 16, 3, 9, 0,
					     "\xc3\xbc\xc3\xbc"
					     "abc"),
			 18);
	assert_string_equal(line, "3/9  33 %  \xc3\xbc\xc3\xbc"
				  "abc");
	wc_progress__format(line, sizeof(line), 12, 3, 9, 0,
			    "\xc3\xbc\xc3\xbc"
			    "abc");
	assert_string_equal(line, "3/9  33 %  \xc3\xbc");
	wc_progress__format(line, sizeof(line), 79, 3, 9, 0, "\033[2J");
	assert_string_equal(line, "3/9  33 %  \\x1b[2J");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(levels, default_level),
		cmocka_unit_test_setup(every_line_has_the_prefix, default_level),
		cmocka_unit_test_setup(foreign_text_is_harmless, default_level),
		cmocka_unit_test_setup(long_lines_are_whole, default_level),
		cmocka_unit_test_setup(colour, default_level),
		cmocka_unit_test_setup(progress_silent_without_terminal, default_level),
		cmocka_unit_test(progress_line),
		cmocka_unit_test(progress_line_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
