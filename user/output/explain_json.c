// SPDX-License-Identifier: BSD-2-Clause
/* wakecost.explain/1: docs/json-explain.md. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "user/model/params.h"
#include "user/output/explain.h"
#include "user/output/json_impl.h"

static json_t *whole_ns(double ns)
{
	return json_integer((json_int_t)llround(ns));
}

static json_t *effect(const struct wc_effect *e)
{
	json_t *ci;

	if (!e->n)
		return json_null();
	ci = e->has_ci ? json_pack("[o,o]", whole_ns(e->lo), whole_ns(e->hi)) : json_null();
	return json_pack("{s:o,s:o,s:i}", "ns", whole_ns(e->ns), "ci95", ci, "rounds", (int)e->n);
}

/* Slopes are fractions of a ns. */
static json_t *slope(const struct wc_slope *s)
{
	json_t *ci;

	if (!s->n)
		return json_null();
	ci = s->has_ci ? json_pack("[f,f]", s->lo, s->hi) : json_null();
	return json_pack("{s:f,s:o,s:i,s:i,s:b,s:o,s:o,s:o,s:f}", "ns_per_task", s->per_x, "ci95",
			 ci, "rounds", (int)s->n, "levels", (int)s->levels, "bends", (int)s->bends,
			 "knee", s->bends ? json_integer((json_int_t)s->knee) : json_null(),
			 "lower", isnan(s->lower) ? json_null() : json_real(s->lower), "upper",
			 isnan(s->upper) ? json_null() : json_real(s->upper), "ols", s->ols);
}

static json_t *level(const struct wc_level *l)
{
	json_t *causes = json_array(), *o;
	unsigned int c;

	for (c = 0; c < WC_CAUSE_CNT; c++)
		json_array_append_new(causes,
				      json_pack("{s:s,s:s,s:o,s:o}", "cause", wc_cause__name(c),
						"group", wc_cause__group(c), "effect",
						effect(&l->causes[c]), "share",
						l->causes[c].n && l->growth.ns != 0
							? json_real(l->causes[c].ns / l->growth.ns)
							: json_null()));
	o = json_pack("{s:I,s:o,s:o,s:o}", "parked", (json_int_t)l->parked, "handoff",
		      effect(&l->handoff), "growth", effect(&l->growth), "causes", causes);
	json_object_set_new(o, "predicted_chain",
			    l->chain == UINT64_MAX ? json_null()
						   : json_integer((json_int_t)l->chain));
	return o;
}

static json_t *real_or_null(double v)
{
	return isnan(v) ? json_null() : json_real(v);
}

/* How many accesses to each level make the growth. */
static json_t *worth(const struct wc_contrast *c)
{
	json_t *o;
	unsigned int m;

	if (c->worth_level >= WC_MEM_CNT)
		return json_null();
	o = json_object();
	for (m = 0; m < WC_MEM_CNT; m++) {
		if (m != WC_MEM_L1)
			json_object_set_new(o, wc_mem__key(m), real_or_null(c->worth[m]));
	}
	return o;
}

static json_t *memory(const struct wc_result *r, const struct wc_explain *e)
{
	json_t *levels = json_object(), *points = json_array();
	unsigned int m;
	size_t i;

	for (m = 0; m < WC_MEM_CNT; m++) {
		const struct wc_memory_level *l = &e->memory.levels[m];

		json_object_set_new(levels, wc_mem__key(m),
				    l->known ? json_pack("{s:f,s:I,s:b}", "ns", l->ns, "bytes",
							 (json_int_t)l->bytes, "huge_pages",
							 (int)l->huge)
					     : json_null());
	}
	for (i = 0; i < r->access_cnt; i++) {
		const struct wc_access *a = &r->accesses[i];

		json_array_append_new(points,
				      json_pack("{s:s,s:b,s:I,s:I,s:f,s:f,s:f}", "pattern",
						wc_access__pattern_name(a->pattern), "huge_pages",
						(int)a->huge, "bytes", (json_int_t)a->bytes,
						"lines", (json_int_t)a->lines, "ns", a->ns, "q1_ns",
						a->q1, "q3_ns", a->q3));
	}
	return json_pack("{s:o,s:o,s:b,s:o}", "levels", levels, "walk_huge_ns",
			 real_or_null(e->memory.walk_huge_ns), "may_be_cached",
			 (int)e->memory.memory_may_be_cached, "points", points);
}

