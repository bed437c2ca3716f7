/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/fixture_limited.h"

static void the_limit_used_up_is_cpu_although_the_pool_is_full(void **state)
{
	struct wc_bottleneck_facts f = fix_facts_cpu();

	(void)state;
	assert_int_equal(wc_bottleneck__judge(&f), WC_BOTTLENECK_CPU);
	f.waited_share = f.connections_busy = 0;
	assert_int_equal(wc_bottleneck__judge(&f), WC_BOTTLENECK_CPU);
	/* used up, and yet never stopped: the machine had no more to give */
	f.throttled_share = 0.1;
	assert_int_equal(wc_bottleneck__judge(&f), WC_BOTTLENECK_INCONCLUSIVE);
	/* with CPU to spare the connections would give no more: both */
	f = fix_facts_cpu();
	f.database_bound = 47;
	assert_int_equal(wc_bottleneck__judge(&f), WC_BOTTLENECK_INCONCLUSIVE);
}

static void a_full_pool_is_connections_or_what_holds_them(void **state)
{
	struct wc_bottleneck_facts f = fix_facts_connections();

	(void)state;
	assert_int_equal(wc_bottleneck__judge(&f), WC_BOTTLENECK_CONNECTIONS);
	/* without a limit */
	f.cpu_limit_used = f.throttled_share = f.cpu_bound = NAN;
	assert_int_equal(wc_bottleneck__judge(&f), WC_BOTTLENECK_CONNECTIONS);
	/* held three times as long as they need be */
	f.database_bound = 3 * f.connection_bound;
	assert_int_equal(wc_bottleneck__judge(&f), WC_BOTTLENECK_SCHEDULING);
	f.database_bound = 1.5 * f.connection_bound;
	assert_int_equal(wc_bottleneck__judge(&f), WC_BOTTLENECK_INCONCLUSIVE);
	/* nearly used up: who knows */
	f = fix_facts_connections();
	f.cpu_limit_used = 0.85;
	assert_int_equal(wc_bottleneck__judge(&f), WC_BOTTLENECK_INCONCLUSIVE);
	/* stopped often, in short bursts */
	f = fix_facts_connections();
	f.throttled_share = 0.6;
	assert_int_equal(wc_bottleneck__judge(&f), WC_BOTTLENECK_INCONCLUSIVE);
}

static void nothing_full_is_users_or_waiting_to_run(void **state)
{
	struct wc_bottleneck_facts f = fix_facts_connections();

	(void)state;
	f.waited_share = 0.1;
	f.connections_busy = 0.4;
	assert_int_equal(wc_bottleneck__judge(&f), WC_BOTTLENECK_USERS);
	f.run_wait_ns = 0.6 * f.latency_ns;
	assert_int_equal(wc_bottleneck__judge(&f), WC_BOTTLENECK_SCHEDULING);
	/* no connections at all, no limit, no word from the kernel */
	f = (struct wc_bottleneck_facts){ .throughput = 1, .latency_ns = 1e6 };
	f.waited_share = f.connections_busy = f.connection_bound = f.database_bound = NAN;
	f.cpu_limit_used = f.throttled_share = f.cpu_bound = f.run_wait_ns = NAN;
	assert_int_equal(wc_bottleneck__judge(&f), WC_BOTTLENECK_USERS);
	f.throughput = NAN;
	assert_int_equal(wc_bottleneck__judge(&f), WC_BOTTLENECK_INCONCLUSIVE);
}

static void rounds_that_disagree_say_nothing(void **state)
{
	static const struct {
		unsigned int cpu, other, agreeing;
		enum wc_bottleneck verdict;
		bool disagree;
	} cases[] = {
		{ 5, 0, 5, WC_BOTTLENECK_CPU, false },
		{ 4, 1, 4, WC_BOTTLENECK_CPU, false },
		{ 3, 2, 3, WC_BOTTLENECK_INCONCLUSIVE, true },
		{ 0, 5, 5, WC_BOTTLENECK_CONNECTIONS, false },
	};
	struct wc_bottleneck_verdict v;
	char why[WC_BOTTLENECK_SZ];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wc_result *r = fix_limited_result(cases[i].cpu, cases[i].other);

		assert_true(wc_bottleneck__of(r, &r->cells[0], &v));
		assert_int_equal(v.rounds, 5);
		assert_int_equal(v.agreeing, cases[i].agreeing);
		assert_int_equal(v.verdict, cases[i].verdict);
		assert_int_equal(v.disagree, cases[i].disagree);
		assert_int_equal(strstr(wc_bottleneck__sentence(&v, why), "disagree") != NULL,
				 cases[i].disagree);
		wc_result__free(r);
	}
}

static void other_results_have_no_verdict(void **state)
{
	struct wc_result *r = fix_limited_result(0, 0);
	struct wc_bottleneck_verdict v;

	(void)state;
	assert_false(wc_bottleneck__of(r, &r->cells[0], &v)); /* a warm-up is no round */
	wc_result__free(r);
	r = fix_limited_result(5, 0);
	free(r->gauges[5].name);
	r->gauges[5].name = strdup("another");
	assert_false(wc_bottleneck__of(r, &r->cells[0], &v));
	wc_result__free(r);
	r = fix_result();
	assert_false(wc_bottleneck__of(r, &r->cells[0], &v));
	wc_result__free(r);
}

static void the_sentence_has_the_figures(void **state)
{
	struct wc_bottleneck_verdict v = { .verdict = WC_BOTTLENECK_CPU, .facts = fix_facts_cpu() };
	char why[WC_BOTTLENECK_SZ];

	(void)state;
	assert_string_equal(wc_bottleneck__sentence(&v, why),
			    "99 % of the CPU limit is used, and the server is stopped in 97 % of "
			    "the periods; 5.0 % of its CPU time is not the work requests ask for; "
			    "with CPU to spare the connections would allow 166 requests a second, "
			    "not 45");
	v.verdict = WC_BOTTLENECK_CONNECTIONS;
	v.facts = fix_facts_connections();
	assert_string_equal(wc_bottleneck__sentence(&v, why),
			    "98 % of the time somebody waits for a connection, and 45 requests a "
			    "second are 98 % of what they allow as long as they are held; 40 % of "
			    "the CPU limit is used");
	v.verdict = WC_BOTTLENECK_SCHEDULING;
	v.facts.database_bound = 3 * v.facts.connection_bound;
	assert_non_null(strstr(wc_bottleneck__sentence(&v, why), "held 3.0 times as long"));
	v.verdict = WC_BOTTLENECK_USERS;
	v.facts.cpu_limit_used = v.facts.connections_busy = NAN;
	assert_string_equal(
		wc_bottleneck__sentence(&v, why),
		"nothing is used up, more users would be served; there is no CPU limit");
	for (unsigned int i = 0; i < WC_BOTTLENECK_CNT; i++)
		assert_non_null(wc_bottleneck__name(i));
	assert_null(wc_bottleneck__name(WC_BOTTLENECK_CNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_limit_used_up_is_cpu_although_the_pool_is_full),
		cmocka_unit_test(a_full_pool_is_connections_or_what_holds_them),
		cmocka_unit_test(nothing_full_is_users_or_waiting_to_run),
		cmocka_unit_test(rounds_that_disagree_say_nothing),
		cmocka_unit_test(other_results_have_no_verdict),
		cmocka_unit_test(the_sentence_has_the_figures),
	};

	return cmocka_run_group_tests_name("bottleneck", tests, NULL, NULL);
}
