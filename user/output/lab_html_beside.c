// SPDX-License-Identifier: BSD-2-Clause
/* The lab beside times: published ones, and a host's; and its flame graphs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/book.h"
#include "user/model/lab_points.h"
#include "user/output/book.h"
#include "user/output/lab.h"
#include "user/output/lab_html.h"

static void put_ratio(const struct page *p, double ratio)
{
	if (ratio > 0)
		fprintf(p->f, "<td class=\"num\">%.3g</td>", ratio);
	else
		fputs("<td class=\"num none\">\xe2\x80\x93</td>", p->f);
}

static void put_kernels(const struct lab_page *l, const struct wc_lab_point *point)
{
	const struct wc_lab_cell *of, *cell;
	size_t k;

	for (k = 0; (of = wc_lab__kernel(l->lab, k)); k++) {
		double base = wc_lab__mean(l->lab, of, NULL, NULL, WC_LAB_INSNS);

		cell = point->params ? wc_lab__at(l->lab, of->kernel, point->params) : NULL;
		if (!cell || base <= 0)
			fputs("<td class=\"num none\">\xe2\x80\x93</td>", l->p.f);
		else
			fprintf(l->p.f, "<td class=\"num\">%.3f</td>",
				wc_lab__mean(l->lab, cell, NULL, NULL, WC_LAB_INSNS) / base);
	}
}

static void put_host(const struct page *p, const struct wc_lab_point *point)
{
	const struct wc_effect *e = &point->host_ratio;
	char buf[WC_UNITS_BUF_SZ];

	if (!point->host.n) {
		fputs("<td class=\"num none\">\xe2\x80\x93</td><td class=\"num "
		      "none\">\xe2\x80\x93</td>",
		      p->f);
		return;
	}
	fprintf(p->f, "<td class=\"num\">%s</td>",
		wc_units__format_ns(buf, sizeof(buf), point->host.ns));
	if (!e->n)
		fputs("<td class=\"num none\">\xe2\x80\x93</td>", p->f);
	else if (e->has_ci)
		fprintf(p->f, "<td class=\"num\">%.2f <span class=\"ci\">[%.2f, %.2f]</span></td>",
			e->ns, e->lo, e->hi);
	else
		fprintf(p->f, "<td class=\"num\">%.2f</td>", e->ns);
}

static void put_heads(const struct lab_page *l)
{
	const char *kernel = l->host ? wc_kvs__get(&l->host->host, "kernel") : NULL;
	const char *scheduler = l->host ? wc_kvs__get(&l->host->host, "scheduler") : NULL;
	const struct wc_lab_cell *of;
	char buf[128];
	size_t k;

	fputs("<div class=\"wide\"><table><thead><tr><th>what</th><th class=\"num\">macOS, "
	      "time</th><th class=\"num\">ratio</th>",
	      l->p.f);
	for (k = 0; (of = wc_lab__kernel(l->lab, k)); k++) {
		fputs("<th class=\"num\">", l->p.f);
		page__text(&l->p, wc_lab_cell__kernel_words(of, buf, sizeof(buf)));
		fputs(", ratio of instructions</th>", l->p.f);
	}
	if (l->host) {
		snprintf(buf, sizeof(buf), "%s (%s)", kernel ?: "host", scheduler ?: "?");
		fputs("<th class=\"num\">", l->p.f);
		page__text(&l->p, buf);
		fputs(", time</th><th class=\"num\">ratio</th>", l->p.f);
	}
	fputs("</tr></thead><tbody>\n", l->p.f);
}

void lab_page__beside(const struct lab_page *l)
{
	const struct page *p = &l->p;
	struct wc_lab_point *points;
	char id[32], buf[WC_UNITS_BUF_SZ];
	size_t cnt, i;

	if (wc_lab_points__of(l->lab, l->host, &points, &cnt)) {
		free(points);
		return;
	}
	snprintf(id, sizeof(id), "beside-%zu", l->nth + 1);
	page__section(p, id, "Beside times",
		      "Each to its own machine's baseline. A ratio of instructions is no ratio of "
		      "times: what grows in time and not in instructions waits for memory.");
	put_heads(l);
	for (i = 0; i < cnt; i++) {
		fputs("<tr><td>", p->f);
		page__text(p, points[i].what);
		if (points[i].book_ns > 0)
			fprintf(p->f, "</td><td class=\"num\">%s</td>",
				wc_book__format(WC_BOOK_NS, points[i].book_ns, buf, sizeof(buf)));
		else
			fputs("</td><td class=\"num none\">\xe2\x80\x93</td>", p->f);
		put_ratio(p, points[i].book_ratio);
		put_kernels(l, &points[i]);
		if (l->host)
			put_host(p, &points[i]);
		fputs("</tr>\n", p->f);
	}
	fputs("</tbody></table></div>\n<p>macOS: " WC_BOOK_SOURCE ".", p->f);
	if (!l->host)
		fputs(" This host: give a recording of <code>sudo wakecost explain -o "
		      "FILE</code> with <code>--beside FILE</code>.",
		      p->f);
	fputs("</p>\n", p->f);
	free(points);
}

/* ---- flame graphs, as pictures inside the page */

