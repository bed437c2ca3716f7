/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a recording, from a result. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/memory.h"
#include "user/model/params.h"
#include "user/model/store_rows.h"
#include "user/model/summary.h"

/* One letter a column: i integer, s signed, t text, r real, b blob. */
static const struct {
	const char *name, *columns;
} tables[T_CNT] = {
	[T_META] = { "meta", "tt" },
	[T_HOST] = { "host", "itt" },
	[T_PARAM] = { "param", "itt" },
	[T_WARNING] = { "warning", "it" },
	[T_GAUGE] = { "gauge", "itttttt" },
	[T_ROUND_GAUGE] = { "round_gauge", "iiir" },
	[T_ACCESS] = { "access", "itiiirrr" },
	[T_HW_COUNTER] = { "hw_counter", "itt" },
	[T_SPAN] = { "span", "itiiiii" },
	[T_STAGE] = { "stage", "ittttt" },
	[T_METRIC] = { "metric", "it" },
	[T_CLASS] = { "class", "it" },
	[T_CONTEXT] = { "context", "it" },
	[T_COUNTER] = { "counter", "itit" },
	[T_CELL] = { "cell", "it" },
	[T_CELL_PARAM] = { "cell_param", "iitt" },
	[T_ROUND] = { "round", "iiiiiiiii" },
	[T_PHASE] = { "phase", "iiiiiiiiiiiii" },
	[T_HIST] = { "hist", "iiiiirrrt" },
	[T_OTHER] = { "other", "iiii" },
	[T_ROUND_COUNTER] = { "round_counter", "iii" },
	[T_ROUND_CONTEXT] = { "round_context", "iii" },
	[T_PAIR] = { "pair", "iiiiiiiittiii" },
	[T_PAIR_CLASS] = { "pair_class", "iii" },
	[T_PAIR_STAGE] = { "pair_stage", "iiii" },
	[T_FIGURE] = { "figure", "itirrrrr" },
	[T_CELL_STAGE] = { "cell_stage", "iitirrrr" },
	[T_PROFILE] = { "profile", "iisiiiiiii" },
	[T_TASK] = { "task", "iiiittiiii" },
	[T_EDGE] = { "edge", "iiiiii" },
	[T_EDGE_CLASS] = { "edge_class", "iii" },
	[T_EDGE_STAGE] = { "edge_stage", "iiiirrb" },
	[T_FRAME] = { "frame", "iittttis" },
	[T_STACK] = { "stack", "iiit" },
	[T_CHAIN] = { "chain", "iiiiiiiiiii" },
	[T_CHAIN_STAGE] = { "chain_stage", "iii" },
	[T_OPEN_END] = { "open_end", "iiii" },
	[T_CPU] = { "cpu", "ii" },
	[T_CPU_STAGE] = { "cpu_stage", "iiii" },
	[T_EVENT] = { "event", "isiiiiiiiiiissssssss" },
};

static sqlite3_stmt *insert_into(struct writer *w, enum table t)
{
	char sql[160];
	size_t cnt = strlen(tables[t].columns);

	if (w->inserts[t])
		return w->inserts[t];
	sqlite3_snprintf(sizeof(sql), sql, "INSERT INTO %s VALUES(", tables[t].name);
	for (size_t i = 0; i < cnt; i++)
		strcat(sql, i + 1 < cnt ? "?," : "?)");
	if (sqlite3_prepare_v2(w->db, sql, -1, &w->inserts[t], NULL) != SQLITE_OK)
		w->err = -EIO;
	return w->inserts[t];
}

static int bind_integer(sqlite3_stmt *st, int at, uint64_t v)
{
	if (v == ABSENT)
		return sqlite3_bind_null(st, at);
	return v > INT64_MAX ? SQLITE_RANGE : sqlite3_bind_int64(st, at, (sqlite3_int64)v);
}

static int bind_signed(sqlite3_stmt *st, int at, int64_t v)
{
	return v == NO_SIGNED ? sqlite3_bind_null(st, at) : sqlite3_bind_int64(st, at, v);
}

/* A name may be of any length; a reader has its limits. */
static int bind_text(sqlite3_stmt *st, int at, const char *text)
{
	return sqlite3_bind_text(st, at, text, (int)strnlen(text, STORE_TEXT_MAX_BYTES),
				 SQLITE_TRANSIENT);
}

static int bind_blob(sqlite3_stmt *st, int at, const void *bytes, size_t len)
{
	return bytes ? sqlite3_bind_blob(st, at, bytes, (int)len, SQLITE_TRANSIENT)
		     : sqlite3_bind_null(st, at);
}

