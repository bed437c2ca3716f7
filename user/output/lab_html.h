/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the lab's page. */
#ifndef WC_OUTPUT_LAB_HTML_H
#define WC_OUTPUT_LAB_HTML_H

#include "user/model/lab.h"
#include "user/output/explain_html.h"

/* "handoff", "ring-2": what sections of a lab are called by. */
struct lab_page {
	struct page p; /* its stream, and helpers */
	const struct wc_lab *lab;
	const struct wc_result *host;
	size_t nth; /* of the labs on the page */
};

void lab_page__growth(const struct lab_page *l);
void lab_page__functions(const struct lab_page *l);
void lab_page__stages(const struct lab_page *l);
void lab_page__beside(const struct lab_page *l);
/* 0 or -errno */
int lab_page__flames(const struct lab_page *l);

#endif
