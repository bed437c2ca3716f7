/* SPDX-License-Identifier: BSD-2-Clause */
/* wakecost.run/1: every key is in docs/json.md, and a test holds the two together. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/bottleneck.h"
#include "user/model/growth.h"
#include "user/model/params.h"
#include "user/output/json_impl.h"
#include "user/output/output.h"
#include "user/output/record.h"
#include "user/output/summaries.h"
#include "user/util/text.h"

void json__set(json_t *object, const char *key, json_t *value, int *err)
{
	if (json_object_set_new(object, key, value))
		*err = -ENOMEM;
}

void json__add(json_t *array, json_t *value, int *err)
{
	if (json_array_append_new(array, value))
		*err = -ENOMEM;
}

json_t *json__string_of(const char *text)
{
	json_t *value = json_string(text ? text : "");
	size_t len;
	char *safe;

	if (value)
		return value;
	len = wc_text__safe(NULL, 0, text);
	safe = malloc(len + 1);
	if (!safe)
		return NULL;
	wc_text__safe(safe, len + 1, text);
	value = json_string(safe);
	free(safe);
	return value;
}

json_t *json__count_of(uint64_t count)
{
	return json_integer((json_int_t)count);
}

json_t *json__ns_of(double ns)
{
	return json_integer(llround(ns));
}

static json_t *ratio_of(const struct wc_figure *fig)
{
	return fig->n ? json_real(fig->median) : json_null();
}

static json_t *figure_ns(const struct wc_figure *fig)
{
	return fig->n ? json__ns_of(fig->median) : json_null();
}

static json_t *interval_ns(const struct wc_figure *fig)
{
	if (!fig->n || !fig->has_ci)
		return json_null();
	return json_pack("[oo]", json__ns_of(fig->lo), json__ns_of(fig->hi));
}

/* Text that is a plain decimal number is one: parked=4000, cpus=2. */
static json_t *value_of(const char *text)
{
	size_t len = strspn(text, "0123456789");

	if (!len || text[len] || len > 18 || (len > 1 && *text == '0'))
		return json__string_of(text);
	return json_integer(strtoll(text, NULL, 10));
}

json_t *json__object_of(const struct wc_kvs *kvs, int *err)
{
	json_t *o = json_object();

	for (size_t i = 0; i < kvs->cnt; i++) {
		json_t *key = json__string_of(kvs->items[i].key);

		if (key)
			json__set(o, json_string_value(key), value_of(kvs->items[i].value), err);
		else
			*err = -ENOMEM;
		json_decref(key);
	}
	return o;
}

static json_t *dist_of(const struct wc_dist_summary *d, int *err)
{
	json_t *o = json_object();
	bool any = d->count != 0;

	json__set(o, "count", json__count_of(d->count), err);
	json__set(o, "p50", figure_ns(&d->p50_ns), err);
	json__set(o, "p90", figure_ns(&d->p90_ns), err);
	json__set(o, "p99", figure_ns(&d->p99_ns), err);
	json__set(o, "min", any ? json__count_of(d->min_ns) : json_null(), err);
	json__set(o, "max", any ? json__count_of(d->max_ns) : json_null(), err);
	json__set(o, "mean", any ? json__ns_of(d->total_mean_ns) : json_null(), err);
	json__set(o, "ci95", interval_ns(&d->p50_ns), err);
	return o;
}

json_t *json__named_counts(const uint64_t *counts, unsigned int cnt,
			   const char *(*name)(unsigned int), bool (*want)(unsigned int), int *err)
{
	json_t *o = json_object();

	for (unsigned int i = 0; i < cnt; i++)
		if (!want || want(i))
			json__set(o, name(i), json__count_of(counts[i]), err);
	return o;
}

static json_t *stages_of(const struct wc_cell_summary *s, int *err)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		const struct wc_stage_summary *st = &s->stages[i];
		json_t *o;

		if (!st->present)
			continue;
		o = json_object();
		json__set(o, "name", json__string_of(st->name), err);
		json__set(o, "status", json__string_of(wc_status__name(st->status)), err);
		json__set(o, "count", json__count_of(st->count), err);
		json__set(o, "p50_ns", figure_ns(&st->p50_ns), err);
		json__set(o, "p99_ns", figure_ns(&st->p99_ns), err);
		json__set(o, "mean_ns", json__ns_of(st->mean_ns), err);
		json__set(o, "share", json_real(st->share), err);
		json__add(array, o, err);
	}
	return array;
}

