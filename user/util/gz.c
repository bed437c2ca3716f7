/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/util/gz.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

long wc_gz__read_file(const char *path, size_t max_bytes, char **out)
{
	size_t len = 0, cap = 0;
	char *buf = NULL, *more;
	long err = 0;
	gzFile f;
	int n;

	errno = 0;
	f = gzopen(path, "rb");
	if (!f)
		return errno ? -errno : -ENOMEM;
	for (;;) {
		if (len + 1 >= cap) {
			cap = cap ? cap * 2 : 65536;
			more = realloc(buf, cap);
			if (!more) {
				err = -ENOMEM;
				break;
			}
			buf = more;
		}
		n = gzread(f, buf + len, (unsigned int)(cap - len - 1));
		if (n < 0)
			err = -EIO;
		if (n <= 0)
			break;
		len += (size_t)n;
		if (len > max_bytes) {
			err = -EFBIG;
			break;
		}
	}
	gzclose(f);
	if (err) {
		free(buf);
		return err;
	}
	buf[len] = '\0';
	*out = buf;
	return (long)len;
}
