// SPDX-License-Identifier: BSD-2-Clause
/*
 * The conclusion as one page that needs nothing beside itself: no network, no script to be read.
 * Verdict first, then what it rests on; every picture has its numbers in a table.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "user/output/explain.h"
#include "user/output/explain_html.h"
#include "user/output/flame_impl.h"

void page__text(const struct page *p, const char *text)
{
	char *safe = flame__safe(text);

	if (safe)
		flame__put(p->f, safe);
	else
		errno = ENOMEM;
	free(safe);
}

void page__section(const struct page *p, const char *id, const char *title, const char *lead)
{
	fprintf(p->f, "</section>\n<section id=\"%s\"><h2>%s</h2>\n", id, title);
	if (lead)
		fprintf(p->f, "<p>%s</p>\n", lead);
}

const char *page__ns(const struct page *p, double ns, char buf[WC_UNITS_BUF_SZ])
{
	double v = ns / p->unit->ns, size = fabs(v);

	snprintf(buf, WC_UNITS_BUF_SZ, "%.*f", size >= 100 ? 0 : size >= 10 ? 1 : 2, v);
	return strcmp(buf, "-0.00") ? buf : "0.00";
}

void page__cell(const struct page *p, const struct wc_effect *e)
{
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ], c[WC_UNITS_BUF_SZ];

	if (!e->n)
		fputs("<td class=\"num none\">\xe2\x80\x93</td>", p->f);
	else if (!e->has_ci)
		fprintf(p->f, "<td class=\"num\">%s <span class=\"ci\">%u rounds</span></td>",
			page__ns(p, e->ns, a), e->n);
	else
		fprintf(p->f, "<td class=\"num\">%s <span class=\"ci\">[%s, %s]</span></td>",
			page__ns(p, e->ns, a), page__ns(p, e->lo, b), page__ns(p, e->hi, c));
}

void page__tip(const struct page *p, const char *what, const struct wc_effect *e)
{
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ], c[WC_UNITS_BUF_SZ];

	fputs("<title>", p->f);
	page__text(p, what);
	fprintf(p->f, "\n%s", wc_units__format_ns(a, sizeof(a), e->ns));
	if (e->has_ci)
		fprintf(p->f, ", 95 %% between %s and %s", wc_units__format_ns(b, sizeof(b), e->lo),
			wc_units__format_ns(c, sizeof(c), e->hi));
	fprintf(p->f, "\n%u rounds</title>", e->n);
}

const char *page__stage(const struct page *p, unsigned int stage)
{
	const char *name = p->r->stages[stage].shown_as;

	if (p->r->stages[stage].status == WC_STATUS_MISSING)
		return NULL;
	for (unsigned int m = 0; m < stage && name && *name; m++)
		if (p->r->stages[m].shown_as && !strcmp(p->r->stages[m].shown_as, name))
			return NULL;
	return name && *name ? name : wc_stage__name(stage);
}

void scale__take(struct scale *s, double v)
{
	s->lo = fmin(s->lo, v);
	s->hi = fmax(s->hi, v);
}

double scale__pct(const struct scale *s, double v)
{
	return s->hi > s->lo ? (v - s->lo) / (s->hi - s->lo) * 100 : 0;
}

double scale__step(const struct scale *s, unsigned int most)
{
	static const double of[] = { 1, 2, 5, 10 };
	double least = (s->hi - s->lo) / most, power;
	size_t i = 0;

	if (least <= 0)
		return 1;
	power = pow(10, floor(log10(least)));
	while (i < 3 && of[i] * power < least)
		i++;
	return of[i] * power;
}

void page__bar(const struct page *p, const struct scale *s, const struct wc_effect *e,
	       const char *css, const char *what)
{
	double zero = scale__pct(s, 0), at = scale__pct(s, e->ns);

	fputs("<td class=\"bar\"><svg width=\"100%\" height=\"18\" aria-hidden=\"true\">", p->f);
	fprintf(p->f, "<line class=\"zero\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"0\" y2=\"18\"/>", zero,
		zero);
	if (e->n) {
		fprintf(p->f, "<g class=\"tip %s\">", css);
		page__tip(p, what, e);
		fprintf(p->f, "<rect x=\"%.3f%%\" width=\"%.3f%%\" y=\"4\" height=\"10\"/>",
			fmin(zero, at), fabs(at - zero));
		if (e->has_ci)
			fprintf(p->f,
				"<line class=\"whisker\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"9\" "
				"y2=\"9\"/>",
				scale__pct(s, e->lo), scale__pct(s, e->hi));
		fputs("</g>", p->f);
	}
	fputs("</svg></td>", p->f);
}

/* ---- sections without pictures ---- */

