/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the page that explain draws. Each prints one section; errors show in the stream. */
#ifndef WC_OUTPUT_EXPLAIN_HTML_H
#define WC_OUTPUT_EXPLAIN_HTML_H

#include <stdio.h>

#include "user/model/explain.h"
#include "user/util/units.h"

extern const char wc_explain_css[], wc_explain_js[];

struct page {
	FILE *f;
	const struct wc_result *r;
	const struct wc_explain *e;
	const struct wc_unit *unit; /* of all times on it, that they can be compared at a glance */
};

/* Escaped; text from elsewhere cannot become markup. */
void page__text(const struct page *p, const char *text);
void page__section(const struct page *p, const char *id, const char *title, const char *lead);
/* "17.1 [16.8, 17.5]" in the page's unit, as a table cell of class num. */
void page__cell(const struct page *p, const struct wc_effect *e);
const char *page__ns(const struct page *p, double ns, char buf[WC_UNITS_BUF_SZ]);
/* "17.1 us, 95 % between 16.8 and 17.5, 12 rounds", inside <title> */
void page__tip(const struct page *p, const char *what, const struct wc_effect *e);
/* The name a stage goes by here; NULL: it is measured together with the one before. */
const char *page__stage(const struct page *p, unsigned int stage);

/* From lo to hi, zero always inside; where a value lies in it. */
struct scale {
	double lo, hi;
};

void scale__take(struct scale *s, double v);
double scale__pct(const struct scale *s, double v);
/* Distance of ticks: 1, 2 or 5 times a power of ten, at most so many. */
double scale__step(const struct scale *s, unsigned int most);
/* A table cell: a bar from zero to the value, its interval over it. */
void page__bar(const struct page *p, const struct scale *s, const struct wc_effect *e,
	       const char *css, const char *what);

void page__causes(const struct page *p);
void page__slope(const struct page *p);
void page__stages(const struct page *p);
void page__change(const struct page *p);
void page__memory(const struct page *p);
void page__book(const struct page *p);

#endif
