/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/util/gz.h"

#include <errno.h>
#include <limits.h>
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

int wc_gz__compress(const void *data, size_t len, void **out, size_t *out_len)
{
	const int gzip = 15 + 16, memory = 8; /* as zlib wants to be told */
	z_stream z = { .next_in = (Bytef *)data, .avail_in = (uInt)len };
	uLong bound;
	void *buf;
	int done;

	if (len > INT_MAX)
		return -EFBIG;
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip, memory, Z_DEFAULT_STRATEGY))
		return -ENOMEM;
	bound = deflateBound(&z, (uLong)len);
	buf = malloc(bound);
	if (!buf) {
		deflateEnd(&z);
		return -ENOMEM;
	}
	z.next_out = buf;
	z.avail_out = (uInt)bound;
	done = deflate(&z, Z_FINISH);
	*out_len = z.total_out;
	deflateEnd(&z);
	if (done != Z_STREAM_END) {
		free(buf);
		return -EIO;
	}
	*out = buf;
	return 0;
}
