/* SPDX-License-Identifier: BSD-2-Clause */
/* From rounds to the figures of a cell. */
#include <math.h>
#include <string.h>

#include "user/model/stats.h"
#include "user/model/summary.h"

/* Wakes by somebody. A timer's end is not somebody, and the first run of a task no wake of it. */
#define MAIN_CLASSES (((1u << WC_CLASS_CNT) - 1) & ~(1u << WC_CLASS_TIMED) & ~(1u << WC_CLASS_NEW))

static bool counts(const struct wc_round *round)
{
	return round->complete && !round->warmup;
}

/* ---- distributions ---- */

enum { Q50, Q90, Q99, MEAN, FIGURE_CNT };

static void set_figures(struct wc_dist_summary *d, double *const v[FIGURE_CNT], size_t n)
{
	d->p50_ns = wc_stats__figure(v[Q50], n);
	d->p90_ns = wc_stats__figure(v[Q90], n);
	d->p99_ns = wc_stats__figure(v[Q99], n);
	d->mean_ns = wc_stats__figure(v[MEAN], n);
}

static void note_extremes(struct wc_dist_summary *d, uint64_t count, uint64_t min, uint64_t max)
{
	if (!d->count || min < d->min_ns)
		d->min_ns = min;
	if (max > d->max_ns)
		d->max_ns = max;
	d->count += count;
}

/* One metric of the chosen kinds, as the probes saw it; a round without any is not a round. */
static void summarise_metric(const struct wc_cell *cell, unsigned int metric, unsigned int classes,
			     struct wc_dist_summary *d, double *sum_ns)
{
	size_t max = cell->round_cnt ? cell->round_cnt : 1, n = 0;
	double values[FIGURE_CNT][max];
	double *const v[FIGURE_CNT] = { values[Q50], values[Q90], values[Q99], values[MEAN] };

	*d = (struct wc_dist_summary){ 0 };
	*sum_ns = 0;
	for (size_t i = 0; i < cell->round_cnt; i++) {
		const struct wc_round *round = &cell->rounds[i];
		struct wc_hist h = { 0 };

		if (!counts(round))
			continue;
		for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
			if (classes & (1u << c))
				wc_hist__merge(&h, round->hists[c][metric]);
		if (!h.count)
			continue;
		v[Q50][n] = wc_hist__quantile(&h, 0.50);
		v[Q90][n] = wc_hist__quantile(&h, 0.90);
		v[Q99][n] = wc_hist__quantile(&h, 0.99);
		v[MEAN][n] = (double)h.sum / (double)h.count;
		n++;
		note_extremes(d, h.count, wc_hist__lowest(&h), wc_hist__highest(&h));
		*sum_ns += (double)h.sum;
	}
	set_figures(d, v, n);
	d->total_mean_ns = d->count ? *sum_ns / (double)d->count : 0;
}

/* The same for all handoffs, as the workload saw them. */
static void summarise_phase(const struct wc_cell *cell, bool probed, struct wc_dist_summary *d,
			    double *sum_ns)
{
	size_t max = cell->round_cnt ? cell->round_cnt : 1, n = 0;
	double values[FIGURE_CNT][max];
	double *const v[FIGURE_CNT] = { values[Q50], values[Q90], values[Q99], values[MEAN] };

	*d = (struct wc_dist_summary){ 0 };
	*sum_ns = 0;
	for (size_t i = 0; i < cell->round_cnt; i++) {
		const struct wc_round *round = &cell->rounds[i];
		const struct wc_phase *phase = probed ? &round->probed : &round->bare;
		const struct wc_dist *h = &phase->handoff;

		if (!counts(round) || !phase->valid || !h->count)
			continue;
		v[Q50][n] = (double)h->p50_ns;
		v[Q90][n] = (double)h->p90_ns;
		v[Q99][n] = (double)h->p99_ns;
		v[MEAN][n] = (double)h->sum_ns / (double)h->count;
		n++;
		note_extremes(d, h->count, h->min_ns, h->max_ns);
		*sum_ns += (double)h->sum_ns;
	}
	set_figures(d, v, n);
	d->total_mean_ns = d->count ? *sum_ns / (double)d->count : 0;
}

/* ---- figures of a round that are no distribution ---- */

typedef bool (*round_value_fn)(const struct wc_round *round, double *value);

static struct wc_figure figure_over(const struct wc_cell *cell, round_value_fn value)
{
	double v[cell->round_cnt ? cell->round_cnt : 1];
	size_t n = 0;

	for (size_t i = 0; i < cell->round_cnt; i++)
		if (counts(&cell->rounds[i]) && value(&cell->rounds[i], &v[n]))
			n++;
	return wc_stats__figure(v, n);
}

static bool per_handoff(const struct wc_phase *phase, uint64_t what, double *value)
{
	if (!phase->valid || !phase->handoff.count)
		return false;
	*value = (double)what / (double)phase->handoff.count;
	return true;
}

