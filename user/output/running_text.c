// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>

#include "user/output/grid.h"
#include "user/output/running.h"
#include "user/util/units.h"

static void heading(FILE *f, bool colour, const char *text)
{
	fprintf(f, "\n%s%s%s\n", WC_BOLD(colour), text, WC_PLAIN(colour));
}

static int print_parts(FILE *f, const struct wc_running *run, bool colour)
{
	static const char *const heads[] = { "where", "a wake", "the\nmiddle one",
					     "all",   "share",	"stages" };
	struct wc_grid *g = wc_grid__new("lrrrrw");
	char buf[WC_UNITS_BUF_SZ];
	unsigned int i;

	heading(f, colour, "What a wake's time goes to");
	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		wc_grid__head(g, heads[i]);
	for (i = 0; i < WC_PART_CNT; i++) {
		const struct wc_part_sum *p = &run->parts[i];

		if (p->total_ns == 0)
			continue;
		wc_grid__put(g, "%s", wc_part__name(i));
		wc_grid__put(g, "%s", wc_units__format_ns(buf, sizeof(buf), p->mean_ns));
		wc_grid__put(g, "%s", wc_units__format_ns(buf, sizeof(buf), p->typical_ns));
		wc_grid__put(g, "%s", wc_units__format_ns(buf, sizeof(buf), p->total_ns));
		wc_grid__put(g, "%s", wc_units__format_percent(buf, sizeof(buf), p->share));
		wc_grid__put(g, "%s", wc_part__what(i));
	}
	return wc_grid__print(g, f, "", colour);
}

static void print_wakes(FILE *f, const struct wc_running *run, bool colour)
{
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ], c[WC_UNITS_BUF_SZ];
	unsigned int i;

	heading(f, colour, "Wakes");
	fprintf(f, "%s in %s, %s a second; ", wc_units__format_count(a, sizeof(a), run->wakes),
		wc_units__format_ns(b, sizeof(b), (double)run->window_ns),
		wc_units__format_count(c, sizeof(c), (uint64_t)(run->wakes_per_s + 0.5)));
	fprintf(f, "p50 %s, p99 %s, mean %s\n", wc_units__format_ns(a, sizeof(a), run->p50_ns),
		wc_units__format_ns(b, sizeof(b), run->p99_ns),
		wc_units__format_ns(c, sizeof(c), run->mean_ns));
	if (run->find_known)
		fprintf(f, "find p50 %s; ", wc_units__format_ns(a, sizeof(a), run->find_p50_ns));
	fprintf(f, "%s ran on another CPU than before",
		wc_units__format_percent(a, sizeof(a), run->moved_share));
	for (i = 0; i < WC_CLASS_CNT; i++) {
		if (run->shares[i] > 0)
			fprintf(f, ", %s %s",
				wc_units__format_percent(a, sizeof(a), run->shares[i]),
				wc_class__name(i));
	}
	fputc('\n', f);
}

static void put_row(struct wc_grid *g, const struct wc_running *run, const char *what,
		    const char *(*figure)(char *buf, size_t sz, const struct wc_chains *c,
					  unsigned int i),
		    unsigned int i)
{
	char buf[WC_UNITS_BUF_SZ];

	wc_grid__put(g, "%s", what);
	wc_grid__put(g, "%s", run->has_before ? figure(buf, sizeof(buf), &run->before, i) : "-");
	wc_grid__put(g, "%s", run->has_after ? figure(buf, sizeof(buf), &run->after, i) : "-");
}

static const char *thread_cnt(char *buf, size_t sz, const struct wc_chains *c, unsigned int i)
{
	return wc_units__format_count(buf, sz, i < WC_SLEEP_CNT ? c->by_sleep[i] : c->thread_cnt);
}

enum { CHAIN_MEAN, CHAIN_LONGEST, CHAIN_WOKEN };

static const char *chain(char *buf, size_t sz, const struct wc_chains *c, unsigned int i)
{
	if (i == CHAIN_WOKEN && c->ahead_share <= 0)
		snprintf(buf, sz, "-");
	else if (i == CHAIN_LONGEST)
		wc_units__format_count(buf, sz, c->longest);
	else
		snprintf(buf, sz, "%.1f", i == CHAIN_MEAN ? c->mean : c->ahead);
	return buf;
}

