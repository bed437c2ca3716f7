// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "user/util/units.h"

static void refuses(int (*parse)(const char *, uint64_t *), const char *s, int err)
{
	uint64_t v = 77;

	assert_int_equal(parse(s, &v), err);
	assert_int_equal(v, 77);
}

static uint64_t value(int (*parse)(const char *, uint64_t *), const char *s)
{
	uint64_t v = 77;

	assert_int_equal(parse(s, &v), 0);
	return v;
}

static void unsigned_numbers(void **state)
{
	(void)state;
	assert_int_equal(value(wc_units__parse_unsigned, "0"), 0);
	assert_int_equal(value(wc_units__parse_unsigned, "00017"), 17);
	assert_true(value(wc_units__parse_unsigned, "18446744073709551615") == UINT64_MAX);
	refuses(wc_units__parse_unsigned, "18446744073709551616", -ERANGE);
	refuses(wc_units__parse_unsigned, "99999999999999999999999", -ERANGE);
	refuses(wc_units__parse_unsigned, "", -EINVAL);
	refuses(wc_units__parse_unsigned, "-1", -EINVAL);
	refuses(wc_units__parse_unsigned, "+1", -EINVAL);
	refuses(wc_units__parse_unsigned, " 1", -EINVAL);
	refuses(wc_units__parse_unsigned, "1 ", -EINVAL);
	refuses(wc_units__parse_unsigned, "0x10", -EINVAL);
	refuses(wc_units__parse_unsigned, "1.0", -EINVAL);
}

static void durations(void **state)
{
	(void)state;
	assert_int_equal(value(wc_units__parse_duration, "5"), 5000000000ull);
	assert_int_equal(value(wc_units__parse_duration, "5s"), 5000000000ull);
	assert_int_equal(value(wc_units__parse_duration, "200ms"), 200000000);
	assert_int_equal(value(wc_units__parse_duration, "10.5ms"), 10500000);
	assert_int_equal(value(wc_units__parse_duration, "0.1"), 100000000);
	assert_int_equal(value(wc_units__parse_duration, "7us"), 7000);
	assert_int_equal(value(wc_units__parse_duration, "9ns"), 9);
	assert_int_equal(value(wc_units__parse_duration, "0.9ns"), 0);
	assert_int_equal(value(wc_units__parse_duration, "1.5m"), 90000000000ull);
	assert_int_equal(value(wc_units__parse_duration, "2h"), 7200000000000ull);
	assert_int_equal(value(wc_units__parse_duration, "0.0000000019s"), 1);
	assert_true(value(wc_units__parse_duration, "18446744073709551615ns") == UINT64_MAX);
	refuses(wc_units__parse_duration, "18446744073709551615us", -ERANGE);
	refuses(wc_units__parse_duration, "18446744073.9s", -ERANGE);
	refuses(wc_units__parse_duration, "-5s", -EINVAL);
	refuses(wc_units__parse_duration, "5 s", -EINVAL);
	refuses(wc_units__parse_duration, "5sec", -EINVAL);
	refuses(wc_units__parse_duration, "5ss", -EINVAL);
	refuses(wc_units__parse_duration, ".5s", -EINVAL);
	refuses(wc_units__parse_duration, "5.s", -EINVAL);
	refuses(wc_units__parse_duration, "s", -EINVAL);
	refuses(wc_units__parse_duration, "1e3", -EINVAL);
}

static void sizes(void **state)
{
	(void)state;
	assert_int_equal(value(wc_units__parse_size, "512"), 512);
	assert_int_equal(value(wc_units__parse_size, "64K"), 65536);
	assert_int_equal(value(wc_units__parse_size, "64KiB"), 65536);
	assert_int_equal(value(wc_units__parse_size, "1.5M"), 1572864);
	assert_int_equal(value(wc_units__parse_size, "4G"), 4294967296ull);
	assert_int_equal(value(wc_units__parse_size, "2TB"), 2199023255552ull);
	refuses(wc_units__parse_size, "16777216T", -ERANGE);
	refuses(wc_units__parse_size, "64k", -EINVAL);
	refuses(wc_units__parse_size, "64Kb", -EINVAL);
	refuses(wc_units__parse_size, "K", -EINVAL);
	refuses(wc_units__parse_size, "-1K", -EINVAL);
}