static json_t *unattributed_of(const struct wc_cell_summary *s, int *err)
{
	json_t *o = json_object();

	json__set(o, "mean", s->slept_cnt ? json__ns_of(s->unattributed_mean_ns) : json_null(),
		  err);
	json__set(o, "share", s->slept_cnt ? json_real(s->unattributed_share) : json_null(), err);
	return o;
}

static json_t *unslept_of(const struct wc_cell_summary *s, int *err)
{
	json_t *o = json_object();

	json__set(o, "count", json__count_of(s->unslept_cnt), err);
	json__set(o, "mean_ns", s->unslept_cnt ? json__ns_of(s->unslept_mean_ns) : json_null(),
		  err);
	json__set(o, "excess_count", json__count_of(s->excess_cnt), err);
	return o;
}

static json_t *cost_of(const struct wc_figure *fig, int *err)
{
	json_t *o = json_object();

	json__set(o, "median", figure_ns(fig), err);
	json__set(o, "ci95", interval_ns(fig), err);
	return o;
}

static json_t *interval_of(const struct wc_figure *fig)
{
	if (!fig->n || !fig->has_ci)
		return json_null();
	return json_pack("[ff]", fig->lo, fig->hi);
}

static json_t *gauge_of(const struct wc_cell *cell, size_t gauge, int *err)
{
	struct wc_figure probed = wc_cell__gauge(cell, gauge, true);
	struct wc_figure bare = wc_cell__gauge(cell, gauge, false);
	json_t *o = json_object();

	json__set(o, "median", ratio_of(&probed), err);
	json__set(o, "ci95", interval_of(&probed), err);
	json__set(o, "min", probed.n ? json_real(probed.min) : json_null(), err);
	json__set(o, "max", probed.n ? json_real(probed.max) : json_null(), err);
	json__set(o, "bare_median", ratio_of(&bare), err);
	json__set(o, "bare_ci95", interval_of(&bare), err);
	return o;
}

static json_t *gauges_of(const struct wc_result *r, const struct wc_cell *cell, int *err)
{
	json_t *o = json_object();

	for (size_t i = 0; i < r->gauge_cnt; i++) {
		json_t *name = json__string_of(r->gauges[i].name);

		if (name)
			json__set(o, json_string_value(name), gauge_of(cell, i, err), err);
		else
			*err = -ENOMEM;
		json_decref(name);
	}
	return o;
}

static json_t *bottleneck_of(const struct wc_result *r, const struct wc_cell *cell)
{
	char why[WC_BOTTLENECK_SZ];
	struct wc_bottleneck_verdict v;

	if (!wc_bottleneck__of(r, cell, &v))
		return json_null();
	return json_pack("{s:s,s:i,s:i,s:s}", "limit", wc_bottleneck__name(v.verdict), "agreeing",
			 (int)v.agreeing, "rounds", (int)v.rounds, "why",
			 wc_bottleneck__sentence(&v, why));
}

/* Of a result that counts work: its wakes are no handoffs. */
static void set_work(json_t *o, const struct wc_result *r, const struct wc_cell *cell,
		     const struct wc_cell_summary *s, int *err)
{
	json__set(o, "gauges", gauges_of(r, cell, err), err);
	json__set(o, "held_back_by", bottleneck_of(r, cell), err);
	json__set(o, "wake_ns", r->work ? dist_of(&s->handoff, err) : json_null(), err);
	json__set(o, "wakes_per_work", ratio_of(&s->wakes_per_work), err);
	json__set(o, "timed_wakes_per_work", ratio_of(&s->timed_per_work), err);
}

static json_t *cell_params(const struct wc_cell *cell, const struct wc_cell_summary *s, int *err)
{
	json_t *o = json__object_of(&cell->params, err);

	json__set(o, "parked_actual", s->rounds ? json__count_of(s->parked_min_cnt) : json_null(),
		  err);
	return o;
}

