/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One function a format. Adding one takes user/output/NAME.c, its declaration here and a row in
 * user/cli/cmd_export.c. All return 0 or -errno (of the stream, or -ENOMEM); none closes f.
 *
 * Strings of a result may come from elsewhere: no output lets one reach a terminal or break its
 * format.
 */
#ifndef WC_OUTPUT_OUTPUT_H
#define WC_OUTPUT_OUTPUT_H

#include <stdio.h>

#include "user/model/summary.h"

enum wc_table_by {
	WC_TABLE_BY_CELL = 0,
	WC_TABLE_BY_CLASS = 1, /* and the stages of every kind of wake */
	WC_TABLE_BY_PAIR = 2,  /* and who woke whom */
};

enum wc_table_sort {
	WC_TABLE_SORT_CELL = 0, /* as asked for */
	WC_TABLE_SORT_P50 = 1,	/* this and the next: largest first */
	WC_TABLE_SORT_P99 = 2,
	WC_TABLE_SORT_COST = 3,	 /* cost of measuring */
	WC_TABLE_SORT_WAKES = 4, /* pairs: number of wakes; cells: handoffs */
};

struct wc_table_opts {
	bool wide;   /* all parameters, all counters, no care for 80 columns */
	bool colour; /* the caller knows the terminal */
	enum wc_table_by by;
	enum wc_table_sort sort;
	unsigned int limit; /* rows of cells or pairs; 0: all (pairs: 20 a cell) */
};

int wc_out_table(FILE *f, const struct wc_result *r, const struct wc_table_opts *opts);
int wc_out_json(FILE *f, const struct wc_result *r); /* docs/json.md */
int wc_out_csv(FILE *f, const struct wc_result *r);
int wc_out_prom(FILE *f, const struct wc_result *r);

#endif
