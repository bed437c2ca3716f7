// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/capture.h"
#include "user/cli/opts.h"

static bool json, json_given, help;
static const char *output, *disable;
static struct wc_strings params;
static uint64_t rounds, duration_ns, size_bytes;
static unsigned int format;

static const char *const formats[] = { "json", "csv", "prom", NULL };

static const struct wc_opt opts[] = {
	WC_FLAG('j', "json", &json, "one document", .given = &json_given),
	WC_STRING('o', "output", "FILE", &output, "where to (standard output)"),
	WC_STRINGS('P', "param", "K=V", &params, "a parameter"),
	WC_UNSIGNED('r', "rounds", "N", &rounds, 1, 10000, "rounds of every cell (7)"),
	WC_DURATION('d', "duration", "TIME", &duration_ns, 1000000, 3600000000000ull, "how long"),
	WC_SIZE(0, "stack-size", "SIZE", &size_bytes, 16384, 1ull << 30, "of a thread"),
	WC_ENUM(0, "format", "FORMAT", &format, formats, "json, csv or prom"),
	WC_STRING(0, "disable", "LIST", &disable, "for tests", .hidden = true),
	WC_OPT_END,
};

static const struct wc_opt common[] = {
	WC_FLAG('h', "help", &help, "help"),
	WC_OPT_END,
};

static struct capture cap;
static char *argv[16];
static int argc;

static int reset(void **state)
{
	(void)state;
	json = json_given = help = false;
	output = disable = NULL;
	wc_strings__free(&params);
	rounds = 7;
	duration_ns = size_bytes = 0;
	format = 2;
	return 0;
}

static int clean_up(void **state)
{
	return reset(state);
}

/* Words end with NULL. */
static int parse(char *first, ...)
{
	va_list ap;
	char *word;
	int err;

	argv[0] = (char[]){ "run" };
	argc = 1;
	va_start(ap, first);
	for (word = first; word; word = va_arg(ap, char *))
		argv[argc++] = word;
	va_end(ap);
	argv[argc] = NULL;
	capture__start(&cap, stderr);
	err = wc_opts__parse(opts, common, &argc, argv);
	capture__end(&cap);
	return err;
}

static void refused(const char *message)
{
	char want[512];

	snprintf(want, sizeof(want), "wakecost: error: %s\n", message);
	assert_string_equal(cap.text, want);
}

static void every_type(void **state)
{
	(void)state;
	assert_int_equal(parse("-j", "--output=x", "-P", "a=1", "--rounds", "9", "-d200ms",
			       "--stack-size", "64K", "--format", "csv", "--disable", "tp_btf",
			       "-h", NULL),
			 0);
	assert_string_equal(cap.text, "");
	assert_true(json && json_given && help);
	assert_string_equal(output, "x");
	assert_int_equal(rounds, 9);
	assert_int_equal(duration_ns, 200000000);
	assert_int_equal(size_bytes, 65536);
	assert_int_equal(format, 1);
	assert_string_equal(disable, "tp_btf");
	assert_int_equal(argc, 1);
	assert_null(argv[1]);
}

static void defaults_stay(void **state)
{
	(void)state;
	assert_int_equal(parse(NULL), 0);
	assert_int_equal(rounds, 7);
	assert_int_equal(format, 2);
	assert_false(json || json_given);
}

static void arguments_and_options_mix(void **state)
{
	(void)state;
	assert_int_equal(parse("handoff", "-P", "a=1", "-jP", "b=2", "x", "-", NULL), 0);
	assert_int_equal(argc, 4);
	assert_string_equal(argv[1], "handoff");
	assert_string_equal(argv[2], "x");
	assert_string_equal(argv[3], "-");
	assert_null(argv[4]);
	assert_int_equal(params.cnt, 2);
	assert_string_equal(params.items[0], "a=1");
	assert_string_equal(params.items[1], "b=2");
	assert_true(json);
}

static void two_dashes_end_options(void **state)
{
	(void)state;
	assert_int_equal(parse("-r", "3", "--", "sleep", "-j", "--", "1", NULL), 0);
	assert_false(json);
	assert_int_equal(argc, 5);
	assert_string_equal(argv[1], "sleep");
	assert_string_equal(argv[2], "-j");
	assert_string_equal(argv[3], "--");
	assert_string_equal(argv[4], "1");
	/* As the value of an option they end nothing. */
	assert_int_equal(parse("-o", "--", "-j", NULL), 0);
	assert_true(json);
	assert_string_equal(output, "--");
}

static void numbers_out_of_range(void **state)
{
	(void)state;
	assert_int_equal(parse("--rounds", "0", NULL), -EINVAL);
	refused("--rounds wants a whole number from 1 to 10,000, not '0'");
	assert_int_equal(parse("-r", "10001", NULL), -EINVAL);
	refused("--rounds wants a whole number from 1 to 10,000, not '10001'");
	assert_int_equal(parse("-r-1", NULL), -EINVAL);
	assert_int_equal(parse("-r", "3x", NULL), -EINVAL);
	assert_int_equal(parse("-d", "0", NULL), -EINVAL);
	refused("--duration wants a time from 1.00 ms to 1.00 h, such as 5s or 200ms, not '0'");
	assert_int_equal(parse("--stack-size", "8", NULL), -EINVAL);
	refused("--stack-size wants a size from 16.0 KiB to 1.0 GiB, such as 64K or 4M, not '8'");
	assert_int_equal(rounds, 7);
}

static void choices(void **state)
{
	(void)state;
	assert_int_equal(parse("--format", "xml", NULL), -EINVAL);
	refused("--format wants json, csv or prom, not 'xml'");
	assert_int_equal(format, 2);
}

static void wrong_options(void **state)
{
	(void)state;
	assert_int_equal(parse("--jsno", NULL), -EINVAL);
	refused("unknown option --jsno; did you mean --json?");
	assert_int_equal(parse("--nothing-like-it=3", NULL), -EINVAL);
	refused("unknown option --nothing-like-it; --help lists them");
	assert_int_equal(parse("-jx", NULL), -EINVAL);
	refused("unknown option -x; --help lists them");
	assert_int_equal(parse("-o", NULL), -EINVAL);
	refused("--output wants FILE");
	assert_int_equal(parse("--output", NULL), -EINVAL);
	refused("--output wants FILE");
	assert_int_equal(parse("--json=1", NULL), -EINVAL);
	refused("--json takes no value");
	assert_int_equal(parse("x", "--d", NULL), -EINVAL);
}

static void help_lines(void **state)
{
	const char *text;

	(void)state;
	capture__start(&cap, stdout);
	wc_opts__print_help(opts);
	text = capture__end(&cap);
	assert_non_null(strstr(text, "  -r, --rounds N            rounds of every cell (7)\n"));
	assert_non_null(strstr(text, "      --format FORMAT       json, csv or prom\n"));
	assert_null(strstr(text, "disable"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_type, reset),
		cmocka_unit_test_setup(defaults_stay, reset),
		cmocka_unit_test_setup(arguments_and_options_mix, reset),
		cmocka_unit_test_setup(two_dashes_end_options, reset),
		cmocka_unit_test_setup(numbers_out_of_range, reset),
		cmocka_unit_test_setup(choices, reset),
		cmocka_unit_test_setup(wrong_options, reset),
		cmocka_unit_test_setup(help_lines, reset),
	};

	return cmocka_run_group_tests(tests, NULL, clean_up);
}
