// SPDX-License-Identifier: BSD-2-Clause
/*
 * Recordings of things that never happened, so that it is known what is in them.
 *
 *	made_up jvm|db|hostile|bare FILE	a profile; its sums on stdout, as JSON
 *	made_up run FILE SEED SHIFT [ROUNDS]	two cells, every round drawn from the seed; handoffs
 *						of the second SHIFT percent longer, all of it in find
 */
#include <inttypes.h>

#include "tests/unit/fixture_profile.h"
#include "user/model/store.h"
#include "user/util/rng.h"

#define START_NS 5000000000000ull

/* ---- single wakes ---- */

struct wake {
	unsigned int waker, wakee, context, wake_class, cpu;
	unsigned int at[WC_BND_CNT]; /* after the start; 0: not seen */
};

static const struct wake wakes[] = {
	/* still queued: nothing chosen; then back with all that can be seen */
	{ 4101, 4102, 0, WC_CLASS_DELAYED, 0, { 500, 1000, 0, 0, 1100, 1500, 1700, 1800, 2100 } },
	{ 4102, 4101, 0, WC_CLASS_LOCAL, 0, { 3000, 3200, 3300, 0, 3400, 3500, 3600, 3650, 3900 } },
	/* begun before the call that slept has returned, ended after it */
	{ 4102, 4105, 0, WC_CLASS_DELAYED, 0, { 2000, 2050, 0, 0, 2200, 2300, 2400, 2500, 0 } },
	/* one call wakes three */
	{ 4110, 4101, 0, WC_CLASS_LOCAL, 1, { 10000, 10100, 10150, 0, 10200, 0, 15000, 15100, 0 } },
	{ 4110, 4102, 0, WC_CLASS_LOCAL, 1, { 10000, 10300, 10350, 0, 10400, 0, 16000, 16100, 0 } },
	{ 4110, 4105, 0, WC_CLASS_LOCAL, 1, { 10000, 10500, 10550, 0, 10600, 0, 17000, 17100, 0 } },
	/* by an interrupt, handed to another CPU; by a CPU that was idle, which shows less */
	{ 0, 15, WC_CTX_SOFTIRQ, WC_CLASS_REMOTE, 1, { 0, 20000, 20100, 21000, 21100, 0, 22000 } },
	{ 0, 15, 0, WC_CLASS_REMOTE, 1, { 0, 30000, 0, 0, 31000, 30500, 32000, 0, 33000 } },
	/* a first run */
	{ 4104, 4110, 0, WC_CLASS_NEW, 0, { 0, 40000, 0, 0, 40000, 41000, 42000, 43000, 0 } },
};

static void add_events(struct wc_profile *p, const struct wake *list, size_t cnt)
{
	p->events = calloc(cnt, sizeof(*p->events));
	prof_need(p->events);
	for (size_t i = 0; i < cnt; i++) {
		struct wc_event *e = &p->events[p->event_cnt++];

		for (unsigned int b = 0; b < WC_BND_CNT; b++)
			e->at_ns[b] = list[i].at[b] ? START_NS + list[i].at[b] : 0;
		e->waker_tid = list[i].waker;
		e->wakee_tid = list[i].wakee;
		e->waker_tgid = list[i].waker > 4000 ? 4100 : list[i].waker;
		e->wakee_tgid = list[i].wakee > 4000 ? 4100 : list[i].wakee;
		e->waker_cpu = list[i].cpu;
		e->ran_cpu = list[i].wake_class == WC_CLASS_REMOTE ? 0 : e->waker_cpu;
		e->chosen_cpu = e->ran_cpu;
		e->wake_class = list[i].wake_class;
		e->context = list[i].context;
	}
}

/* ---- profiles ---- */

static void print_sums(const struct wc_profile *p)
{
	uint64_t wakes_cnt = 0, cost = 0, blocked = 0, stages[WC_STAGE_CNT] = { 0 };

	for (size_t i = 0; i < p->edge_cnt; i++) {
		wakes_cnt += p->edges[i].total.count;
		cost += p->edges[i].total.sum;
		blocked += p->edges[i].blocked.sum;
		for (unsigned int k = 0; k < WC_STAGE_CNT; k++)
			stages[k] += p->edges[i].stages[k].sum;
	}
	printf("{\"wakes\":%" PRIu64 ",\"cost\":%" PRIu64 ",\"blocked\":%" PRIu64, wakes_cnt, cost,
	       blocked);
	for (unsigned int k = 0; k < WC_STAGE_CNT; k++)
		printf(",\"%s\":%" PRIu64, wc_stage__name(k), stages[k]);
	puts("}");
}

static void count_mean(struct wc_round *round, unsigned int metric, const struct wc_sum *sum)
{
	struct wc_hist **h = &round->hists[WC_CLASS_DELAYED][metric];

	if (!sum->count)
		return;
	if (!*h)
		*h = calloc(1, sizeof(**h));
	prof_need(*h);
	(*h)->slots[wc_hist_slot(sum->sum / sum->count)] += sum->count;
	(*h)->count += sum->count;
	(*h)->sum += sum->sum;
}

/* All wakes together, as if every wake of a pair had been alike. */
static void add_hists(struct wc_result *r)
{
	struct wc_cell *cell = wc_result__add_cell(r);
	struct wc_round *round = cell ? wc_cell__add_round(cell) : NULL;

	prof_need(round);
	round->complete = true;
	round->chain_cnt = UINT64_MAX;
	for (size_t i = 0; i < r->profile->edge_cnt; i++) {
		const struct wc_edge *e = &r->profile->edges[i];

		for (unsigned int k = 0; k < WC_STAGE_CNT; k++)
			count_mean(round, k, &e->stages[k]);
		count_mean(round, WC_METRIC_TOTAL, &e->total);
	}
}

