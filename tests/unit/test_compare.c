// SPDX-License-Identifier: BSD-2-Clause
#include <math.h>

#include "tests/unit/fixture_record.h"
#include "tests/unit/json_keys.h"
#include "user/output/compare.h"
#include "user/util/rng.h"

/* ---- made-up rounds ---- */

static double normal(struct wc_rng *rng)
{
	double sum = -6;

	for (unsigned int i = 0; i < 12; i++)
		sum += (double)(wc_rng__next(rng) >> 11) / 9007199254740992.0;
	return sum;
}

/* Handoffs of ns give or take 1 %, of which a half is find; shift: of find and of the whole. */
static void made_round(struct wc_cell *cell, unsigned int index, struct wc_rng *rng, double ns,
		       double shift)
{
	struct wc_round *round = wc_cell__add_round(cell);
	double wait = ns / 2 * (1 + 0.01 * normal(rng));
	double find = ns / 2 * (1 + 0.01 * normal(rng)) + ns * shift;

	assert_non_null(round);
	round->index = index;
	round->warmup = index == 0;
	round->complete = true;
	for (unsigned int i = 0; i < 200; i++) {
		double spread = 0.95 + 0.1 * i / 200;

		fix_add(round, WC_CLASS_DELAYED, WC_STAGE_FIND, (uint64_t)(find * spread));
		fix_add(round, WC_CLASS_DELAYED, WC_STAGE_WAIT, (uint64_t)(wait * spread));
		fix_add(round, WC_CLASS_DELAYED, WC_METRIC_TOTAL,
			(uint64_t)((find + wait) * spread));
	}
	/* of no concern to anything below */
	fix_add(round, WC_CLASS_TIMED, WC_METRIC_TOTAL, 1000000);
}

static struct wc_cell *made_cell(struct wc_result *r, const char *parked)
{
	struct wc_cell *cell = wc_result__add_cell(r);

	assert_non_null(cell);
	assert_int_equal(wc_kvs__set(&cell->params, "shape", "handoff"), 0);
	assert_int_equal(wc_kvs__set(&cell->params, "parked", parked), 0);
	return cell;
}

static struct wc_result *made(uint64_t seed, unsigned int rounds, double shift)
{
	struct wc_rng rng = { seed };
	struct wc_result *r = wc_result__new();

	assert_non_null(r);
	for (unsigned int c = 0; c < 3; c++) {
		struct wc_cell *cell = made_cell(r, c == 0 ? "0" : c == 1 ? "4000" : "16000");

		for (unsigned int i = 0; i <= rounds; i++)
			made_round(cell, i, &rng, 2000 * (c + 1), c == 2 ? shift : 0);
	}
	return r;
}

struct both {
	struct wc_result *base, *new;
	struct wc_comparison c;
};

static struct both compared(struct wc_result *base, struct wc_result *new, double threshold)
{
	struct both b = { .base = base, .new = new };

	assert_int_equal(wc_compare__runs(base, new, threshold, &b.c), 0);
	return b;
}

static void done(struct both *b)
{
	wc_comparison__free(&b->c);
	wc_result__free(b->base);
	wc_result__free(b->new);
}

/* ---- verdicts ---- */

static void the_same_twice_is_no_difference(void **state)
{
	unsigned int clean = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct both b = compared(made(seed, 7, 0), made(seed + 1000, 7, 0), 1.05);

		assert_int_equal(b.c.cell_cnt, 3);
		assert_int_equal(b.c.handoff_family, 6);
		assert_int_equal(b.c.stage_family, 6);
		clean += b.c.verdicts[WC_JUDGED_SAME] == 12;
		done(&b);
	}
	assert_in_range(clean, 19, 20);
}

/* Without a threshold to hide behind: the level of the tests themselves, 5 % of each family. */
static void chance_is_held_to_its_level(void **state)
{
	unsigned int called = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct both b = compared(made(seed, 7, 0), made(seed + 1000, 7, 0), 1);

		called += b.c.verdicts[WC_JUDGED_FASTER] || b.c.verdicts[WC_JUDGED_SLOWER];
		done(&b);
	}
	assert_in_range(called, 0, 10);
}

