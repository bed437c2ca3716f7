/* SPDX-License-Identifier: BSD-2-Clause */
/* What a test of a drawing needs: its text, and the golden file it is compared with. */
#ifndef WC_TESTS_DRAWN_H
#define WC_TESTS_DRAWN_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/fixture_profile.h"
#include "user/output/output.h"

static inline size_t drawn_cnt(const char *text, const char *what)
{
	size_t cnt = 0;

	while ((text = strstr(text, what))) {
		text++;
		cnt++;
	}
	return cnt;
}

/* As fix_golden() does: WAKECOST_GOLDEN=write makes it anew. */
static inline void drawn_golden(const char *name, const char *got)
{
	const char *mode = getenv("WAKECOST_GOLDEN");
	bool write = mode && !strcmp(mode, "write");
	size_t len = strlen(got), want_len;
	char path[256], *want;
	FILE *f;

	snprintf(path, sizeof(path), "tests/golden/%s", name);
	f = fopen(path, write ? "w+" : "r");
	assert_non_null(f);
	if (write)
		fwrite(got, 1, len, f);
	rewind(f);
	want = calloc(1, len + 2);
	assert_non_null(want);
	want_len = fread(want, 1, len + 1, f);
	fclose(f);
	assert_string_equal(got, want);
	assert_int_equal(want_len, len);
	free(want);
}

/* Hands text to a program's standard input; its exit status, -1 when there is no such program. */
static inline int drawn_feed(const char *command, const char *text)
{
	FILE *p = popen(command, "w");
	int status;

	assert_non_null(p);
	fputs(text, p);
	status = pclose(p);
	return status == 127 << 8 ? -1 : status;
}

#endif
