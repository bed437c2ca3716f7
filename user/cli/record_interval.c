// SPDX-License-Identifier: BSD-2-Clause
#include "user/cli/record_interval.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/summary.h"
#include "user/output/interval.h"

/* Over kinds of wake, timed ones and first runs left out as everywhere. */
static void pool(const struct wc_round *round, unsigned int metric, struct wc_hist *into)
{
	unsigned int c;

	memset(into, 0, sizeof(*into));
	for (c = 0; c < WC_CLASS_CNT; c++) {
		if (c != WC_CLASS_TIMED && c != WC_CLASS_NEW && round->hists[c][metric])
			wc_hist__merge(into, round->hists[c][metric]);
	}
}

static void hist__subtract(struct wc_hist *h, const struct wc_hist *before)
{
	unsigned int i;

	h->count -= before->count;
	h->sum -= before->sum;
	for (i = 0; i < WC_HIST_SLOT_CNT; i++)
		h->slots[i] -= before->slots[i];
}

static void stage__fill(struct wc_live *live, const struct wc_round *sofar, unsigned int metric,
			struct wc_interval_stage *out)
{
	struct wc_hist now, diff;

	pool(sofar, metric, &now);
	diff = now;
	hist__subtract(&diff, &live->before[metric]);
	live->before[metric] = now;
	out->count = diff.count;
	out->p50_ns = wc_hist__quantile(&diff, 0.5);
	out->p99_ns = wc_hist__quantile(&diff, 0.99);
}

struct delta {
	const struct wc_pair *pair;
	uint64_t wakes, sum_ns;
	unsigned int stage;
	double stage_share;
};

/* The stage most of the interval's time went to. */
static void delta__stage(struct delta *d, const struct wc_pair *before)
{
	uint64_t most = 0;
	unsigned int i;

	for (i = 0; i < WC_STAGE_CNT; i++) {
		uint64_t ns = d->pair->stages[i].sum - (before ? before->stages[i].sum : 0);

		if (ns > most) {
			most = ns;
			d->stage = i;
		}
	}
	d->stage_share = d->sum_ns ? (double)most / d->sum_ns : 0;
}

static int by_cost(const void *a, const void *b)
{
	const struct delta *x = a, *y = b;

	return (x->sum_ns < y->sum_ns) - (x->sum_ns > y->sum_ns);
}

static void pairs__fill(const struct wc_live *live, struct delta *deltas, size_t cnt,
			struct wc_interval *in)
{
	size_t i;

	qsort(deltas, cnt, sizeof(*deltas), by_cost);
	for (i = 0; i < cnt && i < WC_INTERVAL_PAIR_MAX && deltas[i].wakes; i++) {
		const struct delta *d = &deltas[i];
		struct wc_interval_pair *p = &in->pairs[in->pair_cnt++];

		p->waker = d->pair->waker_comm;
		p->waker_tid = d->pair->key.waker_tid;
		p->context = d->pair->key.waker_context;
		p->wakee = d->pair->wakee_comm;
		p->wakee_tid = d->pair->key.wakee_tid;
		p->wakes = d->wakes;
		p->mean_ns = (double)d->sum_ns / d->wakes;
		p->stage = live->stages[d->stage].shown_as;
		p->stage_share = d->stage_share;
	}
}

/* Pairs stand at the same index in every reading of one window. */
static struct delta *deltas__make(const struct wc_live *live, const struct wc_round *sofar)
{
	struct delta *d = calloc(sofar->pair_cnt + 1, sizeof(*d));
	size_t i;

	for (i = 0; d && i < sofar->pair_cnt; i++) {
		const struct wc_pair *before = i < live->pair_cnt ? &live->pairs[i] : NULL;

		d[i].pair = &sofar->pairs[i];
		d[i].wakes = d[i].pair->total.count - (before ? before->total.count : 0);
		d[i].sum_ns = d[i].pair->total.sum - (before ? before->total.sum : 0);
		delta__stage(&d[i], before);
	}
	return d;
}

static int pairs__remember(struct wc_live *live, const struct wc_round *sofar)
{
	struct wc_pair *more = reallocarray(live->pairs, sofar->pair_cnt + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	live->pairs = more;
	if (sofar->pair_cnt)
		memcpy(more, sofar->pairs, sofar->pair_cnt * sizeof(*more));
	live->pair_cnt = sofar->pair_cnt;
	return 0;
}

static uint64_t losses(const struct wc_round *round)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < WC_CNT_CNT; i++)
		sum += wc_counter__is_loss(i) ? round->counters[i] : 0;
	return sum;
}

int wc_live__say(struct wc_live *live, FILE *f, const struct wc_round *sofar, uint64_t elapsed_ns)
{
	struct wc_interval in = {
		.t_s = elapsed_ns / 1e9,
		.interval_s = (elapsed_ns - live->elapsed_ns) / 1e9,
		.lost = losses(sofar) - live->lost,
		.colour = live->colour,
	};
	struct delta *deltas = deltas__make(live, sofar);
	unsigned int m;
	int err;

	if (!deltas)
		return -ENOMEM;
	for (m = 0; m < WC_STAGE_CNT; m++) {
		const struct wc_stage_info *info = &live->stages[m];
		bool second =
			m && info->status == WC_STATUS_MERGED && (!info->probe || !info->probe[0]);

		stage__fill(live, sofar, m, &in.stages[m]);
		in.stages[m].name =
			info->status == WC_STATUS_MISSING || second ? NULL : info->shown_as;
	}
	stage__fill(live, sofar, WC_METRIC_TOTAL, &in.total);
	in.total.name = "total";
	in.wakes = in.total.count;
	pairs__fill(live, deltas, sofar->pair_cnt, &in);
	err = wc_out_interval(f, &in);
	free(deltas);
	live->elapsed_ns = elapsed_ns;
	live->lost = losses(sofar);
	return err ? err : pairs__remember(live, sofar);
}

void wc_live__free(struct wc_live *live)
{
	free(live->pairs);
	live->pairs = NULL;
	live->pair_cnt = 0;
}