void writer__put(struct writer *w, enum table t, ...)
{
	sqlite3_stmt *st = w->err ? NULL : insert_into(w, t);
	int rc = SQLITE_OK;
	const void *bytes;
	va_list ap;

	if (!st)
		return;
	va_start(ap, t);
	for (int i = 0; tables[t].columns[i] && rc == SQLITE_OK; i++) {
		switch (tables[t].columns[i]) {
		case 'i':
			rc = bind_integer(st, i + 1, va_arg(ap, uint64_t));
			break;
		case 's':
			rc = bind_signed(st, i + 1, va_arg(ap, int64_t));
			break;
		case 'b':
			bytes = va_arg(ap, const void *);
			rc = bind_blob(st, i + 1, bytes, va_arg(ap, size_t));
			break;
		case 'r':
			rc = sqlite3_bind_double(st, i + 1, va_arg(ap, double));
			break;
		default:
			rc = bind_text(st, i + 1, va_arg(ap, const char *));
		}
	}
	va_end(ap);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	if (rc != SQLITE_DONE)
		w->err = rc == SQLITE_NOMEM ? -ENOMEM : rc == SQLITE_RANGE ? -ERANGE : -EIO;
	sqlite3_reset(st);
}

static void put_kvs(struct writer *w, enum table t, const struct wc_kvs *kvs)
{
	for (size_t i = 0; i < kvs->cnt; i++)
		writer__put(w, t, U(i), kvs->items[i].key, kvs->items[i].value);
}

static void put_meta_number(struct writer *w, const char *key, uint64_t value)
{
	char text[24];

	sqlite3_snprintf(sizeof(text), text, "%llu", (unsigned long long)value);
	writer__put(w, T_META, key, text);
}

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

static void put_names(struct writer *w, const struct wc_result *r)
{
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		writer__put(w, T_STAGE, U(i), wc_stage__name(i),
			    wc_status__name(r->stages[i].status),
			    text_or_empty(r->stages[i].shown_as), text_or_empty(r->stages[i].probe),
			    text_or_empty(r->stages[i].why));
	for (unsigned int i = 0; i < WC_METRIC_CNT; i++)
		writer__put(w, T_METRIC, U(i), wc_stage__name(i));
	for (unsigned int i = 0; i < WC_CLASS_CNT; i++)
		writer__put(w, T_CLASS, U(i), wc_class__name(i));
	for (unsigned int i = 0; i < WC_CTX_CNT; i++)
		writer__put(w, T_CONTEXT, U(i), wc_context__name(i));
	for (unsigned int i = 0; i < WC_CNT_CNT; i++)
		writer__put(w, T_COUNTER, U(i), wc_counter__name(i), U(wc_counter__is_loss(i)),
			    wc_counter__meaning(i));
}

static void put_gauges(struct writer *w, const struct wc_result *r)
{
	if (r->work)
		writer__put(w, T_META, "work", r->work);
	for (size_t i = 0; i < r->gauge_cnt; i++) {
		const struct wc_gauge *g = &r->gauges[i];

		writer__put(w, T_GAUGE, U(i), text_or_empty(g->name), text_or_empty(g->unit),
			    text_or_empty(g->better), text_or_empty(g->group),
			    text_or_empty(g->label), text_or_empty(g->help));
	}
}

static void put_head(struct writer *w, const struct wc_result *r)
{
	writer__put(w, T_META, "schema", text_or_empty(r->schema));
	writer__put(w, T_META, "tool_version", text_or_empty(r->tool_version));
	writer__put(w, T_META, "command_line", text_or_empty(r->command_line));
	writer__put(w, T_META, "shape", text_or_empty(r->shape));
	put_meta_number(w, "seed", r->seed);
	put_meta_number(w, "started_s", r->started_s);
	put_meta_number(w, "rounds_wanted", r->rounds_wanted);
	put_meta_number(w, "interrupted", r->interrupted);
	put_kvs(w, T_HOST, &r->host);
	put_kvs(w, T_PARAM, &r->params);
	for (size_t i = 0; i < r->warning_cnt; i++)
		writer__put(w, T_WARNING, U(i), r->warnings[i]);
	for (size_t i = 0; i < r->access_cnt; i++) {
		const struct wc_access *a = &r->accesses[i];

		writer__put(w, T_ACCESS, U(i), wc_access__pattern_name(a->pattern), U(a->huge),
			    a->bytes, a->lines, a->ns, a->q1, a->q3);
	}
	put_kvs(w, T_HW_COUNTER, &r->counters);
	put_names(w, r);
	put_gauges(w, r);
}

