/* SPDX-License-Identifier: BSD-2-Clause */
/* The conclusion of an explain experiment. All 0 or -errno. */
#ifndef WC_OUTPUT_EXPLAIN_H
#define WC_OUTPUT_EXPLAIN_H

#include <stdio.h>

#include "user/model/explain.h"

struct wc_explain_opts {
	bool wide;
	bool colour;
};

int wc_out_explain_text(FILE *f, const struct wc_result *r, const struct wc_explain *e,
			const struct wc_explain_opts *opts);
/* The first comment of every such page. */
#define WC_EXPLAIN_HTML_MAGIC "<!-- wakecost explain page"

int wc_out_explain_html(FILE *f, const struct wc_result *r, const struct wc_explain *e);
int wc_out_explain_json(FILE *f, const struct wc_result *r, const struct wc_explain *e);

#endif
