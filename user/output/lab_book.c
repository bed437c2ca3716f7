// SPDX-License-Identifier: BSD-2-Clause
/*
 * Kernels of the lab beside published times of macOS and a host's: each a ratio to its own
 * baseline, and each column says of what. A ratio of counts is no ratio of times.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/book.h"
#include "user/model/lab_points.h"
#include "user/output/grid.h"
#include "user/output/lab.h"

#define KERNEL_MAX 16

static double ratio_of(const struct wc_lab *lab, const struct wc_lab_cell *cell,
		       enum wc_lab_count count)
{
	double base = wc_lab__mean(lab, wc_lab__baseline(lab, cell), NULL, NULL, count);

	return base > 0 ? wc_lab__mean(lab, cell, NULL, NULL, count) / base : 0;
}

static double more_of(const struct wc_lab *lab, const struct wc_lab_cell *cell,
		      enum wc_lab_count count)
{
	return wc_lab__mean(lab, cell, NULL, NULL, count) -
	       wc_lab__mean(lab, wc_lab__baseline(lab, cell), NULL, NULL, count);
}

static void heads(struct wc_grid *g, const struct wc_lab *lab, const struct wc_result *host)
{
	const char *kernel = host ? wc_kvs__get(&host->host, "kernel") : NULL;
	const struct wc_lab_cell *of;
	char text[128], words[64];
	size_t i;

	wc_grid__head(g, "\nwhat");
	wc_grid__head(g, "macOS\ntime");
	for (i = 0; (of = wc_lab__kernel(lab, i)) && i < KERNEL_MAX; i++) {
		snprintf(text, sizeof(text), "%s\ninsns",
			 wc_lab_cell__kernel_words(of, words, sizeof(words)));
		wc_grid__head(g, text);
		wc_grid__head(g, "more\nL1d");
	}
	if (host) {
		snprintf(text, sizeof(text), "%s\ntime", kernel ?: "this host");
		wc_grid__head(g, text);
	}
}

static void put_kernel(struct wc_grid *g, const struct wc_lab *lab, const struct wc_lab_cell *cell)
{
	if (!cell) {
		wc_grid__put(g, "-");
		wc_grid__put(g, "-");
		return;
	}
	wc_grid__put(g, "%.3f", ratio_of(lab, cell, WC_LAB_INSNS));
	wc_grid__put(g, "%+.1f", more_of(lab, cell, WC_LAB_L1D));
}

static void put_host(struct wc_grid *g, const struct wc_effect *e)
{
	if (!e->n)
		wc_grid__put(g, "-");
	else if (e->has_ci)
		wc_grid__put(g, "%.2f [%.2f, %.2f]", e->ns, e->lo, e->hi);
	else
		wc_grid__put(g, "%.2f", e->ns);
}

static void print_notes(FILE *f, const struct wc_lab *lab, const struct wc_result *host)
{
	const char *scheduler = host ? wc_kvs__get(&host->host, "scheduler") : NULL;
	const struct wc_lab_cell *of;
	char words[64], line[256];
	size_t i;

	wc_grid__paragraph(f, "* macOS: ",
			   "time of a handoff to its own baseline, as published; "
			   "its scheduler is neither of the others.");
	for (i = 0; (of = wc_lab__kernel(lab, i)) && i < KERNEL_MAX; i++) {
		snprintf(
			line, sizeof(line),
			"%s: counts of an emulated machine, no times. insns: instructions of a "
			"handoff to those of its own first row; L1d: lines missed more than there.",
			wc_lab_cell__kernel_words(of, words, sizeof(words)));
		wc_grid__paragraph(f, "* ", line);
	}
	if (host) {
		snprintf(line, sizeof(line),
			 "this host, %s: time of a handoff to its own baseline.",
			 scheduler ?: "scheduler unknown");
		wc_grid__paragraph(f, "* ", line);
	} else {
		wc_grid__paragraph(f, "* ",
				   "This host: add a recording of sudo wakecost explain -o FILE.");
	}
	wc_grid__paragraph(
		f, "* ",
		"What grows in instructions is a longer path. What grows in time and not "
		"in instructions is the same path on colder caches.");
}

int wc_out_lab_book(FILE *f, const struct wc_lab *lab, const struct wc_result *host, bool colour)
{
	char columns[2 * KERNEL_MAX + 8] = "lr";
	struct wc_lab_point *points;
	size_t cnt, i, k, at = 2;
	struct wc_grid *g;
	int err = wc_lab_points__of(lab, host, &points, &cnt);

	for (k = 0; k < KERNEL_MAX && wc_lab__kernel(lab, k); k++) {
		columns[at++] = 'r';
		columns[at++] = 'r';
	}
	if (host)
		columns[at++] = 'r';
	columns[at] = '\0';
	g = wc_grid__new(columns);
	heads(g, lab, host);
	for (i = 0; !err && i < cnt; i++) {
		const struct wc_lab_cell *of;

		wc_grid__put(g, "%s", points[i].what);
		wc_grid__put(g, points[i].book_ratio > 0 ? "%.2f" : "-", points[i].book_ratio);
		for (k = 0; k < KERNEL_MAX && (of = wc_lab__kernel(lab, k)); k++)
			put_kernel(g, lab,
				   points[i].params ? wc_lab__at(lab, of->kernel, points[i].params)
						    : NULL);
		if (host)
			put_host(g, &points[i].host_ratio);
	}
	free(points);
	fputs("A handoff, to each machine's own baseline\n\n", f);
	err = err ?: wc_grid__print(g, f, "", colour);
	fputc('\n', f);
	print_notes(f, lab, host);
	return err ?: fflush(f) || ferror(f) ? -EIO : 0;
}

/* ---- JSON */

