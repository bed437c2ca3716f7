/* SPDX-License-Identifier: BSD-2-Clause */
/* Outputs of what `record` wrote: results with a profile. All return 0 or -errno. */
#ifndef WC_OUTPUT_RECORD_H
#define WC_OUTPUT_RECORD_H

#include <stdio.h>

#include "user/model/profile_summary.h"

struct wc_report_opts {
	enum wc_profile_by by;
	unsigned int sort;  /* enum wc_profile_sort */
	unsigned int limit; /* rows; 0: 10 in the table, all elsewhere */
	bool fold_names;    /* threads of one name in one process are one */
	bool wide;	    /* every column, every counter, no care for 80 columns */
	bool colour;	    /* the caller knows the terminal */
};

int wc_out_record_table(FILE *f, const struct wc_result *r, const struct wc_report_opts *opts);
/* docs/json.md; opts may be NULL: by pair, by cost, all rows. */
int wc_out_record_json(FILE *f, const struct wc_result *r, const struct wc_report_opts *opts);
int wc_out_record_csv(FILE *f, const struct wc_result *r);
int wc_out_record_prom(FILE *f, const struct wc_result *r);

/* As options spell them; NULL beyond the end. */
const char *wc_report__by_name(unsigned int by);
const char *wc_report__sort_name(unsigned int sort);

#endif
