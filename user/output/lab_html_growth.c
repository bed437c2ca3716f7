// SPDX-License-Identifier: BSD-2-Clause
/* Growth of the lab's cells: a longer path beside more misses on the same one; by function, stage. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/lab_growth.h"
#include "user/model/lab_points.h"
#include "user/output/lab_html.h"

#define FUNCTION_MAX 8
#define LINES_MIN    0.5

static const char *const stages[] = { "find", "select", "enqueue", "wait",
				      "pick", "switch", "return",  "outside" };

#define STAGE_CNT (sizeof(stages) / sizeof(*stages))

static void section(const struct lab_page *l, const char *id, const char *title, const char *lead)
{
	char name[64], words[128];

	snprintf(name, sizeof(name), "%s-%zu", id, l->nth + 1);
	snprintf(words, sizeof(words), "%s: %s",
		 !strcmp(l->lab->shape, "ring") ? "Ring" : "Handoff", title);
	page__section(&l->p, name, words, lead);
}

static void put_names(const struct lab_page *l, const struct wc_lab_cell *cell)
{
	char buf[128];

	fputs("<tr><td>", l->p.f);
	page__text(&l->p, wc_lab_cell__kernel_words(cell, buf, sizeof(buf)));
	fputs("</td><td>", l->p.f);
	page__text(&l->p, wc_lab__words(l->lab, cell->params, buf, sizeof(buf)));
	fputs("</td>", l->p.f);
}

/* Path and same path beside each other, on a scale shared by the table. */
static void put_bar(const struct page *p, const struct scale *s, const char *what, double path,
		    double same)
{
	const double parts[] = { path, same };
	static const char *const css[] = { "c1", "c4" };
	static const char *const words[] = { "where the path grew", "on the same instructions" };
	double right = 0, left = 0;
	size_t i;

	fprintf(p->f,
		"<td class=\"bar\"><svg width=\"100%%\" height=\"18\" aria-hidden=\"true\"><line "
		"class=\"zero\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"0\" y2=\"18\"/>",
		scale__pct(s, 0), scale__pct(s, 0));
	for (i = 0; i < 2; i++) {
		double *from = parts[i] > 0 ? &right : &left;
		double a = scale__pct(s, *from), b = scale__pct(s, *from + parts[i]);

		fprintf(p->f,
			"<g class=\"tip %s\"><title>%s %s\n%+.1f</title><rect x=\"%.3f%%\" "
			"width=\"%.3f%%\" y=\"4\" height=\"10\"/></g>",
			css[i], what, words[i], parts[i], fmin(a, b), fabs(b - a));
		*from += parts[i];
	}
	fputs("</svg></td>", p->f);
}

static void take(struct scale *s, const struct wc_lab_growth *g, enum wc_lab_count count)
{
	scale__take(s, fmax(g->path[count], 0) + fmax(g->same[count], 0));
	scale__take(s, fmin(g->path[count], 0) + fmin(g->same[count], 0));
}

static void put_growth(const struct lab_page *l, const struct wc_lab_cell *cell,
		       const struct scale scales[2])
{
	const struct page *p = &l->p;
	struct wc_lab_growth g;

	if (wc_lab_growth__of(l->lab, cell, wc_lab__baseline(l->lab, cell), &g)) {
		wc_lab_growth__free(&g);
		return;
	}
	put_names(l, cell);
	fprintf(p->f, "<td class=\"num\">%.1f <span class=\"ci\">[%.1f, %.1f]</span></td>",
		g.now[WC_LAB_INSNS], g.now_min, g.now_max);
	fprintf(p->f, "<td class=\"num\">%+.1f</td>", wc_lab_growth__more(&g, WC_LAB_INSNS));
	put_bar(p, &scales[0], "instructions", g.path[WC_LAB_INSNS], g.same[WC_LAB_INSNS]);
	fprintf(p->f, "<td class=\"num\">%+.1f</td>", wc_lab_growth__more(&g, WC_LAB_L1D));
	put_bar(p, &scales[1], "L1d misses", g.path[WC_LAB_L1D], g.same[WC_LAB_L1D]);
	fprintf(p->f,
		"<td class=\"num\">%+.1f</td><td class=\"num\">%+.1f</td><td "
		"class=\"num\">%+.2f</td><td class=\"num\">%.2f</td></tr>\n",
		wc_lab_growth__more(&g, WC_LAB_L2), wc_lab_growth__more(&g, WC_LAB_DTLB),
		wc_lab_growth__more(&g, WC_LAB_STLB), cell->waits_per_handoff);
	wc_lab_growth__free(&g);
}

