/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Published figures of the same question on another system, and this machine's beside them: each
 * as a ratio to its own machine's baseline, and what may be compared of it.
 */
#ifndef WC_MODEL_BOOK_H
#define WC_MODEL_BOOK_H

#include "user/model/effect.h"

#define WC_BOOK_SOURCE	  "thread chapters, Apple M1, macOS 26.5, JDK 25"
#define WC_BOOK_SCHEDULER "macOS 26.5's"

enum wc_book_match {
	WC_BOOK_RATIO = 0,     /* the ratios answer the same question */
	WC_BOOK_DIRECTION = 1, /* more or less than the baseline, but not how much */
	WC_BOOK_NOT = 2,       /* figures of different things */
	WC_BOOK_VALUE = 3,     /* the figures themselves do */
};

enum wc_book_unit {
	WC_BOOK_NS = 0,
	WC_BOOK_TIMES = 1,    /* the figure is a ratio itself */
	WC_BOOK_SWITCHES = 2, /* context switches a handoff */
	WC_BOOK_THREADS = 3,
};

struct wc_book_row {
	const char *id;
	const char *what;
	enum wc_book_unit unit;
	double value, low, high; /* low, high: of its reruns; 0: none were published */
	double ratio;		 /* to its baseline; 0: has none */
	enum wc_book_match match;
	const char *why;  /* of the match */
	const char *todo; /* command that would measure it here */
};

struct wc_beside {
	const struct wc_book_row *row;
	struct wc_effect own;	/* in the unit of the row; n == 0: not measured */
	struct wc_effect ratio; /* to this machine's baseline; n == 0: has none */
};

#define WC_BOOK_ROW_CNT 10

extern const struct wc_book_row wc_book__rows[WC_BOOK_ROW_CNT];
const char *wc_book_match__name(unsigned int match); /* "ratio", "direction", "no", "value" */

/* Of an explain recording; every row, measured or not. */
void wc_book__beside(const struct wc_result *r, struct wc_beside out[WC_BOOK_ROW_CNT]);

#endif
