// SPDX-License-Identifier: BSD-2-Clause
/* Two experiments: cells that are alike in every parameter, rounds against rounds. */
#include "user/model/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/rank.h"
#include "user/model/stats.h"
#include "user/model/summary.h"

#define LEVEL	  0.05
#define ROUND_ASK 9999	/* more rounds than this are not asked for */
#define FLOOR_MIN 1.001 /* below it no figure means anything */

static const char *const verdict_names[WC_JUDGED_CNT] = {
	[WC_JUDGED_SAME] = "no difference found",
	[WC_JUDGED_FASTER] = "faster",
	[WC_JUDGED_SLOWER] = "slower",
	[WC_JUDGED_INCONCLUSIVE] = "inconclusive",
};

static const char *const timed_by_names[WC_TIMED_BY_CNT] = {
	[WC_TIMED_BY_PROBES] = "probes",
	[WC_TIMED_BY_WORKLOAD] = "workload",
	[WC_TIMED_BY_BARE] = "bare",
};

const char *wc_judgement__name(unsigned int verdict)
{
	return verdict < WC_JUDGED_CNT ? verdict_names[verdict] : NULL;
}

const char *wc_timed_by__name(unsigned int by)
{
	return by < WC_TIMED_BY_CNT ? timed_by_names[by] : NULL;
}

/* ---- figures of rounds ---- */

static bool probed_value(const struct wc_round *round, unsigned int metric, double q, double *ns)
{
	struct wc_hist h = { 0 };

	for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
		if (c != WC_CLASS_TIMED)
			wc_hist__merge(&h, round->hists[c][metric]);
	*ns = wc_hist__quantile(&h, q);
	return h.count != 0;
}

static bool round_value(const struct wc_round *round, enum wc_timed_by by, unsigned int what,
			double *ns)
{
	const struct wc_phase *phase = by == WC_TIMED_BY_BARE ? &round->bare : &round->probed;
	double q = what == WC_CHANGE_P99 ? 0.99 : 0.50;

	if (!round->complete || round->warmup)
		return false;
	if (what >= WC_CHANGE_STAGE)
		return by == WC_TIMED_BY_PROBES &&
		       probed_value(round, what - WC_CHANGE_STAGE, q, ns);
	if (by == WC_TIMED_BY_PROBES)
		return probed_value(round, WC_METRIC_TOTAL, q, ns);
	*ns = (double)(what == WC_CHANGE_P99 ? phase->handoff.p99_ns : phase->handoff.p50_ns);
	return phase->valid && phase->handoff.count;
}

/* In the order of rounds, as logarithms: differences of these are ratios. v: round_cnt of them. */
static size_t collect(const struct wc_cell *cell, enum wc_timed_by by, unsigned int what, double *v)
{
	size_t n = 0;

	for (size_t i = 0; i < cell->round_cnt; i++)
		if (round_value(&cell->rounds[i], by, what, &v[n])) {
			v[n] = log(fmax(v[n], 1)); /* nothing is told apart below 1 ns */
			n++;
		}
	return n;
}

static bool has_figures(const struct wc_cell *cell, enum wc_timed_by by)
{
	double ns;

	for (size_t i = 0; i < cell->round_cnt; i++)
		if (round_value(&cell->rounds[i], by, WC_CHANGE_P50, &ns))
			return true;
	return false;
}

static enum wc_timed_by common_timing(const struct wc_cell *a, const struct wc_cell *b)
{
	for (unsigned int s = 0; s < WC_TIMED_BY_CNT; s++)
		if (has_figures(a, s) && has_figures(b, s))
			return s;
	return WC_TIMED_BY_PROBES;
}

/* ---- one figure ---- */

/* Distance of two parts of one cell, as if they were two recordings. */
static double apart(const double *v, size_t n, bool (*second)(size_t i, size_t n))
{
	double a[n], b[n];
	size_t na = 0, nb = 0;

	for (size_t i = 0; i < n; i++) {
		if (second(i, n))
			b[nb++] = v[i];
		else
			a[na++] = v[i];
	}
	wc_rank__sort(a, na);
	wc_rank__sort(b, nb);
	return fabs(wc_rank__shift(a, na, b, nb));
}

