// SPDX-License-Identifier: BSD-2-Clause
#include "user/output/book.h"

#include <math.h>
#include <string.h>

#include "user/model/book.h"
#include "user/output/book_page.h"
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

static void lines_of(const struct wc_beside *rows, struct wc_book_line *lines)
{
	static const char *const units[] = { "ns", "times", "context switches", "threads" };
	size_t i;

	for (i = 0; i < WC_BOOK_ROW_CNT; i++) {
		const struct wc_book_row *row = rows[i].row;
		struct wc_book_line *l = &lines[i];

		*l = (struct wc_book_line){
			.id = row->id,
			.what = row->what,
			.unit = units[row->unit],
			.book = row->value,
			.low = row->low,
			.high = row->high,
			.book_ratio = row->ratio,
			.own = &rows[i].own,
			.ratio = &rows[i].ratio,
			.match = wc_book_match__name(row->match),
			.why = row->why,
			.todo = row->todo,
		};
		wc_book__format(row->unit, row->value, l->book_text, sizeof(l->book_text));
		if (l->own->n)
			wc_book__format(row->unit, l->own->ns, l->own_text, sizeof(l->own_text));
	}
}

static int print(FILE *f, const struct wc_result *r, bool json, bool colour)
{
	struct wc_beside rows[WC_BOOK_ROW_CNT];
	struct wc_book_line lines[WC_BOOK_ROW_CNT];
	const struct wc_book_page page = { WC_BOOK_SOURCE, WC_BOOK_SCHEDULER, r, lines,
					   WC_BOOK_ROW_CNT };

	wc_book__beside(r, rows);
	lines_of(rows, lines);
	return json ? wc_book_page__json(f, &page) : wc_book_page__text(f, &page, colour);
}

int wc_out_book_text(FILE *f, const struct wc_result *r, bool colour)
{
	return print(f, r, false, colour);
}

int wc_out_book_json(FILE *f, const struct wc_result *r)
{
	return print(f, r, true, false);
}
