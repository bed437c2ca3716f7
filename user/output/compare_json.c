// SPDX-License-Identifier: BSD-2-Clause
/* wakecost.compare/1: every key is in docs/json-compare.md, and a test holds the two together. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/profile.h"
#include "user/output/compare_impl.h"
#include "user/output/json_impl.h"

static json_t *percent_of(double ratio)
{
	return json_real((ratio - 1) * 100);
}

static json_t *side_of(const char *file, const struct wc_result *r, int *err)
{
	json_t *o = json_object();

	json__set(o, "file", json__string_of(file), err);
	json__set(o, "version", json__string_of(r->tool_version), err);
	json__set(o, "command_line", json__string_of(r->command_line), err);
	json__set(o, "started_s", json__count_of(r->started_s), err);
	json__set(o, "interrupted", json_boolean(r->interrupted), err);
	return o;
}

static json_t *differences_of(const struct wc_result *base, const struct wc_result *new, int *err)
{
	struct wc_difference d[WC_DIFFERENCE_MAX];
	size_t cnt = wc_compare__hosts(base, new, d);
	json_t *array = json_array();

	for (size_t i = 0; i < cnt; i++) {
		json_t *o = json_object();

		json__set(o, "key", json__string_of(d[i].key), err);
		json__set(o, "base", *d[i].base ? json__string_of(d[i].base) : json_null(), err);
		json__set(o, "new", *d[i].new ? json__string_of(d[i].new) : json_null(), err);
		json__add(array, o, err);
	}
	return array;
}

static json_t *head_of(const char *kind, const struct wc_result *base, const struct wc_result *new,
		       const struct wc_compare_opts *opts, int *err)
{
	json_t *o = json_object();

	json__set(o, "schema", json_string("wakecost.compare/1"), err);
	json__set(o, "kind", json_string(kind), err);
	json__set(o, "base", side_of(opts->base_name, base, err), err);
	json__set(o, "new", side_of(opts->new_name, new, err), err);
	json__set(o, "host_differences", differences_of(base, new, err), err);
	return o;
}

/* ---- experiments ---- */

static json_t *interval_of(const struct wc_change *c, int *err)
{
	json_t *array;

	if (!c->has_ci)
		return json_null();
	array = json_array();
	json__add(array, percent_of(c->lo), err);
	json__add(array, percent_of(c->hi), err);
	return array;
}

static json_t *change_of(const char *of, const char *figure, const struct wc_change *c, int *err)
{
	bool open = c->verdict == WC_JUDGED_INCONCLUSIVE;
	json_t *o = json_object();

	json__set(o, "of", json__string_of(of), err);
	json__set(o, "figure", json_string(figure), err);
	json__set(o, "base_rounds", json__count_of(c->base_n), err);
	json__set(o, "new_rounds", json__count_of(c->new_n), err);
	json__set(o, "base_ns", json__ns_of(c->base_ns), err);
	json__set(o, "new_ns", json__ns_of(c->new_ns), err);
	json__set(o, "change_percent", percent_of(c->ratio), err);
	json__set(o, "ci95_percent", interval_of(c, err), err);
	json__set(o, "p", json_real(c->p), err);
	json__set(o, "p_holm", json_real(c->p_holm), err);
	json__set(o, "noise_percent", c->has_noise ? percent_of(c->noise) : json_null(), err);
	json__set(o, "verdict", json_string(wc_judgement__name(c->verdict)), err);
	json__set(o, "needs_rounds", open ? json__count_of(c->needs) : json_null(), err);
	return o;
}

static json_t *changes_of(const struct wc_result *base, const struct wc_cell_change *cell, int *err)
{
	json_t *array = json_array();

	for (unsigned int w = 0; w < WC_CHANGE_CNT; w++) {
		unsigned int stage = w - WC_CHANGE_STAGE;
		const char *of = "handoff";

		if (!cell->of[w].compared)
			continue;
		if (w >= WC_CHANGE_STAGE) {
			of = base->stages[stage].shown_as;
			of = of && *of ? of : wc_stage__name(stage);
		}
		json__add(array,
			  change_of(of, w == WC_CHANGE_P99 ? "p99" : "p50", &cell->of[w], err),
			  err);
	}
	return array;
}

static json_t *params_of(const struct wc_result *r, const size_t *cells, size_t cnt, int *err)
{
	json_t *array = json_array();

	for (size_t i = 0; i < cnt; i++)
		json__add(array, json__object_of(&r->cells[cells[i]].params, err), err);
	return array;
}

static json_t *verdicts_of(const struct wc_comparison *c, int *err)
{
	json_t *o = json_object();

	json__set(o, "slower", json__count_of(c->verdicts[WC_JUDGED_SLOWER]), err);
	json__set(o, "faster", json__count_of(c->verdicts[WC_JUDGED_FASTER]), err);
	json__set(o, "no_difference", json__count_of(c->verdicts[WC_JUDGED_SAME]), err);
	json__set(o, "inconclusive", json__count_of(c->verdicts[WC_JUDGED_INCONCLUSIVE]), err);
	return o;
}

static json_t *families_of(const struct wc_comparison *c, int *err)
{
	json_t *o = json_object();

	json__set(o, "handoff", json__count_of(c->handoff_family), err);
	json__set(o, "stages", json__count_of(c->stage_family), err);
	return o;
}

static json_t *differing_stages(const struct wc_comparison *c, int *err)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		if (c->stage_differs[i])
			json__add(array, json_string(wc_stage__name(i)), err);
	return array;
}