static int print_threads(FILE *f, const struct wc_running *run, bool colour)
{
	struct wc_grid *g;
	char text[256];
	unsigned int i;
	int err;

	heading(f, colour, "Threads, and what they sleep in");
	if (!run->has_before && !run->has_after) {
		fputs("could not be looked at\n", f);
		return 0;
	}
	g = wc_grid__new("lrr");
	wc_grid__head(g, "");
	wc_grid__head(g, "before");
	wc_grid__head(g, "after");
	put_row(g, run, "threads", thread_cnt, WC_SLEEP_CNT);
	for (i = 0; i < WC_SLEEP_CNT; i++) {
		if (run->before.by_sleep[i] || run->after.by_sleep[i])
			put_row(g, run, wc_sleep__name(i), thread_cnt, i);
	}
	put_row(g, run, "on private futexes, a slot", chain, CHAIN_MEAN);
	put_row(g, run, "longest chain", chain, CHAIN_LONGEST);
	put_row(g, run, "others beside those woken", chain, CHAIN_WOKEN);
	err = wc_grid__print(g, f, "", colour);
	switch (run->basis) {
	case WC_SLOTS_RULE:
		snprintf(text, sizeof(text),
			 "%u futex slots: what this kernel gives a process of so many threads; the "
			 "process was not asked",
			 run->slots);
		break;
	case WC_SLOTS_TOLD:
		snprintf(text, sizeof(text), "%u futex slots, as the process said", run->slots);
		break;
	case WC_SLOTS_GLOBAL:
		snprintf(text, sizeof(text),
			 "no futex table of its own: %u slots of the machine, shared with all",
			 run->slots);
		break;
	default:
		snprintf(text, sizeof(text), "how many futex slots it has is not known");
	}
	wc_grid__paragraph(f, "", text);
	return err;
}

static const char *figure(char *buf, size_t sz, const struct wc_effect *e, unsigned int metric)
{
	char v[WC_UNITS_BUF_SZ], lo[WC_UNITS_BUF_SZ], hi[WC_UNITS_BUF_SZ];

	if (metric == WC_WHATIF_RATE && e->has_ci)
		snprintf(buf, sz, "%.0f [%.0f, %.0f]", e->ns, e->lo, e->hi);
	else if (metric == WC_WHATIF_RATE)
		snprintf(buf, sz, "%.0f", e->ns);
	else if (e->has_ci)
		snprintf(buf, sz, "%s [%s, %s]", wc_units__format_ns(v, sizeof(v), e->ns),
			 wc_units__format_ns(lo, sizeof(lo), e->lo),
			 wc_units__format_ns(hi, sizeof(hi), e->hi));
	else
		wc_units__format_ns(buf, sz, e->ns);
	return buf;
}

static int print_what_if(FILE *f, const struct wc_whatif *w, bool colour)
{
	struct wc_grid *g = wc_grid__new("lrrr");
	char text[256];
	unsigned int m;
	int err;

	snprintf(text, sizeof(text), "What if it had %u futex slots, %u round%s", w->slots_asked,
		 w->rounds, w->rounds == 1 ? "" : "s, medians [95 % interval]");
	heading(f, colour, text);
	wc_grid__head(g, "");
	wc_grid__head(g, "without");
	wc_grid__head(g, "with");
	wc_grid__head(g, "change");
	for (m = 0; m < WC_WHATIF_CNT; m++) {
		wc_grid__put(g, "%s", wc_whatif__name(m));
		wc_grid__put(g, "%s", figure(text, sizeof(text), &w->before[m], m));
		wc_grid__put(g, "%s", figure(text, sizeof(text), &w->after[m], m));
		wc_grid__put(g, "%s", figure(text, sizeof(text), &w->change[m], m));
	}
	err = wc_grid__print(g, f, "", colour);
	if (w->slots_before && w->slots_after)
		fprintf(f, "slots it said it had: %u without, %u with\n", w->slots_before,
			w->slots_after);
	else if (w->slots_after)
		fprintf(f, "slots it said it had: %u with; it ended too hard to say without\n",
			w->slots_after);
	else
		fputs("it did not say how many slots it had: statically linked, or its loader does "
		      "not preload\n",
		      f);
	return err;
}

int wc_out_running_text(FILE *f, const struct wc_result *r, const struct wc_running *run,
			const struct wc_whatif *w, bool colour)
{
	size_t i;
	int err;

	if (w)
		wc_grid__paragraph(f, "* ", w->verdict);
	for (i = 0; i < run->verdict_cnt; i++)
		wc_grid__paragraph(f, "* ", run->verdicts[i]);
	err = w ? print_what_if(f, w, colour) : 0;
	err = err ? err : print_parts(f, run, colour);
	print_wakes(f, run, colour);
	err = err ? err : print_threads(f, run, colour);
	for (i = 0; i < r->warning_cnt; i++)
		wc_grid__paragraph(f, "warning: ", r->warnings[i]);
	if (err)
		return err;
	return fflush(f) ? -errno : 0;
}
