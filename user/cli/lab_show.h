/* SPDX-License-Identifier: BSD-2-Clause */
/* What is shown of labs, and where it is left. */
#ifndef WC_CLI_LAB_SHOW_H
#define WC_CLI_LAB_SHOW_H

#include <stdbool.h>

#include "user/model/lab.h"
#include "user/model/result.h"

struct wc_lab_show {
	bool json;
	const char *output, *html, *flame; /* NULL: not asked for */
	unsigned int metric;		   /* enum wc_lab_count of the flame graph */
	bool diff;			   /* .. of what has changed since the first cell */
	const char *kernel;		   /* which cell it is of; NULL: the last that fits */
	const char *const *params;	   /* "parked=4000": all must be the cell's */
	size_t param_cnt;
	const struct wc_result *host; /* times to put beside on the page; NULL: none */
};

/* 0, or -errno with the message printed: could what is asked for be written at all? */
int wc_lab_show__check(const struct wc_lab_show *show);
/* The same; of the first lab where only one can be shown. */
int wc_lab_show(const struct wc_lab *const *labs, size_t cnt, const struct wc_lab_show *show);

#endif
