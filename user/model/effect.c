// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/effect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/stats.h"
#include "user/model/summary.h"

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

static double round__p50(const struct wc_round *round, unsigned int metric)
{
	double p50 = round__quantile(round, metric);

	if (metric != WC_METRIC_TOTAL || !isnan(p50))
		return p50;
	/* no handoff slept, or the probes were not there: the workload's own figure is left */
	if (round->probed.valid)
		return (double)round->probed.handoff.p50_ns;
	return round->bare.valid ? (double)round->bare.handoff.p50_ns : NAN;
}

/* A stage that did not occur took no time; the whole did, or it was not measured. */
static double round__sum(const struct wc_round *round, unsigned int metrics)
{
	double sum = 0, p50;
	unsigned int m;

	for (m = 0; m < WC_METRIC_CNT; m++) {
		if (!(metrics >> m & 1))
			continue;
		p50 = round__p50(round, m);
		sum += isnan(p50) && m != WC_METRIC_TOTAL ? 0 : p50;
	}
	return sum;
}

int wc_series__of(const struct wc_cell *cell, unsigned int metrics, struct wc_series *out)
{
	size_t i, top = 0;

	out->v = NULL;
	out->cnt = 0;
	for (i = 0; i < cell->round_cnt; i++) {
		if ((size_t)cell->rounds[i].index + 1 > top)
			top = (size_t)cell->rounds[i].index + 1;
	}
	if (top > WC_ROUND_MAX + 1) /* as a stranger's recording may have it */
		return -EINVAL;
	out->v = malloc((top + 1) * sizeof(*out->v));
	if (!out->v)
		return -ENOMEM;
	out->cnt = top;
	for (i = 0; i < top; i++)
		out->v[i] = NAN;
	for (i = 0; i < cell->round_cnt; i++) {
		const struct wc_round *round = &cell->rounds[i];

		if (!round->warmup && round->complete)
			out->v[round->index] = round__sum(round, metrics);
	}
	return 0;
}

void wc_series__add(struct wc_series *a, const struct wc_series *b, double factor)
{
	size_t i;

	for (i = 0; i < a->cnt; i++)
		a->v[i] = i < b->cnt ? a->v[i] + factor * b->v[i] : NAN;
}

void wc_series__divide(struct wc_series *a, const struct wc_series *b)
{
	size_t i;

	for (i = 0; i < a->cnt; i++)
		a->v[i] = i < b->cnt && b->v[i] > 0 ? a->v[i] / b->v[i] : NAN;
}

void wc_series__free(struct wc_series *s)
{
	free(s->v);
	s->v = NULL;
	s->cnt = 0;
}

void wc_effect__of(const struct wc_series *s, struct wc_effect *e)
{
	double *v = malloc((s->cnt + 1) * sizeof(*v));
	struct wc_figure f;
	size_t i, n = 0;

	memset(e, 0, sizeof(*e));
	for (i = 0; v && i < s->cnt; i++) {
		if (!isnan(s->v[i]))
			v[n++] = s->v[i];
	}
	if (n) {
		f = wc_stats__figure(v, n);
		e->n = f.n;
		e->has_ci = f.has_ci;
		e->ns = f.median;
		e->lo = f.has_ci ? f.lo : f.median;
		e->hi = f.has_ci ? f.hi : f.median;
	}
	free(v);
}