static void put_base64(FILE *f, const unsigned char *data, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i;

	for (i = 0; i < len; i += 3) {
		unsigned int have = len - i < 3 ? (unsigned int)(len - i) : 3, v = data[i] << 16;

		v |= have > 1 ? data[i + 1] << 8 : 0;
		v |= have > 2 ? data[i + 2] : 0;
		fputc(digits[v >> 18], f);
		fputc(digits[v >> 12 & 63], f);
		fputc(have > 1 ? digits[v >> 6 & 63] : '=', f);
		fputc(have > 2 ? digits[v & 63] : '=', f);
	}
}

static int put_flame(const struct lab_page *l, const struct wc_lab_cell *cell, bool change,
		     enum wc_lab_count count)
{
	const struct wc_lab_cell *base = change ? wc_lab__baseline(l->lab, cell) : NULL;
	char *svg = NULL, buf[128];
	size_t len;
	FILE *f = open_memstream(&svg, &len);
	int err;

	if (!f)
		return -ENOMEM;
	err = wc_out_lab_flame(f, l->lab, cell, base, count, true);
	if (fclose(f) && !err)
		err = -ENOMEM;
	if (!err) {
		fputs("<p><img class=\"flame\" alt=\"flame graph: ", l->p.f);
		fprintf(l->p.f, "%s%s, ", change ? "change in " : "", wc_lab_count__name(count));
		page__text(&l->p, wc_lab_cell__kernel_words(cell, buf, sizeof(buf)));
		fputs("\" src=\"data:image/svg+xml;base64,", l->p.f);
		put_base64(l->p.f, (const unsigned char *)svg, len);
		fputs("\"></p>\n", l->p.f);
	}
	free(svg);
	return err == -ENODATA ? 0 : err;
}

/* The cell of a kernel that counts most. */
static const struct wc_lab_cell *heaviest(const struct wc_lab *lab, const struct wc_lab_cell *of)
{
	const struct wc_lab_cell *most = of;
	size_t i;

	for (i = 0; i < lab->cell_cnt; i++) {
		const struct wc_lab_cell *c = &lab->cells[i];

		if (!strcmp(c->kernel, of->kernel) && wc_lab__is_first(lab, c) &&
		    wc_lab__mean(lab, c, NULL, NULL, WC_LAB_INSNS) +
				    100 * wc_lab__mean(lab, c, NULL, NULL, WC_LAB_L1D) >
			    wc_lab__mean(lab, most, NULL, NULL, WC_LAB_INSNS) +
				    100 * wc_lab__mean(lab, most, NULL, NULL, WC_LAB_L1D))
			most = c;
	}
	return most;
}

int lab_page__flames(const struct lab_page *l)
{
	const struct wc_lab_cell *of, *cell;
	char id[32];
	size_t k;
	int err = 0;

	snprintf(id, sizeof(id), "flame-%zu", l->nth + 1);
	page__section(&l->p, id, "Flame graphs",
		      "Stages, and functions over them, as wide as what a handoff counts there. "
		      "Coloured: against the first row of the kernel. <code>wakecost lab -i FILE "
		      "--flame PICTURE</code> draws them with search and zoom.");
	for (k = 0; !err && (of = wc_lab__kernel(l->lab, k)); k++) {
		cell = heaviest(l->lab, of);
		err = put_flame(l, cell, false, WC_LAB_INSNS);
		if (cell != of) {
			err = err ?: put_flame(l, cell, true, WC_LAB_INSNS);
			err = err ?: put_flame(l, cell, true, WC_LAB_L1D);
		}
	}
	return err;
}
