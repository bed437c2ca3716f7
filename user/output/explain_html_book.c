// SPDX-License-Identifier: BSD-2-Clause
/* Figures published of another system beside this machine's. */
#include "user/model/book.h"
#include "user/output/book.h"
#include "user/output/explain_html.h"

static void put_ratio(const struct page *p, const struct wc_effect *ratio)
{
	if (!ratio->n)
		fputs("<td class=\"num none\">\xe2\x80\x93</td>", p->f);
	else if (ratio->has_ci)
		fprintf(p->f, "<td class=\"num\">%.2f <span class=\"ci\">[%.2f, %.2f]</span></td>",
			ratio->ns, ratio->lo, ratio->hi);
	else
		fprintf(p->f, "<td class=\"num\">%.2f</td>", ratio->ns);
}

static void put_row(const struct page *p, const struct wc_beside *b)
{
	const struct wc_book_row *row = b->row;
	char value[WC_UNITS_BUF_SZ];

	fputs("<tr><td>", p->f);
	page__text(p, row->what);
	fprintf(p->f, "</td><td class=\"num\">%s</td>",
		wc_book__format(row->unit, row->value, value, sizeof(value)));
	if (row->ratio > 0)
		fprintf(p->f, "<td class=\"num\">%.2f</td>", row->ratio);
	else
		fputs("<td class=\"num none\">\xe2\x80\x93</td>", p->f);
	if (b->own.n) {
		fprintf(p->f, "<td class=\"num\">%s</td>",
			wc_book__format(row->unit, b->own.ns, value, sizeof(value)));
		put_ratio(p, &b->ratio);
		fprintf(p->f, "<td>%s: ", wc_book_match__name(row->match));
		page__text(p, row->why);
	} else {
		fputs("<td class=\"none\" colspan=\"2\">not measured</td><td>add: <code>", p->f);
		page__text(p, row->todo);
		fputs("</code>", p->f);
	}
	fputs("</td></tr>\n", p->f);
}

void page__book(const struct page *p)
{
	const char *scheduler = wc_kvs__get(&p->r->host, "scheduler");
	struct wc_beside rows[WC_BOOK_ROW_CNT];
	size_t i;

	wc_book__beside(p->r, rows);
	page__section(p, "book", "Beside the book", NULL);
	fputs("<p>Published figures (" WC_BOOK_SOURCE
	      ") and this machine's, each divided by its own machine's baseline. Schedulers: "
	      "there " WC_BOOK_SCHEDULER ", here ",
	      p->f);
	page__text(p, scheduler ? scheduler : "unknown");
	fputs(".</p>\n<div class=\"wide\"><table class=\"book\"><thead><tr><th>what</th><th "
	      "class=\"num\">book</th><th class=\"num\">to its baseline</th><th "
	      "class=\"num\">here</th><th class=\"num\">to its baseline</th><th>what may be "
	      "compared</th></tr></thead><tbody>\n",
	      p->f);
	for (i = 0; i < WC_BOOK_ROW_CNT; i++)
		put_row(p, &rows[i]);
	fputs("</tbody></table></div>\n", p->f);
}
