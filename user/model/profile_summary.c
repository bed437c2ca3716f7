/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/model/profile_summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/phist.h"
#include "user/model/summary.h"
#include "user/util/grow.h"

uint64_t wc_edge__wakes(const struct wc_edge *e)
{
	uint64_t sum = 0;

	for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
		if (c != WC_CLASS_TIMED && c != WC_CLASS_NEW)
			sum += e->wakes[c];
	return sum;
}

const char *wc_context__label(unsigned int context)
{
	static const char *const labels[WC_CTX_CNT] = {
		[WC_CTX_SOFTIRQ] = "[softirq]",
		[WC_CTX_HARDIRQ] = "[hardirq]",
		[WC_CTX_NMI] = "[nmi]",
		[WC_CTX_TIMER] = "[timer]",
	};

	return context < WC_CTX_CNT ? labels[context] : NULL;
}

/* ---- which tasks are one ---- */

struct grouping {
	const struct wc_profile *p;
	bool processes, names;
};

static int compare_tasks(const void *a, const void *b, void *ctx)
{
	const struct grouping *g = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct wc_task *x = &g->p->tasks[i], *y = &g->p->tasks[k];

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return g->processes ? 0 : strcmp(x->comm ? x->comm : "", y->comm ? y->comm : "");
}

static int compare_tasks_stable(const void *a, const void *b, void *ctx)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	int d = compare_tasks(a, b, ctx);

	return d ? d : (i > k) - (i < k);
}

/* For each task the one that stands for all of its kind; NULL: no memory. */
static uint32_t *make_groups(const struct grouping *g)
{
	size_t cnt = g->p->task_cnt;
	uint32_t *order = calloc(cnt + 1, sizeof(*order)), *group = calloc(cnt + 1, sizeof(*group));

	for (size_t i = 0; order && group && i < cnt; i++)
		order[i] = group[i] = (uint32_t)i;
	if (order && group && (g->processes || g->names)) {
		qsort_r(order, cnt, sizeof(*order), compare_tasks_stable, (void *)g);
		for (size_t i = 1; i < cnt; i++)
			if (!compare_tasks(&order[i - 1], &order[i], (void *)g))
				group[order[i]] = group[order[i - 1]];
	}
	if (!order) {
		free(group);
		group = NULL;
	}
	free(order);
	return group;
}

/* ---- rows ---- */

/* What makes two items one row, and the item. */
struct keyed {
	uint32_t key[4], item;
};