static void a_tenth_more_or_less_is_found(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		double shift = seed % 2 ? 0.10 : -0.10;
		enum wc_judgement want = seed % 2 ? WC_JUDGED_SLOWER : WC_JUDGED_FASTER;
		struct both b = compared(made(seed, 7, 0), made(seed + 1000, 7, shift), 1.05);
		const struct wc_change *of = b.c.cells[2].of;

		assert_int_equal(of[WC_CHANGE_P50].verdict, want);
		assert_int_equal(of[WC_CHANGE_P99].verdict, want);
		assert_int_equal(of[WC_CHANGE_STAGE + WC_STAGE_FIND].verdict, want);
		assert_int_equal(of[WC_CHANGE_STAGE + WC_STAGE_WAIT].verdict, WC_JUDGED_SAME);
		assert_true(fabs(of[WC_CHANGE_P50].ratio - 1 - shift) < 0.02);
		assert_true(fabs(of[WC_CHANGE_STAGE + WC_STAGE_FIND].ratio - 1 - 2 * shift) < 0.03);
		assert_true(of[WC_CHANGE_P50].lo <= of[WC_CHANGE_P50].ratio);
		assert_true(of[WC_CHANGE_P50].hi >= of[WC_CHANGE_P50].ratio);
		assert_int_equal(b.c.cells[0].of[WC_CHANGE_P50].verdict, WC_JUDGED_SAME);
		assert_int_equal(b.c.verdicts[want], 3);
		done(&b);
	}
}

static void what_is_below_the_threshold_is_not_called(void **state)
{
	struct both b = compared(made(1, 7, 0), made(2, 7, 0.10), 1.15);

	(void)state;
	assert_true(b.c.cells[2].of[WC_CHANGE_P50].lo > 1);
	assert_int_equal(b.c.cells[2].of[WC_CHANGE_P50].verdict, WC_JUDGED_SAME);
	/* find alone grew by a fifth */
	assert_int_equal(b.c.cells[2].of[WC_CHANGE_STAGE + WC_STAGE_FIND].verdict,
			 WC_JUDGED_SLOWER);
	done(&b);
}

/* Every second round of it a quarter slower. */
static struct wc_result *restless(void)
{
	struct wc_result *r = wc_result__new();
	struct wc_cell *cell;
	struct wc_rng rng = { 5 };

	assert_non_null(r);
	cell = made_cell(r, "16000");
	for (unsigned int i = 0; i <= 8; i++)
		made_round(cell, i, &rng, 6000, i % 2 ? 0.25 : 0);
	return r;
}

static void what_is_below_the_noise_is_not_called(void **state)
{
	struct both b = compared(restless(), made(2, 8, 0.30), 1.05);
	const struct wc_change *c = &b.c.cells[0].of[WC_CHANGE_P50];

	(void)state;
	assert_int_equal(b.c.cell_cnt, 1);
	assert_true(c->has_noise && c->noise > 1.2 && c->noise < 1.3);
	assert_true(c->lo > 1.02 && c->ratio > 1.1 && c->ratio < c->noise);
	assert_int_equal(c->verdict, WC_JUDGED_INCONCLUSIVE);
	assert_true(c->needs > 8);
	done(&b);
	b = compared(restless(), made(2, 8, 0.60), 1.05);
	assert_int_equal(b.c.cells[0].of[WC_CHANGE_P50].verdict, WC_JUDGED_SLOWER);
	done(&b);
}

static void few_rounds_are_inconclusive_and_say_how_many_would_do(void **state)
{
	struct both b = compared(made(1, 3, 0), made(2, 3, 0.5), 1.05);

	(void)state;
	assert_int_equal(b.c.verdicts[WC_JUDGED_INCONCLUSIVE], 12);
	assert_false(b.c.cells[2].of[WC_CHANGE_P50].has_ci);
	/* six figures together: 2 / C(10, 5) = 0.0079, times 6 */
	assert_int_equal(b.c.cells[2].of[WC_CHANGE_P50].needs, 5);
	done(&b);
	b = compared(made(1, 5, 0), made(2, 5, 0.5), 1.05);
	assert_int_equal(b.c.cells[2].of[WC_CHANGE_P50].verdict, WC_JUDGED_SLOWER);
	done(&b);
}

