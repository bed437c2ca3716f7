/* SPDX-License-Identifier: BSD-2-Clause */
/* wakecost.record/1: every key is in docs/json.md, and a test holds the two together. */
#include <errno.h>
#include <stdlib.h>

#include "user/model/profile_overall.h"
#include "user/output/json_impl.h"
#include "user/output/record.h"

static json_t *ns_or_null(bool any, double ns)
{
	return any ? json__ns_of(ns) : json_null();
}

static json_t *recording_of(const struct wc_result *r, const struct wc_overall *all, int *err)
{
	const struct wc_profile *p = r->profile;
	json_t *o = json_object();

	json__set(o, "command_line", json__string_of(r->command_line), err);
	json__set(o, "started_s", json__count_of(r->started_s), err);
	json__set(o, "interrupted", json_boolean(r->interrupted), err);
	json__set(o, "window_ns", json__count_of(p->window_ns), err);
	json__set(o, "stack_every", json__count_of(p->stack_every), err);
	json__set(o, "slow_ns", p->slow_ns ? json__count_of(p->slow_ns) : json_null(), err);
	json__set(o, "user_stacks_cut_share",
		  all->has_truncated ? json_real(all->truncated_share) : json_null(), err);
	return o;
}

/* ---- all wakes ---- */

static json_t *stages_of(const struct wc_overall *all, int *err)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		const struct wc_overall_stage *st = &all->stages[i];
		json_t *o;

		if (!st->present)
			continue;
		o = json_object();
		json__set(o, "name", json__string_of(st->name), err);
		json__set(o, "status", json__string_of(wc_status__name(st->status)), err);
		json__set(o, "count", json__count_of(st->cnt), err);
		json__set(o, "p50_ns", ns_or_null(st->cnt, st->p50_ns), err);
		json__set(o, "p99_ns", ns_or_null(st->cnt, st->p99_ns), err);
		json__set(o, "mean_ns", json__ns_of(st->mean_ns), err);
		json__set(o, "share", json_real(st->share), err);
		json__add(array, o, err);
	}
	return array;
}

static json_t *wakes_of(const struct wc_overall *all, int *err)
{
	json_t *o = json_object(), *rest = json_object();
	bool any = all->wakes != 0;

	json__set(rest, "mean", ns_or_null(any, all->unattributed_mean_ns), err);
	json__set(rest, "share", any ? json_real(all->unattributed_share) : json_null(), err);
	json__set(o, "count", json__count_of(all->wakes), err);
	json__set(o, "per_second", json_real(all->wakes_per_s), err);
	json__set(o, "total_ns", json__count_of(all->total_ns), err);
	json__set(o, "p50_ns", ns_or_null(any, all->p50_ns), err);
	json__set(o, "p99_ns", ns_or_null(any, all->p99_ns), err);
	json__set(o, "mean_ns", ns_or_null(any, all->mean_ns), err);
	json__set(o, "worst_ns", ns_or_null(any, (double)all->worst_ns), err);
	json__set(o, "stages", stages_of(all, err), err);
	json__set(o, "unattributed_ns", rest, err);
	json__set(o, "kinds",
		  json__named_counts(all->classes, WC_CLASS_CNT, wc_class__name, NULL, err), err);
	json__set(o, "contexts",
		  json__named_counts(all->contexts, WC_CTX_CNT, wc_context__name, NULL, err), err);
	return o;
}

/* ---- rows ---- */

static json_t *task_of(const struct wc_profile *p, uint32_t task, int *err)
{
	const struct wc_task *t = task < p->task_cnt ? &p->tasks[task] : NULL;
	json_t *o;

	if (!t)
		return json_null();
	o = json_object();
	json__set(o, "tid", json__count_of(t->tid), err);
	json__set(o, "pid", json__count_of(t->tgid), err);
	json__set(o, "own_tid", json__count_of(t->ns_tid ? t->ns_tid : t->tid), err);
	json__set(o, "name", json__string_of(t->comm), err);
	json__set(o, "process", json__string_of(t->process), err);
	json__set(o, "kernel_thread", json_boolean(t->kernel_thread), err);
	return o;
}

