// SPDX-License-Identifier: BSD-2-Clause
#include "user/util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ARRAY_CNT(a) (sizeof(a) / sizeof((a)[0]))

struct scale {
	const char *suffix;
	uint64_t factor;
};

static int digits__parse(const char **s, uint64_t *out)
{
	const char *p = *s;
	uint64_t v = 0;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return -ERANGE;
	*s = p;
	*out = v;
	return 0;
}

int wc_units__parse_unsigned(const char *s, uint64_t *out)
{
	uint64_t v;
	int err = digits__parse(&s, &v);

	if (err)
		return err;
	if (*s)
		return -EINVAL;
	*out = v;
	return 0;
}

/* Decimals are kept as an integer over a power of ten: 0.1s is 100,000,000 ns, not one less. */
static int scaled__parse(const char *s, const struct scale *scales, size_t cnt, uint64_t *out)
{
	uint64_t whole, part = 0, power = 1, v;
	size_t i;
	int err = digits__parse(&s, &whole);

	if (err)
		return err;
	if (*s == '.') {
		s++;
		if (*s < '0' || *s > '9')
			return -EINVAL;
		for (; *s >= '0' && *s <= '9'; s++) {
			if (power >= 1000000000u)
				continue; /* finer than any unit here can show */
			part = part * 10 + (uint64_t)(*s - '0');
			power *= 10;
		}
	}
	for (i = 0; i < cnt; i++)
		if (strcmp(s, scales[i].suffix) == 0)
			break;
	if (i == cnt)
		return -EINVAL;
	if (__builtin_mul_overflow(whole, scales[i].factor, &v))
		return -ERANGE;
	part = (uint64_t)((unsigned __int128)part * scales[i].factor / power);
	if (__builtin_add_overflow(v, part, &v))
		return -ERANGE;
	*out = v;
	return 0;
}

int wc_units__parse_duration(const char *s, uint64_t *ns)
{
	static const struct scale scales[] = {
		{ "", 1000000000u },	 { "ns", 1 },	       { "us", 1000 },
		{ "ms", 1000000 },	 { "s", 1000000000u }, { "m", 60000000000u },
		{ "h", 3600000000000u },
	};

	return scaled__parse(s, scales, ARRAY_CNT(scales), ns);
}

int wc_units__parse_size(const char *s, uint64_t *bytes)
{
	static const struct scale scales[] = {
		{ "", 1 },
		{ "B", 1 },
		{ "K", 1u << 10 },
		{ "KB", 1u << 10 },
		{ "KiB", 1u << 10 },
		{ "M", 1u << 20 },
		{ "MB", 1u << 20 },
		{ "MiB", 1u << 20 },
		{ "G", 1u << 30 },
		{ "GB", 1u << 30 },
		{ "GiB", 1u << 30 },
		{ "T", 1ull << 40 },
		{ "TB", 1ull << 40 },
		{ "TiB", 1ull << 40 },
	};

	return scaled__parse(s, scales, ARRAY_CNT(scales), bytes);
}

static const struct wc_unit time_units[] = {
	{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "min", 60e9 }, { "h", 3600e9 },
};

const struct wc_unit *wc_units__for_ns(double largest_ns)
{
	size_t i = ARRAY_CNT(time_units) - 1;

	/* 999.5 ns would be shown as 1000 ns: it is 1.00 us. */
	while (i > 0 && fabs(largest_ns) < time_units[i].ns * 0.9995)
		i--;
	return &time_units[i];
}

/* Decimals that make three significant digits. */
static int decimals_of(double v)
{
	v = fabs(v);
	if (v < 9.995)
		return 2;
	return v < 99.95 ? 1 : 0;
}

const char *wc_units__format_ns(char *buf, size_t sz, double ns)
{
	const struct wc_unit *unit = wc_units__for_ns(ns);
	double v = ns / unit->ns;
	/* Whole nanoseconds are exact as they are; a mean below ten is not. */
	int decimals = unit->ns > 1 || v != floor(v) ? decimals_of(v) : 0;

	snprintf(buf, sz, "%.*f %s", decimals, v, unit->name);
	return buf;
}

const char *wc_units__format_count(char *buf, size_t sz, uint64_t count)
{
	char digits[24], out[32];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count), i, n = 0;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			out[n++] = ',';
		out[n++] = digits[i];
	}
	out[n] = '\0';
	snprintf(buf, sz, "%s", out);
	return buf;
}

const char *wc_units__format_bytes(char *buf, size_t sz, uint64_t bytes)
{
	static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double v = (double)bytes;
	size_t i = 0;

	while (v >= 1023.95 && i + 1 < ARRAY_CNT(names)) {
		v /= 1024;
		i++;
	}
	if (i == 0)
		snprintf(buf, sz, "%" PRIu64 " B", bytes);
	else
		snprintf(buf, sz, "%.1f %s", v, names[i]);
	return buf;
}

const char *wc_units__format_percent(char *buf, size_t sz, double share)
{
	double v = share * 100;

	snprintf(buf, sz, "%.*f %%", decimals_of(v), v);
	return buf;
}
