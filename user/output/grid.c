/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/grid.h"
#include "user/util/text.h"

#define COLUMN_MAX 40
#define GAP	   2

struct wc_grid {
	char columns[COLUMN_MAX + 1];
	size_t column_cnt;
	char **heads;
	size_t head_cnt;
	char **fields;
	size_t field_cnt;
	bool failed;
};

struct wc_grid *wc_grid__new(const char *columns)
{
	struct wc_grid *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->column_cnt = strlen(columns);
	if (g->column_cnt > COLUMN_MAX)
		g->column_cnt = COLUMN_MAX;
	memcpy(g->columns, columns, g->column_cnt);
	return g;
}

static void append(struct wc_grid *g, char ***list, size_t *cnt, char *text)
{
	char **items = *list;

	if (!(*cnt & (*cnt - 1)))
		items = reallocarray(*list, *cnt ? *cnt * 2 : 1, sizeof(*items));
	if (!items || !text) {
		free(text);
		g->failed = true;
		return;
	}
	*list = items;
	items[(*cnt)++] = text;
}

static char *safe_copy(const char *text)
{
	size_t len = wc_text__safe(NULL, 0, text);
	char *copy = malloc(len + 1);

	if (copy)
		wc_text__safe(copy, len + 1, text);
	return copy;
}

/* A newline is the caller's; all else may come from a recording. */
void wc_grid__head(struct wc_grid *g, const char *text)
{
	const char *newline = strchr(text, '\n');
	char upper[128], lower[128], both[260];

	if (!g)
		return;
	snprintf(both, sizeof(both), "%.*s", newline ? (int)(newline - text) : 127, text);
	wc_text__safe(upper, sizeof(upper), both);
	wc_text__safe(lower, sizeof(lower), newline ? newline + 1 : "");
	snprintf(both, sizeof(both), "%s%s%s", upper, newline ? "\n" : "", lower);
	append(g, &g->heads, &g->head_cnt, strdup(both));
}

void wc_grid__put(struct wc_grid *g, const char *fmt, ...)
{
	char *raw;
	va_list ap;
	int n;

	if (!g)
		return;
	va_start(ap, fmt);
	n = vasprintf(&raw, fmt, ap);
	va_end(ap);
	if (n < 0) {
		g->failed = true;
		return;
	}
	append(g, &g->fields, &g->field_cnt, safe_copy(raw));
	free(raw);
}

/* Line number line of a head; heads of one line stand on the lower of two. */
static void head_line(const char *head, int line, bool two, char *buf, size_t sz)
{
	const char *newline = strchr(head, '\n');

	buf[0] = '\0';
	if (!newline) {
		if (line == (two ? 1 : 0))
			snprintf(buf, sz, "%s", head);
	} else if (line == 0) {
		snprintf(buf, sz, "%.*s", (int)(newline - head), head);
	} else {
		snprintf(buf, sz, "%s", newline + 1);
	}
}

/* The line has been begun up to column indent; later ones are indented as far. */
static void wrap(FILE *f, const char *text, size_t indent)
{
	size_t at = indent;
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (!first && at + 1 + len > WC_GRID_WIDTH) {
			fprintf(f, "\n%*s", (int)indent, "");
			at = indent;
			first = true;
		}
		fprintf(f, "%s%.*s", first ? "" : " ", (int)len, text);
		at += len + !first;
		first = false;
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', f);
}

/* Blanks are owed until text follows them: no line ends in any. */
static void put_field(const struct wc_grid *g, FILE *f, size_t column, const char *text,
		      const size_t *width, size_t left, size_t *owed)
{
	size_t own = wc_text__width(text), pad = width[column] > own ? width[column] - own : 0;
	bool last = column + 1 == g->column_cnt;

	if (g->columns[column] == 'r')
		*owed += pad;
	if (*text) {
		fprintf(f, "%*s", (int)*owed, "");
		*owed = 0;
	}
	if (g->columns[column] == 'w') {
		wrap(f, text, left < WC_GRID_WIDTH - 20 ? left : WC_GRID_WIDTH - 20);
		return;
	}
	fputs(text, f);
	if (g->columns[column] != 'r')
		*owed += pad;
	*owed += GAP;
	if (last)
		fputc('\n', f);
}

static void print_heads(const struct wc_grid *g, FILE *f, const char *indent, const size_t *width,
			bool colour)
{
	bool two = false;
	char text[128];

	for (size_t i = 0; i < g->head_cnt; i++)
		two |= strchr(g->heads[i], '\n') != NULL;
	for (int line = 0; line <= (two ? 1 : 0); line++) {
		size_t blanks = 0;

		fprintf(f, "%s%s", indent, WC_BOLD(colour));
		for (size_t i = 0; i < g->head_cnt; i++) {
			size_t pad;

			head_line(g->heads[i], line, two, text, sizeof(text));
			pad = width[i] -
			      (wc_text__width(text) < width[i] ? wc_text__width(text) : width[i]);
			if (g->columns[i] == 'r')
				blanks += pad;
			if (*text) {
				fprintf(f, "%*s%s", (int)blanks, "", text);
				blanks = 0;
			}
			if (g->columns[i] != 'r')
				blanks += pad;
			blanks += GAP;
		}
		fprintf(f, "%s\n", WC_PLAIN(colour));
	}
}

static void measure(const struct wc_grid *g, size_t *width)
{
	char text[128];

	for (size_t i = 0; i < g->field_cnt; i++) {
		size_t w = wc_text__width(g->fields[i]);

		if (w > width[i % g->column_cnt])
			width[i % g->column_cnt] = w;
	}
	for (size_t i = 0; i < g->head_cnt; i++) {
		for (int line = 0; line < 2; line++) {
			head_line(g->heads[i], line, true, text, sizeof(text));
			if (wc_text__width(text) > width[i])
				width[i] = wc_text__width(text);
		}
	}
}

int wc_grid__print(struct wc_grid *g, FILE *f, const char *indent, bool colour)
{
	size_t width[COLUMN_MAX] = { 0 }, left = strlen(indent), owed = 0;
	int err = !g || g->failed ? -ENOMEM : 0;

	if (!err && g->column_cnt) {
		measure(g, width);
		for (size_t i = 0; i + 1 < g->column_cnt; i++)
			left += width[i] + GAP;
		if (g->head_cnt)
			print_heads(g, f, indent, width, colour);
		for (size_t i = 0; i < g->field_cnt; i++) {
			if (i % g->column_cnt == 0)
				owed = strlen(indent);
			put_field(g, f, i % g->column_cnt, g->fields[i], width, left, &owed);
		}
	}
	if (g) {
		for (size_t i = 0; i < g->head_cnt; i++)
			free(g->heads[i]);
		for (size_t i = 0; i < g->field_cnt; i++)
			free(g->fields[i]);
		free(g->heads);
		free(g->fields);
	}
	free(g);
	return err;
}

void wc_grid__paragraph(FILE *f, const char *first, const char *text)
{
	size_t indent = wc_text__width(first);
	char *safe = safe_copy(text);

	fputs(first, f);
	wrap(f, safe ? safe : "", indent);
	free(safe);
}
