/* SPDX-License-Identifier: BSD-2-Clause */
/* What `compare` prints. All return 0 or -errno. */
#ifndef WC_OUTPUT_COMPARE_H
#define WC_OUTPUT_COMPARE_H

#include <stdio.h>

#include "user/model/compare.h"

enum wc_compare_sort {
	WC_COMPARE_SORT_CELL = 0,   /* as in BASE; of pairs: by name */
	WC_COMPARE_SORT_CHANGE = 1, /* this and the next: greatest first */
	WC_COMPARE_SORT_COST = 2,
};

struct wc_compare_opts {
	const char *base_name, *new_name; /* files */
	enum wc_compare_sort sort;
	unsigned int limit; /* rows of cells or pairs; 0: all */
	bool wide;	    /* every figure, no care for 80 columns */
	bool colour;	    /* the caller knows the terminal */
};

int wc_out_compare_runs(FILE *f, const struct wc_result *base, const struct wc_result *new,
			const struct wc_comparison *c, const struct wc_compare_opts *opts);
int wc_out_compare_records(FILE *f, const struct wc_result *base, const struct wc_result *new,
			   const struct wc_record_comparison *c,
			   const struct wc_compare_opts *opts);
/* docs/json-compare.md; everything, in the order the options say. */
int wc_out_compare_runs_json(FILE *f, const struct wc_result *base, const struct wc_result *new,
			     const struct wc_comparison *c, const struct wc_compare_opts *opts);
int wc_out_compare_records_json(FILE *f, const struct wc_result *base, const struct wc_result *new,
				const struct wc_record_comparison *c,
				const struct wc_compare_opts *opts);

#endif
