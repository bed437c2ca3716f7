// SPDX-License-Identifier: BSD-2-Clause
/* Growth at each number of parked, divided into its causes: stacked bars, and their table. */
#include <math.h>

#include "user/output/explain_html.h"

#define BAR_TOP	   4
#define BAR_HEIGHT 18
#define BAR_BELOW  28 /* of the interval */

static void put_segment(const struct page *p, const struct scale *s, const struct wc_effect *e,
			unsigned int cause, double from)
{
	double a = scale__pct(s, from), b = scale__pct(s, from + e->ns);

	fprintf(p->f, "<g class=\"tip c%u\">", cause);
	page__tip(p, wc_cause__name(cause), e);
	fprintf(p->f, "<rect x=\"%.3f%%\" width=\"%.3f%%\" y=\"%d\" height=\"%d\"/></g>",
		fmin(a, b), fabs(b - a), BAR_TOP, BAR_HEIGHT);
}

/* Shares of the other sign, which noise makes, go to the other side of zero. */
static void put_stack(const struct page *p, const struct scale *s, const struct wc_level *l)
{
	double right = 0, left = 0;
	unsigned int c;

	for (c = 0; c < WC_CAUSE_CNT; c++) {
		const struct wc_effect *e = &l->causes[c];

		if (!e->n)
			continue;
		put_segment(p, s, e, c, e->ns > 0 ? right : left);
		if (e->ns > 0)
			right += e->ns;
		else
			left += e->ns;
	}
	if (!l->causes[WC_CAUSE_NONE].n) { /* no tasks cell: nothing to divide it by */
		fputs("<g class=\"tip whole\">", p->f);
		page__tip(p, "growth, not divided here", &l->growth);
		fprintf(p->f, "<rect x=\"%.3f%%\" width=\"%.3f%%\" y=\"%d\" height=\"%d\"/></g>",
			scale__pct(s, fmin(0, l->growth.ns)),
			fabs(scale__pct(s, l->growth.ns) - scale__pct(s, 0)), BAR_TOP, BAR_HEIGHT);
	}
}

static void put_interval(const struct page *p, const struct scale *s, const struct wc_effect *e)
{
	if (!e->has_ci)
		return;
	fputs("<g class=\"tip interval\">", p->f);
	page__tip(p, "growth", e);
	fprintf(p->f,
		"<line x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%d\" y2=\"%d\"/>"
		"<circle cx=\"%.3f%%\" cy=\"%d\" r=\"3\"/></g>",
		scale__pct(s, e->lo), scale__pct(s, e->hi), BAR_BELOW, BAR_BELOW,
		scale__pct(s, e->ns), BAR_BELOW);
}

static void put_bars(const struct page *p)
{
	const struct wc_explain *e = p->e;
	struct scale s = { 0, 0 };
	char buf[WC_UNITS_BUF_SZ];
	size_t i;

	for (i = 0; i < e->level_cnt; i++) {
		scale__take(&s, e->levels[i].growth.lo);
		scale__take(&s, e->levels[i].growth.hi);
		scale__take(&s, e->levels[i].growth.ns);
	}
	s.hi += (s.hi - s.lo) * 0.02;
	fputs("<div class=\"bars\">\n", p->f);
	for (i = 0; i < e->level_cnt; i++) {
		const struct wc_level *l = &e->levels[i];

		fprintf(p->f, "<div class=\"at\">%s</div>",
			wc_units__format_count(buf, sizeof(buf), l->parked));
		fprintf(p->f,
			"<svg width=\"100%%\" height=\"36\" role=\"img\" aria-label=\"growth with "
			"%s parked\"><line class=\"zero\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"0\" "
			"y2=\"36\"/>",
			buf, scale__pct(&s, 0), scale__pct(&s, 0));
		put_stack(p, &s, l);
		put_interval(p, &s, &l->growth);
		fprintf(p->f, "</svg><div class=\"total\">%s</div>\n",
			wc_units__format_ns(buf, sizeof(buf), l->growth.ns));
	}
	fputs("</div>\n", p->f);
}

static void put_legend(const struct page *p)
{
	bool undivided = false;
	unsigned int c;
	size_t i;

	fputs("<ul class=\"legend\">", p->f);
	for (c = 0; c < WC_CAUSE_CNT; c++)
		fprintf(p->f,
			"<li><svg width=\"14\" height=\"14\"><g class=\"c%u\"><rect width=\"14\" "
			"height=\"14\"/></g></svg>%s%s%s</li>",
			c, wc_cause__group(c),
			*wc_cause__group(c) && wc_cause__group(c) != wc_cause__name(c) ? ": " : "",
			wc_cause__group(c) != wc_cause__name(c) ? wc_cause__name(c) : "");
	for (i = 0; i < p->e->level_cnt; i++)
		undivided |= !p->e->levels[i].causes[WC_CAUSE_NONE].n;
	if (undivided)
		fputs("<li class=\"bars-key\"><svg width=\"14\" height=\"14\"><g "
		      "class=\"whole\"><rect x=\"1\" y=\"1\" width=\"12\" height=\"12\"/></g></svg>not "
		      "divided at this number</li>",
		      p->f);
	fputs("</ul>\n", p->f);
}

void page__causes(const struct page *p)
{
	const struct wc_explain *e = p->e;
	char buf[WC_UNITS_BUF_SZ];
	unsigned int c;
	size_t i;

	if (!e->level_cnt)
		return;
	page__section(
		p, "causes", "Growth, and its causes",
		"How much longer the median handoff takes than with nobody parked. Below each "
		"bar the 95 % interval of the growth.");
	put_legend(p);
	put_bars(p);
	fprintf(p->f,
		"<div class=\"wide\"><table><thead><tr><th class=\"num\">parked</th><th "
		"class=\"num\">growth, %s</th>",
		p->unit->name);
	for (c = 0; c < WC_CAUSE_CNT; c++)
		fprintf(p->f, "<th class=\"num\">%s</th>", wc_cause__name(c));
	fputs("<th class=\"num\">waiters ahead, computed</th></tr></thead><tbody>\n", p->f);
	for (i = 0; i < e->level_cnt; i++) {
		const struct wc_level *l = &e->levels[i];

		fprintf(p->f, "<tr><td class=\"num\">%s</td>",
			wc_units__format_count(buf, sizeof(buf), l->parked));
		page__cell(p, &l->growth);
		for (c = 0; c < WC_CAUSE_CNT; c++)
			page__cell(p, &l->causes[c]);
		if (l->chain == UINT64_MAX)
			fputs("<td class=\"num none\">\xe2\x80\x93</td></tr>\n", p->f);
		else
			fprintf(p->f, "<td class=\"num\">%s</td></tr>\n",
				wc_units__format_count(buf, sizeof(buf), l->chain));
	}
	fputs("</tbody></table></div>\n", p->f);
}
