/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/fixture_record.h"
#include "user/model/phist.h"
#include "user/model/profile_overall.h"
#include "user/model/profile_summary.h"

static struct wc_profile_summary by(const struct wc_result *r, enum wc_profile_by key,
				    unsigned int sort, bool fold)
{
	const struct wc_profile_summary_opts opts = { key, sort, fold };
	struct wc_profile_summary s;

	assert_int_equal(wc_profile__summarise(r, &opts, &s), 0);
	return s;
}

/* Rows hold all wakes once, and their shares add up. */
static void assert_whole(const struct wc_profile_summary *s, uint64_t wakes, uint64_t total_ns)
{
	uint64_t w = 0, ns = 0;
	double share = 0;

	for (size_t i = 0; i < s->row_cnt; i++) {
		if (s->rows[i].apart)
			continue;
		w += s->rows[i].wakes;
		ns += s->rows[i].total_ns;
		share += s->rows[i].share;
	}
	assert_int_equal(w, wakes);
	assert_int_equal(ns, total_ns);
	assert_int_equal(s->wakes, wakes);
	assert_float_equal(share, 1, 1e-9);
}

#define WAKES (5000 + 4000 + 300 + 50 + 7 + 20)
#define TOTAL \
	(9000ull * 2000 + 50ull * 500000 + 7 * 1000 + 20 * 90000 + 300 * 400 + WAKES * REC_REST_NS)

static void every_key_holds_every_wake_once(void **state)
{
	static const enum wc_profile_by keys[] = { WC_BY_PAIR, WC_BY_WAKER, WC_BY_WAKEE,
						   WC_BY_PROCESS, WC_BY_CLASS };
	static const size_t rows[] = { 6, 6, 4, 4, 6 };
	struct wc_result *r = rec_result();

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		struct wc_profile_summary s = by(r, keys[i], WC_SORT_COST, false);

		assert_int_equal(s.row_cnt, rows[i]);
		assert_whole(&s, WAKES, TOTAL);
		assert_int_equal(s.timed_cnt, 100);
		assert_int_equal(s.new_cnt, 1);
		assert_int_equal(s.mixed_cnt, 0);
		wc_profile_summary__free(&s);
	}
	wc_result__free(r);
}

static void figures_of_a_pair(void **state)
{
	struct wc_result *r = rec_result();
	struct wc_profile_summary s = by(r, WC_BY_PAIR, WC_SORT_WAKES, false);
	const struct wc_profile_row *row = &s.rows[0];
	double sum = 0;

	(void)state;
	assert_int_equal(row->waker, REC_PING);
	assert_int_equal(row->wakee, REC_PONG);
	assert_int_equal(row->wakes, 5000);
	assert_float_equal(row->wakes_per_s, 500, 1e-9);
	assert_float_equal(row->mean_ns, 3410, 1e-9);
	/* one bucket, 3328..3583 */
	assert_float_equal(row->p50_ns, 3456, 0.01);
	assert_float_equal(row->p99_ns, 3328 + 0.99 * 256, 0.01);
	assert_int_equal(row->worst_ns, 3583);
	assert_float_equal(row->blocked_mean_ns, 40000, 1e-9);
	assert_int_equal(row->top_stage, WC_STAGE_FIND);
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		sum += row->stage_mean_ns[i];
	assert_float_equal(sum, 3400, 1e-6);
	/* the interrupt has no task */
	assert_int_equal(s.rows[2].waker, WC_NONE);
	assert_int_equal(s.rows[2].context, WC_CTX_SOFTIRQ);
	assert_int_equal(s.rows[2].top_stage, WC_STAGE_RETURN);
	wc_profile_summary__free(&s);
	wc_result__free(r);
}

static uint32_t first_wakee(const struct wc_result *r, unsigned int sort)
{
	struct wc_profile_summary s = by(r, WC_BY_PAIR, sort, false);
	uint32_t task = s.rows[0].wakee * 100 + (s.rows[0].waker == WC_NONE ? 99 : s.rows[0].waker);

	wc_profile_summary__free(&s);
	return task;
}

