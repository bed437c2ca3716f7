// SPDX-License-Identifier: BSD-2-Clause
/* Two recordings of programs side by side. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/profile.h"
#include "user/output/compare_impl.h"
#include "user/output/summaries.h"

struct records {
	FILE *f;
	const struct wc_record_comparison *c;
	const struct wc_compare_opts *opts;
	const struct wc_unit *unit;
};

static const char *in_unit(const struct records *r, double ns, char buf[CHANGE_SZ])
{
	double v = ns / r->unit->ns, size = fabs(v);

	snprintf(buf, CHANGE_SZ, "%.*f", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, v);
	return buf;
}

static void put_row(const struct records *r, struct wc_grid *g, const char *name, double base,
		    double new, bool in_base, bool in_new)
{
	char buf[CHANGE_SZ];
	bool both = in_base && in_new;

	wc_grid__put(g, "%s", name);
	wc_grid__put(g, "%s", in_base ? in_unit(r, base, buf) : "-");
	wc_grid__put(g, "%s", in_new ? in_unit(r, new, buf) : "-");
	wc_grid__put(g, "%s", both ? in_unit(r, new - base, buf) : "-");
	wc_grid__put(g, "%s",
		     both && base > 0 ? compare__percent(buf, compare__ratio(base, new)) : "-");
}

/* Under both names where the two kernels do not show the same stages. */
static void put_stage(const struct records *r, struct wc_grid *g, const struct wc_stage_change *s)
{
	if (s->base_name && s->new_name && !strcmp(s->base_name, s->new_name)) {
		put_row(r, g, s->base_name, s->base_ns, s->new_ns, true, true);
		return;
	}
	if (s->base_name)
		put_row(r, g, s->base_name, s->base_ns, 0, true, false);
	if (s->new_name)
		put_row(r, g, s->new_name, 0, s->new_ns, false, true);
}

static int print_stages(const struct records *r)
{
	struct wc_grid *g = wc_grid__new("lrrrr");
	char heading[96];

	if (!g)
		return -ENOMEM;
	wc_grid__head(g, "");
	wc_grid__head(g, "BASE");
	wc_grid__head(g, "NEW");
	wc_grid__head(g, "change");
	wc_grid__head(g, "%");
	put_row(r, g, "wake", r->c->base.mean_ns, r->c->new.mean_ns, r->c->base.wakes != 0,
		r->c->new.wakes != 0);
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		put_stage(r, g, &r->c->stages[i]);
	put_row(r, g, "unattributed", r->c->base_rest_ns, r->c->new_rest_ns, true, true);
	snprintf(heading, sizeof(heading), "All wakes, mean of a wake in %s", r->unit->name);
	compare__heading(r->f, r->opts, heading);
	return wc_grid__print(g, r->f, "", r->opts->colour);
}

static void put_rate(struct wc_grid *g, bool there, double per_s)
{
	if (there)
		wc_grid__put(g, per_s < 99.5 ? "%.1f" : "%.0f", per_s);
	else
		wc_grid__put(g, "-");
}

static void put_pair(const struct records *r, struct wc_grid *g, const struct wc_pair_change *p)
{
	char buf[CHANGE_SZ];
	bool both = p->in_base && p->in_new;

	put_rate(g, p->in_base, p->base.per_s);
	put_rate(g, p->in_new, p->new.per_s);
	wc_grid__put(g, "%s", p->in_base ? in_unit(r, p->base.mean_ns, buf) : "-");
	wc_grid__put(g, "%s", p->in_new ? in_unit(r, p->new.mean_ns, buf) : "-");
	if (both && p->base.mean_ns > 0)
		wc_grid__put(
			g, "%s",
			compare__percent(buf, compare__ratio(p->base.mean_ns, p->new.mean_ns)));
	else
		wc_grid__put(g, "%s", both ? "-" : p->in_base ? "gone" : "new");
	wc_grid__put(g, "%s", p->top_stage < WC_STAGE_CNT ? wc_stage__name(p->top_stage) : "-");
	wc_grid__put(g, "%s -> %s", p->waker, p->wakee);
}

static int print_pairs(const struct records *r)
{
	size_t *order = compare__order_pairs(r->c, r->opts);
	size_t shown = compare__shown(r->c->pair_cnt, r->opts);
	struct wc_grid *g = wc_grid__new("rrrrrlw");
	char heading[96];
	int err;

	if (!order || !g) {
		free(order);
		wc_grid__print(g, r->f, "", false);
		return -ENOMEM;
	}
	wc_grid__head(g, "wakes/s\nBASE");
	wc_grid__head(g, "\nNEW");
	wc_grid__head(g, "mean\nBASE");
	wc_grid__head(g, "\nNEW");
	wc_grid__head(g, "change\n%");
	wc_grid__head(g, "most of\nit in");
	wc_grid__head(g, "who woke whom");
	for (size_t i = 0; i < shown; i++)
		put_pair(r, g, &r->c->pairs[order[i]]);
	free(order);
	snprintf(heading, sizeof(heading), "Pairs of threads, by name; mean of a wake in %s",
		 r->unit->name);
	compare__heading(r->f, r->opts, heading);
	err = wc_grid__print(g, r->f, "", r->opts->colour);
	if (shown < r->c->pair_cnt)
		fprintf(r->f, "%zu more: -n\n", r->c->pair_cnt - shown);
	return err;
}

static void print_side(FILE *f, const char *which, const struct wc_mean *m,
		       const struct wc_result *r)
{
	char wakes[WC_UNITS_BUF_SZ], window[WC_UNITS_BUF_SZ], cost[WC_UNITS_BUF_SZ];
	char rate[WC_UNITS_BUF_SZ];

	if (m->per_s < 99.5)
		snprintf(rate, sizeof(rate), "%.3g", m->per_s);
	else
		wc_units__format_count(rate, sizeof(rate), (uint64_t)(m->per_s + 0.5));
	fprintf(f, "%s%s wakes in %s, %s a second, which cost %s a second\n", which,
		wc_units__format_count(wakes, sizeof(wakes), m->wakes),
		wc_units__format_ns(window, sizeof(window), (double)r->profile->window_ns), rate,
		wc_units__format_ns(cost, sizeof(cost), m->cost_per_s));
}

int wc_out_compare_records(FILE *f, const struct wc_result *base, const struct wc_result *new,
			   const struct wc_record_comparison *c, const struct wc_compare_opts *opts)
{
	struct records r = {
		.f = f,
		.c = c,
		.opts = opts,
		.unit = wc_units__for_ns(fmax(c->base.mean_ns, c->new.mean_ns)),
	};
	int err;

	compare__head(f, base, new, opts);
	fputc('\n', f);
	print_side(f, "BASE ", &c->base, base);
	print_side(f, "NEW  ", &c->new, new);
	err = print_stages(&r);
	err = err ? err : print_pairs(&r);
	fputc('\n', f);
	wc_grid__paragraph(f, "Plain differences: ",
			   "one recording a side has no rounds, so nothing here says whether a "
			   "difference would come again. Means are per wake; for intervals and "
			   "verdicts compare two recordings of `wakecost run`.");
	return err ? err : wc_summaries__finish(f);
}
