/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "user/model/growth.h"
#include "user/model/params.h"
#include "user/util/units.h"

static const struct wc_figure *p50(const struct wc_cell_summary *s)
{
	return &wc_cell_summary__handoff(s)->p50_ns;
}

static unsigned int alike(const struct wc_cell *a, const struct wc_cell *b)
{
	unsigned int cnt = 0;

	for (size_t i = 0; i < a->params.cnt; i++) {
		const char *v = wc_kvs__get(&b->params, a->params.items[i].key);

		cnt += v && !strcmp(v, a->params.items[i].value);
	}
	return cnt;
}

/* The cell that cell i is measured against; i itself: none. */
static size_t baseline(const struct wc_result *r, const struct wc_cell_summary *s, const char *axis,
		       size_t i)
{
	uint64_t own, best_value = 0, value;
	unsigned int best_alike = 0;
	size_t best = i;

	if (!axis) {
		for (size_t j = 0; j < r->cell_cnt; j++)
			if (p50(&s[j])->n && p50(&s[j])->median < p50(&s[best])->median)
				best = j;
		return best;
	}
	if (!wc_params__number(&r->cells[i], axis, &own))
		return i;
	for (size_t j = 0; j < r->cell_cnt; j++) {
		unsigned int like = alike(&r->cells[i], &r->cells[j]);

		if (!p50(&s[j])->n || !wc_params__number(&r->cells[j], axis, &value) ||
		    value >= own)
			continue;
		if (best == i || value < best_value || (value == best_value && like > best_alike)) {
			best = j;
			best_value = value;
			best_alike = like;
		}
	}
	return best;
}

static void compare(const struct wc_cell_summary *s, size_t base, size_t top, struct wc_growth *g)
{
	const struct wc_figure *b = p50(&s[base]), *t = p50(&s[top]);

	*g = (struct wc_growth){
		.comparable = true,
		.grew = b->median > 0 && t->median > b->median,
		.has_ci = b->has_ci && t->has_ci,
		.rounds = b->n < t->n ? b->n : t->n,
		.base = base,
		.top = top,
		.base_ns = b->median,
		.top_ns = t->median,
		.factor = b->median > 0 ? t->median / b->median : 0,
	};
	g->beyond_noise = g->grew && (g->has_ci ? t->lo > b->hi : t->min > b->max);
}

static bool outdoes(const struct wc_growth *a, const struct wc_growth *b)
{
	if (!b->comparable)
		return true;
	if (a->beyond_noise != b->beyond_noise)
		return a->beyond_noise;
	return a->factor > b->factor;
}

static void find_stage(const struct wc_cell_summary *base, const struct wc_cell_summary *top,
		       struct wc_growth *g)
{
	double most = top->unattributed_mean_ns - base->unattributed_mean_ns;

	g->mean_growth_ns = top->handoff.total_mean_ns - base->handoff.total_mean_ns;
	if (!g->grew || !base->slept_cnt || !top->slept_cnt || g->mean_growth_ns <= 0)
		return;
	g->has_stage = true;
	g->stage = WC_STAGE_CNT;
	g->stage_name = "unattributed";
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		double growth = top->stages[i].mean_ns - base->stages[i].mean_ns;

		if (growth <= most)
			continue;
		most = growth;
		g->stage = i;
		g->stage_name = top->stages[i].name;
	}
	g->stage_share = most / g->mean_growth_ns;
}

void wc_growth__find(const struct wc_result *r, const struct wc_cell_summary *s,
		     struct wc_growth *g)
{
	const char *axis = wc_params__axis(r);

	*g = (struct wc_growth){ 0 };
	if (r->work) /* its wakes are not what is compared */
		return;
	for (size_t i = 0; i < r->cell_cnt; i++) {
		struct wc_growth one;
		size_t base;

		if (!p50(&s[i])->n)
			continue;
		base = baseline(r, s, axis, i);
		if (base == i)
			continue;
		compare(s, base, i, &one);
		if (outdoes(&one, g))
			*g = one;
	}
	if (g->comparable)
		find_stage(&s[g->base], &s[g->top], g);
}

/* ---- in words ---- */

static void stage_clause(const struct wc_growth *g, char *buf, size_t sz)
{
	char share[WC_UNITS_BUF_SZ];

	if (!g->has_stage)
		snprintf(buf, sz, "no stage can be named: %s",
			 g->mean_growth_ns > 0 ? "not every cell slept" : "the mean did not grow");
	else if (g->stage_share >= 0.995)
		snprintf(buf, sz, "all of that growth is in %s", g->stage_name);
	else
		snprintf(buf, sz, "%s of that growth is in %s",
			 wc_units__format_percent(share, sizeof(share), g->stage_share),
			 g->stage_name);
}

const char *wc_growth__sentence(const struct wc_result *r, const struct wc_growth *g, char *buf,
				size_t sz)
{
	char top[256], base[256], at[256], stage[128], few[48] = "";
	char top_ns[WC_UNITS_BUF_SZ], base_ns[WC_UNITS_BUF_SZ];

	buf[0] = '\0';
	if (!g->comparable)
		return buf;
	if (!g->grew) {
		snprintf(buf, sz, "No growth: no cell is slower than its baseline.");
		return buf;
	}
	wc_params__label(r, &r->cells[g->top], &r->cells[g->base], false, top, sizeof(top));
	wc_params__label(r, &r->cells[g->base], &r->cells[g->top], false, base, sizeof(base));
	wc_params__label(r, &r->cells[g->top], &r->cells[g->base], true, at, sizeof(at));
	wc_units__format_ns(top_ns, sizeof(top_ns), g->top_ns);
	wc_units__format_ns(base_ns, sizeof(base_ns), g->base_ns);
	stage_clause(g, stage, sizeof(stage));
	if (!g->has_ci)
		snprintf(few, sizeof(few), " (%u round%s: too few to be sure)", g->rounds,
			 g->rounds == 1 ? "" : "s");
	if (g->beyond_noise)
		snprintf(buf, sz,
			 "With %s%s%s a handoff takes %s, %.3g times the %s with %s; %s%s.", top,
			 *at ? " at " : "", at, top_ns, g->factor, base_ns, base, stage, few);
	else
		snprintf(buf, sz,
			 "No growth beyond the noise: the largest is %.3g times (%s with %s%s%s, "
			 "%s with %s), and the %s overlap%s.",
			 g->factor, top_ns, top, *at ? " at " : "", at, base_ns, base,
			 g->has_ci ? "95 % intervals" : "ranges of their rounds", few);
	return buf;
}