static void sorting(void **state)
{
	struct wc_result *r = rec_result();

	(void)state;
	r->profile->edges[6].blocked.sum *= 2;
	assert_int_equal(first_wakee(r, WC_SORT_COST), REC_POOL * 100 + REC_NGINX);
	assert_int_equal(first_wakee(r, WC_SORT_WAKES), REC_PONG * 100 + REC_PING);
	assert_int_equal(first_wakee(r, WC_SORT_P50), REC_POOL * 100 + REC_NGINX);
	assert_int_equal(first_wakee(r, WC_SORT_P99), REC_POOL * 100 + REC_NGINX);
	assert_int_equal(first_wakee(r, WC_SORT_MEAN), REC_POOL * 100 + REC_NGINX);
	assert_int_equal(first_wakee(r, WC_SORT_BLOCKED), REC_PONG * 100 + REC_HOST);
	assert_int_equal(first_wakee(r, WC_SORT_STAGE + WC_STAGE_SEND), REC_POOL * 100 + 99);
	assert_int_equal(first_wakee(r, WC_SORT_STAGE + WC_STAGE_RETURN),
			 REC_PONG * 100 + REC_PING);
	wc_result__free(r);
}

static void folding(void **state)
{
	struct wc_result *r = rec_result();
	struct wc_profile_summary s = by(r, WC_BY_WAKEE, WC_SORT_COST, true);

	(void)state;
	assert_int_equal(s.row_cnt, 3);
	assert_int_equal(s.rows[0].wakee, REC_POOL); /* of 103 and 104 */
	assert_int_equal(s.rows[0].wakes, 370);
	wc_profile_summary__free(&s);
	/* the same name in another process is somebody else */
	r->profile->tasks[REC_POOL2].tgid = 77;
	s = by(r, WC_BY_WAKEE, WC_SORT_COST, true);
	assert_int_equal(s.row_cnt, 4);
	wc_profile_summary__free(&s);
	wc_result__free(r);
}

/* A pair that has timed sleeps besides: they are counted, and told where times hold them. */
static void apart_stays_apart(void **state)
{
	struct wc_result *r = rec_result();
	struct wc_profile_summary s;

	(void)state;
	r->profile->edges[0].wakes[WC_CLASS_TIMED] = 40;
	s = by(r, WC_BY_PAIR, WC_SORT_WAKES, false);
	assert_int_equal(s.rows[0].wakes, 5000);
	assert_int_equal(s.timed_cnt, 140);
	assert_int_equal(s.mixed_cnt, 0);
	wc_profile_summary__free(&s);
	r->profile->edges[0].total.count += 40;
	s = by(r, WC_BY_PAIR, WC_SORT_WAKES, false);
	assert_int_equal(s.mixed_cnt, 40);
	wc_profile_summary__free(&s);
	s = by(r, WC_BY_CLASS, WC_SORT_COST, false);
	assert_int_equal(s.row_cnt, 6);
	assert_true(s.rows[4].apart && s.rows[5].apart && !s.rows[3].apart);
	assert_float_equal(s.rows[4].share, 0, 0);
	wc_profile_summary__free(&s);
	wc_result__free(r);
}

static void stacks_and_cpus(void **state)
{
	struct wc_result *r = rec_result();
	struct wc_profile_summary s;

	(void)state;
	rec_chain(r->profile, 1, 16, true); /* once more */
	rec_chain(r->profile, 2, 16, false);
	r->profile->chains[4].edge = 4; /* of timed sleeps only: no part of it */
	s = by(r, WC_BY_STACK, WC_SORT_WAKES, false);
	assert_int_equal(s.row_cnt, 3);
	assert_int_equal(s.rows[1].wakes, 4016);
	assert_int_equal(s.rows[1].edge_cnt, 2);
	assert_int_equal(s.rows[1].chain, 1);
	assert_int_equal(s.rows[1].waker, REC_PONG);
	assert_false(s.rows[1].has_quantiles);
	assert_int_equal(s.rows[2].context, WC_CTX_SOFTIRQ);
	wc_profile_summary__free(&s);
	s = by(r, WC_BY_CPU, WC_SORT_WAKES, false);
	assert_int_equal(s.row_cnt, 2);
	assert_int_equal(s.rows[0].cpu, 2);
	assert_int_equal(s.wakes, 10001);
	assert_float_equal(s.rows[1].mean_ns, 4000, 1e-9);
	wc_profile_summary__free(&s);
	wc_result__free(r);
}

