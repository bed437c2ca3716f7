/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/model/profile_overall.h"

#include <errno.h>
#include <stdlib.h>

static bool apart(unsigned int wake_class)
{
	return wake_class == WC_CLASS_TIMED || wake_class == WC_CLASS_NEW;
}

void wc_overall__pool(const struct wc_result *r, unsigned int metric, struct wc_hist *into)
{
	*into = (struct wc_hist){ 0 };
	for (size_t i = 0; i < r->cell_cnt; i++)
		for (size_t k = 0; k < r->cells[i].round_cnt; k++)
			for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
				if (!apart(c))
					wc_hist__merge(into,
						       r->cells[i].rounds[k].hists[c][metric]);
}

static void add_counts(const struct wc_round *round, struct wc_overall *o)
{
	for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
		if (round->hists[c][WC_METRIC_TOTAL])
			o->classes[c] += round->hists[c][WC_METRIC_TOTAL]->count;
	for (unsigned int c = 0; c < WC_CTX_CNT; c++)
		o->contexts[c] += round->contexts[c];
	for (unsigned int c = 0; c < WC_CNT_CNT; c++)
		o->counters[c] += round->counters[c];
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* What the profile itself says was lost is the same loss, told twice. */
static void add_losses(const struct wc_profile *p, struct wc_overall *o)
{
	uint64_t *c = o->counters;

	if (p) {
		c[WC_CNT_STACK_FULL] = larger(c[WC_CNT_STACK_FULL], p->stacks_full_cnt);
		c[WC_CNT_STACK_FAILED] = larger(c[WC_CNT_STACK_FAILED], p->stacks_failed_cnt);
		c[WC_CNT_CHAIN_FULL] = larger(c[WC_CNT_CHAIN_FULL], p->chains_full_cnt);
		o->has_truncated = p->user_stack_cnt != 0;
		if (p->user_stack_cnt)
			o->truncated_share =
				(double)p->user_truncated_cnt / (double)p->user_stack_cnt;
		if (p->window_ns)
			o->wakes_per_s = (double)o->wakes * 1e9 / (double)p->window_ns;
	}
	for (unsigned int i = 0; i < WC_CNT_CNT; i++)
		if (wc_counter__is_loss(i))
			o->lost += c[i];
}

static void fill_stages(const struct wc_result *r, struct wc_overall *o)
{
	double total_ns = (double)o->total_ns, wakes = o->wakes ? (double)o->wakes : 1;
	double rest_ns = total_ns;
	struct wc_cell_summary names;
	struct wc_hist h;

	wc_cell__summarise(r, &r->cells[0], &names);
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		struct wc_overall_stage *st = &o->stages[i];

		wc_overall__pool(r, i, &h);
		st->name = names.stages[i].name;
		st->status = names.stages[i].status;
		st->present = h.count || (o->wakes && st->status == WC_STATUS_EXACT);
		st->cnt = h.count;
		st->p50_ns = wc_hist__quantile(&h, 0.50);
		st->p99_ns = wc_hist__quantile(&h, 0.99);
		st->mean_ns = (double)h.sum / wakes;
		st->share = total_ns > 0 ? (double)h.sum / total_ns : 0;
		rest_ns -= (double)h.sum;
	}
	o->unattributed_mean_ns = rest_ns / wakes;
	o->unattributed_share = total_ns > 0 ? rest_ns / total_ns : 0;
}

void wc_overall__of(const struct wc_result *r, struct wc_overall *o)
{
	struct wc_hist h;

	*o = (struct wc_overall){ 0 };
	for (size_t i = 0; i < r->cell_cnt; i++)
		for (size_t k = 0; k < r->cells[i].round_cnt; k++)
			add_counts(&r->cells[i].rounds[k], o);
	wc_overall__pool(r, WC_METRIC_TOTAL, &h);
	o->wakes = h.count;
	o->total_ns = h.sum;
	o->p50_ns = wc_hist__quantile(&h, 0.50);
	o->p99_ns = wc_hist__quantile(&h, 0.99);
	o->worst_ns = wc_hist__highest(&h);
	o->mean_ns = h.count ? (double)h.sum / (double)h.count : 0;
	add_losses(r->profile, o);
	if (r->cell_cnt)
		fill_stages(r, o);
}

/* ---- threads ---- */

static int compare_tgids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static size_t count_processes(const struct wc_profile *p, uint32_t *tgids)
{
	size_t cnt = 0, processes = 0;

	for (size_t i = 0; i < p->task_cnt; i++)
		if (!p->tasks[i].outside)
			tgids[cnt++] = p->tasks[i].tgid;
	if (cnt)
		qsort(tgids, cnt, sizeof(*tgids), compare_tgids);
	for (size_t i = 0; i < cnt; i++)
		processes += !i || tgids[i] != tgids[i - 1];
	return processes;
}

/* Each task's wakes but the first of a new one: who has any has slept. */
static void mark_sleepers(const struct wc_profile *p, bool *slept)
{
	for (size_t i = 0; i < p->edge_cnt; i++) {
		const struct wc_edge *e = &p->edges[i];

		for (unsigned int c = 0; c < WC_CLASS_CNT && e->wakee < p->task_cnt; c++)
			if (c != WC_CLASS_NEW && e->wakes[c])
				slept[e->wakee] = true;
	}
}

static void mark_open(const struct wc_profile *p, struct wc_census *c, bool *slept)
{
	for (size_t i = 0; i < p->open_cnt; i++) {
		const struct wc_open *o = &p->opens[i];

		if (o->task >= p->task_cnt)
			continue;
		if (o->woken) {
			c->woken_cnt++;
		} else if (!slept[o->task] && o->since_ns >= p->window_ns) {
			c->states[o->task] = WC_TASK_SLEPT_THROUGH;
			c->slept_through_cnt++;
		} else {
			c->asleep_cnt++;
		}
	}
	for (size_t i = 0; i < p->open_cnt; i++)
		if (p->opens[i].task < p->task_cnt)
			slept[p->opens[i].task] = true;
}

int wc_census__of(const struct wc_profile *p, struct wc_census *c)
{
	uint32_t *tgids = calloc(p->task_cnt + 1, sizeof(*tgids));
	bool *slept = calloc(p->task_cnt + 1, sizeof(*slept));

	*c = (struct wc_census){ .states = calloc(p->task_cnt + 1, 1) };
	if (!tgids || !slept || !c->states) {
		free(tgids);
		free(slept);
		free(c->states);
		c->states = NULL;
		return -ENOMEM;
	}
	mark_sleepers(p, slept);
	mark_open(p, c, slept);
	for (size_t i = 0; i < p->task_cnt; i++) {
		const struct wc_task *t = &p->tasks[i];

		if (t->outside)
			continue;
		c->thread_cnt++;
		c->exited_cnt += t->exited;
		c->exited_process_cnt += t->exited && t->tid == t->tgid;
		if (!slept[i]) {
			c->states[i] = WC_TASK_NEVER_SLEPT;
			c->never_slept_cnt++;
		}
	}
	c->process_cnt = count_processes(p, tgids);
	free(tgids);
	free(slept);
	return 0;
}
