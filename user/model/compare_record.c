// SPDX-License-Identifier: BSD-2-Clause
/* Two recordings of programs, set side by side: all wakes, and pairs of threads by name. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/compare.h"
#include "user/model/profile_overall.h"
#include "user/model/profile_summary.h"

/* A pair of one recording. */
struct side {
	const char *waker, *wakee;
	bool is_new;
	uint64_t wakes, cnt, total_ns;
	uint64_t stage_ns[WC_STAGE_CNT];
};

static const char *name_of(const struct wc_profile *p, uint32_t task)
{
	if (task >= p->task_cnt)
		return "[unknown]";
	return p->tasks[task].comm && *p->tasks[task].comm ? p->tasks[task].comm : "[no name]";
}

static double per_second(const struct wc_result *r, double value)
{
	return r->profile->window_ns ? value * 1e9 / (double)r->profile->window_ns : 0;
}

/* ---- all wakes ---- */

static struct wc_mean mean_of(const struct wc_result *r, uint64_t wakes, uint64_t cnt,
			      uint64_t total_ns)
{
	return (struct wc_mean){
		.wakes = wakes,
		.per_s = per_second(r, (double)wakes),
		.mean_ns = cnt ? (double)total_ns / (double)cnt : 0,
		.cost_per_s = per_second(r, (double)total_ns),
	};
}

static void compare_overall(const struct wc_result *base, const struct wc_result *new,
			    struct wc_record_comparison *c)
{
	struct wc_overall a, b;

	wc_overall__of(base, &a);
	wc_overall__of(new, &b);
	c->base = mean_of(base, a.wakes, 0, a.total_ns);
	c->new = mean_of(new, b.wakes, 0, b.total_ns);
	c->base.mean_ns = a.mean_ns;
	c->new.mean_ns = b.mean_ns;
	c->base_rest_ns = a.unattributed_mean_ns;
	c->new_rest_ns = b.unattributed_mean_ns;
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		c->stages[i] = (struct wc_stage_change){
			a.stages[i].present ? a.stages[i].name : NULL,
			b.stages[i].present ? b.stages[i].name : NULL,
			a.stages[i].mean_ns,
			b.stages[i].mean_ns,
		};
}

/* ---- pairs ---- */

static int compare_names(const struct side *x, const struct side *y)
{
	int d = strcmp(x->waker, y->waker);

	return d ? d : strcmp(x->wakee, y->wakee);
}

static int compare_sides(const void *a, const void *b)
{
	return compare_names(a, b);
}

static int compare_cost(const void *a, const void *b)
{
	const struct wc_pair_change *x = a, *y = b;
	double cx = fmax(x->base.cost_per_s, x->new.cost_per_s);
	double cy = fmax(y->base.cost_per_s, y->new.cost_per_s);
	int d;

	if (cx != cy)
		return cx < cy ? 1 : -1;
	d = strcmp(x->waker, y->waker);
	return d ? d : strcmp(x->wakee, y->wakee);
}

static void add_sides(const struct wc_result *r, const struct wc_profile_summary *s, bool is_new,
		      struct side *sides, size_t *cnt)
{
	for (size_t i = 0; i < s->row_cnt; i++) {
		const struct wc_profile_row *row = &s->rows[i];
		const char *label = wc_context__label(row->context);
		struct side *one = &sides[*cnt];

		if (!row->wakes)
			continue;
		one->waker = label ? label : name_of(r->profile, row->waker);
		one->wakee = name_of(r->profile, row->wakee);
		one->is_new = is_new;
		one->wakes = row->wakes;
		one->cnt = row->cnt;
		one->total_ns = row->total_ns;
		memcpy(one->stage_ns, row->stage_ns, sizeof(one->stage_ns));
		(*cnt)++;
	}
}

static void add_up(struct side *sum, const struct side *one)
{
	sum->wakes += one->wakes;
	sum->cnt += one->cnt;
	sum->total_ns += one->total_ns;
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		sum->stage_ns[i] += one->stage_ns[i];
}

static void stage_means(const struct side *s, double out[WC_STAGE_CNT])
{
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		out[i] = s->cnt ? (double)s->stage_ns[i] / (double)s->cnt : 0;
}

static unsigned int most_changed(const struct wc_pair_change *p)
{
	unsigned int top = WC_STAGE_CNT;
	double most = 0;

	for (unsigned int i = 0; i < WC_STAGE_CNT && p->in_base && p->in_new; i++) {
		double change = fabs(p->new_stage_ns[i] - p->base_stage_ns[i]);

		if (change <= most)
			continue;
		most = change;
		top = i;
	}
	return top;
}

static void fill(const struct wc_result *base, const struct wc_result *new, const struct side *a,
		 const struct side *b, struct wc_pair_change *p)
{
	p->in_base = a->wakes != 0;
	p->in_new = b->wakes != 0;
	p->base = mean_of(base, a->wakes, a->cnt, a->total_ns);
	p->new = mean_of(new, b->wakes, b->cnt, b->total_ns);
	stage_means(a, p->base_stage_ns);
	stage_means(b, p->new_stage_ns);
	p->top_stage = most_changed(p);
}

/* Rows of equal names, however many threads on either side, become one pair. */
static void merge(const struct wc_result *base, const struct wc_result *new, struct side *sides,
		  size_t cnt, struct wc_record_comparison *c)
{
	size_t next;

	if (cnt)
		qsort(sides, cnt, sizeof(*sides), compare_sides);
	for (size_t i = 0; i < cnt; i = next) {
		struct wc_pair_change *p = &c->pairs[c->pair_cnt++];
		struct side sums[2] = { { 0 }, { 0 } };

		for (next = i; next < cnt && !compare_names(&sides[i], &sides[next]); next++)
			add_up(&sums[sides[next].is_new], &sides[next]);
		p->waker = sides[i].waker;
		p->wakee = sides[i].wakee;
		fill(base, new, &sums[0], &sums[1], p);
	}
	if (c->pair_cnt)
		qsort(c->pairs, c->pair_cnt, sizeof(*c->pairs), compare_cost);
}

int wc_compare__records(const struct wc_result *base, const struct wc_result *new,
			struct wc_record_comparison *c)
{
	const struct wc_profile_summary_opts how = { .by = WC_BY_PAIR, .fold_names = true };
	struct wc_profile_summary a = { 0 }, b = { 0 };
	struct side *sides = NULL;
	size_t cnt = 0;
	int err;

	*c = (struct wc_record_comparison){ 0 };
	err = wc_profile__summarise(base, &how, &a);
	err = err ? err : wc_profile__summarise(new, &how, &b);
	if (!err) {
		sides = calloc(a.row_cnt + b.row_cnt + 1, sizeof(*sides));
		c->pairs = calloc(a.row_cnt + b.row_cnt + 1, sizeof(*c->pairs));
		err = sides && c->pairs ? 0 : -ENOMEM;
	}
	if (!err) {
		compare_overall(base, new, c);
		add_sides(base, &a, false, sides, &cnt);
		add_sides(new, &b, true, sides, &cnt);
		merge(base, new, sides, cnt, c);
	}
	free(sides);
	wc_profile_summary__free(&a);
	wc_profile_summary__free(&b);
	return err;
}

void wc_record_comparison__free(struct wc_record_comparison *c)
{
	free(c->pairs);
	*c = (struct wc_record_comparison){ 0 };
}