static void put_phase(struct writer *w, const struct wc_phase *p, bool probed, size_t gauge_cnt)
{
	if (!p->valid)
		return;
	for (size_t i = 0; p->gauges && i < gauge_cnt; i++)
		if (!isnan(p->gauges[i]))
			writer__put(w, T_ROUND_GAUGE, w->round_id, U(probed), U(i), p->gauges[i]);
	writer__put(w, T_PHASE, w->round_id, U(probed), p->handoff.count, p->handoff.sum_ns,
		    p->handoff.min_ns, p->handoff.max_ns, p->handoff.p50_ns, p->handoff.p90_ns,
		    p->handoff.p99_ns, p->elapsed_ns, p->cpu_ns, p->csw_voluntary_cnt,
		    p->csw_involuntary_cnt);
}

static void put_hist(struct writer *w, unsigned int wake_class, unsigned int metric,
		     const struct wc_hist *h)
{
	char *slots;

	if (!h || !h->count)
		return;
	slots = wc_store__encode_slots(h);
	if (!slots) {
		w->err = -ENOMEM;
		return;
	}
	writer__put(w, T_HIST, w->round_id, U(wake_class), U(metric), U(h->count), U(h->sum),
		    wc_hist__quantile(h, 0.50), wc_hist__quantile(h, 0.90),
		    wc_hist__quantile(h, 0.99), slots);
	free(slots);
}

static void put_pair(struct writer *w, const struct wc_pair *p)
{
	char waker[sizeof(p->waker_comm) + 1] = "", wakee[sizeof(p->wakee_comm) + 1] = "";

	memcpy(waker, p->waker_comm, sizeof(p->waker_comm));
	memcpy(wakee, p->wakee_comm, sizeof(p->wakee_comm));
	writer__put(w, T_PAIR, w->pair_id, w->round_id, U(p->key.waker_tid),
		    U(p->key.waker_context), U(p->key.wakee_tid), U(p->key.wakee_gen),
		    U(p->waker_tgid), U(p->wakee_tgid), waker, wakee, U(p->handoff_cnt),
		    U(p->total.count), U(p->total.sum));
	for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
		if (p->wakes[c])
			writer__put(w, T_PAIR_CLASS, w->pair_id, U(c), U(p->wakes[c]));
	for (unsigned int s = 0; s < WC_STAGE_CNT; s++)
		if (p->stages[s].count)
			writer__put(w, T_PAIR_STAGE, w->pair_id, U(s), U(p->stages[s].count),
				    U(p->stages[s].sum));
	w->pair_id++;
}

static void put_spans(struct writer *w, const struct wc_round *round, size_t counter_cnt)
{
	for (unsigned int span = 0; span < WC_SPAN_CNT; span++) {
		const struct wc_span *s = &round->spans[span];

		if (!s->count && !s->discarded && !s->failed)
			continue;
		for (size_t i = 0; i < counter_cnt; i++)
			writer__put(w, T_SPAN, w->round_id, wc_span__name(span), U(i), U(s->count),
				    U(s->discarded), U(s->failed), U(s->sums[i]));
	}
}

static void put_round(struct writer *w, size_t cell, const struct wc_round *round, size_t gauge_cnt)
{
	writer__put(w, T_ROUND, w->round_id, U(cell), U(round->index), U(round->order),
		    U(round->warmup), U(round->complete), round->parked_cnt, round->chain_cnt,
		    round->futex_slots);
	put_phase(w, &round->bare, false, gauge_cnt);
	put_phase(w, &round->probed, true, gauge_cnt);
	for (unsigned int c = 0; c < WC_CLASS_CNT; c++) {
		for (unsigned int m = 0; m < WC_METRIC_CNT; m++)
			put_hist(w, c, m, round->hists[c][m]);
		if (round->other[c].count)
			writer__put(w, T_OTHER, w->round_id, U(c), U(round->other[c].count),
				    U(round->other[c].sum));
	}
	for (unsigned int c = 0; c < WC_CNT_CNT; c++)
		if (round->counters[c])
			writer__put(w, T_ROUND_COUNTER, w->round_id, U(c), round->counters[c]);
	for (unsigned int c = 0; c < WC_CTX_CNT; c++)
		if (round->contexts[c])
			writer__put(w, T_ROUND_CONTEXT, w->round_id, U(c), round->contexts[c]);
	for (size_t i = 0; i < round->pair_cnt; i++)
		put_pair(w, &round->pairs[i]);
	w->round_id++;
}