#define SHOWS(fn, v, text)                                            \
	do {                                                          \
		char buf_[WC_UNITS_BUF_SZ];                           \
		assert_string_equal(fn(buf_, sizeof(buf_), v), text); \
	} while (0)

static void times_shown(void **state)
{
	(void)state;
	SHOWS(wc_units__format_ns, 0, "0 ns");
	SHOWS(wc_units__format_ns, 7, "7 ns");
	SHOWS(wc_units__format_ns, 7.25, "7.25 ns");
	SHOWS(wc_units__format_ns, 842.4, "842 ns");
	SHOWS(wc_units__format_ns, 999.4, "999 ns");
	SHOWS(wc_units__format_ns, 999.6, "1.00 us");
	SHOWS(wc_units__format_ns, 1755, "1.75 us");
	SHOWS(wc_units__format_ns, 18900, "18.9 us");
	SHOWS(wc_units__format_ns, 9996, "10.0 us");
	SHOWS(wc_units__format_ns, 99960, "100 us");
	SHOWS(wc_units__format_ns, 12.3e6, "12.3 ms");
	SHOWS(wc_units__format_ns, 59.9e9, "59.9 s");
	SHOWS(wc_units__format_ns, 90e9, "1.50 min");
	SHOWS(wc_units__format_ns, 7200e9, "2.00 h");
	SHOWS(wc_units__format_ns, -4200, "-4.20 us");
	SHOWS(wc_units__format_ns, 3600e15, "1000000 h");
}

static void column_units(void **state)
{
	(void)state;
	assert_string_equal(wc_units__for_ns(999)->name, "ns");
	assert_string_equal(wc_units__for_ns(1000)->name, "us");
	assert_string_equal(wc_units__for_ns(-5e6)->name, "ms");
	assert_true(wc_units__for_ns(2e9)->ns == 1e9);
}

static void counts_bytes_shares(void **state)
{
	(void)state;
	SHOWS(wc_units__format_count, 0, "0");
	SHOWS(wc_units__format_count, 999, "999");
	SHOWS(wc_units__format_count, 1000, "1,000");
	SHOWS(wc_units__format_count, 16000, "16,000");
	SHOWS(wc_units__format_count, UINT64_MAX, "18,446,744,073,709,551,615");
	SHOWS(wc_units__format_bytes, 0, "0 B");
	SHOWS(wc_units__format_bytes, 1023, "1023 B");
	SHOWS(wc_units__format_bytes, 1024, "1.0 KiB");
	SHOWS(wc_units__format_bytes, 4194304, "4.0 MiB");
	SHOWS(wc_units__format_bytes, 1048575, "1.0 MiB");
	SHOWS(wc_units__format_bytes, UINT64_MAX, "16.0 EiB");
	SHOWS(wc_units__format_percent, 0, "0.00 %");
	SHOWS(wc_units__format_percent, 0.0043, "0.43 %");
	SHOWS(wc_units__format_percent, 0.125, "12.5 %");
	SHOWS(wc_units__format_percent, 0.9996, "100 %");
	SHOWS(wc_units__format_percent, -0.5, "-50.0 %");
}

static void small_buffers(void **state)
{
	char buf[5];

	(void)state;
	assert_string_equal(wc_units__format_count(buf, sizeof(buf), 16000), "16,0");
	assert_string_equal(wc_units__format_ns(buf, sizeof(buf), 1760), "1.76");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unsigned_numbers),
		cmocka_unit_test(durations),
		cmocka_unit_test(sizes),
		cmocka_unit_test(times_shown),
		cmocka_unit_test(column_units),
		cmocka_unit_test(counts_bytes_shares),
		cmocka_unit_test(small_buffers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