static bool waits(const struct wc_round *round, double *value)
{
	return per_handoff(&round->probed, round->probed.csw_voluntary_cnt, value);
}

static bool bare_waits(const struct wc_round *round, double *value)
{
	return per_handoff(&round->bare, round->bare.csw_voluntary_cnt, value);
}

static bool csw(const struct wc_round *round, double *value)
{
	const struct wc_phase *p = &round->probed;

	return per_handoff(p, p->csw_voluntary_cnt + p->csw_involuntary_cnt, value);
}

static bool cpu(const struct wc_round *round, double *value)
{
	return per_handoff(&round->probed, round->probed.cpu_ns, value);
}

static bool bare_cpu(const struct wc_round *round, double *value)
{
	return per_handoff(&round->bare, round->bare.cpu_ns, value);
}

static bool probe_cost(const struct wc_round *round, double *value)
{
	double with, without;

	if (!per_handoff(&round->probed, round->probed.handoff.sum_ns, &with) ||
	    !per_handoff(&round->bare, round->bare.handoff.sum_ns, &without))
		return false;
	*value = with - without;
	return true;
}

/* ---- gauges, and wakes for a piece of work ---- */

struct wc_figure wc_cell__gauge(const struct wc_cell *cell, size_t gauge, bool probed)
{
	double v[cell->round_cnt ? cell->round_cnt : 1];
	size_t n = 0;

	for (size_t i = 0; i < cell->round_cnt; i++) {
		const struct wc_round *round = &cell->rounds[i];
		const struct wc_phase *phase = probed ? &round->probed : &round->bare;

		if (counts(round) && phase->valid && phase->gauges && !isnan(phase->gauges[gauge]))
			v[n++] = phase->gauges[gauge];
	}
	return wc_stats__figure(v, n);
}

static bool wakes_per_work(const struct wc_round *round, unsigned int classes, double *value)
{
	const struct wc_phase *p = &round->probed;
	uint64_t cnt = 0;

	if (!p->valid || !p->gauges || !(p->gauges[0] > 0))
		return false;
	for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
		if (classes & (1u << c) && round->hists[c][WC_METRIC_TOTAL])
			cnt += round->hists[c][WC_METRIC_TOTAL]->count;
	*value = (double)cnt / p->gauges[0];
	return true;
}

static bool main_per_work(const struct wc_round *round, double *value)
{
	return wakes_per_work(round, MAIN_CLASSES, value);
}

static bool timed_per_work(const struct wc_round *round, double *value)
{
	return wakes_per_work(round, 1u << WC_CLASS_TIMED, value);
}

/* ---- sums ---- */

static void add_counts(const struct wc_cell *cell, struct wc_cell_summary *s)
{
	s->chain_max_cnt = UINT64_MAX;
	for (size_t i = 0; i < cell->round_cnt; i++) {
		const struct wc_round *round = &cell->rounds[i];

		if (!counts(round))
			continue;
		if (!s->rounds || round->parked_cnt < s->parked_min_cnt)
			s->parked_min_cnt = round->parked_cnt;
		if (round->parked_cnt > s->parked_max_cnt)
			s->parked_max_cnt = round->parked_cnt;
		if (round->chain_cnt != UINT64_MAX &&
		    (s->chain_max_cnt == UINT64_MAX || round->chain_cnt > s->chain_max_cnt))
			s->chain_max_cnt = round->chain_cnt;
		s->rounds++;
		for (unsigned int c = 0; c < WC_CLASS_CNT; c++) {
			const struct wc_hist *h = round->hists[c][WC_METRIC_TOTAL];

			s->classes[c] += h ? h->count : 0;
			s->others[c] += round->other[c].count;
		}
		for (unsigned int c = 0; c < WC_CNT_CNT; c++)
			s->counters[c] += round->counters[c];
		for (unsigned int c = 0; c < WC_CTX_CNT; c++)
			s->contexts[c] += round->contexts[c];
	}
}

/* What the workload made and the probes did not see sleep. */
static void summarise_unslept(struct wc_cell_summary *s, double all_sum_ns, double seen_sum_ns)
{
	uint64_t seen = s->slept_cnt + s->classes[WC_CLASS_TIMED];

	if (!s->handoff_cnt)
		return;
	if (seen > s->handoff_cnt) {
		s->excess_cnt = seen - s->handoff_cnt;
		return;
	}
	s->unslept_cnt = s->handoff_cnt - seen;
	if (s->unslept_cnt)
		s->unslept_mean_ns = (all_sum_ns - seen_sum_ns) / (double)s->unslept_cnt;
}

/* ---- stages ---- */

static void fill_stage(struct wc_stage_summary *st, const struct wc_dist_summary *d, double sum_ns,
		       uint64_t slept_cnt, double slept_mean_ns)
{
	st->count = d->count;
	st->p50_ns = d->p50_ns;
	st->p99_ns = d->p99_ns;
	st->mean_ns = slept_cnt ? sum_ns / (double)slept_cnt : 0;
	st->share = slept_mean_ns > 0 ? st->mean_ns / slept_mean_ns : 0;
}

