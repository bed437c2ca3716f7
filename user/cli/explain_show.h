/* SPDX-License-Identifier: BSD-2-Clause */
/* The conclusion of an explain experiment in the form asked for: just measured, or recorded. */
#ifndef WC_CLI_EXPLAIN_SHOW_H
#define WC_CLI_EXPLAIN_SHOW_H

#include "user/model/explain.h"

struct wc_explain_show {
	bool json;
	const char *html; /* a page there, "-": standard output and nothing else; NULL: none */
	bool wide, colour;
};

/* 0 or -errno with the message printed. A page on standard output takes the place of the text. */
int wc_explain__show(const struct wc_result *r, const struct wc_explain_show *show);

#endif