static json_t *contrast(const struct wc_contrast *c)
{
	json_t *stages = json_object();
	unsigned int m;

	for (m = 0; m < WC_STAGE_CNT; m++)
		json_object_set_new(stages, wc_stage__name(m), effect(&c->stages[m]));
	return json_pack("{s:s,s:s,s:I,s:o,s:o,s:o,s:o}", "role", c->role, "what", c->what, "x",
			 (json_int_t)c->x, "handoff", effect(&c->handoff), "growth",
			 effect(&c->growth), "stages", stages, "worth", worth(c));
}

static json_t *strings(char *const *v, size_t cnt)
{
	json_t *a = json_array();
	size_t i;

	for (i = 0; i < cnt; i++)
		json_array_append_new(a, json_string(v[i]) ?: json_string("?"));
	return a;
}

static json_t *kvs(const struct wc_kvs *k)
{
	json_t *o = json_object();
	size_t i;

	for (i = 0; i < k->cnt; i++)
		json_object_set_new(o, k->items[i].key,
				    json_string(k->items[i].value) ?: json_null());
	return o;
}

static json_t *lists(const struct wc_explain *e)
{
	json_t *levels = json_array(), *contrasts = json_array(), *checks = json_array();
	json_t *stages = json_object();
	size_t i;

	for (i = 0; i < e->level_cnt; i++)
		json_array_append_new(levels, level(&e->levels[i]));
	for (i = 0; i < e->contrast_cnt; i++)
		json_array_append_new(contrasts, contrast(&e->contrasts[i]));
	for (i = 0; i < e->check_cnt; i++)
		json_array_append_new(checks, json_pack("{s:s,s:s,s:s}", "what", e->checks[i].what,
							"result",
							wc_check_result__name(e->checks[i].result),
							"saw", e->checks[i].saw));
	for (i = 0; i < WC_STAGE_CNT; i++)
		json_object_set_new(stages, wc_stage__name((unsigned int)i),
				    slope(&e->stage_slopes[i]));
	return json_pack("{s:o,s:o,s:o,s:o}", "levels", levels, "contrasts", contrasts, "checks",
			 checks, "stage_slopes", stages);
}

/* Of each cell what was counted in it; none without counters. */
static json_t *counted(const struct wc_result *r, int *err)
{
	json_t *a = json_array();
	char label[256];

	for (size_t i = 0; r->counters.cnt && i < r->cell_cnt; i++) {
		const struct wc_cell *cell = &r->cells[i];
		const char *role = wc_kvs__get(&cell->params, WC_ROLE_KEY);
		json_t *o = json_object();

		json__set(o, "role", json__string_of(role ? role : ""), err);
		json__set(o, "cell",
			  json__string_of(
				  wc_params__label(r, cell, NULL, false, label, sizeof(label))),
			  err);
		json__set(o, "spans", json__counted_of(r, cell, err), err);
		json__add(a, o, err);
	}
	return a;
}

int wc_out_explain_json(FILE *f, const struct wc_result *r, const struct wc_explain *e)
{
	json_t *doc = lists(e), *head;
	int err = 0;

	head = json_pack(
		"{s:s,s:{s:s},s:o,s:o,s:I,s:b,s:i,s:o,s:o,s:o,s:o,s:f,s:f,s:o,s:i,s:o,s:o}",
		"schema", WC_EXPLAIN_SCHEMA, "tool", "version", r->tool_version, "host",
		kvs(&r->host), "params", kvs(&r->params), "seed", (json_int_t)r->seed,
		"interrupted", (int)r->interrupted, "rounds", (int)e->rounds, "base",
		effect(&e->base), "noise", effect(&e->noise), "tool_cost", effect(&e->tool_cost),
		"slope", slope(&e->slope), "slope_rest", e->slope_rest, "predicted_slope",
		e->predicted_slope, "per_waiter", effect(&e->per_waiter), "rounds_needed",
		(int)e->rounds_needed, "verdicts", strings(e->verdicts, e->verdict_cnt), "warnings",
		strings(r->warnings, r->warning_cnt));
	if (head)
		json__set(head, "counted", counted(r, &err), &err);
	if (head)
		json__set(head, "counter_table", json__object_of(&r->counters, &err), &err);
	if (head)
		json_object_set_new(head, "memory", e->has_memory ? memory(r, e) : json_null());
	if (err || !doc || !head || json_object_update_missing(head, doc))
		err = -ENOMEM;
	else if (json_dumpf(head, f, JSON_INDENT(1) | JSON_ENSURE_ASCII) || fputc('\n', f) == EOF ||
		 fflush(f))
		err = errno ? -errno : -EIO;
	json_decref(doc);
	json_decref(head);
	return err;
}