void lab_page__growth(const struct lab_page *l)
{
	struct scale scales[2] = { { 0, 0 }, { 0, 0 } };
	const struct wc_lab *lab = l->lab;
	FILE *f = l->p.f;
	size_t i;

	for (i = 0; i < lab->cell_cnt; i++) {
		struct wc_lab_growth g;

		if (!wc_lab_growth__of(lab, &lab->cells[i], wc_lab__baseline(lab, &lab->cells[i]),
				       &g)) {
			take(&scales[0], &g, WC_LAB_INSNS);
			take(&scales[1], &g, WC_LAB_L1D);
		}
		wc_lab_growth__free(&g);
	}
	section(l, "growth", "instructions, and misses on the same instructions",
		"Each against the first row of its kernel. Brackets: the least and the most that a "
		"seed gave; seeds lay memory out anew.");
	fputs("<ul class=\"legend\"><li><svg width=\"14\" height=\"14\"><g class=\"c1\"><rect "
	      "width=\"14\" height=\"14\"/></g></svg>in functions whose path grew</li><li><svg "
	      "width=\"14\" height=\"14\"><g class=\"c4\"><rect width=\"14\" "
	      "height=\"14\"/></g></svg>on the same instructions</li></ul>\n<div "
	      "class=\"wide\"><table><thead><tr><th>kernel</th><th>what</th><th "
	      "class=\"num\">instructions</th><th class=\"num\">more</th><th></th><th "
	      "class=\"num\">more L1d misses</th><th></th><th class=\"num\">L2</th><th "
	      "class=\"num\">dTLB</th><th class=\"num\">STLB</th><th class=\"num\">sleeps a "
	      "handoff</th></tr></thead><tbody>\n",
	      f);
	for (i = 0; i < lab->cell_cnt; i++) {
		if (wc_lab__is_first(lab, &lab->cells[i]))
			put_growth(l, &lab->cells[i], scales);
	}
	fputs("</tbody></table></div>\n", f);
}

static void put_function(const struct page *p, const struct wc_lab_change *c)
{
	static const enum wc_lab_count counts[] = { WC_LAB_L1D, WC_LAB_L2, WC_LAB_DTLB };
	size_t i;

	fputs("<tr><td><code>", p->f);
	page__text(p, c->function);
	fputs("</code></td><td>", p->f);
	page__text(p, c->stage);
	fprintf(p->f,
		"</td><td>%s</td><td class=\"num\">%.1f</td><td class=\"num\">%.1f</td><td "
		"class=\"num\">%+.1f</td>",
		c->path ? "another path" : "the same", c->base[WC_LAB_INSNS], c->now[WC_LAB_INSNS],
		wc_lab_change__more(c, WC_LAB_INSNS));
	for (i = 0; i < 3; i++)
		fprintf(p->f, "<td class=\"num\">%+.2f</td>", wc_lab_change__more(c, counts[i]));
	fputs("</tr>\n", p->f);
}

static void put_functions(const struct lab_page *l, const struct wc_lab_cell *cell)
{
	char buf[128];
	struct wc_lab_growth g;
	size_t shown = 0, i;

	if (wc_lab_growth__of(l->lab, cell, wc_lab__baseline(l->lab, cell), &g)) {
		wc_lab_growth__free(&g);
		return;
	}
	fputs("<h3>", l->p.f);
	page__text(&l->p, wc_lab_cell__kernel_words(cell, buf, sizeof(buf)));
	fputs(", ", l->p.f);
	page__text(&l->p, wc_lab__words(l->lab, cell->params, buf, sizeof(buf)));
	fputs("</h3>\n<div class=\"wide\"><table><thead><tr><th>function</th><th>stage</th><th>"
	      "path</th><th class=\"num\">instructions before</th><th class=\"num\">now</th><th "
	      "class=\"num\">more</th><th class=\"num\">more L1d misses</th><th "
	      "class=\"num\">L2</th><th class=\"num\">dTLB</th></tr></thead><tbody>\n",
	      l->p.f);
	for (i = 0; i < g.cnt && shown < FUNCTION_MAX; i++) {
		if (!g.items[i].path &&
		    fabs(wc_lab_change__more(&g.items[i], WC_LAB_L1D)) < LINES_MIN)
			continue;
		put_function(&l->p, &g.items[i]);
		shown++;
	}
	if (!shown)
		fputs("<tr><td class=\"none\" colspan=\"9\">none differs by five instructions or "
		      "half a line</td></tr>\n",
		      l->p.f);
	fputs("</tbody></table></div>\n", l->p.f);
	wc_lab_growth__free(&g);
}

void lab_page__functions(const struct lab_page *l)
{
	size_t i;

	section(l, "functions", "which functions", "The heaviest first.");
	for (i = 0; i < l->lab->cell_cnt; i++) {
		const struct wc_lab_cell *cell = &l->lab->cells[i];

		if (wc_lab__is_first(l->lab, cell) && wc_lab__baseline(l->lab, cell) != cell)
			put_functions(l, cell);
	}
}

static void put_stages(const struct lab_page *l, enum wc_lab_count count, const char *title)
{
	FILE *f = l->p.f;
	size_t i, s;

	fprintf(f,
		"<h3>%s</h3>\n<div class=\"wide\"><table><thead><tr><th>kernel</th><th>what</th>",
		title);
	for (s = 0; s < STAGE_CNT; s++)
		fprintf(f, "<th class=\"num\">%s</th>", stages[s]);
	fputs("<th class=\"num\">all</th></tr></thead><tbody>\n", f);
	for (i = 0; i < l->lab->cell_cnt; i++) {
		const struct wc_lab_cell *cell = &l->lab->cells[i];

		if (!wc_lab__is_first(l->lab, cell))
			continue;
		put_names(l, cell);
		for (s = 0; s < STAGE_CNT; s++)
			fprintf(f, "<td class=\"num\">%.1f</td>",
				wc_lab__mean(l->lab, cell, stages[s], NULL, count));
		fprintf(f, "<td class=\"num\">%.1f</td></tr>\n",
			wc_lab__mean(l->lab, cell, NULL, NULL, count));
	}
	fputs("</tbody></table></div>\n", f);
}

void lab_page__stages(const struct lab_page *l)
{
	section(l, "stages", "by stage", NULL);
	put_stages(l, WC_LAB_INSNS, "Instructions a handoff");
	put_stages(l, WC_LAB_L1D, "L1d misses a handoff");
}