static json_t *frames_of(const struct wc_profile *p, uint32_t stack, int *err)
{
	const struct wc_stack *s = stack < p->stack_cnt ? &p->stacks[stack] : NULL;
	json_t *array;

	if (!s)
		return json_null();
	array = json_array();
	for (uint32_t i = 0; i < s->frame_cnt; i++)
		json__add(array,
			  json__string_of(s->frames[i] < p->frame_cnt ? p->frames[s->frames[i]].name
								      : "[unknown]"),
			  err);
	if (s->truncated)
		json__add(array, json_string("[no frame pointers]"), err);
	return array;
}

static json_t *path_of(const struct wc_profile *p, uint32_t chain, int *err)
{
	const struct wc_chain *c = chain < p->chain_cnt ? &p->chains[chain] : NULL;
	json_t *o;

	if (!c)
		return json_null();
	o = json_object();
	json__set(o, "waker_user", frames_of(p, c->waker_user, err), err);
	json__set(o, "waker_kernel", frames_of(p, c->waker_kernel, err), err);
	json__set(o, "wakee_kernel", frames_of(p, c->wakee_kernel, err), err);
	json__set(o, "wakee_user", frames_of(p, c->wakee_user, err), err);
	json__set(o, "waker_missing", json_boolean(c->waker_missing), err);
	return o;
}

static json_t *row_stages(const struct wc_result *r, const struct wc_profile_row *row, int *err)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		const char *shown = r->stages[i].shown_as;
		json_t *o;

		if (!row->stage_ns[i])
			continue;
		o = json_object();
		json__set(o, "name", json__string_of(shown && *shown ? shown : wc_stage__name(i)),
			  err);
		json__set(o, "mean_ns", json__ns_of(row->stage_mean_ns[i]), err);
		json__set(o, "share",
			  json_real(row->total_ns ? (double)row->stage_ns[i] / (double)row->total_ns
						  : 0),
			  err);
		json__add(array, o, err);
	}
	return array;
}

static void set_key(json_t *o, const struct wc_result *r, enum wc_profile_by by,
		    const struct wc_profile_row *row, int *err)
{
	bool pair = by == WC_BY_PAIR || by == WC_BY_PROCESS || by == WC_BY_STACK;

	if (pair || by == WC_BY_WAKER) {
		json__set(o, "waker", task_of(r->profile, row->waker, err), err);
		json__set(o, "waker_context", json_string(wc_context__name(row->context)), err);
	}
	if (pair || by == WC_BY_WAKEE)
		json__set(o, "wakee", task_of(r->profile, row->wakee, err), err);
	if (by == WC_BY_CPU)
		json__set(o, "cpu", json__count_of(row->cpu), err);
	if (by == WC_BY_CLASS)
		json__set(o, "kind", json_string(wc_class__name(row->wake_class)), err);
	if (by == WC_BY_STACK)
		json__set(o, "stacks", path_of(r->profile, row->chain, err), err);
}

static json_t *row_of(const struct wc_result *r, enum wc_profile_by by,
		      const struct wc_profile_row *row, int *err)
{
	json_t *o = json_object();

	set_key(o, r, by, row, err);
	json__set(o, "wakes", json__count_of(row->wakes), err);
	json__set(o, "wakes_per_second", json_real(row->wakes_per_s), err);
	json__set(o, "share", row->apart ? json_null() : json_real(row->share), err);
	json__set(o, "total_ns", json__count_of(row->total_ns), err);
	json__set(o, "p50_ns", ns_or_null(row->has_quantiles, row->p50_ns), err);
	json__set(o, "p99_ns", ns_or_null(row->has_quantiles, row->p99_ns), err);
	json__set(o, "worst_ns", ns_or_null(row->has_quantiles, (double)row->worst_ns), err);
	json__set(o, "mean_ns", ns_or_null(row->cnt, row->mean_ns), err);
	json__set(o, "blocked_mean_ns", ns_or_null(row->has_blocked, row->blocked_mean_ns), err);
	json__set(o, "stages", row_stages(r, row, err), err);
	return o;
}

