/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/probe/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *sysroot(void)
{
	const char *root = secure_getenv("WAKECOST_SYSROOT");

	return root ? root : "";
}

bool wc_sys__is_mock(void)
{
	return *sysroot() != '\0';
}

const char *wc_sys__path(char *buf, size_t sz, const char *path)
{
	snprintf(buf, sz, "%s%s", sysroot(), path);
	return buf;
}

int wc_sys__read(const char *path, char *buf, size_t sz)
{
	char full[4096];
	size_t len = 0;
	ssize_t n;
	int fd;

	fd = open(wc_sys__path(full, sizeof(full), path), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (len + 1 < sz) {
		n = read(fd, buf + len, sz - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			n = -errno;
			close(fd);
			return (int)n;
		}
		if (n == 0)
			break;
		len += (size_t)n;
	}
	close(fd);
	if (len > 0 && buf[len - 1] == '\n')
		len--;
	buf[len] = '\0';
	return (int)len;
}

int wc_sys__readf(char *buf, size_t sz, const char *fmt, ...)
{
	char path[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	return wc_sys__read(path, buf, sz);
}

static int parse_u64(const char *s, uint64_t *val)
{
	char *end;

	if (!strncmp(s, "max", 3) || !strncmp(s, "-1", 2)) {
		*val = UINT64_MAX;
		return 0;
	}
	errno = 0;
	*val = strtoull(s, &end, 10);
	return end == s || errno ? -EINVAL : 0;
}

int wc_sys__read_u64(const char *path, uint64_t *val)
{
	char buf[64];
	int n = wc_sys__read(path, buf, sizeof(buf));

	return n < 0 ? n : parse_u64(buf, val);
}

int wc_sys__read_key(const char *path, const char *key, char *buf, size_t sz)
{
	size_t key_len = strlen(key), cap = 0;
	char full[4096], *line = NULL;
	int err = -ENOENT;
	FILE *f;

	f = fopen(wc_sys__path(full, sizeof(full), path), "re");
	if (!f)
		return -errno;
	while (getline(&line, &cap, f) > 0) {
		char *val = line + key_len;

		if (strncmp(line, key, key_len) != 0 || !strchr(" \t:", *val))
			continue;
		val += strspn(val, " \t:");
		val[strcspn(val, "\n")] = '\0';
		snprintf(buf, sz, "%s", val);
		err = 0;
		break;
	}
	free(line);
	fclose(f);
	return err;
}

int wc_sys__read_key_u64(const char *path, const char *key, uint64_t *val)
{
	char buf[64];
	int err = wc_sys__read_key(path, key, buf, sizeof(buf));

	return err ? err : parse_u64(buf, val);
}

int wc_sys__read_bracketed(const char *path, char *buf, size_t sz)
{
	char text[256], *from, *to;
	int n = wc_sys__read(path, text, sizeof(text));

	if (n < 0)
		return n;
	from = strpbrk(text, "[(");
	to = from ? strpbrk(from, "])") : NULL;
	if (!to)
		return -EINVAL;
	*to = '\0';
	snprintf(buf, sz, "%s", from + 1);
	return 0;
}

int wc_sys__cmdline(const char *key, char *buf, size_t sz)
{
	char text[4096], *word, *save = NULL;
	int n = wc_sys__read("/proc/cmdline", text, sizeof(text));

	if (n < 0)
		return n;
	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (!strcmp(word, "--")) /* what follows is init's */
			break;
		if (strncmp(word, key, strlen(key)) != 0)
			continue;
		snprintf(buf, sz, "%s", word + strlen(key));
		return 0;
	}
	return -ENOENT;
}

unsigned int wc_sys__count_list(const char *list)
{
	unsigned int cnt = 0;

	while (*list) {
		char *end;
		unsigned long from = strtoul(list, &end, 10), to = from;

		if (end == list)
			break;
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		if (to >= from)
			cnt += (unsigned int)(to - from + 1);
		list = *end == ',' ? end + 1 : end;
	}
	return cnt;
}

unsigned int wc_sys__cpu_cnt(const char *which)
{
	char buf[1024];

	if (wc_sys__readf(buf, sizeof(buf), "/sys/devices/system/cpu/%s", which) < 0)
		return 0;
	return wc_sys__count_list(buf);
}