static void name_stages(struct wc_result *r)
{
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		r->stages[i].shown_as = strdup(wc_stage__name(i));
		r->stages[i].probe = strdup("made up");
		r->stages[i].why = strdup("");
	}
}

static struct wc_result *profile_of(const char *kind)
{
	static const struct wake odd = { 1, 2, 0, 1, 0, { 10, 20, 0, 0, 30, 40, 50, 60, 70 } };
	struct wc_result *r = prof_result("wakecost record -- 'a b' \xff\n");

	r->schema = strdup("wakecost.record/1");
	r->shape = strdup("");
	r->profile->started_ns = START_NS;
	r->profile->clock_offset_ns = 1700000000000000000ull - START_NS;
	name_stages(r);
	if (!strcmp(kind, "db"))
		prof_db(r->profile, 60000);
	else if (!strcmp(kind, "hostile"))
		prof_hostile(r->profile);
	else
		prof_jvm(r->profile, 5000);
	if (!strcmp(kind, "hostile"))
		add_events(r->profile, &odd, 1);
	else if (!strcmp(kind, "jvm"))
		add_events(r->profile, wakes, sizeof(wakes) / sizeof(wakes[0]));
	if (!strcmp(kind, "bare"))
		r->profile->chain_cnt = r->profile->stack_every = 0;
	add_hists(r);
	print_sums(r->profile);
	return r;
}

/* ---- rounds ---- */

/* About normal, mean 0, deviation 1: a sum of twelve, less its mean. */
static double normal(struct wc_rng *rng)
{
	double sum = -6;

	for (unsigned int i = 0; i < 12; i++)
		sum += (double)(wc_rng__next(rng) >> 11) / 9007199254740992.0;
	return sum;
}

static void put(struct wc_round *round, unsigned int metric, double ns)
{
	struct wc_hist *h = calloc(1, sizeof(*h));

	prof_need(h);
	round->hists[WC_CLASS_DELAYED][metric] = h;
	for (unsigned int i = 0; i < 1000; i++) { /* spread inside a round: 5 % up and down */
		uint64_t one = (uint64_t)(ns * (0.95 + 0.1 * i / 1000));

		h->slots[wc_hist_slot(one)]++;
		h->count++;
		h->sum += one;
	}
}

static void add_round(struct wc_cell *cell, unsigned int index, struct wc_rng *rng, double shift)
{
	struct wc_round *round = wc_cell__add_round(cell);
	double wait = 1100 * (1 + 0.01 * normal(rng));
	double find = 900 * (1 + 0.01 * normal(rng)) + 2000 * shift, all = find + wait;

	prof_need(round);
	round->index = index;
	round->warmup = index == 0;
	round->complete = true;
	round->chain_cnt = UINT64_MAX;
	put(round, WC_STAGE_FIND, find);
	put(round, WC_STAGE_WAIT, wait);
	put(round, WC_METRIC_TOTAL, all);
	round->probed.valid = true;
	round->probed.handoff = (struct wc_dist){
		.count = 1000,
		.sum_ns = (uint64_t)all * 1000,
		.min_ns = (uint64_t)(all * 0.9),
		.max_ns = (uint64_t)(all * 1.1),
		.p50_ns = (uint64_t)all,
		.p90_ns = (uint64_t)(all * 1.04),
		.p99_ns = (uint64_t)(all * 1.05),
	};
	round->probed.csw_voluntary_cnt = 1000;
	round->bare = round->probed;
}

static void add_cell(struct wc_result *r, const char *parked, unsigned int rounds,
		     struct wc_rng *rng, double shift)
{
	struct wc_cell *cell = wc_result__add_cell(r);

	prof_need(cell && !wc_kvs__set(&cell->params, "shape", "handoff") &&
		  !wc_kvs__set(&cell->params, "parked", parked));
	for (unsigned int i = 0; i <= rounds; i++)
		add_round(cell, i, rng, shift);
}

static struct wc_result *rounds_of(char **argv)
{
	unsigned int rounds = argv[5] ? (unsigned int)atoi(argv[5]) : 7;
	struct wc_rng rng = { strtoull(argv[3], NULL, 10) };
	struct wc_result *r = prof_result("wakecost run handoff");

	wc_profile__free(r->profile);
	r->profile = NULL;
	r->schema = strdup("wakecost.run/1");
	r->shape = strdup("handoff");
	r->rounds_wanted = rounds;
	name_stages(r);
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		if (i != WC_STAGE_FIND && i != WC_STAGE_WAIT)
			r->stages[i].status = WC_STATUS_MISSING;
	add_cell(r, "0", rounds, &rng, 0);
	add_cell(r, "4000", rounds, &rng, atof(argv[4]) / 100);
	return r;
}

int main(int argc, char **argv)
{
	bool run = argc >= 5 && !strcmp(argv[1], "run");
	struct wc_result *r;
	char *why = NULL;
	int err;

	if (argc < 3)
		return 2;
	r = run ? rounds_of(argv) : profile_of(argv[1]);
	err = wc_store__write(r, argv[2], &why);
	if (err)
		fprintf(stderr, "%s\n", why ? why : strerror(-err));
	free(why);
	wc_result__free(r);
	return err != 0;
}
