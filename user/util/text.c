// SPDX-License-Identifier: BSD-2-Clause
#include "user/util/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * Length of the UTF-8 character at s with its code point, or 0 when it is not one: overlong
 * forms, surrogates and what lies above U+10FFFF are not characters.
 */
static size_t utf8__decode(const unsigned char *s, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len, i;

	if (s[0] < 0x80) {
		*cp = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		len = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		len = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		len = 4;
	else
		return 0;
	*cp = s[0] & (0xffu >> (len + 1));
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*cp = *cp << 6 | (s[i] & 0x3f);
	}
	if (*cp < least[len] || *cp > 0x10ffff || (*cp >= 0xd800 && *cp <= 0xdfff))
		return 0;
	return len;
}

static bool codepoint__printable(uint32_t cp)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = {
		{ 0x0000, 0x001f },   /* controls */
		{ 0x007f, 0x009f },   /* delete, C1 controls (0x9b starts escapes) */
		{ 0x00ad, 0x00ad },   /* soft hyphen */
		{ 0x061c, 0x061c },   /* direction marks, overrides and isolates */
		{ 0x180e, 0x180e },   /* */
		{ 0x200b, 0x200f },   /* zero width */
		{ 0x2028, 0x202e },   /* line and paragraph ends, overrides */
		{ 0x2060, 0x206f },   /* */
		{ 0xfeff, 0xfeff },   /* byte order mark */
		{ 0xfff9, 0xfffb },   /* annotations */
		{ 0xe0000, 0xe0fff }, /* tags */
	};
	size_t i;

	if (cp == '\\')
		return false;
	for (i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (cp >= hidden[i].first && cp <= hidden[i].last)
			return false;
	return (cp & 0xfffe) != 0xfffe;
}

size_t wc_text__safe(char *dst, size_t sz, const char *src)
{
	const unsigned char *s = (const unsigned char *)src;
	size_t need = 0, kept = 0, len, out, i;
	bool full = sz == 0;
	uint32_t cp;

	while (*s) {
		char piece[4 * 4 + 1];

		len = utf8__decode(s, &cp);
		if (len && codepoint__printable(cp)) {
			memcpy(piece, s, len);
			out = len;
		} else {
			len = len ? len : 1;
			for (i = 0, out = 0; i < len; i++)
				out += (size_t)snprintf(piece + out, 5, "\\x%02x", s[i]);
		}
		/* Once a piece did not fit none may follow: what is kept must be a beginning. */
		full = full || kept + out >= sz;
		if (!full) {
			memcpy(dst + kept, piece, out);
			kept += out;
		}
		need += out;
		s += len;
	}
	if (sz)
		dst[kept] = '\0';
	return need;
}

unsigned int wc_text__distance(const char *a, const char *b, unsigned int max)
{
	enum { LEN_MAX = 64 };
	unsigned int rows[3][LEN_MAX + 1], *row = rows[0], *prev = rows[1], *prev2 = rows[2], *swap;
	size_t a_len = strlen(a), b_len = strlen(b), i, j;

	if (a_len > LEN_MAX || b_len > LEN_MAX)
		return max + 1;
	for (j = 0; j <= b_len; j++)
		row[j] = (unsigned int)j;
	for (i = 1; i <= a_len; i++) {
		swap = prev2;
		prev2 = prev;
		prev = row;
		row = swap;
		row[0] = (unsigned int)i;
		for (j = 1; j <= b_len; j++) {
			unsigned int best = prev[j - 1] + (a[i - 1] != b[j - 1]);

			if (prev[j] + 1 < best)
				best = prev[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    prev2[j - 2] + 1 < best)
				best = prev2[j - 2] + 1;
			row[j] = best;
		}
	}
	return row[b_len] > max ? max + 1 : row[b_len];
}

size_t wc_text__width(const char *s)
{
	size_t width = 0;

	for (; *s; s++)
		width += ((unsigned char)*s & 0xc0) != 0x80;
	return width;
}

bool wc_text__starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}
