// SPDX-License-Identifier: BSD-2-Clause
/* Stages: by number of parked as a map, and the two ends of it one above the other. */
#include <math.h>

#include "user/output/explain_html.h"

#define ROW 22 /* px from one row of frames to the next */

/* Steps of colour by the root: small growth is seen beside large, and none where it is chance. */
static void put_heat(const struct page *p, const struct wc_effect *value,
		     const struct wc_effect *growth, double most)
{
	char buf[WC_UNITS_BUF_SZ];
	int step = 0;

	if (!value->n) {
		fputs("<td class=\"num none\">\xe2\x80\x93</td>", p->f);
		return;
	}
	if (growth && wc_effect__is_real(growth) && most > 0)
		step = (int)ceil(sqrt(fmin(fabs(growth->ns) / most, 1)) * 6);
	fprintf(p->f, "<td class=\"num %s%d\">%s</td>", growth && growth->ns < 0 ? "less" : "heat",
		step, page__ns(p, value->ns, buf));
}

void page__stages(const struct page *p)
{
	const struct wc_explain *e = p->e;
	char buf[WC_UNITS_BUF_SZ];
	double most = 0;
	unsigned int m;
	size_t i;

	if (!e->level_cnt)
		return;
	for (i = 0; i < e->level_cnt; i++)
		for (m = 0; m < WC_STAGE_CNT; m++)
			most = fmax(most, fabs(e->levels[i].stage_growth[m].ns));
	page__section(p, "stages", "Stages by number of parked",
		      "Median time in each stage. Coloured is what grew, or shrank, against nobody "
		      "parked by more than chance; the darker, the more.");
	fprintf(p->f,
		"<div class=\"wide\"><table class=\"map\"><thead><tr><th>%s</th><th "
		"class=\"num\">0</th>",
		p->unit->name);
	for (i = 0; i < e->level_cnt; i++)
		fprintf(p->f, "<th class=\"num\">%s</th>",
			wc_units__format_count(buf, sizeof(buf), e->levels[i].parked));
	fputs("</tr></thead><tbody>\n", p->f);
	for (m = 0; m < WC_STAGE_CNT; m++) {
		if (!page__stage(p, m))
			continue;
		fputs("<tr><th>", p->f);
		page__text(p, page__stage(p, m));
		fputs("</th>", p->f);
		put_heat(p, &e->base_stages[m], NULL, most);
		for (i = 0; i < e->level_cnt; i++)
			put_heat(p, &e->levels[i].stages[m], &e->levels[i].stage_growth[m], most);
		fputs("</tr>\n", p->f);
	}
	fputs("<tr class=\"sum\"><th>handoff</th>", p->f);
	put_heat(p, &e->base, NULL, most);
	for (i = 0; i < e->level_cnt; i++)
		put_heat(p, &e->levels[i].handoff, &e->levels[i].growth, most);
	fputs("</tr></tbody></table></div>\n", p->f);
}

/* ---- nobody parked against the most ---- */

static const struct {
	const char *name;
	unsigned int first, last;
} sides[] = {
	{ "waker", WC_STAGE_FIND, WC_STAGE_ENQUEUE },
	{ "scheduler", WC_STAGE_WAIT, WC_STAGE_SWITCH },
	{ "wakee", WC_STAGE_RETURN, WC_STAGE_RETURN },
};

struct icicle {
	const struct page *p;
	const struct wc_effect *stages,
		*before;		/* before: NULL for the one that is compared with */
	const struct wc_effect *growth; /* of the stages; NULL likewise */
	double full;			/* ns of the whole width */
};

/* As in flame graphs: a step at 5, 20 and 50 % of the larger. */
static const char *change_css(const struct icicle *t, double now, double before)
{
	static const char *const more[] = { "more1", "more2", "more3", "more4" };
	static const char *const less[] = { "less1", "less2", "less3", "less4" };
	static const double steps[] = { 0.05, 0.2, 0.5 };
	double part = fabs(now - before) / fmax(fmax(now, before), 1);
	unsigned int i = 0;

	if (!t->before)
		return "same";
	/* of the whole too little to be seen */
	if (fabs(now - before) < 0.005 * t->full || part < 0.02)
		return "same";
	while (i < 3 && part > steps[i])
		i++;
	return now > before ? more[i] : less[i];
}

