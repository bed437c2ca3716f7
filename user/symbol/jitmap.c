// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/symbol/jitmap.h"

#define MAP_MAX_BYTES (256u << 20)
#define CODES_MAX     (4u << 20)
/* Some describe a whole signature; what is cut off is still told apart by what stands before. */
#define NAME_MAX_LEN 4096

static int add(struct wc_jitmap *m, const char *name, uint64_t start, uint64_t end)
{
	struct wc_jit *bigger;
	size_t cap;

	if (m->cnt >= CODES_MAX)
		return -EFBIG;
	if (m->cnt == m->cap) {
		cap = m->cap ? m->cap * 2 : 1024;
		bigger = reallocarray(m->codes, cap, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		m->codes = bigger;
		m->cap = cap;
	}
	m->codes[m->cnt] = (struct wc_jit){ name, start };
	m->cnt++;
	return wc_ranges__add(&m->ranges, start, end, m->cnt, (uint32_t)m->cnt - 1);
}

/* Like strtoull, but nothing before the digits except "0x", and an overflow is no number. */
static char *read_hex(char *s, uint64_t *out)
{
	char *end;

	if (!strchr("0123456789abcdefABCDEF", *s) || !*s)
		return NULL;
	errno = 0;
	*out = strtoull(s, &end, 16);
	return errno || end == s ? NULL : end;
}

static int read_line(struct wc_jitmap *m, struct wc_pool *pool, char *line)
{
	uint64_t start, size;
	const char *name;
	char *at = read_hex(line, &start);

	if (!at || (*at != ' ' && *at != '\t'))
		return 0;
	at = read_hex(at + strspn(at, " \t"), &size);
	if (!at || (*at != ' ' && *at != '\t'))
		return 0;
	at += strspn(at, " \t");
	at[strcspn(at, "\r")] = '\0';
	if (!*at || !size || start + size < start)
		return 0;
	name = wc_pool__add_len(pool, at, NAME_MAX_LEN);
	return name ? add(m, name, start, start + size) : -ENOMEM;
}

/* All of it, terminated; *full when there was more than allowed. NULL with errno. */
static char *read_all(int fd, size_t *len, bool *full)
{
	size_t cap = 1u << 16;
	char *text = malloc(cap + 1), *bigger;
	ssize_t n;

	*len = 0;
	while (text) {
		n = pread(fd, text + *len, cap - *len, (off_t)*len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		*len += (size_t)n;
		if (*len < cap)
			continue;
		*full = cap >= MAP_MAX_BYTES;
		if (*full)
			break;
		cap *= 2;
		bigger = realloc(text, cap + 1);
		if (!bigger)
			free(text);
		text = bigger;
	}
	if (!text)
		errno = ENOMEM;
	else
		text[*len] = '\0';
	return text;
}

int wc_jitmap__read(struct wc_jitmap *m, struct wc_pool *pool, int fd)
{
	bool full = false;
	size_t len, known = 0;
	char *text = read_all(fd, &len, &full), *line, *end;
	int err = 0, built;

	if (!text)
		return -errno;
	/* Most only ever append; whoever writes anew is read anew. */
	if (m->read_len <= len && wc_hash(text, m->read_len) == m->read_hash)
		known = m->read_len;
	end = memrchr(text, '\n', len);
	m->read_len = end ? (size_t)(end - text) + 1 : 0;
	m->read_hash = wc_hash(text, m->read_len);
	for (line = text + known; !err && line < text + len; line = end + 1) {
		end = memchr(line, '\n', (size_t)(text + len - line));
		if (!end)
			end = text + len;
		*end = '\0';
		err = read_line(m, pool, line);
	}
	free(text);
	built = wc_ranges__build(&m->ranges);
	if (!err && full)
		err = -EFBIG;
	return built ? built : err;
}

const struct wc_jit *wc_jitmap__find(const struct wc_jitmap *m, uint64_t at)
{
	const struct wc_range *range = wc_ranges__find(&m->ranges, at);

	return range ? &m->codes[range->value] : NULL;
}

void wc_jitmap__clear(struct wc_jitmap *m)
{
	wc_ranges__clear(&m->ranges);
	free(m->codes);
	*m = (struct wc_jitmap){ 0 };
}