static void put_head(const struct page *p)
{
	const char *kernel = wc_kvs__get(&p->r->host, "kernel");

	fputs("<!doctype html>\n" WC_EXPLAIN_HTML_MAGIC " -->\n<html lang=\"en\"><head>"
	      "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
	      "content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<title>What makes a handoff dearer",
	      p->f);
	if (kernel) {
		fputs(" \xe2\x80\x94 ", p->f);
		page__text(p, kernel);
	}
	fprintf(p->f, "</title>\n<style>\n%s</style></head>\n<body><main>\n", wc_explain_css);
}

static void put_figure(const struct page *p, const char *what, const struct wc_effect *e)
{
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ], c[WC_UNITS_BUF_SZ];

	if (!e->n)
		return;
	fprintf(p->f, "<div><dt>%s</dt><dd>%s", what, wc_units__format_ns(a, sizeof(a), e->ns));
	if (e->has_ci)
		fprintf(p->f, " <span class=\"ci\">[%s, %s]</span>",
			wc_units__format_ns(b, sizeof(b), e->lo),
			wc_units__format_ns(c, sizeof(c), e->hi));
	fputs("</dd></div>\n", p->f);
}

static void put_verdict(const struct page *p)
{
	const struct wc_explain *e = p->e;
	const char *kernel = wc_kvs__get(&p->r->host, "kernel");
	const char *scheduler = wc_kvs__get(&p->r->host, "scheduler");
	char what[96], count[WC_UNITS_BUF_SZ];
	size_t i;

	fputs("<section id=\"verdict\"><h1>What makes a handoff dearer</h1>\n<p class=\"where\">",
	      p->f);
	page__text(p, kernel ? kernel : "unknown kernel");
	fputs(", ", p->f);
	page__text(p, scheduler ? scheduler : "unknown scheduler");
	fprintf(p->f, ", %u rounds%s</p>\n<ul class=\"verdicts\">\n", e->rounds,
		p->r->interrupted ? ", interrupted" : "");
	for (i = 0; i < e->verdict_cnt; i++) {
		fputs("<li>", p->f);
		page__text(p, e->verdicts[i]);
		fputs("</li>\n", p->f);
	}
	fputs("</ul>\n<dl class=\"figures\">\n", p->f);
	put_figure(p, "a handoff, nobody parked", &e->base);
	if (e->level_cnt) {
		const struct wc_level *top = &e->levels[e->level_cnt - 1];

		snprintf(what, sizeof(what), "growth with %s parked",
			 wc_units__format_count(count, sizeof(count), top->parked));
		put_figure(p, what, &top->growth);
	}
	put_figure(p, "two equal cells differ by", &e->noise);
	put_figure(p, "measuring adds to a handoff", &e->tool_cost);
	fputs("</dl>\n", p->f);
}

static void put_worth(const struct page *p, const struct wc_contrast *c)
{
	char cnt[WC_UNITS_BUF_SZ];

	if (c->worth_level >= WC_MEM_CNT || !(c->worth[c->worth_level] >= 0.5)) {
		fputs("<td></td>", p->f);
		return;
	}
	wc_units__format_count(cnt, sizeof(cnt), (uint64_t)llround(c->worth[c->worth_level]));
	fprintf(p->f, "<td>%s \xc3\x97 %s</td>", cnt, wc_mem__name(c->worth_level));
}

static void put_contrasts(const struct page *p)
{
	struct scale s = { 0, 0 };
	size_t i;

	if (!p->e->contrast_cnt)
		return;
	page__section(p, "contrasts", "One thing changed at a time", NULL);
	for (i = 0; i < p->e->contrast_cnt; i++) {
		scale__take(&s, p->e->contrasts[i].growth.lo);
		scale__take(&s, p->e->contrasts[i].growth.hi);
	}
	fprintf(p->f,
		"<div class=\"wide\"><table><thead><tr><th>what</th><th class=\"num\">handoff, "
		"%s</th><th class=\"num\">growth, %s [95 %%]</th><th></th>%s</tr></thead><tbody>\n",
		p->unit->name, p->unit->name, p->e->has_memory ? "<th>as much as</th>" : "");
	for (i = 0; i < p->e->contrast_cnt; i++) {
		const struct wc_contrast *c = &p->e->contrasts[i];
		char buf[WC_UNITS_BUF_SZ];

		fputs("<tr><td>", p->f);
		page__text(p, c->what);
		fprintf(p->f, "</td><td class=\"num\">%s</td>", page__ns(p, c->handoff.ns, buf));
		page__cell(p, &c->growth);
		page__bar(p, &s, &c->growth, "plain", c->what);
		if (p->e->has_memory)
			put_worth(p, c);
		fputs("</tr>\n", p->f);
	}
	fputs("</tbody></table></div>\n", p->f);
}

