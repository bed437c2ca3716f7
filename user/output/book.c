// SPDX-License-Identifier: BSD-2-Clause
#include "user/output/book.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "user/model/book.h"
#include "user/model/explain.h"
#include "user/output/grid.h"
#include "user/util/units.h"

const char *wc_book__format(unsigned int unit, double value, char *buf, size_t sz)
{
	char count[WC_UNITS_BUF_SZ];

	if (unit == WC_BOOK_NS) { /* as published: no digit lost */
		snprintf(buf, sz, "%s ns",
			 wc_units__format_count(count, sizeof(count), (uint64_t)llround(value)));
		return buf;
	}
	if (unit == WC_BOOK_TIMES)
		snprintf(buf, sz, "%.3g times", value);
	else if (unit == WC_BOOK_SWITCHES)
		snprintf(buf, sz, "%.2f", value);
	else
		return wc_units__format_count(buf, sz, (uint64_t)value);
	return buf;
}

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

static int print_rows(FILE *f, const struct wc_beside *rows, bool colour)
{
	struct wc_grid *g = wc_grid__new("lrrrr");
	char buf[96];
	size_t i;

	wc_grid__head(g, "\nwhat");
	wc_grid__head(g, "\nbook");
	wc_grid__head(g, "to its\nbaseline");
	wc_grid__head(g, "\nhere");
	wc_grid__head(g, "to its\nbaseline");
	for (i = 0; i < WC_BOOK_ROW_CNT; i++) {
		const struct wc_beside *b = &rows[i];

		wc_grid__put(g, "%s", b->row->what);
		wc_grid__put(g, "%s",
			     wc_book__format(b->row->unit, b->row->value, buf, sizeof(buf)));
		if (b->row->ratio > 0)
			wc_grid__put(g, "%.2f", b->row->ratio);
		else
			wc_grid__put(g, "-");
		wc_grid__put(g, "%s",
			     b->own.n ? wc_book__format(b->row->unit, b->own.ns, buf, sizeof(buf))
				      : "-");
		wc_grid__put(g, "%s", ratio_text(&b->ratio, buf, sizeof(buf)));
	}
	return wc_grid__print(g, f, "", colour);
}

/* Once each, though several rows may share it. */
static bool said_before(const struct wc_beside *rows, size_t i)
{
	size_t j;

	for (j = 0; j < i; j++)
		if (!rows[j].own.n && !strcmp(rows[j].row->todo, rows[i].row->todo))
			return true;
	return false;
}

/* A command stands on a line of its own: it is there to be typed. */
static void print_missing(FILE *f, const struct wc_beside *rows, size_t first)
{
	const char *todo = rows[first].row->todo;
	size_t i;

	fputs("\nnot measured; add:", f);
	for (i = first; i < WC_BOOK_ROW_CNT; i++)
		if (!rows[i].own.n && !strcmp(rows[i].row->todo, todo))
			fprintf(f, "\n    %s", rows[i].row->what);
	fprintf(f, "\nwith: %s\n", todo);
}

int wc_out_book_text(FILE *f, const struct wc_result *r, bool colour)
{
	const char *kernel = wc_kvs__get(&r->host, "kernel");
	const char *scheduler = wc_kvs__get(&r->host, "scheduler");
	struct wc_beside rows[WC_BOOK_ROW_CNT];
	char line[512];
	size_t i;
	int err;

	wc_book__beside(r, rows);
	snprintf(line, sizeof(line),
		 "Book: " WC_BOOK_SOURCE "; scheduler: " WC_BOOK_SCHEDULER
		 ". Here: kernel %s; scheduler: %s.",
		 kernel ? kernel : "unknown", scheduler ? scheduler : "unknown");
	wc_grid__paragraph(f, "", line);
	fputc('\n', f);
	err = print_rows(f, rows, colour);
	fprintf(f, "\n%sWhat may be compared%s\n", WC_BOLD(colour), WC_PLAIN(colour));
	for (i = 0; i < WC_BOOK_ROW_CNT; i++) {
		snprintf(line, sizeof(line), "%s: %s: %s.", rows[i].row->what,
			 wc_book_match__name(rows[i].row->match), rows[i].row->why);
		wc_grid__paragraph(f, "* ", line);
	}
	for (i = 0; i < WC_BOOK_ROW_CNT; i++) {
		if (!rows[i].own.n && !said_before(rows, i))
			print_missing(f, rows, i);
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

static json_t *row_json(const struct wc_beside *b)
{
	static const char *const units[] = { "ns", "times", "context switches", "threads" };
	const struct wc_book_row *row = b->row;

	return json_pack("{s:s,s:s,s:s,s:{s:f,s:o,s:o,s:o},s:{s:o,s:o},s:s,s:s,s:o}", "id", row->id,
			 "what", row->what, "unit", units[row->unit], "book", "value", row->value,
			 "low", optional(row->low), "high", optional(row->high), "ratio",
			 optional(row->ratio), "here", "figure", figure(&b->own), "ratio",
			 figure(&b->ratio), "comparable", wc_book_match__name(row->match), "why",
			 row->why, "measure_with", b->own.n ? json_null() : json_string(row->todo));
}

int wc_out_book_json(FILE *f, const struct wc_result *r)
{
	const char *kernel = wc_kvs__get(&r->host, "kernel");
	const char *scheduler = wc_kvs__get(&r->host, "scheduler");
	struct wc_beside rows[WC_BOOK_ROW_CNT];
	json_t *list = json_array(), *doc;
	size_t i;
	int err = 0;

	wc_book__beside(r, rows);
	for (i = 0; i < WC_BOOK_ROW_CNT; i++)
		json_array_append_new(list, row_json(&rows[i]));
	doc = json_pack("{s:s,s:{s:s,s:s},s:{s:s*,s:s*},s:o}", "schema", "wakecost.book/1", "book",
			"source", WC_BOOK_SOURCE, "scheduler", WC_BOOK_SCHEDULER, "here", "kernel",
			kernel, "scheduler", scheduler, "rows", list);
	if (!doc)
		err = -ENOMEM;
	else if (json_dumpf(doc, f, JSON_INDENT(1) | JSON_ENSURE_ASCII) || fputc('\n', f) == EOF ||
		 fflush(f))
		err = errno ? -errno : -EIO;
	json_decref(doc);
	return err;
}
