/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results of an explain experiment that never ran, with a cause of known size in them. Noise as
 * machines make it: every round is faster or slower as a whole, every cell of a round by itself a
 * little, some cells of some rounds slower by a lot, and single handoffs have a long tail.
 */
#ifndef WC_TESTS_MADE_H
#define WC_TESTS_MADE_H

#include <math.h>

#include "tests/unit/fixture.h"
#include "user/model/explain.h"
#include "user/util/rng.h"

#define MADE_HANDOFFS 300
#define MADE_SLOTS    16

struct made {
	uint64_t seed;
	unsigned int rounds;		/* without the warm-up */
	double per_task[WC_STAGE_CNT];	/* ns a parked task adds, however the chain is */
	double per_exist[WC_STAGE_CNT]; /* .. when it does nothing but exist */
	double per_waiter;		/* ns in find a waiter ahead adds */
	double knee, beyond;		/* above knee tasks, per_task[find] is this; 0: no knee */
	double ring;			/* ns in switch the ring of 4,096 adds */
	double again;			/* part by which base-again differs from base */
	bool slots_stuck;		/* knobs that do nothing */
	bool mechanism_stuck, bucket_stuck, dose_stuck, pair_stuck, coroutine_stuck;
	double unseen;	       /* ns of the growth at the top that no stage has */
	double wild;	       /* part of the cells of a round that are disturbed; 0: 0.06 */
	unsigned int handoffs; /* of a round; 0: MADE_HANDOFFS */
};

static const double made_base[WC_STAGE_CNT] = {
	[WC_STAGE_FIND] = 200,	 [WC_STAGE_SELECT] = 60, [WC_STAGE_ENQUEUE] = 180,
	[WC_STAGE_WAIT] = 100,	 [WC_STAGE_PICK] = 250,	 [WC_STAGE_SWITCH] = 150,
	[WC_STAGE_RETURN] = 600,
};

static inline double made_uniform(struct wc_rng *g)
{
	return (double)(wc_rng__next(g) >> 11) / 9007199254740992.0;
}

static inline double made_normal(struct wc_rng *g)
{
	return sqrt(-2 * log(1 - made_uniform(g))) * cos(2 * M_PI * made_uniform(g));
}

/* Factor of a handoff's stage: a tenth more or less, and one in a hundred far more. */
static inline double made_jitter(struct wc_rng *g)
{
	double f = exp(0.1 * made_normal(g));

	return made_uniform(g) < 0.01 ? f * (2 + 18 * made_uniform(g)) : f;
}

static inline void made_handoffs(struct wc_rng *g, struct wc_round *round, const double *ns,
				 double unseen, double factor, unsigned int cnt)
{
	unsigned int i, m;

	for (i = 0; i < cnt; i++) {
		double total = (10 + unseen) * factor;

		for (m = 0; m < WC_STAGE_CNT; m++) {
			double stage = ns[m] * factor * made_jitter(g);

			if (ns[m] <= 0)
				continue;
			fix_add(round, WC_CLASS_DELAYED, m, (uint64_t)stage);
			total += stage;
		}
		fix_add(round, WC_CLASS_DELAYED, WC_METRIC_TOTAL, (uint64_t)total);
	}
}

struct made_at { /* what one cell is made from */
	const char *role, *background, *key;
	uint64_t x;
	double parked, exist, chain, ring, again, walk; /* walk: ns in find */
};

static inline void made_truth(const struct made *m, const struct made_at *at, double *ns)
{
	unsigned int i;

	for (i = 0; i < WC_STAGE_CNT; i++)
		ns[i] = (made_base[i] + m->per_task[i] * at->parked + m->per_exist[i] * at->exist) *
			(1 + at->again);
	if (m->knee > 0 && at->parked > m->knee)
		ns[WC_STAGE_FIND] +=
			(m->beyond - m->per_task[WC_STAGE_FIND]) * (at->parked - m->knee);
	ns[WC_STAGE_FIND] += m->per_waiter * at->chain + at->walk;
	ns[WC_STAGE_SWITCH] += at->ring;
}

/* drift[n]: of round n as a whole. */
static inline void made_cell(const struct made *m, struct wc_rng *g, struct wc_result *r,
			     const double *drift, const struct made_at *at)
{
	struct wc_cell *cell = wc_result__add_cell(r);
	double ns[WC_STAGE_CNT], wild = m->wild > 0 ? m->wild : 0.06;
	unsigned int n;
	int err = 0;

	assert_non_null(cell);
	made_truth(m, at, ns);
	err |= wc_kvs__set(&cell->params, "shape", "handoff");
	err |= wc_kvs__set(&cell->params, WC_ROLE_KEY, at->role);
	err |= wc_kvs__set(&cell->params, "background", at->background);
	err |= wc_kvs__setf(&cell->params, at->key, "%llu", (unsigned long long)at->x);
	assert_int_equal(err, 0);
	for (n = 0; n <= m->rounds; n++) {
		struct wc_round *round = wc_cell__add_round(cell);
		double factor = drift[n] * exp(0.02 * made_normal(g));
		bool top = !strcmp(at->role, WC_ROLE_SUBJECT) && at->parked >= 16000;

		assert_non_null(round);
		if (made_uniform(g) < wild)
			factor *= 1.1 + 0.8 * made_uniform(g);
		round->index = n;
		round->warmup = n == 0;
		round->complete = true;
		round->chain_cnt = at->chain > 0 ? (uint64_t)at->chain : UINT64_MAX;
		made_handoffs(g, round, ns, top ? m->unseen : 0, factor,
			      m->handoffs ? m->handoffs : MADE_HANDOFFS);
	}
}

