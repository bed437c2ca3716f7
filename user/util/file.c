// SPDX-License-Identifier: BSD-2-Clause
#include "user/util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/util/units.h"

static ssize_t fd__read_all(int fd, char *buf, size_t sz)
{
	size_t len = 0;
	ssize_t got;

	while (len < sz) {
		got = read(fd, buf + len, sz - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		len += (size_t)got;
	}
	return (ssize_t)len;
}

ssize_t wc_file__read(const char *path, char *buf, size_t sz)
{
	ssize_t len;
	char more;
	int fd;

	if (!sz)
		return -EINVAL;
	buf[0] = '\0';
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = fd__read_all(fd, buf, sz - 1);
	buf[len < 0 ? 0 : len] = '\0';
	if (len == (ssize_t)sz - 1 && fd__read_all(fd, &more, 1) > 0)
		len = -EFBIG;
	close(fd);
	return len;
}

ssize_t wc_file__read_line(const char *path, char *buf, size_t sz)
{
	ssize_t len = wc_file__read(path, buf, sz);
	size_t end;

	/* A long rest is no error as long as the line itself is whole. */
	if (len < 0 && !(len == -EFBIG && strchr(buf, '\n')))
		return len;
	end = strcspn(buf, "\n");
	while (end && (buf[end - 1] == ' ' || buf[end - 1] == '\t' || buf[end - 1] == '\r'))
		end--;
	buf[end] = '\0';
	return (ssize_t)end;
}

int wc_file__read_u64(const char *path, uint64_t *out)
{
	char buf[64];
	ssize_t len = wc_file__read_line(path, buf, sizeof(buf));

	return len < 0 ? (int)len : wc_units__parse_unsigned(buf, out);
}

/* Files of /proc say size 0, so the buffer grows by reading. */
char *wc_file__slurp(const char *path, size_t max, size_t *len)
{
	size_t sz = 4096, have = 0;
	char *buf = NULL, *grown;
	ssize_t got = 0;
	int fd, err = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	for (;;) {
		grown = realloc(buf, sz + 1);
		if (!grown) {
			err = ENOMEM;
			break;
		}
		buf = grown;
		got = fd__read_all(fd, buf + have, sz - have);
		if (got < 0)
			err = (int)-got;
		else
			have += (size_t)got;
		if (have > max)
			err = EFBIG;
		if (err || have < sz)
			break;
		sz *= 2;
	}
	close(fd);
	if (err) {
		free(buf);
		errno = err;
		return NULL;
	}
	buf[have] = '\0';
	if (len)
		*len = have;
	return buf;
}

int wc_file__write_all(int fd, const void *buf, size_t len)
{
	const char *at = buf;
	ssize_t put;

	while (len) {
		put = write(fd, at, len);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		if (put == 0)
			return -EIO;
		at += put;
		len -= (size_t)put;
	}
	return 0;
}
