// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the lab counted as one page that needs nothing beside itself: first whether a handoff's path
 * grew or its misses on the same path, then by function, by stage, and beside times.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/lab_points.h"
#include "user/output/lab.h"
#include "user/output/lab_html.h"
#include "user/util/version.h"

static void put_head(const struct page *p)
{
	fputs("<!doctype html>\n" WC_LAB_HTML_MAGIC " -->\n<html lang=\"en\"><head>"
	      "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
	      "content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<title>What a handoff counts on other kernels</title>\n<style>\n",
	      p->f);
	fprintf(p->f,
		"%s.flame { width: 100%%; height: auto; border: 1px solid var(--line); "
		"background: #fff; }\nsection[id^=growth] td:nth-child(2) { min-width: 22ch; }\n"
		"section[id^=growth] .bar { width: 13%%; min-width: 80px; }\ndetails { margin: 0 0 12px; } summary { cursor: pointer; }\n"
		"</style></head>\n<body><main>\n<section id=\"verdict\"><h1>What a handoff counts "
		"on other kernels</h1>\n",
		wc_explain_css);
}

static void put_verdicts(const struct page *p, const struct wc_lab *lab)
{
	size_t i;

	for (i = 0; i < lab->cell_cnt; i++) {
		const struct wc_lab_cell *cell = &lab->cells[i];
		char *text;

		if (!wc_lab__is_first(lab, cell) || wc_lab__baseline(lab, cell) == cell ||
		    !wc_lab__is_largest(lab, cell))
			continue;
		text = wc_lab__say(lab, cell);
		fputs("<li>", p->f);
		page__text(p, text ?: "");
		fputs("</li>\n", p->f);
		free(text);
	}
}

static void put_limits(const struct page *p, const struct wc_lab *lab)
{
	page__section(p, "limits", "How it was counted", NULL);
	fputs("<table class=\"facts\"><tbody><tr><th>emulator</th><td>", p->f);
	page__text(p, lab->emulator);
	fputs("</td></tr>\n<tr><th>model</th><td>", p->f);
	page__text(p, lab->model);
	fputs("; lines of 64 bytes, the least recently used goes</td></tr>\n<tr><th>not "
	      "modelled</th><td>L3, prefetching, page walks, branch prediction, speculation, the "
	      "time of anything</td></tr>\n<tr><th>machine</th><td>one CPU, one instruction a "
	      "nanosecond, fixed clock and seed: the same command gives the same bytes; no wakes "
	      "between CPUs</td></tr>\n<tr><th>policy</th><td>SCHED_BATCH, so that each handoff "
	      "really sleeps</td></tr></tbody></table>\n",
	      p->f);
	fprintf(p->f, "<p>wakecost %s</p>\n", wc_version());
}

int wc_out_lab_html(FILE *f, const struct wc_lab *const *labs, size_t lab_cnt,
		    const struct wc_result *host)
{
	struct page p = { .f = f };
	size_t i;
	int err = 0;

	put_head(&p);
	fputs("<p class=\"where\">Counts of an emulated machine, never times. A handoff that costs "
	      "more either runs more instructions, or waits longer for memory on the same ones. "
	      "Here the two are told apart.</p>\n<ul class=\"verdicts\">\n",
	      f);
	for (i = 0; i < lab_cnt; i++)
		put_verdicts(&p, labs[i]);
	fputs("</ul>\n", f);
	for (i = 0; i < lab_cnt && !err; i++) {
		struct lab_page l = { .p = p, .lab = labs[i], .host = host, .nth = i };

		lab_page__growth(&l);
		lab_page__beside(&l);
		lab_page__functions(&l);
		lab_page__stages(&l);
		err = lab_page__flames(&l);
	}
	put_limits(&p, labs[0]);
	fprintf(f, "</section></main>\n<script>\n%s</script></body></html>\n", wc_explain_js);
	return err ?: fflush(f) || ferror(f) ? -(errno ? errno : EIO) : 0;
}