/*
 * Around 1, so that what was put in is what the middle of the rounds has: it warms up and slows
 * down from the first round to the last, changes its gear every third, and wanders.
 */
static inline void made_drift(struct wc_rng *g, double *drift, unsigned int rounds)
{
	unsigned int n;

	for (n = 0; n <= rounds; n++)
		drift[n] = exp(0.06 * (2.0 * n / rounds - 1) + (n / 3 % 2 ? 0.03 : -0.03) +
			       0.02 * made_normal(g));
}

static inline void made_knobs(const struct made *m, struct wc_rng *g, struct wc_result *r,
			      const double *drift, double top)
{
	const double own = m->slots_stuck ? top : 0, mech = m->mechanism_stuck ? top : 0;
	const double other = m->bucket_stuck ? top : 0, half = m->dose_stuck ? 1 : 2;
	const struct made_at cells[] = {
		{ WC_ROLE_SLOTS_UP, "futex-own", "parked", (uint64_t)top, own, top,
		  own / MADE_SLOTS, 0, 0, 0 },
		{ WC_ROLE_SLOTS_HALF, "futex-own", "parked", (uint64_t)top, half * top, top,
		  half * top / MADE_SLOTS, 0, 0, 0 },
		{ WC_ROLE_MECHANISM, "futex-own", "parked", (uint64_t)top, mech, 0,
		  mech / MADE_SLOTS, 0, 0, 0 },
		{ WC_ROLE_MECH_BASE, "none", "parked", 0, 0, 0, 0, 0, 0, 0 },
		{ WC_ROLE_ONE_OTHER, "futex-one", "parked", (uint64_t)top, other, top,
		  other / MADE_SLOTS, 0, 0, 0 },
		{ WC_ROLE_ONE_PAIR, "futex-one", "parked", 1000, 0, 1000, 0, 0, 0,
		  m->pair_stuck ? 0 : 1000 * (m->per_waiter > 0 ? m->per_waiter : 10) },
		{ WC_ROLE_COROUTINE, "coroutine", "parked", 100000, 0, m->coroutine_stuck ? top : 0,
		  0, 0, 0, 0 },
		{ WC_ROLE_RING, "none", "threads", 2, 0, 0, 0, 0, 0, 0 },
		{ WC_ROLE_RING, "none", "threads", 4096, 0, 0, 0, m->ring, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		made_cell(m, g, r, drift, &cells[i]);
}

static const uint64_t made_levels[] = { 250, 1000, 4000, 16000, 30000 };
#define MADE_TOP 30000.0

static inline struct wc_result *made_result(const struct made *m)
{
	struct wc_result *r = wc_result__new();
	struct wc_rng g = { m->seed * 0x9e3779b97f4a7c15ull };
	double drift[256];
	size_t i;

	assert_non_null(r);
	assert_true(m->rounds < 256);
	free(r->schema);
	r->schema = strdup(WC_EXPLAIN_SCHEMA);
	r->tool_version = strdup("0.0.1");
	r->seed = m->seed;
	made_drift(&g, drift, m->rounds);
	made_cell(m, &g, r, drift,
		  &(struct made_at){ WC_ROLE_BASE, "none", "parked", 0, 0, 0, 0, 0, 0, 0 });
	made_cell(m, &g, r, drift,
		  &(struct made_at){ WC_ROLE_AGAIN, "none", "parked", 0, 0, 0, 0, 0, m->again, 0 });
	for (i = 0; i < sizeof(made_levels) / sizeof(made_levels[0]); i++) {
		double n = (double)made_levels[i];

		made_cell(m, &g, r, drift,
			  &(struct made_at){ WC_ROLE_SUBJECT, "futex-own", "parked", made_levels[i],
					     n, n, n / MADE_SLOTS, 0, 0, 0 });
		made_cell(m, &g, r, drift,
			  &(struct made_at){ WC_ROLE_TASKS, "pause", "parked", made_levels[i], 0, n,
					     0, 0, 0, 0 });
	}
	made_knobs(m, &g, r, drift, MADE_TOP);
	return r;
}

#endif
