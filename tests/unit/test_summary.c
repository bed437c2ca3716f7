/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of the fixture, worked out on paper (tests/unit/fixture.h). */
#include "tests/unit/fixture.h"
#include "user/model/growth.h"
#include "user/model/params.h"

static bool near(double got, double want, double share)
{
	return got >= want * (1 - share) && got <= want * (1 + share);
}

/* Buckets are up to 1/32 wide. */
#define BUCKET 0.032

static struct wc_result *r;
static struct wc_cell_summary s[4];

static int setup(void **state)
{
	(void)state;
	r = fix_result();
	for (size_t i = 0; i < 4; i++)
		wc_cell__summarise(r, &r->cells[i], &s[i]);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wc_result__free(r);
	return 0;
}

static void counts_add_up_to_the_whole(void **state)
{
	(void)state;
	assert_int_equal(s[0].rounds, 7); /* the warm-up is not one */
	assert_int_equal(s[0].handoff_cnt, 7 * 1100);
	assert_int_equal(s[0].slept_cnt, 7 * 1000);
	assert_int_equal(s[0].classes[WC_CLASS_TIMED], 7 * 5);
	assert_int_equal(s[0].unslept_cnt, 7 * 95);
	assert_int_equal(s[0].classes[WC_CLASS_DELAYED], 7 * 900);
	assert_int_equal(s[0].classes[WC_CLASS_LOCAL], 7 * 90);
	assert_int_equal(s[0].classes[WC_CLASS_REMOTE], 7 * 10);
	assert_int_equal(s[0].excess_cnt, 0);
	assert_int_equal(s[0].others[WC_CLASS_LOCAL], 7 * 3);
	assert_int_equal(s[0].counters[WC_CNT_NO_PAIR], 2);
	assert_int_equal(wc_cell_summary__lost(&s[0]), 2);
	assert_int_equal(wc_cell_summary__wakes(&s[0]), 7 * (1005 + 3));
}

/* What did not sleep takes 200 ns in the fixture: found again as a difference of sums. */
static void the_unslept_have_their_own_mean(void **state)
{
	(void)state;
	assert_true(near(s[0].unslept_mean_ns, 200, 1e-9));
	assert_true(near(s[2].unslept_mean_ns, 200, 1e-6));
}

static void means_add_up(void **state)
{
	/* find 200 + 20 + mean of 2n over rounds 1..7; 400 ns of send in 1 % */
	const double find = 228, send = 4, total = find + send + FIX_REST_NS;

	(void)state;
	for (unsigned int c = 0; c < 3; c++) {
		double sum = s[c].unattributed_mean_ns, share = s[c].unattributed_share;

		for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
			sum += s[c].stages[i].mean_ns;
			share += s[c].stages[i].share;
		}
		assert_true(near(sum, s[c].handoff.total_mean_ns, 1e-12));
		assert_true(near(share, 1, 1e-12));
		assert_true(near(s[c].unattributed_mean_ns, 10, 1e-6));
	}
	assert_true(near(s[0].handoff.total_mean_ns, total, 1e-12));
	assert_true(near(s[0].stages[WC_STAGE_FIND].mean_ns, find, 1e-12));
	assert_true(near(s[0].stages[WC_STAGE_SEND].mean_ns, send, 1e-12));
	assert_true(near(s[0].stages[WC_STAGE_RETURN].share, 600 / total, 1e-12));
}

static void what_is_nothing_is_exactly_nothing(void **state)
{
	struct wc_cell_summary c;

	(void)state;
	/* the ten ns of every handoff are given to the stage that returns */
	for (unsigned int n = 0; n < 8; n++)
		for (unsigned int k = 0; k < WC_CLASS_CNT; k++)
			if (r->cells[0].rounds[n].hists[k][WC_STAGE_RETURN])
				r->cells[0].rounds[n].hists[k][WC_STAGE_RETURN]->sum +=
					10 * r->cells[0].rounds[n].hists[k][WC_STAGE_RETURN]->count;
	wc_cell__summarise(r, &r->cells[0], &c);
	assert_true(c.unattributed_mean_ns == 0);
	assert_true(c.unattributed_share == 0);
}

static void quantiles_are_medians_over_rounds(void **state)
{
	const struct wc_dist_summary *h = &s[0].handoff;

	(void)state;
	assert_int_equal(h->p50_ns.n, 7);
	assert_true(h->p50_ns.has_ci);
	/* round 4 is the middle one: find 200 + 20 + 8 */
	assert_true(near(h->p50_ns.median, 228 + FIX_REST_NS, BUCKET));
	assert_true(h->p50_ns.lo <= h->p50_ns.median && h->p50_ns.median <= h->p50_ns.hi);
	assert_true(h->p50_ns.lo == h->p50_ns.min && h->p50_ns.hi == h->p50_ns.max);
	assert_true(near(s[2].handoff.p50_ns.median, 17028 + FIX_REST_NS, BUCKET));
	/* of those that were sent only */
	assert_int_equal(s[0].stages[WC_STAGE_SEND].count, 70);
	assert_true(near(s[0].stages[WC_STAGE_SEND].p50_ns.median, 400, BUCKET));
	/* round means are exact: n = 4 is the median of them too */
	assert_true(near(h->mean_ns.median, 228 + 4 + FIX_REST_NS, 1e-12));
	assert_true(near(h->mean_ns.hi - h->mean_ns.lo, 12, 1e-6));
	/* the workload's own quantiles are taken as they are */
	assert_true(s[0].all.p50_ns.median == 228 + FIX_REST_NS);
	assert_true(s[0].bare.p50_ns.median == 228 + FIX_REST_NS - FIX_BARE_LESS);
}

