/* SPDX-License-Identifier: BSD-2-Clause */
/* Published figures beside this machine's, whatever they are of: rows, and what they say. */
#ifndef WC_OUTPUT_BOOK_PAGE_H
#define WC_OUTPUT_BOOK_PAGE_H

#include <stdio.h>

#include "user/model/effect.h"

struct wc_book_line {
	const char *id, *what, *unit;
	double book, low, high, book_ratio; /* low, high, book_ratio: 0: none */
	char book_text[64], own_text[64];   /* own_text: where it was measured */
	const struct wc_effect *own, *ratio;
	const char *match, *why, *todo;
};

struct wc_book_page {
	const char *source, *scheduler;
	const struct wc_result *r; /* whose machine */
	const struct wc_book_line *lines;
	size_t cnt;
};

/* Both 0 or -errno. */
int wc_book_page__text(FILE *f, const struct wc_book_page *page, bool colour);
int wc_book_page__json(FILE *f, const struct wc_book_page *page);

#endif