static bool is_odd(size_t i, size_t n)
{
	(void)n;
	return i % 2;
}

static bool is_late(size_t i, size_t n)
{
	return i >= n / 2;
}

static void measure(const struct wc_cell *base, const struct wc_cell *new, enum wc_timed_by by,
		    unsigned int what, struct wc_change *c)
{
	double a[base->round_cnt + 1], b[new->round_cnt + 1], lo, hi;
	size_t na = collect(base, by, what, a), nb = collect(new, by, what, b);

	*c = (struct wc_change){ .base_n = (unsigned int)na, .new_n = (unsigned int)nb };
	if (!na || !nb)
		return;
	c->compared = true;
	if (na >= 4) { /* two and two */
		c->has_noise = true;
		c->noise = exp(fmax(apart(a, na, is_odd), apart(a, na, is_late)));
	}
	c->base_ns = exp(wc_stats__median(a, na)); /* sorts */
	c->new_ns = exp(wc_stats__median(b, nb));
	c->ratio = exp(wc_rank__shift(a, na, b, nb));
	c->p = wc_rank__sum_p(a, na, b, nb);
	c->has_ci = wc_rank__shift_interval(a, na, b, nb, &lo, &hi);
	c->lo = c->has_ci ? exp(lo) : 0;
	c->hi = c->has_ci ? exp(hi) : 0;
}

/* ---- verdicts ---- */

/* Rounds a side with which one of so many figures can come out at all. */
static unsigned int least_rounds(unsigned int family)
{
	unsigned int n = 1;

	while (wc_rank__least_p(n, n) * family > LEVEL)
		n++;
	return n;
}

static unsigned int ask_for(double rounds)
{
	return rounds > ROUND_ASK ? ROUND_ASK : (unsigned int)ceil(rounds);
}

/* 0 to begin with: no difference found. */
static void judge(struct wc_change *c, double threshold, unsigned int family)
{
	double matters = log(fmax(FLOOR_MIN, threshold)), noise = c->has_noise ? log(c->noise) : 0;
	double effect = fabs(log(c->ratio)), blur;
	unsigned int n = c->base_n < c->new_n ? c->base_n : c->new_n;

	if (!c->has_ci || wc_rank__least_p(c->base_n, c->new_n) * family > LEVEL) {
		c->verdict = WC_JUDGED_INCONCLUSIVE;
		c->needs = least_rounds(family);
		return;
	}
	if ((c->lo > 1 || c->hi < 1) && effect > fmax(matters, noise)) {
		if (c->p_holm <= LEVEL) {
			c->verdict = c->ratio > 1 ? WC_JUDGED_SLOWER : WC_JUDGED_FASTER;
			return;
		}
		c->verdict = WC_JUDGED_INCONCLUSIVE; /* one of many that might be so by chance */
		c->needs = ask_for(1.5 * n);
		return;
	}
	/* would a change that matters have been found? what blurs shrinks with the root of rounds */
	blur = fmax(log(c->hi / c->lo) / 2, noise);
	if (blur <= matters)
		return;
	c->verdict = WC_JUDGED_INCONCLUSIVE;
	c->needs = ask_for(n * (blur / matters) * (blur / matters));
}

/* The figures from what to end, of all cells, judged together. */
static int judge_family(struct wc_comparison *c, unsigned int what, unsigned int end,
			unsigned int *family)
{
	size_t max = c->cell_cnt * (end - what), n = 0;
	struct wc_change **members = reallocarray(NULL, max + 1, sizeof(void *));
	double *p = reallocarray(NULL, max + 1, sizeof(*p));
	int err = members && p ? 0 : -ENOMEM;

	for (size_t i = 0; i < c->cell_cnt && !err; i++)
		for (unsigned int w = what; w < end; w++)
			if (c->cells[i].of[w].compared) {
				members[n] = &c->cells[i].of[w];
				p[n] = members[n]->p;
				n++;
			}
	err = err ? err : wc_rank__holm(p, n);
	for (size_t i = 0; i < n && !err; i++) {
		members[i]->p_holm = p[i];
		judge(members[i], c->threshold, (unsigned int)n);
		c->verdicts[members[i]->verdict]++;
	}
	*family = (unsigned int)n;
	free(members);
	free(p);
	return err;
}