/* Seven rounds that vary by 1 % cannot tell whether it is 0.2 %. */
static void a_wide_interval_is_inconclusive(void **state)
{
	struct both b = compared(made(3, 7, 0), made(1003, 7, 0), 1.002);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct wc_change *c = &b.c.cells[i].of[WC_CHANGE_STAGE + WC_STAGE_FIND];
		double blur = fmax(log(c->hi / c->lo) / 2, log(c->noise)) / log(1.002);

		assert_int_equal(c->verdict, WC_JUDGED_INCONCLUSIVE);
		assert_int_equal(c->needs, ceil(7 * blur * blur));
		assert_true(c->needs > 7);
	}
	done(&b);
}

/* ---- cells ---- */

static void cells_pair_by_parameters_and_none_is_dropped(void **state)
{
	struct wc_result *base = made(1, 7, 0), *new = made(2, 7, 0);
	struct both b;

	(void)state;
	/* the same cells in another order, one that is new, one that is gone; one alike twice */
	assert_int_equal(wc_kvs__set(&new->cells[0].params, "parked", "16000"), 0);
	assert_int_equal(wc_kvs__set(&new->cells[1].params, "parked", "0"), 0);
	assert_int_equal(wc_kvs__set(&new->cells[2].params, "parked", "16000"), 0);
	assert_int_equal(wc_kvs__set(&base->cells[1].params, "policy", "fifo"), 0);
	b = compared(base, new, 1.05);
	assert_int_equal(b.c.cell_cnt, 2);
	assert_int_equal(b.c.cells[0].base, 0);
	assert_int_equal(b.c.cells[0].new, 1);
	assert_int_equal(b.c.cells[1].base, 2);
	assert_int_equal(b.c.cells[1].new, 0);
	assert_int_equal(b.c.only_base_cnt, 1);
	assert_int_equal(b.c.only_base[0], 1);
	assert_int_equal(b.c.only_new_cnt, 1);
	assert_int_equal(b.c.only_new[0], 2);
	done(&b);
}

/* The spin cell of the fixture never sleeps: the workload's own figures stand in. */
static void both_sides_are_timed_the_same_way(void **state)
{
	struct wc_result *bare = fix_result();
	struct both b;

	(void)state;
	for (size_t i = 0; i < bare->cell_cnt; i++)
		for (size_t k = 0; k < bare->cells[i].round_cnt; k++)
			bare->cells[i].rounds[k].probed.valid = false;
	b = compared(fix_result(), bare, 1.05);
	assert_int_equal(b.c.cells[0].timed_by, WC_TIMED_BY_PROBES);
	assert_int_equal(b.c.cells[3].timed_by, WC_TIMED_BY_BARE);
	assert_true(b.c.cells[3].of[WC_CHANGE_P50].compared);
	assert_false(b.c.cells[3].of[WC_CHANGE_STAGE].compared);
	assert_true(fabs(b.c.cells[3].of[WC_CHANGE_P50].base_ns - 1700) < 0.01);
	done(&b);
	b = compared(fix_result(), fix_result(), 1.05);
	assert_int_equal(b.c.cells[3].timed_by, WC_TIMED_BY_WORKLOAD);
	assert_true(fabs(b.c.cells[3].of[WC_CHANGE_P99].new_ns - 2040) < 0.01);
	assert_int_equal(b.c.verdicts[WC_JUDGED_SLOWER], 0);
	done(&b);
}

static void stages_measured_otherwise_are_not_compared(void **state)
{
	struct wc_result *new = fix_result();
	struct both b;

	(void)state;
	new->stages[WC_STAGE_SELECT].status = WC_STATUS_EXACT;
	strcpy(new->stages[WC_STAGE_SELECT].shown_as, "select");
	b = compared(fix_result(), new, 1.05);
	assert_true(b.c.stage_differs[WC_STAGE_SELECT]);
	assert_false(b.c.stage_differs[WC_STAGE_FIND]);
	assert_false(b.c.cells[0].of[WC_CHANGE_STAGE + WC_STAGE_SELECT].compared);
	assert_true(b.c.cells[0].of[WC_CHANGE_STAGE + WC_STAGE_FIND].compared);
	done(&b);
}

