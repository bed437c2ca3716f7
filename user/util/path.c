// SPDX-License-Identifier: BSD-2-Clause
#include "user/util/path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0 when dir/name is a program, -ENOENT when not; dst is then as it was or overwritten. */
static int dir__try(const char *dir, size_t dir_len, const char *name, char *dst, size_t sz)
{
	struct stat st;
	int len = snprintf(dst, sz, "%.*s/%s", (int)dir_len, dir, name);

	if (len < 0 || (size_t)len >= sz)
		return -ENAMETOOLONG;
	if (stat(dst, &st) || !S_ISREG(st.st_mode) || access(dst, X_OK))
		return -ENOENT;
	return 0;
}

static int path__search(const char *name, char *dst, size_t sz)
{
	const char *dir = getenv("PATH");
	size_t len;

	while (dir && *dir) {
		len = strcspn(dir, ":");
		/* Only absolute directories: root must not run what lies in the current one. */
		if (dir[0] == '/' && dir__try(dir, len, name, dst, sz) == 0)
			return 0;
		dir += len;
		dir += *dir == ':';
	}
	return -ENOENT;
}

/* Where this program is, or PREFIX/libexec/wakecost, where it is PREFIX/bin/wakecost. */
static int path__beside(const char *name, char *dst, size_t sz)
{
	char self[PATH_MAX], libexec[PATH_MAX + 32];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int err;

	if (len <= 0)
		return -ENOENT;
	self[len] = '\0';
	*strrchr(self, '/') = '\0';
	err = dir__try(self, strlen(self), name, dst, sz);
	if (err != -ENOENT)
		return err;
	snprintf(libexec, sizeof(libexec), "%s/../libexec/wakecost", self);
	return dir__try(libexec, strlen(libexec), name, dst, sz);
}

int wc_path__program(const char *name, char *dst, size_t sz)
{
	int err = path__beside(name, dst, sz);

	return err == -ENOENT ? path__search(name, dst, sz) : err;
}

int wc_path__library(const char *name, char *dst, size_t sz)
{
	return path__beside(name, dst, sz);
}

int wc_path__workload(char *dst, size_t sz)
{
	return wc_path__program("wakecost-workload", dst, sz);
}
