// SPDX-License-Identifier: BSD-2-Clause
/* What an access to memory costs on this machine: by level, and every point of the chase. */
#include <math.h>

#include "user/output/explain_html.h"

static void put_levels(const struct page *p)
{
	const struct wc_memory *mem = &p->e->memory;
	char bytes[WC_UNITS_BUF_SZ];
	unsigned int m;

	fputs("<div class=\"wide\"><table><thead><tr><th>from</th><th class=\"num\">ns</th>"
	      "<th class=\"num\">half of the passes</th><th>measured with</th></tr></thead><tbody>\n",
	      p->f);
	for (m = 0; m < WC_MEM_CNT; m++) {
		const struct wc_memory_level *l = &mem->levels[m];

		if (!l->known)
			continue;
		wc_units__format_bytes(bytes, sizeof(bytes), l->bytes);
		fprintf(p->f, "<tr><td>%s</td><td class=\"num\">%.1f</td>", wc_mem__name(m), l->ns);
		if (l->q3 > 0)
			fprintf(p->f, "<td class=\"num\">%.1f to %.1f</td>", l->q1, l->q3);
		else
			fputs("<td class=\"num none\">\xe2\x80\x93</td>", p->f);
		if (m == WC_MEM_WALK)
			fprintf(p->f,
				"<td>a line of each page in %s, less as many side by side</td>",
				bytes);
		else
			fprintf(p->f, "<td>%s%s</td>", bytes, l->huge ? " on huge pages" : "");
		fputs("</tr>\n", p->f);
	}
	fputs("</tbody></table></div>\n", p->f);
}

static void put_point(const struct page *p, uint64_t bytes, unsigned int pattern, bool huge)
{
	for (size_t i = 0; i < p->r->access_cnt; i++) {
		const struct wc_access *a = &p->r->accesses[i];

		if (a->bytes != bytes || a->pattern != pattern || a->huge != huge)
			continue;
		fprintf(p->f, "<td class=\"num\">%.1f</td>", a->ns);
		return;
	}
	fputs("<td class=\"num none\">\xe2\x80\x93</td>", p->f);
}

/* Whether an earlier point has the same working set, and so the row. */
static bool seen(const struct page *p, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (p->r->accesses[i].bytes == p->r->accesses[at].bytes)
			return true;
	return false;
}

static void put_points(const struct page *p)
{
	char text[WC_UNITS_BUF_SZ];

	fputs("<h3>By working set, ns an access</h3>\n<div class=\"wide\"><table><thead><tr>"
	      "<th class=\"num\">working set</th><th class=\"num\">every line</th>"
	      "<th class=\"num\">every line, huge pages</th>"
	      "<th class=\"num\">a line every 4 KiB</th>"
	      "<th class=\"num\">a line every 4 KiB, huge pages</th></tr></thead><tbody>\n",
	      p->f);
	for (size_t i = 0; i < p->r->access_cnt; i++) {
		uint64_t bytes = p->r->accesses[i].bytes;

		if (seen(p, i))
			continue;
		wc_units__format_bytes(text, sizeof(text), bytes);
		fprintf(p->f, "<tr><td class=\"num\">%s</td>", text);
		put_point(p, bytes, WC_ACCESS_BYTES, false);
		put_point(p, bytes, WC_ACCESS_BYTES, true);
		put_point(p, bytes, WC_ACCESS_PAGES, false);
		put_point(p, bytes, WC_ACCESS_PAGES, true);
		fputs("</tr>\n", p->f);
	}
	fputs("</tbody></table></div>\n", p->f);
}

void page__memory(const struct page *p)
{
	if (!p->e->has_memory)
		return;
	page__section(p, "memory", "What an access to memory costs here",
		      "Each address is known only when the access before has ended. It is what the "
		      "growth of cold wakees and working sets is counted in.");
	put_levels(p);
	if (p->e->memory.memory_may_be_cached)
		fputs("<p>The last-level cache is reported so large that \xe2\x80\x9cmemory\xe2\x80\x9d "
		      "may have come from it in part.</p>\n",
		      p->f);
	put_points(p);
}