static void machines_are_told_apart(void **state)
{
	struct wc_result *a = fix_result(), *b = fix_result();
	struct wc_difference d[WC_DIFFERENCE_MAX];

	(void)state;
	assert_int_equal(wc_compare__hosts(a, b, d), 0);
	assert_int_equal(wc_kvs__set(&b->host, "kernel", "6.1.0"), 0);
	assert_int_equal(wc_kvs__set(&b->host, "load", "3.50"), 0); /* moves all the time */
	assert_int_equal(wc_kvs__set(&a->host, "governor", "powersave"), 0);
	assert_int_equal(wc_compare__hosts(a, b, d), 2);
	assert_string_equal(d[0].key, "kernel");
	assert_string_equal(d[0].base, "6.18.0");
	assert_string_equal(d[0].new, "6.1.0");
	assert_string_equal(d[1].key, "governor");
	assert_string_equal(d[1].new, "");
	wc_result__free(a);
	wc_result__free(b);
}

/* ---- recordings of programs ---- */

static const struct wc_pair_change *pair(const struct wc_record_comparison *c, const char *waker,
					 const char *wakee)
{
	for (size_t i = 0; i < c->pair_cnt; i++)
		if (!strcmp(c->pairs[i].waker, waker) && !strcmp(c->pairs[i].wakee, wakee))
			return &c->pairs[i];
	return NULL;
}

static struct wc_result *other_record(void)
{
	struct wc_result *r = rec_result();

	/* other numbers, one name gone, one more pair of the old names */
	for (size_t i = 0; i < r->profile->task_cnt; i++)
		r->profile->tasks[i].tid += 5000;
	free(r->profile->tasks[REC_NGINX].comm);
	r->profile->tasks[REC_NGINX].comm = strdup("haproxy");
	rec_edge(r, REC_PING, WC_CTX_TASK, REC_PONG, WC_CLASS_DELAYED, 5000, 4000);
	r->profile->window_ns *= 2;
	return r;
}

static void pairs_go_by_names(void **state)
{
	struct wc_result *base = rec_result(), *new = other_record();
	struct wc_record_comparison c;
	const struct wc_pair_change *p;

	(void)state;
	assert_int_equal(wc_compare__records(base, new, &c), 0);
	p = pair(&c, "ping", "pong");
	assert_non_null(p);
	assert_true(p->in_base && p->in_new);
	assert_int_equal(p->base.wakes, 5000);
	assert_int_equal(p->new.wakes, 10000);
	assert_true(fabs(p->base.mean_ns - 3410) < 1e-6);
	assert_true(fabs(p->new.mean_ns - 4410) < 1e-6); /* half of them 2000 ns longer */
	assert_true(fabs(p->base.per_s - 500) < 1e-6 && fabs(p->new.per_s - 500) < 1e-6);
	assert_true(fabs(p->new.cost_per_s - 500 * 4410.0) < 1e-6);
	assert_int_equal(p->top_stage, WC_STAGE_FIND);
	p = pair(&c, "[softirq]", "pool-1");
	assert_non_null(p);
	assert_int_equal(p->top_stage, WC_STAGE_CNT);
	p = pair(&c, "nginx", "pool-1");
	assert_non_null(p);
	assert_true(p->in_base && !p->in_new);
	p = pair(&c, "haproxy", "pool-1");
	assert_non_null(p);
	assert_true(!p->in_base && p->in_new);
	/* ended by a timer, or a first run: in no pair's time */
	assert_null(pair(&c, "[timer]", "pool-1"));
	assert_null(pair(&c, "ping", "gone"));
	wc_record_comparison__free(&c);
	wc_result__free(base);
	wc_result__free(new);
}

static void means_of_all_wakes_add_up(void **state)
{
	struct wc_result *base = rec_result(), *new = other_record();
	struct wc_record_comparison c;
	double a = 0, b = 0;

	(void)state;
	assert_int_equal(wc_compare__records(base, new, &c), 0);
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		a += c.stages[i].base_ns;
		b += c.stages[i].new_ns;
	}
	assert_true(fabs(a + c.base_rest_ns - c.base.mean_ns) < 0.01);
	assert_true(fabs(b + c.new_rest_ns - c.new.mean_ns) < 0.01);
	assert_int_equal(c.base.wakes, 9377);
	assert_int_equal(c.new.wakes, 14377);
	assert_string_equal(c.stages[WC_STAGE_SELECT].base_name, "select+enqueue");
	assert_null(c.stages[WC_STAGE_ENQUEUE].base_name);
	wc_record_comparison__free(&c);
	wc_result__free(base);
	wc_result__free(new);
}

/* ---- printed ---- */

static const struct wc_compare_opts plain = { .base_name = "a\033.data", .new_name = "b.data" };

