// SPDX-License-Identifier: BSD-2-Clause
#include "user/lab/cpio.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "user/util/file.h"

#define FILE_MAX  (256u << 20)
#define EXEC_MODE (S_IFREG | 0755)
#define DIR_MODE  (S_IFDIR | 0755)
#define TTY_MODE  (S_IFCHR | 0600)

static unsigned int entry_cnt;

static void pad(FILE *f)
{
	while (ftell(f) % 4)
		fputc('\0', f);
}

/* The header is thirteen numbers of eight hexadecimal digits, then the name. */
static void put(FILE *f, const char *name, unsigned int mode, unsigned int major,
		unsigned int minor, const char *data, size_t len)
{
	fprintf(f, "070701%08X%08X%08X%08X%08X%08X%08zX%08X%08X%08X%08X%08zX%08X", entry_cnt++,
		mode, 0u, 0u, 1u, 0u, len, 0u, 0u, major, minor, strlen(name) + 1, 0u);
	fwrite(name, 1, strlen(name) + 1, f);
	pad(f);
	if (len)
		fwrite(data, 1, len, f);
	pad(f);
}

static int put_file(FILE *f, const struct wc_cpio_file *file)
{
	size_t len = 0;
	char *data;

	if (!file->from) {
		put(f, file->name, DIR_MODE, 0, 0, NULL, 0);
		return 0;
	}
	data = wc_file__slurp(file->from, FILE_MAX, &len);
	if (!data)
		return -errno;
	put(f, file->name, EXEC_MODE, 0, 0, data, len);
	free(data);
	return 0;
}

int wc_cpio__write(const char *path, const struct wc_cpio_file *files, unsigned int cnt)
{
	FILE *f = fopen(path, "we");
	unsigned int i;
	int err = 0;

	if (!f)
		return -errno;
	entry_cnt = 1;
	errno = 0;
	put(f, "dev", DIR_MODE, 0, 0, NULL, 0);
	put(f, "dev/console", TTY_MODE, 5, 1, NULL, 0);
	for (i = 0; !err && i < cnt; i++)
		err = put_file(f, &files[i]);
	put(f, "TRAILER!!!", 0, 0, 0, NULL, 0);
	if (!err && (fflush(f) || ferror(f)))
		err = errno ? -errno : -EIO;
	if (fclose(f) && !err)
		err = -errno;
	return err;
}
