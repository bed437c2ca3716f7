/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Published figures of servers on other systems, and this machine's beside them. A row names the
 * cell that asks the same question, by its parameters, and the gauge that answers it.
 */
#ifndef WC_MODEL_BOOK_WORK_H
#define WC_MODEL_BOOK_WORK_H

#include "user/model/book.h"

/* Where the rows of a shape come from. */
struct wc_work_book {
	const char *shape, *source, *scheduler;
};

struct wc_work_row {
	const char *id; /* as in the collection of figures; stays */
	const char *what;
	const char *shape;
	const char *needs; /* parameters of the cell: "key=value,..." */
	const char *gauge;
	double value, low, high; /* in the unit of the gauge; low, high as in wc_book_row */
	const char *base;	 /* id of the row it is divided by; NULL: none */
	enum wc_book_match match;
	const char *why;  /* of the match */
	const char *todo; /* command that would measure it here */
};

struct wc_work_beside {
	const struct wc_work_row *row;
	const struct wc_gauge *gauge; /* NULL: not measured */
	const struct wc_cell *cell;
	struct wc_effect
		own; /* n == 0: not measured; probes detached, where there are such phases */
	struct wc_effect ratio; /* to the row it is divided by; n == 0: none */
	double book_ratio;	/* 0: none */
};

extern const struct wc_work_row wc_work_book__rows[];
extern const size_t wc_work_book__row_cnt;

/* NULL: nothing was published of such a shape. */
const struct wc_work_book *wc_work_book__of(const char *shape);

/*
 * The rows of a shape, from recordings of it; the first cell that fits a row is the one. *out is
 * malloc'ed. 0 or -ENOMEM.
 */
int wc_work_book__beside(const struct wc_result *const *results, size_t result_cnt,
			 struct wc_work_beside **out, size_t *cnt);

#endif
