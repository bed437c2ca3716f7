// SPDX-License-Identifier: BSD-2-Clause
/* What all outputs of compare need: order, percentages, the two sides. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/compare_impl.h"
#include "user/util/text.h"

/* ---- order ---- */

struct ranked {
	size_t index;
	double key;
	const char *waker, *wakee; /* NULL: of cells */
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int d = 0;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	if (x->waker)
		d = strcmp(x->waker, y->waker);
	if (!d && x->wakee)
		d = strcmp(x->wakee, y->wakee);
	return d ? d : (x->index > y->index) - (x->index < y->index);
}

static size_t *order_of(struct ranked *ranked, size_t cnt)
{
	size_t *order = calloc(cnt + 1, sizeof(*order));

	if (order && ranked) {
		qsort(ranked, cnt, sizeof(*ranked), compare_ranked);
		for (size_t i = 0; i < cnt; i++)
			order[i] = ranked[i].index;
	} else {
		free(order);
		order = NULL;
	}
	free(ranked);
	return order;
}

size_t *compare__order_cells(const struct wc_comparison *c, const struct wc_compare_opts *opts)
{
	struct ranked *ranked = calloc(c->cell_cnt + 1, sizeof(*ranked));

	for (size_t i = 0; ranked && i < c->cell_cnt; i++) {
		const struct wc_change *p50 = &c->cells[i].of[WC_CHANGE_P50];

		ranked[i].index = i;
		if (opts->sort == WC_COMPARE_SORT_CHANGE && p50->compared)
			ranked[i].key = fabs(log(p50->ratio));
		else if (opts->sort == WC_COMPARE_SORT_COST)
			ranked[i].key = fmax(p50->base_ns, p50->new_ns);
	}
	return order_of(ranked, c->cell_cnt);
}

/* A pair that is on one side only has changed more than any that can be compared. */
static double pair_change(const struct wc_pair_change *p)
{
	if (!p->in_base || !p->in_new)
		return INFINITY;
	return p->base.mean_ns > 0 && p->new.mean_ns > 0
		       ? fabs(log(p->new.mean_ns / p->base.mean_ns))
		       : 0;
}

size_t *compare__order_pairs(const struct wc_record_comparison *c,
			     const struct wc_compare_opts *opts)
{
	struct ranked *ranked = calloc(c->pair_cnt + 1, sizeof(*ranked));

	for (size_t i = 0; ranked && i < c->pair_cnt; i++) {
		const struct wc_pair_change *p = &c->pairs[i];

		ranked[i] = (struct ranked){ i, 0, p->waker, p->wakee };
		if (opts->sort == WC_COMPARE_SORT_CHANGE)
			ranked[i].key = pair_change(p);
		else if (opts->sort == WC_COMPARE_SORT_COST)
			ranked[i].key = fmax(p->base.cost_per_s, p->new.cost_per_s);
	}
	return order_of(ranked, c->pair_cnt);
}

size_t compare__shown(size_t cnt, const struct wc_compare_opts *opts)
{
	return opts->limit && opts->limit < cnt ? opts->limit : cnt;
}

/* ---- words and figures ---- */

double compare__ratio(double base, double new)
{
	return base > 0 ? new / base : 0;
}

/* Three digits that say something; a large one as a factor. */
const char *compare__percent(char buf[CHANGE_SZ], double ratio)
{
	double percent = (ratio - 1) * 100, size = fabs(percent);

	if (size < 0.005)
		snprintf(buf, CHANGE_SZ, "0");
	else if (size < 999.5)
		snprintf(buf, CHANGE_SZ, "%+.*f", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, percent);
	else
		snprintf(buf, CHANGE_SZ, "x%.3g", ratio);
	return buf;
}

const char *compare__size(char buf[CHANGE_SZ], double ratio)
{
	compare__percent(buf, ratio);
	return buf + (*buf == '+');
}

void compare__heading(FILE *f, const struct wc_compare_opts *opts, const char *text)
{
	fprintf(f, "\n%s%s%s\n", WC_BOLD(opts->colour), text, WC_PLAIN(opts->colour));
}

static void print_side(FILE *f, const char *which, const char *file, const struct wc_result *r)
{
	const char *kernel = wc_kvs__get(&r->host, "kernel");
	char *text = NULL;
	size_t len;
	FILE *m = open_memstream(&text, &len);

	if (!m)
		return;
	fprintf(m, "%s: %s", file, r->command_line ? r->command_line : "");
	if (kernel)
		fprintf(m, ", Linux %s", kernel);
	fputs(r->interrupted ? ", interrupted" : "", m);
	if (!fclose(m))
		wc_grid__paragraph(f, which, text);
	free(text);
}

void compare__head(FILE *f, const struct wc_result *base, const struct wc_result *new,
		   const struct wc_compare_opts *opts)
{
	struct wc_difference d[WC_DIFFERENCE_MAX];
	size_t cnt = wc_compare__hosts(base, new, d);
	struct wc_grid *g;

	print_side(f, "BASE ", opts->base_name, base);
	print_side(f, "NEW  ", opts->new_name, new);
	if (!cnt)
		return;
	fprintf(f, "\n%s", WC_YELLOW(opts->colour));
	wc_grid__paragraph(
		f, "warning: ", "not the same machine, or not as it was: what changed may be this");
	fputs(WC_PLAIN(opts->colour), f);
	g = wc_grid__new("llw");
	if (!g)
		return;
	wc_grid__head(g, "");
	wc_grid__head(g, "BASE");
	wc_grid__head(g, "NEW");
	for (size_t i = 0; i < cnt; i++) {
		wc_grid__put(g, "%s", d[i].key);
		wc_grid__put(g, "%s", *d[i].base ? d[i].base : "-");
		wc_grid__put(g, "%s", *d[i].new ? d[i].new : "-");
	}
	wc_grid__print(g, f, "", opts->colour);
}
