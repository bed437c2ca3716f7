// SPDX-License-Identifier: BSD-2-Clause
/* The handoff over the number of parked: points with intervals, the line, slopes of the stages. */
#include <math.h>

#include "user/output/explain_html.h"

#define HEIGHT 280 /* px of the plot */
#define BELOW  30  /* px for what stands under it */

struct plot {
	struct scale x, y;
};

static double y_px(const struct plot *t, double v)
{
	return HEIGHT - scale__pct(&t->y, v) / 100 * HEIGHT;
}

static struct plot plot__of(const struct wc_explain *e)
{
	struct plot t = { { 0, 0 }, { 0, e->base.hi } };
	size_t i;

	for (i = 0; i < e->level_cnt; i++) {
		scale__take(&t.x, (double)e->levels[i].parked);
		scale__take(&t.y, e->levels[i].handoff.hi);
	}
	t.y.hi *= 1.04;
	return t;
}

/* Labels in a picture of their own, as wide as they are; the plot takes the rest. */
static void put_y_axis(const struct page *p, const struct plot *t)
{
	double step = scale__step(&t->y, 6), v;
	unsigned int i;

	fprintf(p->f, "<svg class=\"axis\" width=\"52\" height=\"%d\" aria-hidden=\"true\">",
		HEIGHT + BELOW);
	for (i = 0; (v = i * step) <= t->y.hi; i++)
		fprintf(p->f, "<text x=\"46\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>",
			fmax(y_px(t, v) + 4, 10), v / p->unit->ns);
	fputs("</svg>", p->f);
}

static void put_grid(const struct page *p, const struct plot *t)
{
	double step = scale__step(&t->y, 6), v;
	unsigned int i;
	char buf[WC_UNITS_BUF_SZ];

	for (i = 0; (v = i * step) <= t->y.hi; i++)
		fprintf(p->f,
			"<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>",
			y_px(t, v), y_px(t, v));
	step = scale__step(&t->x, 4);
	for (i = 0; (v = i * step) <= t->x.hi; i++)
		fprintf(p->f,
			"<line class=\"grid\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"0\" y2=\"%d\"/>"
			"<text class=\"label\" x=\"%.3f%%\" y=\"%d\" text-anchor=\"%s\">%s</text>",
			scale__pct(&t->x, v), scale__pct(&t->x, v), HEIGHT, scale__pct(&t->x, v),
			HEIGHT + 18,
			v == 0			    ? "start"
			: scale__pct(&t->x, v) > 96 ? "end"
						    : "middle",
			wc_units__format_count(buf, sizeof(buf), (uint64_t)v));
}

static void put_point(const struct page *p, const struct plot *t, uint64_t parked,
		      const struct wc_effect *e)
{
	char what[96], buf[WC_UNITS_BUF_SZ];
	double x = scale__pct(&t->x, (double)parked);

	if (!e->n)
		return;
	snprintf(what, sizeof(what), "%s parked", wc_units__format_count(buf, sizeof(buf), parked));
	fputs("<g class=\"tip point\">", p->f);
	page__tip(p, what, e);
	if (e->has_ci)
		fprintf(p->f, "<line x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%.1f\" y2=\"%.1f\"/>", x, x,
			y_px(t, e->lo), y_px(t, e->hi));
	fprintf(p->f, "<circle cx=\"%.3f%%\" cy=\"%.1f\" r=\"4.5\"/></g>\n", x, y_px(t, e->ns));
}

static void put_line(const struct page *p, const struct plot *t, const char *css, double x1,
		     double y1, double x2, double y2)
{
	fprintf(p->f, "<line class=\"%s\" x1=\"%.3f%%\" y1=\"%.1f\" x2=\"%.3f%%\" y2=\"%.1f\"/>",
		css, scale__pct(&t->x, x1), y_px(t, y1), scale__pct(&t->x, x2), y_px(t, y2));
}

/* Through the base: what the slope is measured from. */
static void put_fit(const struct page *p, const struct plot *t)
{
	const struct wc_explain *e = p->e;
	const struct wc_slope *s = &e->slope;
	double end = t->x.hi, base = e->base.ns;
	size_t i;

	if (!s->n)
		return;
	for (i = 0; s->bends && i < e->level_cnt; i++) {
		double at = (double)e->levels[i].parked, y = e->levels[i].handoff.ns;

		if (at != s->knee)
			continue;
		put_line(p, t, "fit", 0, y - s->lower * at, at, y);
		put_line(p, t, "fit", at, y, end, y + s->upper * (end - at));
		return;
	}
	if (s->has_ci) {
		put_line(p, t, "bound", 0, base, end, base + s->lo * end);
		put_line(p, t, "bound", 0, base, end, base + s->hi * end);
	}
	put_line(p, t, "fit", 0, base, end, base + s->per_x * end);
}