static int compare_keys(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	for (unsigned int i = 0; i < 4; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	return 0;
}

static int compare_items(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	int d = compare_keys(a, b);

	return d ? d : (x->item > y->item) - (x->item < y->item);
}

static struct wc_profile_row *add_row(struct wc_profile_summary *s)
{
	struct wc_profile_row *rows = wc_grow(s->rows, s->row_cnt, sizeof(*rows));

	if (!rows)
		return NULL;
	s->rows = rows;
	rows += s->row_cnt++;
	*rows = (struct wc_profile_row){
		.waker = WC_NONE,
		.wakee = WC_NONE,
		.context = WC_CTX_TASK,
		.cpu = WC_NONE,
		.wake_class = WC_NONE,
		.chain = WC_NONE,
	};
	return rows;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void add_edge(struct wc_profile_row *row, const struct wc_edge *e, struct wc_pooled *pooled,
		     struct wc_sum *blocked)
{
	row->edge_cnt++;
	row->wakes += wc_edge__wakes(e);
	row->cnt += e->total.count;
	row->total_ns += e->total.sum;
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		row->stage_ns[i] += e->stages[i].sum;
	blocked->count += e->blocked.count;
	blocked->sum += e->blocked.sum;
	wc_pooled__add(pooled, e->hists[WC_METRIC_TOTAL]);
}

static void edge_key(const struct wc_edge *e, enum wc_profile_by by, const uint32_t *group,
		     size_t task_cnt, uint32_t key[4])
{
	bool waker = by != WC_BY_WAKEE, wakee = by != WC_BY_WAKER;

	key[0] = waker ? e->context : 0;
	key[1] = waker && e->context == WC_CTX_TASK && e->waker < task_cnt ? group[e->waker]
									   : WC_NONE;
	key[2] = wakee && e->wakee < task_cnt ? group[e->wakee] : WC_NONE;
	key[3] = 0;
}

/* Items with the same key follow each other; one row of them. */
static int edge_row(const struct wc_profile *p, const struct keyed *items, size_t cnt,
		    struct wc_profile_summary *s)
{
	struct wc_profile_row *row = add_row(s);
	struct wc_pooled pooled = { 0 };
	struct wc_sum blocked = { 0 };

	if (!row)
		return -ENOMEM;
	row->context = items[0].key[0];
	row->waker = items[0].key[1];
	row->wakee = items[0].key[2];
	for (size_t i = 0; i < cnt; i++)
		add_edge(row, &p->edges[items[i].item], &pooled, &blocked);
	row->has_quantiles = pooled.count != 0;
	row->p50_ns = wc_pooled__quantile(&pooled, 0.50);
	row->p99_ns = wc_pooled__quantile(&pooled, 0.99);
	row->worst_ns = wc_pooled__highest(&pooled);
	row->has_blocked = blocked.count != 0;
	if (blocked.count)
		row->blocked_mean_ns = (double)blocked.sum / (double)blocked.count;
	return 0;
}

typedef int (*row_fn)(const struct wc_profile *p, const struct keyed *items, size_t cnt,
		      struct wc_profile_summary *s);

static int make_rows(const struct wc_profile *p, struct keyed *items, size_t cnt, row_fn fn,
		     struct wc_profile_summary *s)
{
	int err = 0;

	if (cnt)
		qsort(items, cnt, sizeof(*items), compare_items);
	for (size_t i = 0, next; i < cnt && !err; i = next) {
		for (next = i + 1; next < cnt && !compare_keys(&items[i], &items[next]);)
			next++;
		err = fn(p, &items[i], next - i, s);
	}
	return err;
}

static int by_edges(const struct wc_profile *p, const struct wc_profile_summary_opts *opts,
		    struct wc_profile_summary *s)
{
	struct grouping g = { p, opts->by == WC_BY_PROCESS, opts->fold_names };
	struct keyed *items = calloc(p->edge_cnt + 1, sizeof(*items));
	uint32_t *group = make_groups(&g);
	size_t cnt = 0;
	int err = items && group ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->edge_cnt && !err; i++) {
		if (!wc_edge__wakes(&p->edges[i]))
			continue;
		edge_key(&p->edges[i], opts->by, group, p->task_cnt, items[cnt].key);
		items[cnt++].item = (uint32_t)i;
	}
	if (!err)
		err = make_rows(p, items, cnt, edge_row, s);
	free(items);
	free(group);
	return err;
}

static int chain_row(const struct wc_profile *p, const struct keyed *items, size_t cnt,
		     struct wc_profile_summary *s)
{
	struct wc_profile_row *row = add_row(s);
	uint64_t most = 0, blocked_ns = 0;

	if (!row)
		return -ENOMEM;
	row->chain = items[0].item;
	for (size_t i = 0; i < cnt; i++) {
		const struct wc_chain *c = &p->chains[items[i].item];

		row->edge_cnt++;
		row->wakes += c->weight;
		row->cnt += c->weight;
		row->total_ns += c->total_ns;
		blocked_ns += c->blocked_ns;
		for (unsigned int k = 0; k < WC_STAGE_CNT; k++)
			row->stage_ns[k] += c->stage_ns[k];
		if (c->total_ns > most) {
			most = c->total_ns;
			row->chain = items[i].item;
		}
	}
	if (p->chains[row->chain].edge < p->edge_cnt) {
		const struct wc_edge *e = &p->edges[p->chains[row->chain].edge];

		row->context = e->context;
		row->waker = e->context == WC_CTX_TASK ? e->waker : WC_NONE;
		row->wakee = e->wakee;
	}
	row->has_blocked = row->cnt != 0;
	if (row->cnt)
		row->blocked_mean_ns = (double)blocked_ns / (double)row->cnt;
	return 0;
}

static int by_stacks(const struct wc_profile *p, struct wc_profile_summary *s)
{
	struct keyed *items = calloc(p->chain_cnt + 1, sizeof(*items));
	size_t cnt = 0;
	int err = items ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->chain_cnt && !err; i++) {
		const struct wc_chain *c = &p->chains[i];

		if (c->edge < p->edge_cnt && !wc_edge__wakes(&p->edges[c->edge]))
			continue;
		items[cnt++] = (struct keyed){
			{ c->waker_user, c->waker_kernel, c->wakee_kernel, c->wakee_user },
			(uint32_t)i,
		};
	}
	if (!err)
		err = make_rows(p, items, cnt, chain_row, s);
	free(items);
	return err;
}

static int by_cpus(const struct wc_profile *p, struct wc_profile_summary *s)
{
	for (size_t i = 0; i < p->cpu_cnt; i++) {
		const struct wc_cpu_stats *c = &p->cpus[i];
		struct wc_profile_row *row;

		if (!c->wakes && !c->total.count)
			continue;
		row = add_row(s);
		if (!row)
			return -ENOMEM;
		row->cpu = c->cpu;
		row->wakes = c->wakes;
		row->cnt = c->total.count;
		row->total_ns = c->total.sum;
		for (unsigned int k = 0; k < WC_STAGE_CNT; k++)
			row->stage_ns[k] = c->stages[k].sum;
	}
	return 0;
}

/* One metric of one kind of wake, rounds together. */
static void pool_class(const struct wc_result *r, unsigned int wake_class, unsigned int metric,
		       struct wc_hist *into)
{
	*into = (struct wc_hist){ 0 };
	for (size_t i = 0; i < r->cell_cnt; i++)
		for (size_t k = 0; k < r->cells[i].round_cnt; k++)
			wc_hist__merge(into, r->cells[i].rounds[k].hists[wake_class][metric]);
}

