// SPDX-License-Identifier: BSD-2-Clause
/* Two experiments side by side: handoffs by cell, the stages that changed, and how sure. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/params.h"
#include "user/output/compare_impl.h"
#include "user/output/summaries.h"

struct runs {
	FILE *f;
	const struct wc_result *base, *new;
	const struct wc_comparison *c;
	const struct wc_compare_opts *opts;
	size_t *order, shown;
};

static bool varies(const struct runs *r, const char *key)
{
	return wc_params__varies(r->base, key) || wc_params__varies(r->new, key);
}

/* Values of the parameters that tell cells apart: "futex-own 4000"; free() it. */
static char *label_of(const struct runs *r, const struct wc_result *of, size_t cell, bool keys)
{
	const struct wc_kvs *params = &of->cells[cell].params;
	char *text = NULL;
	size_t len, cnt = 0;
	FILE *m = open_memstream(&text, &len);

	if (!m)
		return NULL;
	for (size_t i = 0; i < params->cnt; i++)
		if (varies(r, params->items[i].key))
			fprintf(m, "%s%s", cnt++ ? " " : "",
				keys ? params->items[i].key : params->items[i].value);
	if (!cnt)
		fputs(keys ? "cell" : of->shape && *of->shape ? of->shape : "-", m);
	if (fclose(m)) {
		free(text);
		return NULL;
	}
	return text;
}

static void put_verdict(struct wc_grid *g, const struct wc_change *c)
{
	if (c->verdict == WC_JUDGED_INCONCLUSIVE)
		wc_grid__put(g, "inconclusive (needs >= %u rounds)", c->needs);
	else
		wc_grid__put(g, "%s", wc_judgement__name(c->verdict));
}

static void put_change(const struct runs *r, struct wc_grid *g, const struct wc_change *c)
{
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ];
	char change[CHANGE_SZ], lo[CHANGE_SZ], hi[CHANGE_SZ];

	wc_grid__put(g, "%s", wc_units__format_ns(a, sizeof(a), c->base_ns));
	wc_grid__put(g, "%s", wc_units__format_ns(b, sizeof(b), c->new_ns));
	compare__percent(change, c->ratio);
	if (c->has_ci)
		wc_grid__put(g, "%s [%s, %s]", change, compare__percent(lo, c->lo),
			     compare__percent(hi, c->hi));
	else
		wc_grid__put(g, "%s", change);
	if (r->opts->wide) {
		wc_grid__put(g, "%s", c->has_noise ? compare__size(change, c->noise) : "-");
		wc_grid__put(g, "%.2g", c->p_holm);
		wc_grid__put(g, "%u, %u", c->base_n, c->new_n);
	}
	put_verdict(g, c);
}

/* Two lines where there are many keys. */
static void head_keys(struct wc_grid *g, char *keys)
{
	size_t half = keys ? strlen(keys) / 2 : 0;
	char *space = half > 8 ? strchr(keys + half - 4, ' ') : NULL;

	if (space)
		*space = '\n';
	wc_grid__head(g, keys ? keys : "cell");
}

static struct wc_grid *new_grid(const struct runs *r, const char *what)
{
	struct wc_grid *g = wc_grid__new(r->opts->wide ? "llrrrrrrw" : "llrrrw");
	size_t first = r->c->cells[r->order[0]].base;
	char *keys = label_of(r, r->base, first, true);

	head_keys(g, keys);
	free(keys);
	wc_grid__head(g, what);
	wc_grid__head(g, "BASE");
	wc_grid__head(g, "NEW");
	wc_grid__head(g, "change, %");
	if (r->opts->wide) {
		wc_grid__head(g, "noise, %");
		wc_grid__head(g, "p (Holm)");
		wc_grid__head(g, "rounds");
	}
	wc_grid__head(g, "verdict");
	return g;
}

static int put_label(const struct runs *r, struct wc_grid *g, size_t cell)
{
	char *label = label_of(r, r->base, cell, false);

	if (!label)
		return -ENOMEM;
	wc_grid__put(g, "%s", label);
	free(label);
	return 0;
}

static int print_handoffs(const struct runs *r)
{
	static const char *const names[] = { "p50", "p99" };
	struct wc_grid *g = new_grid(r, "");
	int err = g ? 0 : -ENOMEM, printed;

	for (size_t i = 0; i < r->shown && !err; i++) {
		const struct wc_cell_change *cell = &r->c->cells[r->order[i]];

		for (unsigned int w = WC_CHANGE_P50; w <= WC_CHANGE_P99 && !err; w++) {
			if (!cell->of[w].compared)
				continue;
			err = put_label(r, g, cell->base);
			wc_grid__put(g, "%s", names[w]);
			put_change(r, g, &cell->of[w]);
		}
	}
	compare__heading(r->f, r->opts, "Handoffs, change with its 95 % interval");
	printed = g ? wc_grid__print(g, r->f, "", r->opts->colour) : 0;
	return err ? err : printed;
}

static bool is_called(const struct wc_change *c)
{
	return c->verdict == WC_JUDGED_FASTER || c->verdict == WC_JUDGED_SLOWER;
}

static const char *stage_name(const struct runs *r, unsigned int stage)
{
	const char *shown = r->base->stages[stage].shown_as;

	return shown && *shown ? shown : wc_stage__name(stage);
}

static void count_rest(const struct runs *r, unsigned int rest[WC_JUDGED_CNT])
{
	for (size_t i = 0; i < r->shown; i++)
		for (unsigned int w = WC_CHANGE_STAGE; w < WC_CHANGE_CNT; w++) {
			const struct wc_change *c = &r->c->cells[r->order[i]].of[w];

			if (c->compared)
				rest[c->verdict]++;
		}
}

