// SPDX-License-Identifier: BSD-2-Clause
#include "user/output/book_page.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "user/output/grid.h"

static const char *ratio_text(const struct wc_effect *e, char *buf, size_t sz)
{
	if (!e->n)
		return "-";
	if (e->has_ci)
		snprintf(buf, sz, "%.2f [%.2f, %.2f]", e->ns, e->lo, e->hi);
	else
		snprintf(buf, sz, "%.2f", e->ns);
	return buf;
}

static int print_rows(FILE *f, const struct wc_book_page *page, bool colour)
{
	struct wc_grid *g = wc_grid__new("lrrrr");
	char buf[96];
	size_t i;

	wc_grid__head(g, "\nwhat");
	wc_grid__head(g, "\nbook");
	wc_grid__head(g, "to its\nbaseline");
	wc_grid__head(g, "\nhere");
	wc_grid__head(g, "to its\nbaseline");
	for (i = 0; i < page->cnt; i++) {
		const struct wc_book_line *l = &page->lines[i];

		wc_grid__put(g, "%s", l->what);
		wc_grid__put(g, "%s", l->book_text);
		if (l->book_ratio > 0)
			wc_grid__put(g, "%.2f", l->book_ratio);
		else
			wc_grid__put(g, "-");
		wc_grid__put(g, "%s", l->own->n ? l->own_text : "-");
		wc_grid__put(g, "%s", ratio_text(l->ratio, buf, sizeof(buf)));
	}
	return wc_grid__print(g, f, "", colour);
}

/* Once each, though several rows may share it. */
static bool said_before(const struct wc_book_page *page, size_t i)
{
	size_t j;

	for (j = 0; j < i; j++)
		if (!page->lines[j].own->n && !strcmp(page->lines[j].todo, page->lines[i].todo))
			return true;
	return false;
}

/* A command stands on a line of its own: it is there to be typed. */
static void print_missing(FILE *f, const struct wc_book_page *page, size_t first)
{
	const char *todo = page->lines[first].todo;
	size_t i;

	fputs("\nnot measured; add:", f);
	for (i = first; i < page->cnt; i++)
		if (!page->lines[i].own->n && !strcmp(page->lines[i].todo, todo))
			fprintf(f, "\n    %s", page->lines[i].what);
	fprintf(f, "\nwith: %s\n", todo);
}

/* The same reason is given once, for all rows that have it one after the other. */
static void print_matches(FILE *f, const struct wc_book_page *page)
{
	char line[1024];
	size_t i, len = 0;

	for (i = 0; i < page->cnt; i++) {
		const struct wc_book_line *l = &page->lines[i], *next = l + 1;
		bool last = i + 1 == page->cnt || strcmp(next->why, l->why) != 0 ||
			    strcmp(next->match, l->match) != 0;

		len += (size_t)snprintf(line + len, sizeof(line) - len, last ? "%s: " : "%s; ",
					l->what);
		if (len >= sizeof(line))
			len = sizeof(line) - 1;
		if (!last)
			continue;
		snprintf(line + len, sizeof(line) - len, "%s: %s.", l->match, l->why);
		wc_grid__paragraph(f, "* ", line);
		len = 0;
	}
}

int wc_book_page__text(FILE *f, const struct wc_book_page *page, bool colour)
{
	const char *kernel = wc_kvs__get(&page->r->host, "kernel");
	const char *scheduler = wc_kvs__get(&page->r->host, "scheduler");
	char line[512];
	size_t i;
	int err;

	snprintf(line, sizeof(line), "Book: %s; scheduler: %s. Here: kernel %s; scheduler: %s.",
		 page->source, page->scheduler, kernel ? kernel : "unknown",
		 scheduler ? scheduler : "unknown");
	wc_grid__paragraph(f, "", line);
	fputc('\n', f);
	err = print_rows(f, page, colour);
	fprintf(f, "\n%sWhat may be compared%s\n", WC_BOLD(colour), WC_PLAIN(colour));
	print_matches(f, page);
	for (i = 0; i < page->cnt; i++) {
		if (!page->lines[i].own->n && !said_before(page, i))
			print_missing(f, page, i);
	}
	if (err)
		return err;
	return fflush(f) ? -errno : 0;
}

/* ---- JSON ---- */

static json_t *figure(const struct wc_effect *e)
{
	if (!e->n)
		return json_null();
	return json_pack("{s:f,s:o,s:i}", "value", e->ns, "ci95",
			 e->has_ci ? json_pack("[f,f]", e->lo, e->hi) : json_null(), "rounds",
			 (int)e->n);
}

static json_t *optional(double v)
{
	return v > 0 ? json_real(v) : json_null();
}

static json_t *line_json(const struct wc_book_line *l)
{
	return json_pack("{s:s,s:s,s:s,s:{s:f,s:o,s:o,s:o},s:{s:o,s:o},s:s,s:s,s:o}", "id", l->id,
			 "what", l->what, "unit", l->unit, "book", "value", l->book, "low",
			 optional(l->low), "high", optional(l->high), "ratio",
			 optional(l->book_ratio), "here", "figure", figure(l->own), "ratio",
			 figure(l->ratio), "comparable", l->match, "why", l->why, "measure_with",
			 l->own->n ? json_null() : json_string(l->todo));
}

int wc_book_page__json(FILE *f, const struct wc_book_page *page)
{
	const char *kernel = wc_kvs__get(&page->r->host, "kernel");
	const char *scheduler = wc_kvs__get(&page->r->host, "scheduler");
	json_t *list = json_array(), *doc;
	size_t i;
	int err = 0;

	for (i = 0; i < page->cnt; i++)
		json_array_append_new(list, line_json(&page->lines[i]));
	doc = json_pack("{s:s,s:{s:s,s:s},s:{s:s*,s:s*},s:o}", "schema", "wakecost.book/1", "book",
			"source", page->source, "scheduler", page->scheduler, "here", "kernel",
			kernel, "scheduler", scheduler, "rows", list);
	if (!doc)
		err = -ENOMEM;
	else if (json_dumpf(doc, f, JSON_INDENT(1) | JSON_ENSURE_ASCII) || fputc('\n', f) == EOF ||
		 fflush(f))
		err = errno ? -errno : -EIO;
	json_decref(doc);
	return err;
}