static void put_frame(const struct icicle *t, const char *name, double from, double ns,
		      double before, unsigned int row)
{
	const struct page *p = t->p;
	char now[WC_UNITS_BUF_SZ], was[WC_UNITS_BUF_SZ];

	if (ns <= 0)
		return;
	wc_units__format_ns(now, sizeof(now), ns);
	fprintf(p->f,
		"<svg x=\"%.3f%%\" y=\"%u\" width=\"%.3f%%\" height=\"%d\"><g class=\"tip frame %s\">"
		"<title>",
		from / t->full * 100, row * ROW, ns / t->full * 100, ROW - 1,
		change_css(t, ns, before));
	page__text(p, name);
	fprintf(p->f, "\n%s", now);
	if (t->before)
		fprintf(p->f, "; %s with nobody parked",
			wc_units__format_ns(was, sizeof(was), before));
	fputs("</title><rect width=\"100%\" height=\"100%\"/><text x=\"5\" y=\"15\">", p->f);
	page__text(p, name);
	fprintf(p->f, " %s</text></g></svg>\n", now);
}

static double sum_of(const struct wc_effect *stages, unsigned int first, unsigned int last)
{
	double sum = 0;
	unsigned int m;

	for (m = first; stages && m <= last; m++)
		sum += fmax(stages[m].ns, 0);
	return sum;
}

static void put_icicle(const struct icicle *t, const char *what, double whole, double whole_before)
{
	double at = 0, inner;
	unsigned int i, m;

	fprintf(t->p->f,
		"<svg class=\"icicle\" width=\"100%%\" height=\"%d\" role=\"img\" "
		"aria-label=\"%s, by stage\">\n",
		3 * ROW, what);
	put_frame(t, what, 0, whole, whole_before, 0);
	for (i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
		put_frame(t, sides[i].name, at, sum_of(t->stages, sides[i].first, sides[i].last),
			  sum_of(t->before, sides[i].first, sides[i].last), 1);
		for (inner = at, m = sides[i].first; m <= sides[i].last; m++) {
			double ns = fmax(t->stages[m].ns, 0);

			if (page__stage(t->p, m))
				put_frame(t, page__stage(t->p, m), inner, ns,
					  t->before ? t->before[m].ns : 0, 2);
			inner += ns;
		}
		at = inner;
	}
	if (whole - at > 0.005 * t->full)
		put_frame(t, "no stage", at, whole - at, whole - at, 1);
	fputs("</svg>\n", t->p->f);
}

void page__change(const struct page *p)
{
	const struct wc_explain *e = p->e;
	const struct wc_level *top = e->level_cnt ? &e->levels[e->level_cnt - 1] : NULL;
	struct icicle base = { .p = p, .stages = e->base_stages }, most = base;
	char what[96], buf[WC_UNITS_BUF_SZ];

	if (!top || !top->handoff.n)
		return;
	base.full = most.full = fmax(fmax(top->handoff.ns, e->base.ns), 1);
	most.stages = top->stages;
	most.before = e->base_stages;
	page__section(p, "change", "Nobody parked against the most",
		      "Both to the same scale: a frame is as wide as its median time, what it "
		      "consists of stands below it. Below, coloured by its change.");
	put_icicle(&base, "nobody parked", e->base.ns, 0);
	snprintf(what, sizeof(what), "%s parked",
		 wc_units__format_count(buf, sizeof(buf), top->parked));
	put_icicle(&most, what, top->handoff.ns, e->base.ns);
	fputs("<ul class=\"legend\"><li><svg width=\"14\" height=\"14\"><g class=\"less4\"><rect "
	      "width=\"14\" height=\"14\"/></g></svg>less by over half</li><li><svg width=\"14\" "
	      "height=\"14\"><g class=\"same\"><rect width=\"14\" height=\"14\"/></g></svg>no "
	      "change</li><li><svg width=\"14\" height=\"14\"><g class=\"more2\"><rect width=\"14\" "
	      "height=\"14\"/></g></svg>more</li><li><svg width=\"14\" height=\"14\"><g "
	      "class=\"more4\"><rect width=\"14\" height=\"14\"/></g></svg>more by over "
	      "half</li></ul>\n",
	      p->f);
}