static int print_stage_rows(const struct runs *r, bool all)
{
	struct wc_grid *g = new_grid(r, "stage");
	int err = g ? 0 : -ENOMEM, printed;

	for (size_t i = 0; i < r->shown && !err; i++) {
		const struct wc_cell_change *cell = &r->c->cells[r->order[i]];

		for (unsigned int w = WC_CHANGE_STAGE; w < WC_CHANGE_CNT && !err; w++) {
			if (!cell->of[w].compared || (!all && !is_called(&cell->of[w])))
				continue;
			err = put_label(r, g, cell->base);
			wc_grid__put(g, "%s", stage_name(r, w - WC_CHANGE_STAGE));
			put_change(r, g, &cell->of[w]);
		}
	}
	printed = g ? wc_grid__print(g, r->f, "", r->opts->colour) : 0;
	return err ? err : printed;
}

static int print_stages(const struct runs *r)
{
	unsigned int cnt[WC_JUDGED_CNT] = { 0 }, called, rest;
	int err = 0;

	count_rest(r, cnt);
	called = cnt[WC_JUDGED_FASTER] + cnt[WC_JUDGED_SLOWER];
	rest = cnt[WC_JUDGED_SAME] + cnt[WC_JUDGED_INCONCLUSIVE];
	if (!called && !rest)
		return 0;
	compare__heading(r->f, r->opts, r->opts->wide ? "Stages, p50" : "Stages that changed, p50");
	if (r->opts->wide || called)
		err = print_stage_rows(r, r->opts->wide);
	if (!r->opts->wide && rest)
		fprintf(r->f, "%s: no difference found in %u, inconclusive %u; -v shows them\n",
			called ? "the others" : "none", cnt[WC_JUDGED_SAME],
			cnt[WC_JUDGED_INCONCLUSIVE]);
	return err;
}

static int print_only(const struct runs *r, const char *side, const struct wc_result *of,
		      const size_t *cells, size_t cnt)
{
	char heading[64];

	if (!cnt)
		return 0;
	snprintf(heading, sizeof(heading), "Only in %s: %zu cell%s", side, cnt,
		 cnt == 1 ? "" : "s");
	compare__heading(r->f, r->opts, heading);
	for (size_t i = 0; i < cnt; i++) {
		char *label = label_of(r, of, cells[i], false);

		if (!label)
			return -ENOMEM;
		wc_grid__paragraph(r->f, "  ", label);
		free(label);
	}
	return 0;
}

static void print_noise(const struct runs *r)
{
	char p50[CHANGE_SZ], p99[CHANGE_SZ], stages[CHANGE_SZ], text[512];
	double most = 0;

	for (unsigned int w = WC_CHANGE_STAGE; w < WC_CHANGE_CNT; w++)
		most = fmax(most, r->c->noise[w]);
	fputc('\n', r->f);
	if (r->c->noise[WC_CHANGE_P50] > 0) {
		snprintf(text, sizeof(text),
			 "BASE against itself (odd rounds and even, early and late), at most: p50 "
			 "%s %%, p99 %s %%, stages %s %%",
			 compare__size(p50, r->c->noise[WC_CHANGE_P50]),
			 compare__size(p99, r->c->noise[WC_CHANGE_P99]),
			 most > 0 ? compare__size(stages, most) : "-");
		wc_grid__paragraph(r->f, "Noise floor: ", text);
	} else {
		wc_grid__paragraph(r->f, "Noise floor: ", "not known, with fewer than 4 rounds");
	}
	snprintf(text, sizeof(text),
		 "faster or slower when the interval leaves 0 out, also as one of %u figures of "
		 "handoffs or %u of stages (Holm), and the change is more than %.3g %% and than "
		 "the noise of its cell",
		 r->c->handoff_family, r->c->stage_family, (r->c->threshold - 1) * 100);
	wc_grid__paragraph(r->f, "Called ", text);
}

static void print_notes(const struct runs *r)
{
	size_t hidden = r->c->cell_cnt - r->shown;
	unsigned int bare = 0;

	if (hidden)
		fprintf(r->f, "\n%zu more cell%s, judged but not shown: -n\n", hidden,
			hidden == 1 ? "" : "s");
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		if (r->c->stage_differs[i])
			fprintf(r->f, "%s: not measured the same way on both sides, not compared\n",
				wc_stage__name(i));
	for (size_t i = 0; i < r->c->cell_cnt; i++)
		bare += r->c->cells[i].timed_by != WC_TIMED_BY_PROBES;
	if (bare)
		fprintf(r->f, "%u cell%s timed by the workload: all handoffs, slept or not\n", bare,
			bare == 1 ? "" : "s");
}

int wc_out_compare_runs(FILE *f, const struct wc_result *base, const struct wc_result *new,
			const struct wc_comparison *c, const struct wc_compare_opts *opts)
{
	struct runs r = {
		.f = f,
		.base = base,
		.new = new,
		.c = c,
		.opts = opts,
		.order = compare__order_cells(c, opts),
		.shown = compare__shown(c->cell_cnt, opts),
	};
	int err = r.order ? 0 : -ENOMEM;

	if (!err) {
		compare__head(f, base, new, opts);
		if (c->cell_cnt) {
			err = print_handoffs(&r);
			err = err ? err : print_stages(&r);
			print_notes(&r);
		}
		err = err ? err : print_only(&r, "BASE", base, c->only_base, c->only_base_cnt);
		err = err ? err : print_only(&r, "NEW", new, c->only_new, c->only_new_cnt);
		if (c->cell_cnt)
			print_noise(&r);
	}
	free(r.order);
	return err ? err : wc_summaries__finish(f);
}