static json_t *parsed(char *text, size_t len)
{
	json_error_t why;
	json_t *document;

	for (size_t i = 0; i < len; i++)
		assert_true(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'));
	document = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	assert_non_null(document);
	free(text);
	return document;
}

static json_t *runs_document(void)
{
	struct wc_result *base = made(1, 7, 0), *new = made(2, 7, 0.1);
	struct both b;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	new->stages[WC_STAGE_SEND].status = WC_STATUS_MISSING;
	assert_int_equal(wc_kvs__set(&new->host, "kernel", "6.1.0"), 0);
	made_cell(base, "1");
	made_cell(new, "2");
	b = compared(base, new, 1.002);
	assert_int_equal(wc_out_compare_runs_json(f, b.base, b.new, &b.c, &plain), 0);
	fclose(f);
	done(&b);
	return parsed(text, len);
}

static json_t *records_document(void)
{
	struct wc_result *base = rec_result(), *new = other_record();
	struct wc_record_comparison c;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(wc_kvs__set(&new->host, "kernel", "6.1.0"), 0);
	assert_int_equal(wc_compare__records(base, new, &c), 0);
	assert_int_equal(wc_out_compare_records_json(f, base, new, &c, &plain), 0);
	fclose(f);
	wc_record_comparison__free(&c);
	wc_result__free(base);
	wc_result__free(new);
	return parsed(text, len);
}

static void the_page_and_the_documents_agree(void **state)
{
	json_t *runs = runs_document(), *records = records_document();
	struct keys p = { .page = "docs/json-compare.md" };

	(void)state;
	keys__read(&p);
	keys__walk(&p, "", runs);
	keys__walk(&p, "", records);
	keys__all_seen(&p);
	json_decref(runs);
	json_decref(records);
}

static void figures_of_the_documents(void **state)
{
	json_t *runs = runs_document(), *records = records_document(), *verdicts, *cell;

	(void)state;
	verdicts = json_object_get(runs, "verdicts");
	assert_int_equal(json_integer_value(json_object_get(verdicts, "slower")), 3);
	assert_int_equal(json_array_size(json_object_get(runs, "cells")), 4 - 1);
	cell = json_array_get(json_object_get(runs, "only_new"), 0);
	assert_int_equal(json_integer_value(json_object_get(cell, "parked")), 2);
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(runs, "stages_not_compared"), 0)),
		"send");
	assert_string_equal(json_string_value(json_object_get(records, "kind")), "record");
	assert_int_equal(json_array_size(json_object_get(records, "pairs")), 7);
	json_decref(runs);
	json_decref(records);
}

static void a_terminal_is_told_nothing_it_obeys(void **state)
{
	struct wc_result *base = rec_result(), *new = other_record();
	struct wc_record_comparison c;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_int_equal(wc_compare__records(base, new, &c), 0);
	assert_int_equal(wc_out_compare_records(f, base, new, &c, &plain), 0);
	fclose(f);
	assert_non_null(strstr(text, "a\\x1b.data"));
	assert_non_null(strstr(text, "a;b,\"c\\x0a\\x1b[31m\\x80 -> pong"));
	assert_null(strchr(text, '\033'));
	free(text);
	wc_record_comparison__free(&c);
	wc_result__free(base);
	wc_result__free(new);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_twice_is_no_difference),
		cmocka_unit_test(chance_is_held_to_its_level),
		cmocka_unit_test(a_tenth_more_or_less_is_found),
		cmocka_unit_test(what_is_below_the_threshold_is_not_called),
		cmocka_unit_test(what_is_below_the_noise_is_not_called),
		cmocka_unit_test(few_rounds_are_inconclusive_and_say_how_many_would_do),
		cmocka_unit_test(a_wide_interval_is_inconclusive),
		cmocka_unit_test(cells_pair_by_parameters_and_none_is_dropped),
		cmocka_unit_test(both_sides_are_timed_the_same_way),
		cmocka_unit_test(stages_measured_otherwise_are_not_compared),
		cmocka_unit_test(machines_are_told_apart),
		cmocka_unit_test(pairs_go_by_names),
		cmocka_unit_test(means_of_all_wakes_add_up),
		cmocka_unit_test(the_page_and_the_documents_agree),
		cmocka_unit_test(figures_of_the_documents),
		cmocka_unit_test(a_terminal_is_told_nothing_it_obeys),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
