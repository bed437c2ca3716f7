/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "num.h"

static int num__digits(const char **text, u64 *out)
{
	const char *p = *text;
	u64 value = 0;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (u64)(*p - '0'), &value))
			return -ERANGE;
	}
	*text = p;
	*out = value;
	return 0;
}

int num__parse(const char *text, u64 *out)
{
	u64 value;
	int err = num__digits(&text, &value);

	if (err)
		return err;
	if (*text)
		return -EINVAL;
	*out = value;
	return 0;
}

int num__parse_size(const char *text, u64 *out)
{
	u64 value, unit = 1;
	int err = num__digits(&text, &value);

	if (err)
		return err;
	switch (*text) {
	case 'K':
	case 'k':
		unit = 1ull << 10;
		break;
	case 'M':
	case 'm':
		unit = 1ull << 20;
		break;
	case 'G':
	case 'g':
		unit = 1ull << 30;
		break;
	}
	if (unit > 1)
		text++;
	if (*text)
		return -EINVAL;
	return __builtin_mul_overflow(value, unit, out) ? -ERANGE : 0;
}

static const struct {
	const char *name;
	u64 ns;
} time_units[] = {
	{ "s", 1000000000 },
	{ "ms", 1000000 },
	{ "us", 1000 },
	{ "ns", 1 },
};

int num__parse_time(const char *text, u64 *ns)
{
	u64 value;
	size_t i;
	int err = num__digits(&text, &value);

	if (err)
		return err;
	for (i = 0; i < ARRAY_CNT(time_units); i++) {
		if (!strcmp(text, time_units[i].name))
			return __builtin_mul_overflow(value, time_units[i].ns, ns) ? -ERANGE : 0;
	}
	if (*text || value)
		return -EINVAL;
	*ns = 0;
	return 0;
}

const char *num__time(char buf[NUM_TIME_SZ], u64 ns)
{
	size_t i = 0;

	while (ns % time_units[i].ns)
		i++;
	snprintf(buf, NUM_TIME_SZ, "%llu%s", (unsigned long long)(ns / time_units[i].ns),
		 ns ? time_units[i].name : "");
	return buf;
}

int num__parse_decimal(const char *text, u64 *milli)
{
	u64 whole, part = 0, weight = 100;
	int err = num__digits(&text, &whole);

	if (err)
		return err;
	if (*text == '.') {
		for (text++; weight && *text >= '0' && *text <= '9'; text++, weight /= 10)
			part += weight * (u64)(*text - '0');
	}
	if (*text)
		return -EINVAL;
	return __builtin_mul_overflow(whole, 1000u, milli) ||
			       __builtin_add_overflow(*milli, part, milli)
		       ? -ERANGE
		       : 0;
}

const char *num__decimal(char buf[NUM_TIME_SZ], u64 milli)
{
	int len = snprintf(buf, NUM_TIME_SZ, "%llu.%03llu", (unsigned long long)(milli / 1000),
			   (unsigned long long)(milli % 1000));

	while (buf[len - 1] == '0')
		buf[--len] = '\0';
	if (buf[len - 1] == '.')
		buf[--len] = '\0';
	return buf;
}

int num__parse_ipv4(const char *text, u64 *address)
{
	struct in_addr a;

	if (inet_pton(AF_INET, text, &a) != 1)
		return -EINVAL;
	*address = a.s_addr;
	return 0;
}

const char *num__ipv4(char buf[NUM_TIME_SZ], u64 address)
{
	const struct in_addr a = { .s_addr = (in_addr_t)address };

	inet_ntop(AF_INET, &a, buf, NUM_TIME_SZ);
	return buf;
}
