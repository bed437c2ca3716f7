/* SPDX-License-Identifier: BSD-2-Clause */
/* This machine beside published figures of another. Both 0 or -errno. */
#ifndef WC_OUTPUT_BOOK_H
#define WC_OUTPUT_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "user/model/result.h"

/* r: an explain recording. */
int wc_out_book_text(FILE *f, const struct wc_result *r, bool colour);
int wc_out_book_json(FILE *f, const struct wc_result *r);

/* results: of one shape that counts work (book_work.h), and of which something was published. */
int wc_out_book_work_text(FILE *f, const struct wc_result *const *results, size_t cnt, bool colour);
int wc_out_book_work_json(FILE *f, const struct wc_result *const *results, size_t cnt);

/* A figure in the unit of its row (enum wc_book_unit). Returns buf. */
const char *wc_book__format(unsigned int unit, double value, char *buf, size_t sz);

#endif