static void put_figure(struct writer *w, size_t cell, const char *name, const struct wc_figure *f)
{
	if (!f->n)
		return;
	writer__put(w, T_FIGURE, U(cell), name, U(f->n), f->median, f->has_ci ? f->lo : NO_REAL,
		    f->has_ci ? f->hi : NO_REAL, f->min, f->max);
}

static void put_gauge_figures(struct writer *w, const struct wc_result *r, size_t cell)
{
	for (size_t i = 0; i < r->gauge_cnt; i++) {
		struct wc_figure probed = wc_cell__gauge(&r->cells[cell], i, true);
		struct wc_figure bare = wc_cell__gauge(&r->cells[cell], i, false);
		char name[128];

		sqlite3_snprintf(sizeof(name), name, "gauge_%s", text_or_empty(r->gauges[i].name));
		put_figure(w, cell, name, &probed);
		sqlite3_snprintf(sizeof(name), name, "bare_gauge_%s",
				 text_or_empty(r->gauges[i].name));
		put_figure(w, cell, name, &bare);
	}
}

static void put_summary(struct writer *w, const struct wc_result *r, size_t cell)
{
	struct wc_cell_summary s;
	const struct wc_dist_summary *handoff;

	wc_cell__summarise(r, &r->cells[cell], &s);
	handoff = wc_cell_summary__handoff(&s);
	put_figure(w, cell, r->work ? "wake_p50_ns" : "handoff_p50_ns", &handoff->p50_ns);
	put_figure(w, cell, r->work ? "wake_p90_ns" : "handoff_p90_ns", &handoff->p90_ns);
	put_figure(w, cell, r->work ? "wake_p99_ns" : "handoff_p99_ns", &handoff->p99_ns);
	put_figure(w, cell, r->work ? "wake_mean_ns" : "handoff_mean_ns", &handoff->mean_ns);
	put_figure(w, cell, "bare_p50_ns", &s.bare.p50_ns);
	put_figure(w, cell, "bare_p90_ns", &s.bare.p90_ns);
	put_figure(w, cell, "bare_p99_ns", &s.bare.p99_ns);
	put_figure(w, cell, "bare_mean_ns", &s.bare.mean_ns);
	put_figure(w, cell, "waits_per_handoff", &s.waits_per_handoff);
	put_figure(w, cell, "context_switches_per_handoff", &s.csw_per_handoff);
	put_figure(w, cell, "cpu_ns_per_handoff", &s.cpu_ns_per_handoff);
	put_figure(w, cell, "probe_cost_ns", &s.probe_cost_ns);
	put_figure(w, cell, "wakes_per_work", &s.wakes_per_work);
	put_figure(w, cell, "timed_wakes_per_work", &s.timed_per_work);
	put_gauge_figures(w, r, cell);
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		const struct wc_stage_summary *st = &s.stages[i];

		if (st->present)
			writer__put(w, T_CELL_STAGE, U(cell), U(i), st->name, st->count,
				    st->p50_ns.median, st->p99_ns.median, st->mean_ns, st->share);
	}
	if (s.slept_cnt)
		writer__put(w, T_CELL_STAGE, U(cell), U(WC_STAGE_CNT), "unattributed", s.slept_cnt,
			    NO_REAL, NO_REAL, s.unattributed_mean_ns, s.unattributed_share);
}

int wc_store__put(sqlite3 *db, const struct wc_result *r)
{
	struct writer w = { .db = db };
	char label[512];

	put_head(&w, r);
	for (size_t i = 0; i < r->cell_cnt && !w.err; i++) {
		const struct wc_cell *cell = &r->cells[i];

		writer__put(&w, T_CELL, U(i),
			    wc_params__label(r, cell, NULL, false, label, sizeof(label)));
		for (size_t k = 0; k < cell->params.cnt; k++)
			writer__put(&w, T_CELL_PARAM, U(i), U(k), cell->params.items[k].key,
				    cell->params.items[k].value);
		for (size_t k = 0; k < cell->round_cnt; k++) {
			put_spans(&w, &cell->rounds[k], r->counters.cnt);
			put_round(&w, i, &cell->rounds[k], r->gauge_cnt);
		}
		put_summary(&w, r, i);
	}
	if (r->profile)
		writer__profile(&w, r->profile);
	for (unsigned int t = 0; t < T_CNT; t++)
		sqlite3_finalize(w.inserts[t]);
	return w.err;
}
