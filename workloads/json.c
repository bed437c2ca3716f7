/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "json.h"

/* Length of the well-formed UTF-8 sequence at p, 0 when it is not one. */
static int utf8__len(const unsigned char *p)
{
	int len, i;
	u32 code;

	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] < 0xe0)
		len = 2;
	else if (p[0] >= 0xe0 && p[0] < 0xf0)
		len = 3;
	else if (p[0] >= 0xf0 && p[0] < 0xf5)
		len = 4;
	else
		return 0;
	code = p[0] & (0xffu >> (len + 1));
	for (i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if ((len == 3 && (code < 0x800 || (code >= 0xd800 && code < 0xe000))) ||
	    (len == 4 && (code < 0x10000 || code > 0x10ffff)))
		return 0;
	return len;
}

static void json__escape(FILE *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	int len;

	fputc('"', out);
	while (*p) {
		len = utf8__len(p);
		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if (*p == '\n')
			fputs("\\n", out);
		else if (*p == '\t')
			fputs("\\t", out);
		else if (*p < 0x20 || *p == 0x7f)
			fprintf(out, "\\u%04x", *p);
		else if (!len)
			fputs("\\ufffd", out);
		else
			fwrite(p, 1, (size_t)len, out);
		p += len ? len : 1;
	}
	fputc('"', out);
}

static void json__lead(struct json *j, const char *key)
{
	if (j->filled[j->depth])
		fputc(',', j->out);
	j->filled[j->depth] = true;
	if (key) {
		json__escape(j->out, key);
		fputc(':', j->out);
	}
}

static void json__open(struct json *j, const char *key, char bracket)
{
	json__lead(j, key);
	fputc(bracket, j->out);
	assert(j->depth + 1 < JSON_DEPTH_MAX);
	j->filled[++j->depth] = false;
}

static void json__close(struct json *j, char bracket)
{
	assert(j->depth > 0);
	j->depth--;
	fputc(bracket, j->out);
}

void json__begin(struct json *j, FILE *out)
{
	memset(j, 0, sizeof(*j));
	j->out = out;
}

int json__finish(struct json *j)
{
	fputc('\n', j->out);
	if (fflush(j->out) || ferror(j->out))
		return errno ? -errno : -EIO;
	return 0;
}

void json__open_object(struct json *j, const char *key)
{
	json__open(j, key, '{');
}

void json__close_object(struct json *j)
{
	json__close(j, '}');
}

void json__open_array(struct json *j, const char *key)
{
	json__open(j, key, '[');
}

void json__close_array(struct json *j)
{
	json__close(j, ']');
}

void json__string(struct json *j, const char *key, const char *value)
{
	json__lead(j, key);
	json__escape(j->out, value);
}

void json__u64(struct json *j, const char *key, u64 value)
{
	json__lead(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void json__real(struct json *j, const char *key, double value)
{
	json__lead(j, key);
	fprintf(j->out, "%.4f", value);
}

void json__bool(struct json *j, const char *key, bool value)
{
	json__lead(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json__null(struct json *j, const char *key)
{
	json__lead(j, key);
	fputs("null", j->out);
}
