/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

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
