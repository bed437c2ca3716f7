// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/effect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/stats.h"
#include "user/model/summary.h"
#include "user/util/rng.h"

#define SEED 0x57616b65 /* fixed: the same recording gives the same interval */

/* Kinds of wake together, the timed ones left out as everywhere. */
static double round__quantile(const struct wc_round *round, unsigned int metric)
{
	struct wc_hist pool;
	unsigned int c;

	memset(&pool, 0, sizeof(pool));
	for (c = 0; c < WC_CLASS_CNT; c++) {
		if (c != WC_CLASS_TIMED && round->hists[c][metric])
			wc_hist__merge(&pool, round->hists[c][metric]);
	}
	return pool.count ? wc_hist__quantile(&pool, 0.5) : NAN;
}

void wc_round__p50(const struct wc_round *round, struct wc_round_p50 *out)
{
	unsigned int m;

	for (m = 0; m < WC_METRIC_CNT; m++)
		out->ns[m] = round__quantile(round, m);
	/* no handoff slept, or the probes were not there: the workload's own figure is left */
	if (isnan(out->ns[WC_METRIC_TOTAL]) && round->probed.valid)
		out->ns[WC_METRIC_TOTAL] = round->probed.handoff.p50_ns;
	else if (isnan(out->ns[WC_METRIC_TOTAL]) && round->bare.valid)
		out->ns[WC_METRIC_TOTAL] = round->bare.handoff.p50_ns;
}

int wc_series__of(const struct wc_cell *cell, unsigned int metrics, struct wc_series *out)
{
	size_t i, top = 0;
	unsigned int m;

	out->v = NULL;
	out->cnt = 0;
	for (i = 0; i < cell->round_cnt; i++) {
		if (cell->rounds[i].index + 1 > top)
			top = cell->rounds[i].index + 1;
	}
	if (top > WC_ROUND_MAX + 1)
		return -EINVAL;
	out->v = malloc((top + 1) * sizeof(*out->v));
	if (!out->v)
		return -ENOMEM;
	out->cnt = top;
	for (i = 0; i < top; i++)
		out->v[i] = NAN;
	for (i = 0; i < cell->round_cnt; i++) {
		const struct wc_round *round = &cell->rounds[i];
		struct wc_round_p50 p50;
		double sum = 0;

		if (round->warmup || !round->complete)
			continue;
		wc_round__p50(round, &p50);
		for (m = 0; m < WC_METRIC_CNT; m++) {
			/* a stage that did not occur took no time; the whole did or was not measured */
			if (metrics >> m & 1)
				sum += isnan(p50.ns[m]) && m != WC_METRIC_TOTAL ? 0 : p50.ns[m];
		}
		out->v[round->index] = sum;
	}
	return 0;
}

void wc_series__add(struct wc_series *a, const struct wc_series *b, double factor)
{
	size_t i;

	for (i = 0; i < a->cnt; i++)
		a->v[i] = i < b->cnt ? a->v[i] + factor * b->v[i] : NAN;
}

void wc_series__free(struct wc_series *s)
{
	free(s->v);
	s->v = NULL;
	s->cnt = 0;
}

static void bootstrap(const double *v, size_t n, struct wc_effect *e)
{
	struct wc_rng rng = { SEED };
	double *medians = malloc(WC_BOOTSTRAP_CNT * sizeof(*medians));
	double *draw = malloc(n * sizeof(*draw));
	size_t i, j;

	if (medians && draw) {
		for (i = 0; i < WC_BOOTSTRAP_CNT; i++) {
			for (j = 0; j < n; j++)
				draw[j] = v[wc_rng__below(&rng, n)];
			medians[i] = wc_stats__median(draw, n);
		}
		wc_stats__percentiles(medians, WC_BOOTSTRAP_CNT, &e->lo, &e->hi);
		e->has_ci = true;
	}
	free(draw);
	free(medians);
}

void wc_effect__of(const struct wc_series *s, struct wc_effect *e)
{
	double *v = malloc((s->cnt + 1) * sizeof(*v));
	size_t i, n = 0;

	memset(e, 0, sizeof(*e));
	for (i = 0; v && i < s->cnt; i++) {
		if (!isnan(s->v[i]))
			v[n++] = s->v[i];
	}
	if (n) {
		e->n = n;
		e->ns = e->lo = e->hi = wc_stats__median(v, n);
		if (n >= WC_EFFECT_ROUNDS_MIN)
			bootstrap(v, n, e);
	}
	free(v);
}