/* A merged span goes by its long name once; a second row that still has time keeps its own. */
static const char *stage_label(const struct wc_result *r, unsigned int stage)
{
	const char *shown = r->stages[stage].shown_as;

	if (!shown || !*shown)
		return wc_stage__name(stage);
	for (unsigned int i = 0; i < stage; i++)
		if (r->stages[i].shown_as && !strcmp(r->stages[i].shown_as, shown))
			return wc_stage__name(stage);
	return shown;
}

static void summarise_stages(const struct wc_result *r, const struct wc_cell *cell,
			     struct wc_cell_summary *s, double rest_sum_ns)
{
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		struct wc_stage_summary *st = &s->stages[i];
		struct wc_dist_summary d;
		double sum_ns;

		summarise_metric(cell, i, MAIN_CLASSES, &d, &sum_ns);
		fill_stage(st, &d, sum_ns, s->slept_cnt, s->handoff.total_mean_ns);
		st->name = stage_label(r, i);
		st->status = r->stages[i].status;
		/* time that was measured is shown whatever the stage table says */
		st->present = st->count || (s->slept_cnt && st->status == WC_STATUS_EXACT);
		rest_sum_ns -= sum_ns; /* whole ns: what is nothing comes out as nothing */
	}
	if (!s->slept_cnt)
		return;
	s->unattributed_mean_ns = rest_sum_ns / (double)s->slept_cnt;
	if (s->handoff.total_mean_ns > 0)
		s->unattributed_share = s->unattributed_mean_ns / s->handoff.total_mean_ns;
}

void wc_cell__summarise(const struct wc_result *r, const struct wc_cell *cell,
			struct wc_cell_summary *s)
{
	struct wc_dist_summary timed;
	double slept_sum_ns, timed_sum_ns, all_sum_ns, bare_sum_ns;

	memset(s, 0, sizeof(*s));
	add_counts(cell, s);
	summarise_metric(cell, WC_METRIC_TOTAL, MAIN_CLASSES, &s->handoff, &slept_sum_ns);
	summarise_metric(cell, WC_METRIC_TOTAL, 1u << WC_CLASS_TIMED, &timed, &timed_sum_ns);
	summarise_phase(cell, true, &s->all, &all_sum_ns);
	summarise_phase(cell, false, &s->bare, &bare_sum_ns);
	s->handoff_cnt = s->all.count;
	s->slept_cnt = s->handoff.count;
	summarise_unslept(s, all_sum_ns, slept_sum_ns + timed_sum_ns);
	summarise_stages(r, cell, s, slept_sum_ns);
	s->waits_per_handoff = figure_over(cell, waits);
	s->bare_waits_per_handoff = figure_over(cell, bare_waits);
	s->csw_per_handoff = figure_over(cell, csw);
	s->cpu_ns_per_handoff = figure_over(cell, cpu);
	s->bare_cpu_ns_per_handoff = figure_over(cell, bare_cpu);
	s->wakes_per_work = figure_over(cell, main_per_work);
	s->timed_per_work = figure_over(cell, timed_per_work);
	s->probe_cost_ns = figure_over(cell, probe_cost);
}

void wc_cell__class_stage(const struct wc_cell *cell, unsigned int wake_class, unsigned int metric,
			  struct wc_stage_summary *s)
{
	struct wc_dist_summary total, d;
	double total_ns, sum_ns;

	memset(s, 0, sizeof(*s));
	summarise_metric(cell, WC_METRIC_TOTAL, 1u << wake_class, &total, &total_ns);
	summarise_metric(cell, metric, 1u << wake_class, &d, &sum_ns);
	fill_stage(s, &d, sum_ns, total.count, total.total_mean_ns);
	s->name = wc_stage__name(metric);
	s->present = d.count != 0;
}

void wc_cell__pool(const struct wc_cell *cell, unsigned int metric, struct wc_hist *into)
{
	*into = (struct wc_hist){ 0 };
	for (size_t i = 0; i < cell->round_cnt; i++)
		for (unsigned int c = 0; c < WC_CLASS_CNT && counts(&cell->rounds[i]); c++)
			if (MAIN_CLASSES & (1u << c))
				wc_hist__merge(into, cell->rounds[i].hists[c][metric]);
}

const struct wc_dist_summary *wc_cell_summary__handoff(const struct wc_cell_summary *s)
{
	return s->slept_cnt ? &s->handoff : &s->all;
}

uint64_t wc_cell_summary__wakes(const struct wc_cell_summary *s)
{
	uint64_t sum = 0;

	for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
		sum += s->classes[c] + s->others[c];
	return sum;
}

uint64_t wc_cell_summary__lost(const struct wc_cell_summary *s)
{
	uint64_t sum = 0;

	for (unsigned int c = 0; c < WC_CNT_CNT; c++)
		if (wc_counter__is_loss(c))
			sum += s->counters[c];
	return sum;
}