int wc_out_compare_runs_json(FILE *f, const struct wc_result *base, const struct wc_result *new,
			     const struct wc_comparison *c, const struct wc_compare_opts *opts)
{
	size_t *order = compare__order_cells(c, opts);
	json_t *document, *cells = json_array();
	int err = 0;

	if (!order) {
		json_decref(cells);
		return -ENOMEM;
	}
	document = head_of("run", base, new, opts, &err);
	for (size_t i = 0; i < c->cell_cnt; i++) {
		const struct wc_cell_change *cell = &c->cells[order[i]];
		json_t *o = json_object();

		json__set(o, "params", json__object_of(&base->cells[cell->base].params, &err),
			  &err);
		json__set(o, "timed_by", json_string(wc_timed_by__name(cell->timed_by)), &err);
		json__set(o, "changes", changes_of(base, cell, &err), &err);
		json__add(cells, o, &err);
	}
	free(order);
	json__set(document, "threshold_percent", percent_of(c->threshold), &err);
	json__set(document, "judged_together", families_of(c, &err), &err);
	json__set(document, "cells", cells, &err);
	json__set(document, "only_base", params_of(base, c->only_base, c->only_base_cnt, &err),
		  &err);
	json__set(document, "only_new", params_of(new, c->only_new, c->only_new_cnt, &err), &err);
	json__set(document, "stages_not_compared", differing_stages(c, &err), &err);
	json__set(document, "verdicts", verdicts_of(c, &err), &err);
	return json__print(f, document, err);
}

/* ---- recordings of programs ---- */

static json_t *mean_of(const struct wc_mean *m, bool there, int *err)
{
	json_t *o;

	if (!there)
		return json_null();
	o = json_object();
	json__set(o, "wakes", json__count_of(m->wakes), err);
	json__set(o, "wakes_per_s", json_real(m->per_s), err);
	json__set(o, "mean_ns", json__ns_of(m->mean_ns), err);
	json__set(o, "cost_per_s_ns", json__ns_of(m->cost_per_s), err);
	return o;
}

static json_t *change_or_null(double base, double new, bool both)
{
	return both && base > 0 ? percent_of(compare__ratio(base, new)) : json_null();
}

static json_t *stage_of(const char *name, double base, double new, bool in_base, bool in_new,
			int *err)
{
	json_t *o = json_object();

	json__set(o, "name", json__string_of(name), err);
	json__set(o, "base_ns", in_base ? json__ns_of(base) : json_null(), err);
	json__set(o, "new_ns", in_new ? json__ns_of(new) : json_null(), err);
	json__set(o, "change_percent", change_or_null(base, new, in_base && in_new), err);
	return o;
}

static json_t *stages_of(const struct wc_record_comparison *c, int *err)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		const struct wc_stage_change *s = &c->stages[i];
		const char *a = s->base_name, *b = s->new_name;

		if (a && b && !strcmp(a, b)) {
			json__add(array, stage_of(a, s->base_ns, s->new_ns, true, true, err), err);
			continue;
		}
		if (a)
			json__add(array, stage_of(a, s->base_ns, 0, true, false, err), err);
		if (b)
			json__add(array, stage_of(b, 0, s->new_ns, false, true, err), err);
	}
	json__add(array, stage_of("unattributed", c->base_rest_ns, c->new_rest_ns, true, true, err),
		  err);
	return array;
}

static json_t *stage_ns_of(const double ns[WC_STAGE_CNT], bool there, int *err)
{
	json_t *o;

	if (!there)
		return json_null();
	o = json_object();
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		json__set(o, wc_stage__name(i), json__ns_of(ns[i]), err);
	return o;
}

static json_t *pair_of(const struct wc_pair_change *p, int *err)
{
	const char *top = wc_stage__name(p->top_stage);
	json_t *o = json_object();

	json__set(o, "waker", json__string_of(p->waker), err);
	json__set(o, "wakee", json__string_of(p->wakee), err);
	json__set(o, "base", mean_of(&p->base, p->in_base, err), err);
	json__set(o, "new", mean_of(&p->new, p->in_new, err), err);
	json__set(o, "change_percent",
		  change_or_null(p->base.mean_ns, p->new.mean_ns, p->in_base && p->in_new), err);
	json__set(o, "base_stages_ns", stage_ns_of(p->base_stage_ns, p->in_base, err), err);
	json__set(o, "new_stages_ns", stage_ns_of(p->new_stage_ns, p->in_new, err), err);
	json__set(o, "most_in", p->top_stage < WC_STAGE_CNT ? json_string(top) : json_null(), err);
	return o;
}

int wc_out_compare_records_json(FILE *f, const struct wc_result *base, const struct wc_result *new,
				const struct wc_record_comparison *c,
				const struct wc_compare_opts *opts)
{
	size_t *order = compare__order_pairs(c, opts);
	json_t *document, *pairs = json_array(), *wakes = json_object();
	int err = 0;

	if (!order) {
		json_decref(pairs);
		json_decref(wakes);
		return -ENOMEM;
	}
	document = head_of("record", base, new, opts, &err);
	json__set(wakes, "base", mean_of(&c->base, true, &err), &err);
	json__set(wakes, "new", mean_of(&c->new, true, &err), &err);
	json__set(wakes, "change_percent",
		  change_or_null(c->base.mean_ns, c->new.mean_ns, c->base.wakes && c->new.wakes),
		  &err);
	json__set(wakes, "stages", stages_of(c, &err), &err);
	for (size_t i = 0; i < c->pair_cnt; i++)
		json__add(pairs, pair_of(&c->pairs[order[i]], &err), &err);
	free(order);
	json__set(document, "wakes", wakes, &err);
	json__set(document, "pairs", pairs, &err);
	return json__print(f, document, err);
}