static void put_plot(const struct page *p)
{
	struct plot t = plot__of(p->e);
	size_t i;

	fprintf(p->f, "<p class=\"ylabel\">handoff, %s</p>\n<div class=\"plot\">", p->unit->name);
	put_y_axis(p, &t);
	fprintf(p->f,
		"<svg class=\"area\" width=\"100%%\" height=\"%d\" role=\"img\" "
		"aria-label=\"median handoff over the number of parked tasks\">\n",
		HEIGHT + BELOW);
	put_grid(p, &t);
	/* lines steeper than the plot is high must not leave it */
	fprintf(p->f, "<svg width=\"100%%\" height=\"%d\">", HEIGHT);
	put_fit(p, &t);
	fputs("</svg>\n", p->f);
	put_point(p, &t, 0, &p->e->base);
	for (i = 0; i < p->e->level_cnt; i++)
		put_point(p, &t, p->e->levels[i].parked, &p->e->levels[i].handoff);
	fputs("</svg></div>\n<p class=\"xlabel\">parked</p>\n", p->f);
}

static void put_row(const struct page *p, const struct scale *s, const char *name,
		    const struct wc_slope *slope, const char *css)
{
	struct wc_effect e = { slope->n, slope->has_ci, slope->per_x, slope->lo, slope->hi };

	if (!slope->n)
		return;
	fputs("<tr><td>", p->f);
	page__text(p, name);
	fprintf(p->f, "</td><td class=\"num\">%.3f", slope->per_x);
	if (slope->has_ci)
		fprintf(p->f, " <span class=\"ci\">[%.3f, %.3f]</span>", slope->lo, slope->hi);
	fputs("</td>", p->f);
	page__bar(p, s, &e, css, name);
	fputs("</tr>\n", p->f);
}

static void put_slopes(const struct page *p)
{
	const struct wc_explain *e = p->e;
	struct scale s = { 0, 0 };
	unsigned int m;

	scale__take(&s, e->slope.lo);
	scale__take(&s, e->slope.hi);
	for (m = 0; m < WC_STAGE_CNT; m++) {
		scale__take(&s, e->stage_slopes[m].lo);
		scale__take(&s, e->stage_slopes[m].hi);
	}
	fputs("<div class=\"wide\"><table><thead><tr><th>slope</th><th class=\"num\">ns a parked task "
	      "[95 %]</th><th></th></tr></thead><tbody>\n",
	      p->f);
	put_row(p, &s, "handoff", &e->slope, "whole");
	for (m = 0; m < WC_STAGE_CNT; m++) {
		if (page__stage(p, m))
			put_row(p, &s, page__stage(p, m), &e->stage_slopes[m], "plain");
	}
	fprintf(p->f,
		"<tr><td>no stage's</td><td class=\"num\">%.3f</td><td></td></tr>\n"
		"</tbody></table></div>\n",
		e->slope_rest);
}

void page__slope(const struct page *p)
{
	const struct wc_slope *s = &p->e->slope;

	if (!s->n)
		return;
	page__section(p, "slope", "The slope", NULL);
	fprintf(p->f, "<p>%.3f ns a parked task", s->per_x);
	if (s->has_ci)
		fprintf(p->f, ", 95 %% between %.3f and %.3f", s->lo, s->hi);
	fprintf(p->f, ", from %u rounds of %u levels. ", s->n, s->levels);
	if (s->bends)
		fprintf(p->f, "It is no straight line: %.3f up to %.0f parked, %.3f beyond.",
			s->lower, s->knee, s->upper);
	else
		fputs("No bend was found.", p->f);
	if (p->e->predicted_slope > 0)
		fprintf(p->f,
			" The computed chains of the futex buckets predict %.3f, at %.1f ns a waiter "
			"ahead.",
			p->e->predicted_slope, p->e->per_waiter.ns);
	fputs("</p>\n", p->f);
	put_plot(p);
	put_slopes(p);
}
