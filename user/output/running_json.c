// SPDX-License-Identifier: BSD-2-Clause
/* wakecost.explain-program/1: docs/json-explain.md. */
#include <math.h>

#include "user/output/json_impl.h"
#include "user/output/running.h"

static json_t *slots_or_null(unsigned int slots)
{
	return slots ? json__count_of(slots) : json_null();
}

static json_t *parts_of(const struct wc_running *run, int *err)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < WC_PART_CNT; i++) {
		json_t *o = json_object();

		json__set(o, "part", json__string_of(wc_part__name(i)), err);
		json__set(o, "stages", json__string_of(wc_part__what(i)), err);
		json__set(o, "mean_ns", json__ns_of(run->parts[i].mean_ns), err);
		json__set(o, "total_ns", json__ns_of(run->parts[i].total_ns), err);
		json__set(o, "share", json_real(run->parts[i].share), err);
		json__set(o, "typical_ns", json__ns_of(run->parts[i].typical_ns), err);
		json__add(array, o, err);
	}
	return array;
}

static json_t *chains_of(bool has, const struct wc_chains *c, int *err)
{
	json_t *o, *by;

	if (!has)
		return json_null();
	o = json_object();
	by = json_object();
	for (unsigned int i = 0; i < WC_SLEEP_CNT; i++)
		json__set(by, wc_sleep__name(i), json__count_of(c->by_sleep[i]), err);
	json__set(o, "count", json__count_of(c->thread_cnt), err);
	json__set(o, "by_sleep", by, err);
	json__set(o, "mean_chain", json_real(c->mean), err);
	json__set(o, "longest_chain", json__count_of(c->longest), err);
	json__set(o, "beside_woken", c->ahead_share > 0 ? json_real(c->ahead) : json_null(), err);
	json__set(o, "beside_woken_share", json_real(c->ahead_share), err);
	return o;
}

static json_t *wakes_of(const struct wc_running *run, int *err)
{
	json_t *o = json_object(), *kinds = json_object();

	json__set(o, "count", json__count_of(run->wakes), err);
	json__set(o, "per_second", json_real(run->wakes_per_s), err);
	json__set(o, "total_ns", json__count_of(run->total_ns), err);
	json__set(o, "mean_ns", json__ns_of(run->mean_ns), err);
	json__set(o, "p50_ns", json__ns_of(run->p50_ns), err);
	json__set(o, "p99_ns", json__ns_of(run->p99_ns), err);
	json__set(o, "find_p50_ns", run->find_known ? json__ns_of(run->find_p50_ns) : json_null(),
		  err);
	json__set(o, "moved_share", json_real(run->moved_share), err);
	for (unsigned int i = 0; i < WC_CLASS_CNT; i++)
		json__set(kinds, wc_class__name(i), json_real(run->shares[i]), err);
	json__set(o, "kind_shares", kinds, err);
	json__set(o, "lost", json__count_of(run->lost), err);
	return o;
}

static json_t *ns_effect(const struct wc_effect *e, int *err)
{
	json_t *o = json_object(), *ci = json_null();

	if (e->has_ci) {
		ci = json_array();
		json__add(ci, json__ns_of(e->lo), err);
		json__add(ci, json__ns_of(e->hi), err);
	}
	json__set(o, "ns", json__ns_of(e->ns), err);
	json__set(o, "ci95", ci, err);
	return o;
}

static json_t *rate_effect(const struct wc_effect *e, int *err)
{
	json_t *o = json_object(), *ci = json_null();

	if (e->has_ci) {
		ci = json_array();
		json__add(ci, json_real(e->lo), err);
		json__add(ci, json_real(e->hi), err);
	}
	json__set(o, "per_second", json_real(e->ns), err);
	json__set(o, "ci95", ci, err);
	return o;
}

static json_t *figures_of(const struct wc_effect *e, int *err)
{
	json_t *o = json_object();

	json__set(o, "find_p50", ns_effect(&e[WC_WHATIF_FIND], err), err);
	json__set(o, "wake_p50", ns_effect(&e[WC_WHATIF_WAKE], err), err);
	json__set(o, "wakes", rate_effect(&e[WC_WHATIF_RATE], err), err);
	return o;
}

static json_t *what_if_of(const struct wc_whatif *w, int *err)
{
	json_t *o;

	if (!w)
		return json_null();
	o = json_object();
	json__set(o, "futex_slots", json__count_of(w->slots_asked), err);
	json__set(o, "slots_without", slots_or_null(w->slots_before), err);
	json__set(o, "slots_with", slots_or_null(w->slots_after), err);
	json__set(o, "rounds", json__count_of(w->rounds), err);
	json__set(o, "without", figures_of(w->before, err), err);
	json__set(o, "with", figures_of(w->after, err), err);
	json__set(o, "change", figures_of(w->change, err), err);
	json__set(o, "verdict", json__string_of(w->verdict), err);
	return o;
}

static json_t *strings_of(char *const *items, size_t cnt, int *err)
{
	json_t *array = json_array();

	for (size_t i = 0; i < cnt; i++)
		json__add(array, json__string_of(items[i]), err);
	return array;
}

int wc_out_running_json(FILE *f, const struct wc_result *r, const struct wc_running *run,
			const struct wc_whatif *w)
{
	json_t *o = json_object(), *program = json_object(), *threads = json_object();
	bool any = run->top < WC_PART_CNT;
	int err = 0;

	json__set(o, "schema", json__string_of("wakecost.explain-program/1"), &err);
	json__set(o, "tool", json__tool_of(r, &err), &err);
	json__set(o, "host", json__object_of(&r->host, &err), &err);
	json__set(program, "pid", json__count_of(run->pid), &err);
	json__set(program, "name", json__string_of(run->name), &err);
	json__set(o, "program", program, &err);
	json__set(o, "window_ns", json__count_of(run->window_ns), &err);
	json__set(o, "dominant", any ? json__string_of(wc_part__name(run->top)) : json_null(),
		  &err);
	json__set(o, "typical", any ? json__string_of(wc_part__name(run->typical)) : json_null(),
		  &err);
	json__set(o, "stands_out", json_boolean(run->dominates), &err);
	json__set(o, "verdicts", strings_of(run->verdicts, run->verdict_cnt, &err), &err);
	json__set(o, "parts", parts_of(run, &err), &err);
	json__set(o, "wakes", wakes_of(run, &err), &err);
	json__set(threads, "futex_slots", slots_or_null(run->slots), &err);
	json__set(threads, "slots_basis", json__string_of(wc_slots_basis__name(run->basis)), &err);
	json__set(threads, "before", chains_of(run->has_before, &run->before, &err), &err);
	json__set(threads, "after", chains_of(run->has_after, &run->after, &err), &err);
	json__set(o, "threads", threads, &err);
	json__set(o, "what_if", what_if_of(w, &err), &err);
	json__set(o, "stage_table", json__stage_table_of(r, &err), &err);
	json__set(o, "warnings", strings_of(r->warnings, r->warning_cnt, &err), &err);
	return json__print(f, o, err);
}