static int by_classes(const struct wc_result *r, struct wc_profile_summary *s)
{
	struct wc_hist h;

	for (unsigned int c = 0; c < WC_CLASS_CNT; c++) {
		struct wc_profile_row *row;

		pool_class(r, c, WC_METRIC_TOTAL, &h);
		if (!h.count)
			continue;
		row = add_row(s);
		if (!row)
			return -ENOMEM;
		row->wake_class = c;
		row->apart = c == WC_CLASS_TIMED || c == WC_CLASS_NEW;
		row->wakes = row->cnt = h.count;
		row->total_ns = h.sum;
		row->has_quantiles = true;
		row->p50_ns = wc_hist__quantile(&h, 0.50);
		row->p99_ns = wc_hist__quantile(&h, 0.99);
		row->worst_ns = wc_hist__highest(&h);
		for (unsigned int k = 0; k < WC_STAGE_CNT; k++) {
			pool_class(r, c, k, &h);
			row->stage_ns[k] = h.sum;
		}
	}
	return 0;
}

/* ---- what follows from the sums ---- */

static void count_apart(const struct wc_profile *p, struct wc_profile_summary *s)
{
	for (size_t i = 0; i < p->edge_cnt; i++) {
		const struct wc_edge *e = &p->edges[i];
		uint64_t wakes = wc_edge__wakes(e);

		s->timed_cnt += e->wakes[WC_CLASS_TIMED];
		s->new_cnt += e->wakes[WC_CLASS_NEW];
		if (wakes)
			s->mixed_cnt += minus(e->total.count, wakes);
	}
}

static void finish_rows(const struct wc_profile *p, struct wc_profile_summary *s)
{
	double window_s = (double)p->window_ns / 1e9;

	for (size_t i = 0; i < s->row_cnt; i++) {
		if (s->rows[i].apart)
			continue;
		s->wakes += s->rows[i].wakes;
		s->total_ns += s->rows[i].total_ns;
	}
	for (size_t i = 0; i < s->row_cnt; i++) {
		struct wc_profile_row *row = &s->rows[i];
		double cnt = row->cnt ? (double)row->cnt : 1;
		uint64_t most = 0;

		row->top_stage = WC_STAGE_CNT;
		row->mean_ns = (double)row->total_ns / cnt;
		if (window_s > 0)
			row->wakes_per_s = (double)row->wakes / window_s;
		if (s->total_ns && !row->apart)
			row->share = (double)row->total_ns / (double)s->total_ns;
		for (unsigned int k = 0; k < WC_STAGE_CNT; k++) {
			row->stage_mean_ns[k] = (double)row->stage_ns[k] / cnt;
			if (row->stage_ns[k] > most) {
				most = row->stage_ns[k];
				row->top_stage = k;
			}
		}
	}
}

static double sort_value(const struct wc_profile_row *row, unsigned int sort)
{
	switch (sort) {
	case WC_SORT_COST:
		return (double)row->total_ns;
	case WC_SORT_WAKES:
		return (double)row->wakes;
	case WC_SORT_P50:
		return row->p50_ns;
	case WC_SORT_P99:
		return row->p99_ns;
	case WC_SORT_MEAN:
		return row->mean_ns;
	case WC_SORT_BLOCKED:
		return row->blocked_mean_ns;
	}
	sort -= WC_SORT_STAGE;
	return sort < WC_STAGE_CNT ? (double)row->stage_ns[sort] : 0;
}

/* Those apart stand last; equals in the order of their keys, which is that of the recording. */
static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct wc_profile_row *x = a, *y = b;
	unsigned int sort = *(const unsigned int *)ctx;
	double v = sort_value(x, sort), w = sort_value(y, sort);

	if (x->apart != y->apart)
		return x->apart ? 1 : -1;
	if (v != w)
		return v > w ? -1 : 1;
	if (x->waker != y->waker)
		return x->waker < y->waker ? -1 : 1;
	if (x->wakee != y->wakee)
		return x->wakee < y->wakee ? -1 : 1;
	return x->context != y->context ? (x->context < y->context ? -1 : 1)
					: (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

int wc_profile__summarise(const struct wc_result *r, const struct wc_profile_summary_opts *opts,
			  struct wc_profile_summary *s)
{
	const struct wc_profile *p = r->profile;
	unsigned int sort = opts->sort;
	int err;

	*s = (struct wc_profile_summary){ 0 };
	if (!p)
		return 0;
	switch (opts->by) {
	case WC_BY_CPU:
		err = by_cpus(p, s);
		break;
	case WC_BY_CLASS:
		err = by_classes(r, s);
		break;
	case WC_BY_STACK:
		err = by_stacks(p, s);
		break;
	default:
		err = by_edges(p, opts, s);
	}
	count_apart(p, s);
	finish_rows(p, s);
	if (!err && s->row_cnt)
		qsort_r(s->rows, s->row_cnt, sizeof(*s->rows), compare_rows, &sort);
	return err;
}

void wc_profile_summary__free(struct wc_profile_summary *s)
{
	free(s->rows);
	*s = (struct wc_profile_summary){ 0 };
}
