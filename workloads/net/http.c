/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "http.h"

/* Of a line without its end: bytes of text, and the tab inside fields. */
static bool line__is_text(const char *line, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if ((unsigned char)line[i] < 0x20 ? line[i] != '\t' : line[i] == 0x7f)
			return false;
	}
	return true;
}

/* The line that begins there, without its end; NULL: it does not end yet. */
static const char *line__end(const char *from, const char *end, const char **next)
{
	const char *nl = memchr(from, '\n', (size_t)(end - from));

	if (!nl)
		return NULL;
	*next = nl + 1;
	return nl > from && nl[-1] == '\r' ? nl - 1 : nl;
}

struct field {
	const char *value;
	size_t len;
};

static bool field__is(const struct field *f, const char *word)
{
	return f->len == strlen(word) && !strncasecmp(f->value, word, f->len);
}

/* Whether the line is the field of that name. */
static bool field__get(const char *line, size_t len, const char *name, struct field *f)
{
	size_t name_len = strlen(name);

	if (len <= name_len || line[name_len] != ':' || strncasecmp(line, name, name_len) != 0)
		return false;
	f->value = line + name_len + 1;
	f->len = len - name_len - 1;
	while (f->len && (*f->value == ' ' || *f->value == '\t')) {
		f->value++;
		f->len--;
	}
	while (f->len && (f->value[f->len - 1] == ' ' || f->value[f->len - 1] == '\t'))
		f->len--;
	return true;
}

static int field__number(const struct field *f, u64 *out)
{
	size_t i;

	*out = 0;
	if (!f->len || f->len > 9)
		return -EBADMSG;
	for (i = 0; i < f->len; i++) {
		if (f->value[i] < '0' || f->value[i] > '9')
			return -EBADMSG;
		*out = *out * 10 + (u64)(f->value[i] - '0');
	}
	return 0;
}

/* "GET /path HTTP/1.1": a method in capitals, something in between, and that version. */
static bool request_line__valid(const char *line, size_t len, bool *old)
{
	static const char version[] = " HTTP/1.";
	size_t method = 0, tail = sizeof(version);

	while (method < len && line[method] >= 'A' && line[method] <= 'Z')
		method++;
	if (!method || method >= len || line[method] != ' ' || len < method + 2 + tail ||
	    line[method + 1] == ' ')
		return false;
	*old = line[len - 1] == '0';
	return !memcmp(line + len - tail, version, tail - 1) &&
	       (line[len - 1] == '0' || line[len - 1] == '1');
}

static int request__field(const char *line, size_t len, struct http_request *out)
{
	struct field f;
	u64 sz;

	if (!memchr(line, ':', len))
		return -EBADMSG;
	if (field__get(line, len, "Connection", &f)) {
		if (field__is(&f, "close"))
			out->close = true;
		else if (field__is(&f, "keep-alive"))
			out->close = false;
	}
	if (field__get(line, len, "Content-Length", &f) && (field__number(&f, &sz) || sz))
		return -EBADMSG;
	return field__get(line, len, "Transfer-Encoding", &f) ? -EBADMSG : 0;
}

ssize_t http__request(const char *bytes, size_t len, struct http_request *out)
{
	const char *at = bytes, *end, *next, *limit;
	bool first = true;
	int err = 0;

	memset(out, 0, sizeof(*out));
	limit = bytes + (len < HTTP_HEAD_MAX_SZ ? len : HTTP_HEAD_MAX_SZ);
	/* What cannot begin a request need not come to its end. */
	if (len && (bytes[0] < 'A' || bytes[0] > 'Z'))
		return -EBADMSG;
	while ((end = line__end(at, limit, &next))) {
		if (!line__is_text(at, (size_t)(end - at)))
			return -EBADMSG;
		if (first && !request_line__valid(at, (size_t)(end - at), &out->close))
			return -EBADMSG;
		if (!first && end == at)
			return next - bytes;
		if (!first)
			err = request__field(at, (size_t)(end - at), out);
		if (err)
			return err;
		first = false;
		at = next;
	}
	return len >= HTTP_HEAD_MAX_SZ ? -EMSGSIZE : 0;
}

static int reply__line(const char *line, size_t len, struct http_reply *out)
{
	static const char version[] = "HTTP/1.";
	size_t i;

	/* "HTTP/1.1 200" and perhaps a phrase */
	if (len < 12 || memcmp(line, version, 7) != 0 || line[8] != ' ' ||
	    (len > 12 && line[12] != ' '))
		return -EBADMSG;
	for (i = 9; i < 12; i++) {
		if (line[i] < '0' || line[i] > '9')
			return -EBADMSG;
		out->status = out->status * 10 + (u32)(line[i] - '0');
	}
	out->close = line[7] == '0';
	return 0;
}

ssize_t http__reply_head(const char *bytes, size_t len, struct http_reply *out)
{
	const char *at = bytes, *end, *next, *limit;
	bool first = true, sized = false;
	struct field f;

	memset(out, 0, sizeof(*out));
	limit = bytes + (len < HTTP_HEAD_MAX_SZ ? len : HTTP_HEAD_MAX_SZ);
	while ((end = line__end(at, limit, &next))) {
		size_t line_len = (size_t)(end - at);

		if (first && reply__line(at, line_len, out))
			return -EBADMSG;
		if (!first && !line_len)
			return sized ? next - bytes : -EBADMSG;
		if (!first && field__get(at, line_len, "Content-Length", &f)) {
			if (field__number(&f, &out->body_sz) || out->body_sz > HTTP_BODY_MAX_SZ)
				return -EBADMSG;
			sized = true;
		}
		if (!first && field__get(at, line_len, "Connection", &f) && field__is(&f, "close"))
			out->close = true;
		first = false;
		at = next;
	}
	return len >= HTTP_HEAD_MAX_SZ ? -EMSGSIZE : 0;
}