static void set_counts(json_t *o, const struct wc_cell_summary *s, int *err)
{
	json__set(o, "classes",
		  json__named_counts(s->classes, WC_CLASS_CNT, wc_class__name, NULL, err), err);
	json__set(o, "other_wakes",
		  json__named_counts(s->others, WC_CLASS_CNT, wc_class__name, NULL, err), err);
	json__set(o, "contexts",
		  json__named_counts(s->contexts, WC_CTX_CNT, wc_context__name, NULL, err), err);
	json__set(o, "counters",
		  json__named_counts(s->counters, WC_CNT_CNT, wc_counter__name, NULL, err), err);
	json__set(o, "lost",
		  json__named_counts(s->counters, WC_CNT_CNT, wc_counter__name, wc_counter__is_loss,
				     err),
		  err);
}

static json_t *cell_of(const struct wc_result *r, const struct wc_cell *cell,
		       const struct wc_cell_summary *s, int *err)
{
	const struct wc_dist_summary none = { 0 };
	const struct wc_dist_summary *handoff = r->work ? &none : wc_cell_summary__handoff(s);
	const char *source = s->slept_cnt ? "probes" : "workload";
	json_t *o = json_object();
	bool chain = s->rounds && s->chain_max_cnt != UINT64_MAX;

	json__set(o, "params", cell_params(cell, s, err), err);
	json__set(o, "rounds", json__count_of(s->rounds), err);
	json__set(o, "handoffs", json__count_of(s->handoff_cnt), err);
	json__set(o, "handoff_source", r->work ? json_null() : json__string_of(source), err);
	json__set(o, "handoff_ns", dist_of(handoff, err), err);
	json__set(o, "all_handoff_ns", dist_of(&s->all, err), err);
	json__set(o, "bare_handoff_ns", dist_of(&s->bare, err), err);
	set_work(o, r, cell, s, err);
	json__set(o, "counted", json__counted_of(r, cell, err), err);
	json__set(o, "stages", stages_of(s, err), err);
	json__set(o, "unattributed_ns", unattributed_of(s, err), err);
	json__set(o, "unslept", unslept_of(s, err), err);
	json__set(o, "waits_per_handoff", ratio_of(&s->waits_per_handoff), err);
	json__set(o, "bare_waits_per_handoff", ratio_of(&s->bare_waits_per_handoff), err);
	json__set(o, "context_switches_per_handoff", ratio_of(&s->csw_per_handoff), err);
	json__set(o, "cpu_ns_per_handoff", figure_ns(&s->cpu_ns_per_handoff), err);
	json__set(o, "bare_cpu_ns_per_handoff", figure_ns(&s->bare_cpu_ns_per_handoff), err);
	json__set(o, "probe_cost_ns", cost_of(&s->probe_cost_ns, err), err);
	json__set(o, "predicted_chain", chain ? json__count_of(s->chain_max_cnt) : json_null(),
		  err);
	set_counts(o, s, err);
	return o;
}

/* ---- the document ---- */

json_t *json__tool_of(const struct wc_result *r, int *err)
{
	json_t *o = json_object();

	json__set(o, "name", json_string("wakecost"), err);
	json__set(o, "version", json__string_of(r->tool_version), err);
	return o;
}

static json_t *run_of(const struct wc_result *r, int *err)
{
	char seed[24];
	json_t *o = json_object();

	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)r->seed);
	json__set(o, "command_line", json__string_of(r->command_line), err);
	json__set(o, "shape", json__string_of(r->shape), err);
	json__set(o, "seed", json_string(seed), err);
	json__set(o, "started_s", json__count_of(r->started_s), err);
	json__set(o, "rounds_wanted", json__count_of(r->rounds_wanted), err);
	json__set(o, "interrupted", json_boolean(r->interrupted), err);
	return o;
}

json_t *json__stage_table_of(const struct wc_result *r, int *err)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		const struct wc_stage_info *info = &r->stages[i];
		json_t *o = json_object();

		json__set(o, "stage", json__string_of(wc_stage__name(i)), err);
		json__set(o, "shown_as", json__string_of(info->shown_as), err);
		json__set(o, "status", json__string_of(wc_status__name(info->status)), err);
		json__set(o, "probe", json__string_of(info->probe), err);
		json__set(o, "why", json__string_of(info->why), err);
		json__add(array, o, err);
	}
	return array;
}