/* ---- cells ---- */

static bool alike(const struct wc_cell *a, const struct wc_cell *b)
{
	if (a->params.cnt != b->params.cnt)
		return false;
	for (size_t i = 0; i < a->params.cnt; i++) {
		const char *v = wc_kvs__get(&b->params, a->params.items[i].key);

		if (!v || strcmp(v, a->params.items[i].value) != 0)
			return false;
	}
	return true;
}

/* Measured the same way on both sides, by name. */
static bool same_stage(const struct wc_result *a, const struct wc_result *b, unsigned int stage)
{
	const struct wc_stage_info *x = &a->stages[stage], *y = &b->stages[stage];

	return x->status == y->status &&
	       !strcmp(x->shown_as ? x->shown_as : "", y->shown_as ? y->shown_as : "");
}

static void compare_cells(const struct wc_result *base, const struct wc_result *new,
			  struct wc_comparison *c, size_t i, size_t k)
{
	struct wc_cell_change *cell = &c->cells[c->cell_cnt++];

	cell->base = i;
	cell->new = k;
	cell->timed_by = common_timing(&base->cells[i], &new->cells[k]);
	for (unsigned int w = 0; w < WC_CHANGE_CNT; w++) {
		struct wc_change *of = &cell->of[w];

		if (w >= WC_CHANGE_STAGE && c->stage_differs[w - WC_CHANGE_STAGE])
			continue;
		measure(&base->cells[i], &new->cells[k], cell->timed_by, w, of);
		if (of->has_noise && of->noise > c->noise[w])
			c->noise[w] = of->noise;
	}
}

/* The first cell of NEW like it that has no partner yet. */
static size_t partner(const struct wc_result *base, const struct wc_result *new, const bool *taken,
		      size_t i)
{
	size_t k = 0;

	while (k < new->cell_cnt && (taken[k] || !alike(&base->cells[i], &new->cells[k])))
		k++;
	return k;
}

int wc_compare__runs(const struct wc_result *base, const struct wc_result *new, double threshold,
		     struct wc_comparison *c)
{
	bool *taken = calloc(new->cell_cnt + 1, sizeof(*taken));
	int err;

	*c = (struct wc_comparison){ .threshold = threshold };
	c->cells = calloc(base->cell_cnt + 1, sizeof(*c->cells));
	c->only_base = calloc(base->cell_cnt + 1, sizeof(*c->only_base));
	c->only_new = calloc(new->cell_cnt + 1, sizeof(*c->only_new));
	if (!taken || !c->cells || !c->only_base || !c->only_new) {
		free(taken);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		c->stage_differs[i] = !same_stage(base, new, i);
	for (size_t i = 0; i < base->cell_cnt; i++) {
		size_t k = partner(base, new, taken, i);

		if (k == new->cell_cnt) {
			c->only_base[c->only_base_cnt++] = i;
			continue;
		}
		taken[k] = true;
		compare_cells(base, new, c, i, k);
	}
	for (size_t k = 0; k < new->cell_cnt; k++)
		if (!taken[k])
			c->only_new[c->only_new_cnt++] = k;
	free(taken);
	err = judge_family(c, WC_CHANGE_P50, WC_CHANGE_STAGE, &c->handoff_family);
	return err ? err : judge_family(c, WC_CHANGE_STAGE, WC_CHANGE_CNT, &c->stage_family);
}

void wc_comparison__free(struct wc_comparison *c)
{
	free(c->cells);
	free(c->only_base);
	free(c->only_new);
	*c = (struct wc_comparison){ 0 };
}
