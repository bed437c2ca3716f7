// SPDX-License-Identifier: BSD-2-Clause
/* Text in the picture: escaped, measured, cut. */
#include <stdlib.h>
#include <string.h>

#include "user/output/flame_impl.h"
#include "user/util/text.h"
#include "user/util/units.h"

static void put_bytes(FILE *f, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		switch (s[i]) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		case '\'':
			fputs("&#39;", f);
			break;
		default:
			fputc(s[i], f);
		}
	}
}

void flame__put(FILE *f, const char *text)
{
	put_bytes(f, text, strlen(text));
}

char *flame__safe(const char *text)
{
	size_t len = wc_text__safe(NULL, 0, text) + 1;
	char *safe = malloc(len);

	if (safe)
		wc_text__safe(safe, len, text);
	return safe;
}

/* Length of the character at s; *columns: two for what East Asian and picture fonts draw wide. */
static size_t next_char(const char *s, size_t *columns)
{
	unsigned char c = (unsigned char)*s;
	size_t len = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4, i;

	/* U+1100 is e1 84 80 */
	*columns = c > 0xe1 || (c == 0xe1 && (unsigned char)s[1] >= 0x84) ? 2 : 1;
	for (i = 1; i < len && s[i]; i++)
		;
	return i;
}

size_t flame__columns(const char *safe)
{
	size_t sum = 0, columns;

	while (*safe) {
		safe += next_char(safe, &columns);
		sum += columns;
	}
	return sum;
}

void flame__put_cut(FILE *f, const char *safe, size_t columns, bool keep_tail)
{
	size_t total = flame__columns(safe), seen = 0, one, len;
	const char *s = safe;

	if (total <= columns) {
		flame__put(f, safe);
		return;
	}
	if (!columns)
		return;
	columns--;
	if (!keep_tail) {
		for (len = next_char(s, &one); seen + one <= columns; len = next_char(s, &one)) {
			seen += one;
			s += len;
		}
		put_bytes(f, safe, (size_t)(s - safe));
		fputs("\xe2\x80\xa6", f);
		return;
	}
	while (total - seen > columns) {
		s += next_char(s, &one);
		seen += one;
	}
	fputs("\xe2\x80\xa6", f);
	flame__put(f, s);
}

const char *flame__format(const struct flame *fl, char *buf, size_t sz, uint64_t value)
{
	if (fl->unit) {
		snprintf(buf, sz, "%.1f", (double)value / fl->per);
		return buf;
	}
	if (fl->opts.weigh == WC_WEIGH_COUNT)
		return wc_units__format_count(buf, sz, value);
	return wc_units__format_ns(buf, sz, (double)value);
}
