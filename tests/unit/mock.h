/* SPDX-License-Identifier: BSD-2-Clause */
/* A mock of /proc and /sys in a temporary directory, which WAKECOST_SYSROOT names. */
#ifndef WC_TESTS_MOCK_H
#define WC_TESTS_MOCK_H

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char mock_root[64];

static inline int mock__open(void)
{
	snprintf(mock_root, sizeof(mock_root), "/tmp/wc-mock-XXXXXX");
	return mkdtemp(mock_root) ? setenv("WAKECOST_SYSROOT", mock_root, 1) : -errno;
}

static inline int mock__unlink_one(const char *path, const struct stat *st, int type,
				   struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int mock__close(void)
{
	unsetenv("WAKECOST_SYSROOT");
	return nftw(mock_root, mock__unlink_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file of the mock, with the directories it is in. */
static inline void mock__file(const char *path, const char *text)
{
	char full[1024], *slash;
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", mock_root, path);
	for (slash = full + strlen(mock_root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static inline void mock__remove(const char *path)
{
	char full[1024];

	snprintf(full, sizeof(full), "%s%s", mock_root, path);
	assert_int_equal(remove(full), 0);
}

#endif