static void all_wakes_together(void **state)
{
	struct wc_result *r = rec_result();
	struct wc_overall o;
	double sum;

	(void)state;
	wc_overall__of(r, &o);
	assert_int_equal(o.wakes, WAKES);
	assert_int_equal(o.total_ns, TOTAL);
	assert_int_equal(o.classes[WC_CLASS_TIMED], 100);
	assert_float_equal(o.wakes_per_s, WAKES / 10.0, 1e-9);
	sum = o.unattributed_mean_ns;
	assert_float_equal(sum, 10, 1e-6);
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		sum += o.stages[i].mean_ns;
	assert_float_equal(sum, o.mean_ns, 1e-6);
	assert_int_equal(o.stages[WC_STAGE_SEND].cnt, 300);
	assert_string_equal(o.stages[WC_STAGE_SELECT].name, "select+enqueue");
	assert_false(o.stages[WC_STAGE_ENQUEUE].present);
	assert_float_equal(o.truncated_share, 4000.0 / 9296, 1e-9);
	assert_int_equal(o.lost, 3 + 2); /* the round's, and what the profile says itself */
	wc_result__free(r);
}

static void threads_are_what_they_are(void **state)
{
	struct wc_result *r = rec_result();
	struct wc_census c;

	(void)state;
	assert_int_equal(wc_census__of(r->profile, &c), 0);
	assert_int_equal(c.thread_cnt, 8); /* but nginx and the kernel's */
	assert_int_equal(c.process_cnt, 2);
	assert_int_equal(c.states[REC_SPIN], WC_TASK_NEVER_SLEPT);
	assert_int_equal(c.states[REC_PARKED], WC_TASK_SLEPT_THROUGH);
	assert_int_equal(c.states[REC_GONE], WC_TASK_NEVER_SLEPT); /* its first run is no sleep */
	assert_int_equal(c.states[REC_POOL2], WC_TASK_SEEN);	   /* timed ones are */
	assert_int_equal(c.states[REC_NGINX], WC_TASK_SEEN);	   /* not asked for */
	assert_int_equal(c.never_slept_cnt, 3);
	assert_int_equal(c.slept_through_cnt, 1);
	assert_int_equal(c.asleep_cnt, 1);
	assert_int_equal(c.woken_cnt, 1);
	assert_int_equal(c.exited_cnt, 1);
	assert_int_equal(c.exited_process_cnt, 1);
	free(c.states);
	/* fell asleep inside the window, if only once */
	r->profile->opens[2].since_ns--;
	assert_int_equal(wc_census__of(r->profile, &c), 0);
	assert_int_equal(c.states[REC_PARKED], WC_TASK_SEEN);
	assert_int_equal(c.asleep_cnt, 2);
	free(c.states);
	wc_result__free(r);
}

static void quantiles_of_coarse_histograms(void **state)
{
	struct wc_phist h = { { 0 } };
	struct wc_pooled p = { 0 };

	(void)state;
	assert_float_equal(wc_pooled__quantile(&p, 0.5), 0, 0);
	assert_int_equal(wc_pooled__highest(&p), 0);
	h.slots[5] = 3;			  /* exactly 5 ns */
	h.slots[wc_phist_slot(1024)] = 1; /* 1024..1151 */
	wc_pooled__add(&p, &h);
	wc_pooled__add(&p, NULL);
	assert_float_equal(wc_pooled__quantile(&p, 0.5), 5, 0);
	assert_float_equal(wc_pooled__quantile(&p, 1), 1152, 0);
	assert_float_equal(wc_pooled__quantile(&p, 0.875), 1088, 1e-9);
	assert_int_equal(wc_pooled__highest(&p), 1151);
	h.slots[WC_PHIST_SLOT_CNT - 1] = UINT32_MAX;
	wc_pooled__add(&p, &h);
	wc_pooled__add(&p, &h);
	assert_int_equal(p.count, 3 * 4 + 2ull * UINT32_MAX);
	assert_float_equal(wc_pooled__quantile(&p, 0.9),
			   (double)wc_phist_slot_low(WC_PHIST_SLOT_CNT - 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_holds_every_wake_once),
		cmocka_unit_test(figures_of_a_pair),
		cmocka_unit_test(sorting),
		cmocka_unit_test(folding),
		cmocka_unit_test(apart_stays_apart),
		cmocka_unit_test(stacks_and_cpus),
		cmocka_unit_test(all_wakes_together),
		cmocka_unit_test(threads_are_what_they_are),
		cmocka_unit_test(quantiles_of_coarse_histograms),
	};

	return cmocka_run_group_tests_name("profile summary", tests, NULL, NULL);
}
