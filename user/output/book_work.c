// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/book_work.h"
#include "user/output/book.h"
#include "user/output/book_page.h"
#include "user/output/gauge.h"

/* Of the gauge, in any of them: its unit says how a figure is written. */
static const struct wc_gauge *gauge_of(const struct wc_result *const *results, size_t cnt,
				       const struct wc_work_beside *b)
{
	if (b->gauge)
		return b->gauge;
	for (size_t i = 0; i < cnt; i++)
		for (size_t k = 0; k < results[i]->gauge_cnt; k++)
			if (!strcmp(results[i]->gauges[k].name, b->row->gauge))
				return &results[i]->gauges[k];
	return NULL;
}

static void line_of(const struct wc_work_beside *b, const struct wc_gauge *gauge,
		    struct wc_book_line *l)
{
	static const struct wc_gauge plain = { .unit = (char *)"1" };
	const struct wc_work_row *row = b->row;
	char text[WC_GAUGE_VALUE_SZ];

	*l = (struct wc_book_line){
		.id = row->id,
		.what = row->what,
		.unit = gauge ? gauge->unit : plain.unit,
		.book = row->value,
		.low = row->low,
		.high = row->high,
		.book_ratio = b->book_ratio,
		.own = &b->own,
		.ratio = &b->ratio,
		.match = wc_book_match__name(row->match),
		.why = row->why,
		.todo = row->todo,
	};
	gauge = gauge ? gauge : &plain;
	snprintf(l->book_text, sizeof(l->book_text), "%s",
		 wc_gauge__format(gauge, row->value, text));
	snprintf(l->own_text, sizeof(l->own_text), "%s", wc_gauge__format(gauge, b->own.ns, text));
}

static int print(FILE *f, const struct wc_result *const *results, size_t cnt, bool json,
		 bool colour)
{
	const struct wc_work_book *book = wc_work_book__of(results[0]->shape);
	struct wc_work_beside *rows;
	struct wc_book_line *lines;
	size_t row_cnt, i;
	int err = book ? wc_work_book__beside(results, cnt, &rows, &row_cnt) : -ENOENT;

	if (err)
		return err;
	lines = calloc(row_cnt + 1, sizeof(*lines));
	if (!lines) {
		free(rows);
		return -ENOMEM;
	}
	for (i = 0; i < row_cnt; i++)
		line_of(&rows[i], gauge_of(results, cnt, &rows[i]), &lines[i]);
	const struct wc_book_page page = { book->source, book->scheduler, results[0], lines,
					   row_cnt };
	err = json ? wc_book_page__json(f, &page) : wc_book_page__text(f, &page, colour);
	free(lines);
	free(rows);
	return err;
}

int wc_out_book_work_text(FILE *f, const struct wc_result *const *results, size_t cnt, bool colour)
{
	return print(f, results, cnt, false, colour);
}

int wc_out_book_work_json(FILE *f, const struct wc_result *const *results, size_t cnt)
{
	return print(f, results, cnt, true, false);
}
