/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "json.h"

#define WARN_CNT_MAX 16
#define WARN_SZ	     320

static struct {
	char text[2048];
	char limit[64];
	int status;
	bool events;
} failure;

static char warnings[WARN_CNT_MAX][WARN_SZ];
static int warning_cnt;

int fail__set(int err, const char *limit, const char *fmt, ...)
{
	va_list args;

	if (failure.status)
		return -err;
	failure.status = 1;
	snprintf(failure.limit, sizeof(failure.limit), "%s", limit ? limit : "");
	va_start(args, fmt);
	vsnprintf(failure.text, sizeof(failure.text), fmt, args);
	va_end(args);
	return -err;
}

void fail__hint(const char *fmt, ...)
{
	size_t len = strlen(failure.text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(failure.text + len, sizeof(failure.text) - len, fmt, args);
	va_end(args);
}

int fail__usage(const char *fmt, ...)
{
	va_list args;

	if (failure.status)
		return -22;
	failure.status = 2;
	va_start(args, fmt);
	vsnprintf(failure.text, sizeof(failure.text), fmt, args);
	va_end(args);
	return -22;
}

int fail__status(void)
{
	return failure.status;
}

void fail__use_events(bool on)
{
	failure.events = on;
}

void fail__print(bool as_event)
{
	struct json j;

	fprintf(stderr, "wakecost-workload: %s\n", failure.text);
	if (!as_event)
		return;
	json__begin(&j, stdout);
	json__open_object(&j, NULL);
	json__string(&j, "event", "error");
	json__string(&j, "message", failure.text);
	if (failure.limit[0])
		json__string(&j, "limit", failure.limit);
	else
		json__null(&j, "limit");
	json__close_object(&j);
	json__finish(&j);
}

void fail__die(void)
{
	fail__print(failure.events);
	_exit(failure.status ? failure.status : 1);
}

void warn__add(const char *fmt, ...)
{
	va_list args;

	if (warning_cnt == WARN_CNT_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(warnings[warning_cnt], WARN_SZ, fmt, args);
	va_end(args);
	fprintf(stderr, "wakecost-workload: warning: %s\n", warnings[warning_cnt]);
	warning_cnt++;
}

int warn__cnt(void)
{
	return warning_cnt;
}

const char *warn__at(int i)
{
	return warnings[i];
}
