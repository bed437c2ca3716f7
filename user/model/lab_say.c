// SPDX-License-Identifier: BSD-2-Clause
/* What a cell of the lab pays more for, in words. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "user/model/lab_growth.h"
#include "user/model/lab_points.h"

/* Of a handoff: less is one layout of memory against another. */
#define LONGER_SHARE 0.01
#define COLDER_L1D   10.0
#define COLDER_L2    5.0

enum wc_lab_kind wc_lab_growth__kind(const struct wc_lab_growth *g)
{
	bool longer = g->path[WC_LAB_INSNS] > g->base[WC_LAB_INSNS] * LONGER_SHARE;
	bool colder = g->same[WC_LAB_L1D] > COLDER_L1D || g->same[WC_LAB_L2] > COLDER_L2;

	return (longer ? WC_LAB_LONGER : 0) | (colder ? WC_LAB_COLDER : 0);
}

const char *wc_lab_kind__name(unsigned int kind)
{
	static const char *const names[] = { "neither", "a longer path",
					     "the same path, more misses",
					     "a longer path and more misses" };

	return kind < sizeof(names) / sizeof(*names) ? names[kind] : NULL;
}

/* The function whose path has grown most. */
static const struct wc_lab_change *longest(const struct wc_lab_growth *g)
{
	const struct wc_lab_change *most = NULL;
	size_t i;

	for (i = 0; i < g->cnt; i++) {
		if (g->items[i].path && (!most || wc_lab_change__more(&g->items[i], WC_LAB_INSNS) >
							  wc_lab_change__more(most, WC_LAB_INSNS)))
			most = &g->items[i];
	}
	return most;
}

static size_t grown_cnt(const struct wc_lab_growth *g)
{
	size_t i, cnt = 0;

	for (i = 0; i < g->cnt; i++)
		cnt += g->items[i].path && wc_lab_change__more(&g->items[i], WC_LAB_INSNS) > 0;
	return cnt;
}

static void say_insns(FILE *f, const struct wc_lab_growth *g, enum wc_lab_kind kind)
{
	double more = wc_lab_growth__more(g, WC_LAB_INSNS);
	const struct wc_lab_change *most = longest(g);
	size_t cnt = grown_cnt(g);

	fprintf(f, "%+.0f instructions a handoff (%+.1f %%)", more,
		g->base[WC_LAB_INSNS] > 0 ? more / g->base[WC_LAB_INSNS] * 100 : 0);
	if (!(kind & WC_LAB_LONGER) || !most)
		return;
	fprintf(f, ", %.0f of them in %s (%s)", wc_lab_change__more(most, WC_LAB_INSNS),
		most->function, most->stage);
	if (cnt == 1)
		fputs(", the only function whose path grew", f);
	else
		fprintf(f, ", the first of %zu functions whose path grew", cnt);
}

static void say_misses(FILE *f, const double more[WC_LAB_COUNT_CNT])
{
	fprintf(f, "L1d %+.1f, L2 %+.1f, dTLB %+.1f", more[WC_LAB_L1D], more[WC_LAB_L2],
		more[WC_LAB_DTLB]);
}

char *wc_lab__say(const struct wc_lab *lab, const struct wc_lab_cell *cell)
{
	const struct wc_lab_cell *base = wc_lab__baseline(lab, cell);
	char kernel[64], what[128], than[128], *text = NULL;
	struct wc_lab_growth g;
	enum wc_lab_kind kind;
	size_t len;
	FILE *f;
	int err = wc_lab_growth__of(lab, cell, base, &g);

	f = err ? NULL : open_memstream(&text, &len);
	if (!f) {
		wc_lab_growth__free(&g);
		return NULL;
	}
	kind = wc_lab_growth__kind(&g);
	fprintf(f, "%s, %s against %s: ", wc_lab_cell__kernel_words(cell, kernel, sizeof(kernel)),
		wc_lab__words(lab, cell->params, what, sizeof(what)),
		wc_lab__words(lab, base->params, than, sizeof(than)));
	fprintf(f, "%s: ", kind ? wc_lab_kind__name(kind) : "no longer path and no more misses");
	say_insns(f, &g, kind);
	fputs("; more misses", f);
	if (kind & WC_LAB_LONGER) {
		fputs(" where the path grew: ", f);
		say_misses(f, g.path);
		fputs("; and", f);
	}
	fputs(" on the same instructions: ", f);
	say_misses(f, g.same);
	fputs(".", f);
	wc_lab_growth__free(&g);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}