static json_t *kernel_json(const struct wc_lab *lab, const struct wc_lab_cell *cell)
{
	json_t *o = json_object();
	unsigned int c;

	json_object_set_new(o, "kernel", json_string(cell->kernel));
	if (cell->scheduler)
		json_object_set_new(o, "scheduler", json_string(cell->scheduler));
	json_object_set_new(o, "instructions_ratio", json_real(ratio_of(lab, cell, WC_LAB_INSNS)));
	for (c = 0; c < WC_LAB_COUNT_CNT; c++) {
		char key[64];

		snprintf(key, sizeof(key), "more_%s", wc_lab_count__name(c));
		json_object_set_new(o, key, json_real(more_of(lab, cell, c)));
	}
	return o;
}

static json_t *effect_json(const struct wc_effect *e)
{
	if (!e->n)
		return json_null();
	return json_pack("{s:f,s:o}", "value", e->ns, "ci95",
			 e->has_ci ? json_pack("[f,f]", e->lo, e->hi) : json_null());
}

int wc_out_lab_book_json(FILE *f, const struct wc_lab *lab, const struct wc_result *host)
{
	struct wc_lab_point *points;
	json_t *rows = json_array(), *doc;
	size_t cnt, i, k;
	int err = wc_lab_points__of(lab, host, &points, &cnt);

	for (i = 0; !err && i < cnt; i++) {
		const struct wc_lab_point *p = &points[i];
		json_t *kernels = json_array();
		const struct wc_lab_cell *of, *cell;

		for (k = 0; (of = wc_lab__kernel(lab, k)); k++) {
			cell = p->params ? wc_lab__at(lab, of->kernel, p->params) : NULL;
			if (cell)
				json_array_append_new(kernels, kernel_json(lab, cell));
		}
		json_array_append_new(
			rows, json_pack("{s:s,s:s?,s:o,s:o,s:o}", "what", p->what, "params",
					p->params, "book_time_ratio",
					p->book_ratio > 0 ? json_real(p->book_ratio) : json_null(),
					"host_time_ratio", effect_json(&p->host_ratio), "kernels",
					kernels));
	}
	free(points);
	doc = json_pack("{s:s,s:s,s:s,s:o}", "schema", "wakecost.lab-book/1", "book",
			WC_BOOK_SOURCE, "unit",
			"ratios to each machine's own baseline; of kernels, counts and no times",
			"rows", rows);
	if (!doc)
		return err ?: -ENOMEM;
	if (!err &&
	    (json_dumpf(doc, f, JSON_INDENT(1) | JSON_REAL_PRECISION(10) | JSON_ENSURE_ASCII) ||
	     fputc('\n', f) == EOF || fflush(f)))
		err = -EIO;
	json_decref(doc);
	return err;
}
