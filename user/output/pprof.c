// SPDX-License-Identifier: BSD-2-Clause
/*
 * A profile for pprof and what reads its format: one sample a path, leaf first, with wakes, cost,
 * sleep and every stage as its values; docs/export.md.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "user/output/output.h"
#include "user/output/paths.h"
#include "user/output/pprof_impl.h"
#include "user/output/summaries.h"
#include "user/util/gz.h"

#define LABEL_MAX 5

enum column_kind {
	COLUMN_WAKES,
	COLUMN_COST,
	COLUMN_BLOCKED,
	COLUMN_STAGE, /* + enum wc_stage */
};

/* ---- samples ---- */

static int64_t value(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static uint64_t column_value(const struct wc_chain *c, unsigned int column)
{
	switch (column) {
	case COLUMN_WAKES:
		return c->weight;
	case COLUMN_COST:
		return c->total_ns;
	case COLUMN_BLOCKED:
		return c->blocked_ns;
	}
	return c->stage_ns[column - COLUMN_STAGE];
}

/*
 * With stages as frames a path comes once with its wakes and its sleep, and once for each stage
 * with the time of that stage alone, so that every column still adds up.
 */
static uint64_t path_value(const struct pprof *b, const struct wc_path *path, unsigned int column)
{
	bool time = column != COLUMN_WAKES && column != COLUMN_BLOCKED;
	const struct wc_path_frame *top = &path->frames[path->frame_cnt - 1];

	if (b->view != WC_VIEW_STAGE)
		return column_value(path->chain, column);
	if (b->times != time)
		return 0;
	if (!time)
		return column_value(path->chain, column);
	if (column == COLUMN_COST || wc_paths__stage_order(top->name) == column - COLUMN_STAGE)
		return path->value;
	return 0;
}

static void add_label(struct pprof *b, Pprof__Sample *s, const char *key, const char *raw)
{
	Pprof__Label *l;

	if (!raw || !*raw || b->err || !GRAB(b, l, 1))
		return;
	pprof__label__init(l);
	l->key_str = pprof__text(b, key);
	l->value_str = pprof__text(b, raw);
	s->labels[s->n_labels++] = l;
}

/* Kinds of wake are counted by pair, not by path: only where a pair had but one it can be said. */
static const char *only_class(const struct wc_edge *e)
{
	const char *name = NULL;

	for (unsigned int i = 0; i < WC_CLASS_CNT; i++) {
		if (!e->wakes[i])
			continue;
		if (name)
			return NULL;
		name = wc_class__name(i);
	}
	return name;
}

static void add_labels(struct pprof *b, Pprof__Sample *s, const struct wc_edge *e)
{
	const struct wc_profile *p = b->r->profile;
	char context[32] = "";

	s->labels = pprof__grab(b, LABEL_MAX * sizeof(void *));
	if (!s->labels)
		return;
	if (e->context != WC_CTX_TASK && wc_context__name(e->context)) {
		snprintf(context, sizeof(context), "[%s]", wc_context__name(e->context));
		add_label(b, s, "waker", context);
	} else if (e->waker < p->task_cnt) {
		add_label(b, s, "waker", p->tasks[e->waker].comm);
		add_label(b, s, "waker_process", p->tasks[e->waker].process);
	}
	if (e->wakee < p->task_cnt) {
		add_label(b, s, "wakee", p->tasks[e->wakee].comm);
		add_label(b, s, "process", p->tasks[e->wakee].process);
	}
	add_label(b, s, "class", only_class(e));
}

static int add_path(void *ctx, const struct wc_path *path)
{
	struct pprof *b = ctx;
	Pprof__Sample *s;

	if (!path->frame_cnt || !GRAB(b, s, 1))
		return b->err;
	pprof__sample__init(s);
	if (!GRAB(b, s->location_ids, path->frame_cnt) || !GRAB(b, s->values, b->column_cnt))
		return b->err;
	for (size_t i = path->frame_cnt; i-- > 0;) {
		const struct wc_path_frame *f = &path->frames[i];

		s->location_ids[s->n_location_ids++] =
			f->frame ? pprof__frame_location(b, f->frame)
				 : pprof__label_location(b, wc_paths__name(b->r, f));
	}
	for (size_t i = 0; i < b->column_cnt; i++)
		s->values[s->n_values++] = value(path_value(b, path, b->columns[i]));
	add_labels(b, s, path->edge);
	APPEND(b, b->out.samples, b->out.n_samples, s);
	return b->err;
}

static void add_samples(struct pprof *b)
{
	const struct wc_profile *p = b->r->profile;
	int err = wc_profile__paths(p, b->view, WC_WEIGH_COUNT, true, add_path, b);

	b->times = true;
	if (!err && b->view == WC_VIEW_STAGE)
		err = wc_profile__paths(p, b->view, WC_WEIGH_COST, true, add_path, b);
	b->err = b->err ? b->err : err;
}

/* ---- columns ---- */

static Pprof__ValueType *value_type(struct pprof *b, const char *type, const char *unit)
{
	Pprof__ValueType *v;

	if (!GRAB(b, v, 1))
		return NULL;
	pprof__value_type__init(v);
	v->type_str = pprof__text(b, type);
	v->unit_str = pprof__text(b, unit);
	return v;
}

static bool has_stage(const struct wc_result *r, unsigned int stage)
{
	const struct wc_profile *p = r->profile;

	for (size_t i = 0; i < p->chain_cnt; i++)
		if (p->chains[i].stage_ns[stage])
			return true;
	for (size_t i = 0; i < p->edge_cnt && !p->chain_cnt; i++)
		if (p->edges[i].stages[stage].count)
			return true;
	return r->stages[stage].status == WC_STATUS_EXACT;
}

static void add_column(struct pprof *b, unsigned int column, const char *name, const char *unit)
{
	Pprof__ValueType *v = value_type(b, name, unit);

	if (!v)
		return;
	b->columns[b->column_cnt++] = column;
	APPEND(b, b->out.sample_types, b->out.n_sample_types, v);
}

static void add_stage_column(struct pprof *b, unsigned int stage)
{
	const char *shown = b->r->stages[stage].shown_as;

	if (has_stage(b->r, stage))
		add_column(b, COLUMN_STAGE + stage, shown && *shown ? shown : wc_stage__name(stage),
			   "nanoseconds");
}

static void add_columns(struct pprof *b)
{
	add_column(b, COLUMN_WAKES, "wakes", "count");
	add_column(b, COLUMN_COST, "cost", "nanoseconds");
	add_stage_column(b, WC_STAGE_WAIT);
	add_column(b, COLUMN_BLOCKED, "blocked", "nanoseconds");
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		if (i != WC_STAGE_WAIT)
			add_stage_column(b, i);
}

/* ---- the rest ---- */

static void add_comment(struct pprof *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add_comment(struct pprof *b, const char *fmt, ...)
{
	int64_t *grown;
	char *line;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (n < 0) {
		b->err = -ENOMEM;
		return;
	}
	grown = wc_grow(b->out.comment_strs, b->out.n_comment_strs, sizeof(*grown));
	if (grown) {
		b->out.comment_strs = grown;
		grown[b->out.n_comment_strs++] = pprof__text(b, line);
	} else {
		b->err = -ENOMEM;
	}
	free(line);
}

static void add_comments(struct pprof *b)
{
	const struct wc_result *r = b->r;
	const struct wc_profile *p = r->profile;
	uint64_t lost = p->stacks_full_cnt + p->stacks_failed_cnt + p->chains_full_cnt;

	add_comment(b, "wakecost %s: %s", r->tool_version ? r->tool_version : "",
		    r->command_line ? r->command_line : "");
	for (size_t i = 0; i < r->host.cnt; i++)
		add_comment(b, "%s: %s", r->host.items[i].key, r->host.items[i].value);
	if (p->stack_every > 1)
		add_comment(b, "stacks of one wake in %" PRIu32 ", which counts %" PRIu32,
			    p->stack_every, p->stack_every);
	if (p->stack_every > 1 && p->slow_ns)
		add_comment(b, "and of every wake of %" PRIu64 " ns or more", p->slow_ns);
	if (lost)
		add_comment(b, "lost: %" PRIu64 " stacks or paths", lost);
}

static void add_circumstances(struct pprof *b)
{
	const struct wc_profile *p = b->r->profile;

	b->out.period_type = value_type(b, "wakes", "count");
	b->out.period = p->stack_every ? p->stack_every : 1;
	b->out.time_ns = p->clock_offset_ns ? value(p->clock_offset_ns + p->started_ns)
					    : value(b->r->started_s * 1000000000);
	b->out.duration_ns = value(p->window_ns);
	b->out.default_type_str = pprof__text(b, "cost");
}

static int write_out(const struct pprof *b, FILE *f)
{
	size_t len = pprof__profile__get_packed_size(&b->out), packed_len;
	uint8_t *plain = malloc(len ? len : 1);
	void *packed = NULL;
	int err = -ENOMEM;

	if (plain) {
		pprof__profile__pack(&b->out, plain);
		err = wc_gz__compress(plain, len, &packed, &packed_len);
	}
	if (!err)
		fwrite(packed, 1, packed_len, f);
	free(packed);
	free(plain);
	return err ? err : wc_summaries__finish(f);
}

static void discard(struct pprof *b)
{
	free(b->out.samples);
	free(b->out.sample_types);
	free(b->out.mappings);
	free(b->out.locations);
	free(b->out.functions);
	free(b->out.comment_strs);
	free(b->frame_locations);
	free(b->label_locations);
	wc_strtab__free(&b->strings);
	wc_strtab__free(&b->functions);
	wc_strtab__free(&b->mappings);
	wc_strtab__free(&b->labels);
	wc_arena__free(&b->arena);
}

int wc_out_pprof(FILE *f, const struct wc_result *r, enum wc_view view)
{
	struct pprof b = { .r = r, .view = view, .out = PPROF__PROFILE__INIT };

	if (!r->profile)
		return -ENODATA;
	b.frame_locations = calloc(r->profile->frame_cnt + 1, sizeof(*b.frame_locations));
	if (!b.frame_locations)
		return -ENOMEM;
	pprof__text(&b, ""); /* number 0 is nothing */
	add_columns(&b);
	add_comments(&b);
	add_circumstances(&b);
	if (!b.err)
		add_samples(&b);
	b.out.strings = b.strings.items;
	b.out.n_strings = b.strings.cnt;
	if (!b.err)
		b.err = write_out(&b, f);
	discard(&b);
	return b.err;
}