static void figures_per_handoff(void **state)
{
	(void)state;
	assert_true(near(s[0].waits_per_handoff.median, 1005 / 1100.0, 1e-12));
	assert_true(near(s[0].csw_per_handoff.median, 1027 / 1100.0, 1e-12));
	assert_true(near(s[0].probe_cost_ns.median, FIX_BARE_LESS, 1e-9));
	assert_true(near(s[0].cpu_ns_per_handoff.median - s[0].bare_cpu_ns_per_handoff.median,
			 FIX_BARE_LESS, 1e-9));
	assert_int_equal(s[1].parked_min_cnt, 4000);
	assert_int_equal(s[2].chain_max_cnt, 250);
	assert_true(s[0].chain_max_cnt == UINT64_MAX);
}

static void a_merged_span_is_one_row(void **state)
{
	(void)state;
	assert_true(s[0].stages[WC_STAGE_SELECT].present);
	assert_string_equal(s[0].stages[WC_STAGE_SELECT].name, "select+enqueue");
	assert_int_equal(s[0].stages[WC_STAGE_SELECT].status, WC_STATUS_MERGED);
	assert_false(s[0].stages[WC_STAGE_ENQUEUE].present);
	assert_true(s[0].stages[WC_STAGE_SEND].present);
}

static void where_nothing_sleeps_the_workload_speaks(void **state)
{
	(void)state;
	assert_int_equal(s[3].rounds, 6); /* its round 7 is not complete */
	assert_int_equal(s[3].slept_cnt, 0);
	assert_ptr_equal(wc_cell_summary__handoff(&s[3]), &s[3].all);
	assert_true(wc_cell_summary__handoff(&s[3])->p50_ns.median == 2000);
	assert_int_equal(s[3].unslept_cnt, 6600);
	assert_true(near(s[3].unslept_mean_ns, 2000, 1e-12));
	assert_true(s[3].unattributed_mean_ns == 0);
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		assert_false(s[3].stages[i].present);
}

static void more_seen_than_made_is_not_hidden(void **state)
{
	struct wc_cell_summary bad;

	(void)state;
	for (unsigned int i = 1; i <= 7; i++)
		r->cells[0].rounds[i].probed.handoff.count = 1000;
	wc_cell__summarise(r, &r->cells[0], &bad);
	assert_int_equal(bad.excess_cnt, 7 * 5);
	assert_int_equal(bad.unslept_cnt, 0);
}

static void a_cell_without_rounds(void **state)
{
	struct wc_cell none = { 0 };
	struct wc_cell_summary empty;

	(void)state;
	wc_cell__summarise(r, &none, &empty);
	assert_int_equal(empty.rounds, 0);
	assert_int_equal(empty.handoff.p50_ns.n, 0);
	assert_int_equal(empty.all.p50_ns.n, 0);
}

static void one_kind_of_wake_alone(void **state)
{
	struct wc_stage_summary total, send, find;

	(void)state;
	wc_cell__class_stage(&r->cells[0], WC_CLASS_REMOTE, WC_METRIC_TOTAL, &total);
	wc_cell__class_stage(&r->cells[0], WC_CLASS_REMOTE, WC_STAGE_SEND, &send);
	wc_cell__class_stage(&r->cells[0], WC_CLASS_NEW, WC_STAGE_FIND, &find);
	assert_int_equal(total.count, 70);
	assert_true(near(total.mean_ns, 228 + 400 + FIX_REST_NS, 1e-12));
	assert_true(near(send.mean_ns, 400, 1e-12));
	assert_true(near(send.share, 400 / total.mean_ns, 1e-12));
	assert_false(find.present);
}

/* ---- growth ---- */

static void growth_is_found_and_placed(void **state)
{
	struct wc_growth g;
	char text[512];

	(void)state;
	wc_growth__find(r, s, &g);
	assert_true(g.comparable && g.grew && g.beyond_noise && g.has_ci && g.has_stage);
	assert_int_equal(g.base, 0); /* not the spin cell, which parks nobody either */
	assert_int_equal(g.top, 2);
	assert_true(near(g.factor, (17028.0 + FIX_REST_NS) / (228 + FIX_REST_NS), BUCKET));
	assert_true(near(g.mean_growth_ns, 16800, 1e-9));
	assert_int_equal(g.stage, WC_STAGE_FIND);
	assert_true(near(g.stage_share, 1, 1e-9));
	wc_growth__sentence(r, &g, text, sizeof(text));
	assert_non_null(strstr(text, "With background=futex-own parked=4000 at mechanism=futex"));
	assert_non_null(strstr(text, "all of that growth is in find"));
}

