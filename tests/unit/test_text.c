// SPDX-License-Identifier: BSD-2-Clause
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "user/util/text.h"

static const char *safe(const char *src)
{
	static char buf[1024];

	size_t len = wc_text__safe(buf, sizeof(buf), src);

	assert_int_equal(len, strlen(buf));
	return buf;
}

static void keeps_what_is_printable(void **state)
{
	(void)state;
	assert_string_equal(safe(""), "");
	assert_string_equal(safe("worker-3 [a b] ~!\"'"), "worker-3 [a b] ~!\"'");
	assert_string_equal(safe("Gr\xc3\xbc\xc3\x9f"
				 "e \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80"),
			    "Gr\xc3\xbc\xc3\x9f"
			    "e \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80");
}

static void disarms_terminals(void **state)
{
	(void)state;
	assert_string_equal(safe("\033[2J\a"), "\\x1b[2J\\x07");
	assert_string_equal(safe("a\nb\tc\r"), "a\\x0ab\\x09c\\x0d");
	assert_string_equal(safe("\x7f"), "\\x7f");
	assert_string_equal(safe("\xc2\x9b"
				 "31m"),
			    "\\xc2\\x9b31m"); /* C1: CSI */
	assert_string_equal(safe("\xe2\x80\xae"
				 "txt"),
			    "\\xe2\\x80\\xaetxt");		      /* U+202E */
	assert_string_equal(safe("\xef\xbb\xbf"), "\\xef\\xbb\\xbf"); /* U+FEFF */
	assert_string_equal(safe("\xef\xbf\xbf"), "\\xef\\xbf\\xbf"); /* U+FFFF */
	assert_string_equal(safe("\\x1b"), "\\x5cx1b");
}

static void refuses_broken_utf8(void **state)
{
	(void)state;
	assert_string_equal(safe("\xff\xfe"), "\\xff\\xfe");
	assert_string_equal(safe("\xc3"), "\\xc3");
	assert_string_equal(safe("\xe6\x97"), "\\xe6\\x97");
	assert_string_equal(safe("\xc0\xaf"), "\\xc0\\xaf");		       /* overlong '/' */
	assert_string_equal(safe("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");	       /* overlong '/' */
	assert_string_equal(safe("\xed\xa0\x80"), "\\xed\\xa0\\x80");	       /* surrogate */
	assert_string_equal(safe("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80"); /* > U+10FFFF */
}

/* Undoes the escapes; what comes out must be what went in, for any bytes. */
static void is_reversible(void **state)
{
	char src[65], text[4 * 64 + 1], back[65];
	unsigned int seed = 12345, i, n;
	size_t at, len;

	(void)state;
	for (n = 0; n < 20000; n++) {
		len = n % 64;
		for (i = 0; i < len; i++) {
			seed = seed * 1103515245 + 12345;
			src[i] = (char)(seed >> 16);
			if (!src[i])
				src[i] = '\\';
		}
		src[len] = '\0';
		assert_true(wc_text__safe(text, sizeof(text), src) < sizeof(text));
		for (at = 0, i = 0; text[at]; i++) {
			if (text[at] == '\\') {
				back[i] = (char)strtoul((char[]){ text[at + 2], text[at + 3], 0 },
							NULL, 16);
				at += 4;
			} else {
				back[i] = text[at++];
			}
		}
		back[i] = '\0';
		assert_string_equal(back, src);
	}
}

static void never_cuts_a_piece(void **state)
{
	char buf[8];

	(void)state;
	assert_int_equal(wc_text__safe(NULL, 0, "\033"), 4);
	assert_int_equal(wc_text__safe(buf, 5, "\033"), 4);
	assert_string_equal(buf, "\\x1b");
	assert_int_equal(wc_text__safe(buf, 4, "\033"), 4);
	assert_string_equal(buf, "");
	assert_int_equal(wc_text__safe(buf, 3,
				       "a\xc3\xbc"
				       "b"),
			 4);
	assert_string_equal(buf, "a");
	assert_int_equal(wc_text__safe(buf, 1, "abc"), 3);
	assert_string_equal(buf, "");
}

static void distances(void **state)
{
	(void)state;
	assert_int_equal(wc_text__distance("report", "report", 2), 0);
	assert_int_equal(wc_text__distance("reprot", "report", 2), 1);
	assert_int_equal(wc_text__distance("rport", "report", 2), 1);
	assert_int_equal(wc_text__distance("reeport", "report", 2), 1);
	assert_int_equal(wc_text__distance("rexorx", "report", 2), 2);
	assert_int_equal(wc_text__distance("list", "report", 2), 3);
	assert_int_equal(wc_text__distance("", "ab", 2), 2);
	assert_int_equal(wc_text__distance("a",
					   "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"
					   "zzzzzzzzzzzzzzzzzzzzzzzz",
					   2),
			 3);
}

static void widths(void **state)
{
	(void)state;
	assert_int_equal(wc_text__width(""), 0);
	assert_int_equal(wc_text__width("abc"), 3);
	assert_int_equal(wc_text__width("\xc3\xbc"
					"b"),
			 2);
	assert_true(wc_text__starts("report", "rep"));
	assert_false(wc_text__starts("rep", "report"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_what_is_printable),
		cmocka_unit_test(disarms_terminals),
		cmocka_unit_test(refuses_broken_utf8),
		cmocka_unit_test(is_reversible),
		cmocka_unit_test(never_cuts_a_piece),
		cmocka_unit_test(distances),
		cmocka_unit_test(widths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