static json_t *growth_of(const struct wc_result *r, const struct wc_cell_summary *s, int *err)
{
	struct wc_growth g;
	char sentence[1024];
	json_t *o;

	wc_growth__find(r, s, &g);
	if (!g.comparable)
		return json_null();
	o = json_object();
	json__set(o, "sentence",
		  json__string_of(wc_growth__sentence(r, &g, sentence, sizeof(sentence))), err);
	json__set(o, "base_cell", json__count_of(g.base), err);
	json__set(o, "cell", json__count_of(g.top), err);
	json__set(o, "factor", json_real(g.factor), err);
	json__set(o, "beyond_noise", json_boolean(g.beyond_noise), err);
	json__set(o, "stage", g.has_stage ? json__string_of(g.stage_name) : json_null(), err);
	json__set(o, "stage_share", g.has_stage ? json_real(g.stage_share) : json_null(), err);
	return o;
}

static json_t *gauge_table_of(const struct wc_result *r, int *err)
{
	json_t *array = json_array();

	for (size_t i = 0; i < r->gauge_cnt; i++) {
		const struct wc_gauge *g = &r->gauges[i];
		json_t *o = json_object();

		json__set(o, "name", json__string_of(g->name), err);
		json__set(o, "unit", json__string_of(g->unit), err);
		json__set(o, "better", json__string_of(g->better), err);
		json__set(o, "meaning", json__string_of(g->help), err);
		json__add(array, o, err);
	}
	return array;
}

static json_t *document_of(const struct wc_result *r, const struct wc_cell_summary *s, int *err)
{
	json_t *o = json_object(), *cells = json_array(), *warnings = json_array();
	uint64_t lost[WC_CNT_CNT] = { 0 };

	for (size_t i = 0; i < r->cell_cnt; i++) {
		json__add(cells, cell_of(r, &r->cells[i], &s[i], err), err);
		for (unsigned int c = 0; c < WC_CNT_CNT; c++)
			lost[c] += s[i].counters[c];
	}
	for (size_t i = 0; i < r->warning_cnt; i++)
		json__add(warnings, json__string_of(r->warnings[i]), err);
	json__set(o, "schema", json__string_of(r->schema), err);
	json__set(o, "tool", json__tool_of(r, err), err);
	json__set(o, "host", json__object_of(&r->host, err), err);
	json__set(o, "params", json__object_of(&r->params, err), err);
	json__set(o, "run", run_of(r, err), err);
	json__set(o, "stage_table", json__stage_table_of(r, err), err);
	json__set(o, "work", r->work ? json__string_of(r->work) : json_null(), err);
	json__set(o, "gauge_table", gauge_table_of(r, err), err);
	json__set(o, "counter_table", json__object_of(&r->counters, err), err);
	json__set(o, "cells", cells, err);
	json__set(o, "growth", growth_of(r, s, err), err);
	json__set(o, "warnings", warnings, err);
	json__set(o, "lost",
		  json__named_counts(lost, WC_CNT_CNT, wc_counter__name, wc_counter__is_loss, err),
		  err);
	return o;
}

int json__print(FILE *f, json_t *document, int err)
{
	/* ASCII only: then nothing in it can speak to a terminal */
	const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(6) | JSON_ENSURE_ASCII;

	errno = 0;
	if (!err && (json_dumpf(document, f, flags) || fputc('\n', f) == EOF))
		err = errno ? -errno : -EIO;
	json_decref(document);
	return err ? err : wc_summaries__finish(f);
}

int wc_out_json(FILE *f, const struct wc_result *r)
{
	struct wc_cell_summary *s;
	json_t *document;
	int err = 0;

	if (r->profile)
		return wc_out_record_json(f, r, NULL);
	s = wc_summaries__of(r);
	if (!s)
		return -ENOMEM;
	document = document_of(r, s, &err);
	free(s);
	return json__print(f, document, err);
}