static void growth_within_the_noise_is_called_so(void **state)
{
	struct wc_growth g;
	char text[512];

	(void)state;
	s[2] = s[1];
	s[2].handoff.p50_ns.median *= 1.0001;
	wc_growth__find(r, s, &g);
	assert_true(g.comparable && g.grew && !g.beyond_noise);
	wc_growth__sentence(r, &g, text, sizeof(text));
	assert_non_null(strstr(text, "No growth beyond the noise"));
	assert_non_null(strstr(text, "95 % intervals overlap"));
	s[2] = s[1] = s[0];
	wc_growth__find(r, s, &g);
	assert_true(g.comparable && !g.grew);
	wc_growth__sentence(r, &g, text, sizeof(text));
	assert_string_equal(text, "No growth: no cell is slower than its baseline.");
}

/* A small growth that is certain goes before a greater one that may be chance. */
static void certainty_before_size(void **state)
{
	struct wc_growth g;

	(void)state;
	s[1].handoff.p50_ns.median *= 1.5;
	s[1].handoff.p50_ns.lo *= 1.4;
	s[1].handoff.p50_ns.hi *= 1.6;
	s[2].handoff.p50_ns.lo = 1;
	wc_growth__find(r, s, &g);
	assert_int_equal(g.top, 1);
	assert_true(near(g.factor, 1.5, 1e-9));
}

static void a_share_is_given_where_stages_divide_it(void **state)
{
	struct wc_growth g;
	char text[512];

	(void)state;
	s[2].stages[WC_STAGE_FIND].mean_ns -= 4200;
	s[2].stages[WC_STAGE_WAIT].mean_ns += 4200;
	wc_growth__find(r, s, &g);
	assert_int_equal(g.stage, WC_STAGE_FIND);
	assert_true(near(g.stage_share, 0.75, 1e-9));
	wc_growth__sentence(r, &g, text, sizeof(text));
	assert_non_null(strstr(text, "75.0 % of that growth is in find"));
}

static void one_cell_says_nothing(void **state)
{
	struct wc_growth g;
	char text[64];
	size_t cnt = r->cell_cnt;

	(void)state;
	r->cell_cnt = 1;
	wc_growth__find(r, s, &g);
	assert_false(g.comparable);
	assert_string_equal(wc_growth__sentence(r, &g, text, sizeof(text)), "");
	r->cell_cnt = 0;
	wc_growth__find(r, s, &g);
	assert_false(g.comparable);
	r->cell_cnt = cnt;
}

static void without_an_axis_the_fastest_is_the_baseline(void **state)
{
	struct wc_growth g;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(wc_kvs__set(&r->cells[i].params, "parked", "some"), 0);
	assert_null(wc_params__axis(r));
	wc_growth__find(r, s, &g);
	assert_int_equal(g.top, 2);
	assert_true(g.base == 0 || g.base == 1);
}

static void labels_tell_cells_apart(void **state)
{
	char text[128], tiny[8];

	(void)state;
	assert_string_equal(wc_params__axis(r), "parked");
	assert_true(wc_params__varies(r, "mechanism"));
	assert_false(wc_params__varies(r, "placement"));
	assert_string_equal(wc_params__label(r, &r->cells[1], NULL, false, text, sizeof(text)),
			    "mechanism=futex background=pause parked=4000");
	assert_string_equal(
		wc_params__label(r, &r->cells[1], &r->cells[2], false, text, sizeof(text)),
		"background=pause");
	assert_string_equal(
		wc_params__label(r, &r->cells[1], &r->cells[2], true, text, sizeof(text)),
		"mechanism=futex parked=4000");
	assert_int_equal(strlen(wc_params__label(r, &r->cells[1], NULL, false, tiny, 8)), 7);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counts_add_up_to_the_whole),
		TEST(the_unslept_have_their_own_mean),
		TEST(means_add_up),
		TEST(what_is_nothing_is_exactly_nothing),
		TEST(quantiles_are_medians_over_rounds),
		TEST(figures_per_handoff),
		TEST(a_merged_span_is_one_row),
		TEST(where_nothing_sleeps_the_workload_speaks),
		TEST(more_seen_than_made_is_not_hidden),
		TEST(a_cell_without_rounds),
		TEST(one_kind_of_wake_alone),
		TEST(growth_is_found_and_placed),
		TEST(growth_within_the_noise_is_called_so),
		TEST(certainty_before_size),
		TEST(a_share_is_given_where_stages_divide_it),
		TEST(one_cell_says_nothing),
		TEST(without_an_axis_the_fastest_is_the_baseline),
		TEST(labels_tell_cells_apart),
	};

	return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