static json_t *rows_of(const struct wc_result *r, const struct wc_report_opts *opts,
		       const struct wc_profile_summary *sum, int *err)
{
	json_t *o = json_object(), *items = json_array();
	size_t shown = opts->limit && opts->limit < sum->row_cnt ? opts->limit : sum->row_cnt;

	for (size_t i = 0; i < shown; i++)
		json__add(items, row_of(r, opts->by, &sum->rows[i], err), err);
	json__set(o, "by", json_string(wc_report__by_name(opts->by)), err);
	json__set(o, "sort", json_string(wc_report__sort_name(opts->sort)), err);
	json__set(o, "count", json__count_of(sum->row_cnt), err);
	json__set(o, "mixed_count", json__count_of(sum->mixed_cnt), err);
	json__set(o, "items", items, err);
	return o;
}

/* ---- threads ---- */

static json_t *open_of(const struct wc_profile *p, int *err)
{
	json_t *array = json_array();

	for (size_t i = 0; i < p->open_cnt; i++) {
		json_t *o = json_object();

		json__set(o, "task", task_of(p, p->opens[i].task, err), err);
		json__set(o, "state", json_string(p->opens[i].woken ? "woken" : "asleep"), err);
		json__set(o, "at_least_ns", json__count_of(p->opens[i].since_ns), err);
		json__add(array, o, err);
	}
	return array;
}

static json_t *tasks_where(const struct wc_profile *p, const struct wc_census *c, bool exited,
			   int *err)
{
	json_t *array = json_array();

	for (size_t i = 0; i < p->task_cnt; i++)
		if (exited ? p->tasks[i].exited && !p->tasks[i].outside
			   : c->states[i] == WC_TASK_NEVER_SLEPT)
			json__add(array, task_of(p, (uint32_t)i, err), err);
	return array;
}

static json_t *threads_of(const struct wc_profile *p, const struct wc_census *c, int *err)
{
	json_t *o = json_object();

	json__set(o, "count", json__count_of(c->thread_cnt), err);
	json__set(o, "processes", json__count_of(c->process_cnt), err);
	json__set(o, "slept_through", json__count_of(c->slept_through_cnt), err);
	json__set(o, "open", open_of(p, err), err);
	json__set(o, "never_slept", tasks_where(p, c, false, err), err);
	json__set(o, "exited", tasks_where(p, c, true, err), err);
	return o;
}

static json_t *document_of(const struct wc_result *r, const struct wc_report_opts *opts,
			   const struct wc_profile_summary *sum, const struct wc_census *census,
			   int *err)
{
	json_t *o = json_object(), *warnings = json_array();
	struct wc_overall all;

	wc_overall__of(r, &all);
	for (size_t i = 0; i < r->warning_cnt; i++)
		json__add(warnings, json__string_of(r->warnings[i]), err);
	json__set(o, "schema", json__string_of(r->schema), err);
	json__set(o, "tool", json__tool_of(r, err), err);
	json__set(o, "host", json__object_of(&r->host, err), err);
	json__set(o, "params", json__object_of(&r->params, err), err);
	json__set(o, "recording", recording_of(r, &all, err), err);
	json__set(o, "stage_table", json__stage_table_of(r, err), err);
	json__set(o, "wakes", wakes_of(&all, err), err);
	json__set(o, "rows", rows_of(r, opts, sum, err), err);
	json__set(o, "threads", threads_of(r->profile, census, err), err);
	json__set(o, "counters",
		  json__named_counts(all.counters, WC_CNT_CNT, wc_counter__name, NULL, err), err);
	json__set(o, "warnings", warnings, err);
	json__set(o, "lost",
		  json__named_counts(all.counters, WC_CNT_CNT, wc_counter__name,
				     wc_counter__is_loss, err),
		  err);
	return o;
}

int wc_out_record_json(FILE *f, const struct wc_result *r, const struct wc_report_opts *opts)
{
	const struct wc_report_opts all = { 0 };
	struct wc_profile_summary_opts how;
	struct wc_profile_summary sum;
	struct wc_census census = { 0 };
	json_t *document = NULL;
	int err;

	if (!r->profile)
		return -ENODATA;
	opts = opts ? opts : &all;
	how = (struct wc_profile_summary_opts){ opts->by, opts->sort, opts->fold_names };
	err = wc_profile__summarise(r, &how, &sum);
	err = err ? err : wc_census__of(r->profile, &census);
	if (!err)
		document = document_of(r, opts, &sum, &census, &err);
	wc_profile_summary__free(&sum);
	free(census.states);
	return json__print(f, document, err);
}
