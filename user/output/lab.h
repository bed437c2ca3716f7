/* SPDX-License-Identifier: BSD-2-Clause */
/* What `wakecost lab` counted, for people and for programs. */
#ifndef WC_OUTPUT_LAB_H
#define WC_OUTPUT_LAB_H

#include <stdbool.h>
#include <stdio.h>

#include "user/model/lab.h"
#include "user/model/result.h"

int wc_out_lab_table(FILE *f, const struct wc_lab *lab, bool colour);
int wc_out_lab_json(FILE *f, const struct wc_lab *lab); /* wakecost.lab/1 */
/*
 * A flame graph of what a cell counts; base: of how it differs from that one, or NULL. still: a
 * picture without script. -ENODATA: none of this was counted.
 */
int wc_out_lab_flame(FILE *f, const struct wc_lab *lab, const struct wc_lab_cell *cell,
		     const struct wc_lab_cell *base, enum wc_lab_count count, bool still);

/* The first comment of every page of these. */
#define WC_LAB_HTML_MAGIC "<!-- wakecost lab page"

/* All labs on one page, beside a host's times when host, an explain recording, is given. */
int wc_out_lab_html(FILE *f, const struct wc_lab *const *labs, size_t lab_cnt,
		    const struct wc_result *host);

/* Published times of macOS, kernels of the lab, and a host (NULL: none), to their own baselines. */
int wc_out_lab_book(FILE *f, const struct wc_lab *lab, const struct wc_result *host, bool colour);
int wc_out_lab_book_json(FILE *f, const struct wc_lab *lab, const struct wc_result *host);

#endif