static void put_checks(const struct page *p)
{
	static const char *const css[] = { "passed", "failed", "open", "open" };
	size_t i;

	page__section(p, "checks", "Checks", NULL);
	fputs("<div class=\"wide\"><table><thead><tr><th>result</th><th>check</th><th>seen</th></tr>"
	      "</thead><tbody>\n",
	      p->f);
	for (i = 0; i < p->e->check_cnt; i++) {
		const struct wc_check *c = &p->e->checks[i];

		fprintf(p->f, "<tr><td class=\"%s\">%s</td><td>", css[c->result],
			wc_check_result__name(c->result));
		page__text(p, c->what);
		fputs("</td><td>", p->f);
		page__text(p, c->saw);
		fputs("</td></tr>\n", p->f);
	}
	fputs("</tbody></table></div>\n", p->f);
}

static void put_stage_sources(const struct page *p)
{
	unsigned int m;

	fputs("<h3>Where the stages' boundaries come from</h3>\n<div class=\"wide\"><table><thead>"
	      "<tr><th>stage</th><th>status</th><th>probe</th><th>why</th></tr></thead><tbody>\n",
	      p->f);
	for (m = 0; m < WC_STAGE_CNT; m++) {
		const struct wc_stage_info *info = &p->r->stages[m];

		fprintf(p->f, "<tr><td>%s</td><td>%s</td><td>", wc_stage__name(m),
			wc_status__name(info->status));
		page__text(p, info->probe ? info->probe : "");
		fputs("</td><td>", p->f);
		page__text(p, info->why ? info->why : "");
		fputs("</td></tr>\n", p->f);
	}
	fputs("</tbody></table></div>\n", p->f);
}

static void put_environment(const struct page *p)
{
	char when[64] = "";
	time_t started = (time_t)p->r->started_s;
	struct tm tm;
	size_t i;

	page__section(p, "environment", "Environment", NULL);
	for (i = 0; i < p->r->warning_cnt; i++) {
		fputs("<p class=\"warning\">", p->f);
		page__text(p, p->r->warnings[i]);
		fputs("</p>\n", p->f);
	}
	if (gmtime_r(&started, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &tm);
	fprintf(p->f,
		"<div class=\"wide\"><table class=\"facts\"><tbody>\n<tr><th>measured</th><td>%s</td></tr>\n",
		when);
	for (i = 0; i < p->r->host.cnt; i++) {
		fputs("<tr><th>", p->f);
		page__text(p, p->r->host.items[i].key);
		fputs("</th><td>", p->f);
		page__text(p, p->r->host.items[i].value);
		fputs("</td></tr>\n", p->f);
	}
	fputs("</tbody></table></div>\n", p->f);
	put_stage_sources(p);
}

static void put_repeat(const struct page *p)
{
	char *command = wc_explain__command(p->r, p->e->rounds);

	page__section(
		p, "repeat", "How to repeat it",
		"The same cells in the same order, from the same seed; add <code>-o FILE</code> "
		"to keep a recording, and <code>wakecost report --html PAGE FILE</code> draws "
		"this page again.");
	fputs("<pre id=\"command\">", p->f);
	page__text(p, command ? command : "");
	fprintf(p->f, "</pre>\n<p>wakecost ");
	page__text(p, p->r->tool_version ? p->r->tool_version : "");
	fprintf(p->f,
		"; %zu cells; seed %llu. Figures are medians over rounds; brackets hold the "
		"95 %% interval of the median by order statistics, given from %d rounds on.</p>\n",
		p->r->cell_cnt, (unsigned long long)p->r->seed, WC_EFFECT_ROUNDS_MIN);
	free(command);
}

int wc_out_explain_html(FILE *f, const struct wc_result *r, const struct wc_explain *e)
{
	double largest = e->base.ns;
	struct page p = { .f = f, .r = r, .e = e };

	for (size_t i = 0; i < e->level_cnt; i++)
		largest = fmax(largest, e->levels[i].handoff.ns);
	p.unit = wc_units__for_ns(largest);
	put_head(&p);
	put_verdict(&p);
	page__causes(&p);
	page__slope(&p);
	page__stages(&p);
	page__change(&p);
	put_contrasts(&p);
	page__memory(&p);
	page__book(&p);
	put_checks(&p);
	put_environment(&p);
	put_repeat(&p);
	fprintf(f, "</section></main>\n<script>\n%s</script></body></html>\n", wc_explain_js);
	return fflush(f) || ferror(f) ? -(errno ? errno : EIO) : 0;
}
