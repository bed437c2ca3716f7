/* SPDX-License-Identifier: BSD-2-Clause */
/* What a running program's wakes wait for, from profiles made up by hand. */
#include <errno.h>
#include <sys/syscall.h>

#include "tests/unit/fixture.h"
#include "user/model/profile.h"
#include "user/model/running.h"
#include "user/probe/sleepers.h"

#define SLOTS 16u
#define PAGE  4096u

/* cnt wakes of one kind, ns in each of the stages. */
static void add_wakes(struct wc_round *round, enum wc_class kind, unsigned int cnt,
		      const uint64_t ns[WC_STAGE_CNT])
{
	for (unsigned int i = 0; i < cnt; i++) {
		uint64_t total = 0;

		for (unsigned int s = 0; s < WC_STAGE_CNT; s++) {
			if (ns[s])
				fix_add(round, kind, s, ns[s]);
			total += ns[s];
		}
		fix_add(round, kind, WC_METRIC_TOTAL, total + 10);
	}
	round->counters[WC_CNT_COMPLETED] += cnt;
}

static struct wc_result *new_result(struct wc_round **round)
{
	struct wc_result *r = wc_result__new();

	assert_non_null(r);
	r->profile = wc_profile__new();
	assert_non_null(r->profile);
	r->profile->window_ns = 2000000000;
	*round = wc_cell__add_round(wc_result__add_cell(r));
	(*round)->index = 1;
	(*round)->complete = true;
	return r;
}

static void conclude(struct wc_result *r, struct wc_running *run)
{
	const struct wc_running_facts facts = { .pid = 7, .name = "made" };

	assert_int_equal(wc_running__of(r, &facts, run), 0);
}

static bool says(const struct wc_running *run, const char *text)
{
	for (size_t i = 0; i < run->verdict_cnt; i++)
		if (strstr(run->verdicts[i], text))
			return true;
	return false;
}

/* Every stage of every kind is in one part, and they add up to the whole. */
static void parts_add_up(void **state)
{
	static const uint64_t ns[WC_STAGE_CNT] = { 100, 200, 300, 400, 500, 600, 700, 800 };
	struct wc_round *round;
	struct wc_result *r = new_result(&round);
	struct wc_running run;
	double sum = 0, shares = 0;

	(void)state;
	add_wakes(round, WC_CLASS_LOCAL, 10, ns);
	add_wakes(round, WC_CLASS_DELAYED, 20, ns);
	add_wakes(round, WC_CLASS_REMOTE, 30, ns);
	add_wakes(round, WC_CLASS_MIGRATED, 40, ns);
	add_wakes(round, WC_CLASS_RACED, 5, ns);
	add_wakes(round, WC_CLASS_TIMED, 1000, ns);
	round->counters[WC_CNT_COMPLETED] = 105;
	round->counters[WC_CNT_SAME_CPU] = 21;
	conclude(r, &run);
	assert_int_equal(run.wakes, 105);
	assert_int_equal(run.total_ns, 105 * 3610);
	for (unsigned int i = 0; i < WC_PART_CNT; i++) {
		sum += run.parts[i].total_ns;
		shares += run.parts[i].share;
	}
	assert_float_equal(sum, 105 * 3610, 1e-6);
	assert_float_equal(shares, 1, 1e-9);
	assert_float_equal(run.parts[WC_PART_WALK].total_ns, 105 * 100, 1e-6);
	assert_float_equal(run.parts[WC_PART_CHOOSE].total_ns, 85 * 200, 1e-6);
	assert_float_equal(run.parts[WC_PART_IDLE].total_ns, 105 * 300 + 30 * 500, 1e-6);
	assert_float_equal(run.parts[WC_PART_QUEUE].total_ns, 35 * 500 + 65 * 600, 1e-6);
	assert_float_equal(run.parts[WC_PART_MIGRATE].total_ns, 40 * 1100, 1e-6);
	assert_float_equal(run.parts[WC_PART_DELAYED].total_ns, 20 * 600, 1e-6);
	assert_float_equal(run.parts[WC_PART_ENQUEUE].total_ns, 85 * 400, 1e-6);
	assert_float_equal(run.parts[WC_PART_COLD].total_ns, 105 * 1500, 1e-6);
	assert_float_equal(run.parts[WC_PART_REST].total_ns, 105 * 10, 1e-6);
	assert_float_equal(run.moved_share, 0.8, 1e-9);
	assert_float_equal(run.wakes_per_s, 52.5, 1e-9);
	wc_running__free(&run);
	wc_result__free(r);
}

/* One stage of one kind is long: the part it belongs to dominates, and the advice is its own. */
static void each_cause_is_named(void **state)
{
	static const struct {
		enum wc_class kind;
		unsigned int stage;
		enum wc_part part;
		const char *advice;
	} cases[] = {
		{ WC_CLASS_LOCAL, WC_STAGE_SELECT, WC_PART_CHOOSE, "fewer CPUs to choose from" },
		{ WC_CLASS_REMOTE, WC_STAGE_SEND, WC_PART_IDLE, "on one CPU" },
		{ WC_CLASS_REMOTE, WC_STAGE_WAIT, WC_PART_IDLE, "sleep less deeply" },
		{ WC_CLASS_LOCAL, WC_STAGE_WAIT, WC_PART_QUEUE, "more are runnable" },
		{ WC_CLASS_DELAYED, WC_STAGE_PICK, WC_PART_QUEUE, "more are runnable" },
		{ WC_CLASS_MIGRATED, WC_STAGE_WAIT, WC_PART_MIGRATE, "taken over by another CPU" },
		{ WC_CLASS_DELAYED, WC_STAGE_ENQUEUE, WC_PART_DELAYED, "DELAY_DEQUEUE" },
		{ WC_CLASS_LOCAL, WC_STAGE_SWITCH, WC_PART_COLD, "memory is cold" },
		{ WC_CLASS_REMOTE, WC_STAGE_RETURN, WC_PART_COLD, "memory is cold" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t ns[WC_STAGE_CNT] = { 100, 100, 0, 100, 100, 100, 100, 100 };
		struct wc_round *round;
		struct wc_result *r = new_result(&round);
		struct wc_running run;

		ns[cases[i].stage] = 20000;
		add_wakes(round, cases[i].kind, 50, ns);
		conclude(r, &run);
		assert_int_equal(run.top, cases[i].part);
		assert_true(run.dominates);
		assert_true(says(&run, "dominates"));
		assert_true(says(&run, cases[i].advice));
		wc_running__free(&run);
		wc_result__free(r);
	}
}

/* A few wakes that wait long: most of the sum, and not what the others wait for. */
static void the_middle_wake_is_told_apart(void **state)
{
	static const uint64_t walks[WC_STAGE_CNT] = { 5000, 100, 0, 100, 100, 100, 100, 100 };
	static const uint64_t waits[WC_STAGE_CNT] = { 5000, 100, 0, 100, 3000000, 100, 100, 100 };
	struct wc_round *round;
	struct wc_result *r = new_result(&round);
	struct wc_running run;

	(void)state;
	add_wakes(round, WC_CLASS_LOCAL, 40, walks);
	add_wakes(round, WC_CLASS_REMOTE, 59, walks);
	add_wakes(round, WC_CLASS_LOCAL, 1, waits);
	conclude(r, &run);
	assert_int_equal(run.top, WC_PART_QUEUE);
	assert_int_equal(run.typical, WC_PART_WALK);
	assert_float_equal(run.parts[WC_PART_WALK].typical_ns, 5000, 160);
	/* 41 of 100 wait there: the one in the middle does not; all are picked there but those */
	assert_float_equal(run.parts[WC_PART_QUEUE].typical_ns, 100, 5);
	assert_float_equal(run.parts[WC_PART_IDLE].typical_ns, 100, 5);
	assert_true(says(&run, "In the middle of the wakes it is another: finding the waiter"));
	wc_running__free(&run);
	wc_result__free(r);
}

static void nothing_stands_out(void **state)
{
	static const uint64_t ns[WC_STAGE_CNT] = { 500, 500, 0, 500, 300, 200, 300, 250 };
	struct wc_round *round;
	struct wc_result *r = new_result(&round);
	struct wc_running run;

	(void)state;
	conclude(r, &run);
	assert_int_equal(run.top, WC_PART_CNT);
	assert_true(says(&run, "No thread of it was woken"));
	wc_running__free(&run);
	add_wakes(round, WC_CLASS_LOCAL, 50, ns);
	conclude(r, &run);
	assert_false(run.dominates);
	assert_true(says(&run, "stands out little"));
	wc_running__free(&run);
	wc_result__free(r);
	r = wc_result__new();
	assert_int_equal(wc_running__of(r, &(struct wc_running_facts){ .name = "" }, &run),
			 -EINVAL);
	wc_running__free(&run);
	wc_result__free(r);
}

/* ---- chains ---- */

static uint64_t addr_in(unsigned int slot, uint64_t from)
{
	for (; wc_futex__slot(from, SLOTS, PAGE) != slot; from += 4)
		;
	return from;
}

/* 40 sleepers in slot 3, of which tid 100 is woken; 10 in slot 5, of which tid 200 is. */
static void fill_look(struct wc_look *look)
{
	uint64_t at = 0x7f0000000000;

	look->items = calloc(60, sizeof(*look->items));
	look->cnt = 60;
	look->taken = true;
	for (uint32_t i = 0; i < 60; i++) {
		struct wc_sleeper *s = &look->items[59 - i]; /* in no order */

		s->tid = i < 40 ? 100 + i : 200 + i - 40;
		s->how = i < 50 ? WC_SLEEP_PRIVATE : i < 57 ? WC_SLEEP_POLL : WC_SLEEP_RUNNING;
		at = addr_in(i < 40 ? 3 : 5, at + 4);
		s->addr = at;
	}
}

static void woken(struct wc_profile *p, uint32_t tid, uint64_t wakes)
{
	struct wc_task *t = wc_profile__add_task(p);
	struct wc_edge *e = wc_profile__add_edge(p);

	t->tid = tid;
	t->comm = strdup("t");
	t->process = strdup("p");
	e->waker = WC_NONE;
	e->wakee = (uint32_t)p->task_cnt - 1;
	e->wakes[WC_CLASS_LOCAL] = wakes;
}

static void chains_of_those_woken(void **state)
{
	struct wc_look look;
	struct wc_round *round;
	struct wc_result *r = new_result(&round);
	struct wc_chains c;

	(void)state;
	fill_look(&look);
	woken(r->profile, 100, 300);
	woken(r->profile, 200, 100);
	woken(r->profile, 250, 600); /* in poll */
	assert_int_equal(wc_chains__of(&look, SLOTS, WC_SLOTS_RULE, r->profile, &c), 0);
	assert_int_equal(c.thread_cnt, 60);
	assert_int_equal(c.by_sleep[WC_SLEEP_PRIVATE], 50);
	assert_int_equal(c.by_sleep[WC_SLEEP_POLL], 7);
	assert_int_equal(c.by_sleep[WC_SLEEP_RUNNING], 3);
	assert_float_equal(c.mean, 50.0 / SLOTS, 1e-9);
	assert_int_equal(c.longest, 40);
	assert_float_equal(c.ahead, (300 * 39 + 100 * 9) / 400.0, 1e-9);
	assert_float_equal(c.ahead_share, 0.4, 1e-9);

	/* in the machine's table no slot can be computed */
	assert_int_equal(wc_chains__of(&look, 512, WC_SLOTS_GLOBAL, r->profile, &c), 0);
	assert_int_equal(c.longest, 0);
	assert_float_equal(c.ahead_share, 0, 0);
	assert_float_equal(c.mean, 50.0 / 512, 1e-9);
	wc_look__free(&look);
	wc_result__free(r);
}

static void the_walk_is_told_by_its_chain(void **state)
{
	static const uint64_t ns[WC_STAGE_CNT] = { 20000, 100, 0, 100, 100, 100, 100, 100 };
	struct wc_running_facts facts = { .pid = 7, .name = "made" };
	struct wc_round *round;
	struct wc_result *r = new_result(&round);
	struct wc_running run;

	(void)state;
	add_wakes(round, WC_CLASS_DELAYED, 50, ns);
	woken(r->profile, 100, 50);
	fill_look(&facts.after);

	facts.slots = SLOTS;
	facts.basis = WC_SLOTS_RULE;
	assert_int_equal(wc_running__of(r, &facts, &run), 0);
	assert_int_equal(run.top, WC_PART_WALK);
	assert_true(says(&run, "walks past 39 other sleepers"));
	assert_true(says(&run, "--what-if futex-slots=64"));
	assert_true(says(&run, "was not asked"));
	wc_running__free(&run);

	facts.basis = WC_SLOTS_TOLD;
	assert_int_equal(wc_running__of(r, &facts, &run), 0);
	assert_false(says(&run, "was not asked"));
	wc_running__free(&run);

	facts.slots = 4096; /* no chain, and yet as slow */
	assert_int_equal(wc_running__of(r, &facts, &run), 0);
	assert_true(says(&run, "is not the walk along a futex chain"));
	wc_running__free(&run);

	facts.basis = WC_SLOTS_UNKNOWN;
	facts.slots = 0;
	assert_int_equal(wc_running__of(r, &facts, &run), 0);
	assert_true(says(&run, "is not known"));
	assert_false(says(&run, "is not the walk"));
	wc_running__free(&run);
	wc_look__free(&facts.after);

	assert_int_equal(wc_running__of(r, &facts, &run), 0);
	assert_true(says(&run, "could not be looked at"));
	wc_running__free(&run);
	wc_result__free(r);
}

static void doubts_are_said(void **state)
{
	static const uint64_t ns[WC_STAGE_CNT] = { 0, 100, 0, 100, 100, 100, 100, 20000 };
	struct wc_running_facts facts = { .pid = 7, .name = "made" };
	struct wc_round *round;
	struct wc_result *r = new_result(&round);
	struct wc_running run;

	(void)state;
	add_wakes(round, WC_CLASS_LOCAL, 50, ns);
	round->counters[WC_CNT_NO_STORAGE] = 3;
	fill_look(&facts.before);
	facts.after = facts.before;
	facts.after.cnt = 30;
	assert_int_equal(wc_running__of(r, &facts, &run), 0);
	assert_true(says(&run, "before sched_waking is not in these figures"));
	assert_true(says(&run, "60 threads before the window and 30 after"));
	assert_true(says(&run, "3 wakes were lost"));
	assert_true(says(&run, "100 % of the wakees ran on another CPU"));
	wc_running__free(&run);
	wc_look__free(&facts.before);
	wc_result__free(r);
}

/* As the workloads compute it of themselves, who have placed futexes by it and timed them. */
static void slots_are_the_kernels(void **state)
{
	static const struct {
		uint64_t addr;
		unsigned int slot;
	} known[] = {
		{ 0x0, 33983 },
		{ 0x1000, 44398 },
		{ 0x7f0000000010, 3920 },
		{ 0x55d5c0de1f3c, 56606 },
		{ 0x7ffff7fc8ffc, 37469 },
		{ 0xfffffffffffc, 23200 },
		{ 0x123456789abc, 49449 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_int_equal(wc_futex__slot(known[i].addr, 65536, PAGE), known[i].slot);
		assert_int_equal(wc_futex__slot(known[i].addr, SLOTS, PAGE), known[i].slot % SLOTS);
	}
	assert_int_equal(wc_futex__slot(4096, 0, PAGE), 0);
}

static void slots_are_proposed(void **state)
{
	(void)state;
	assert_int_equal(wc_running__slots_for(0), 64);
	assert_int_equal(wc_running__slots_for(16000), 4096);
	assert_int_equal(wc_running__slots_for(1u << 30), 65536);
}

static void lines_of_proc(void **state)
{
	static const struct {
		long nr;
		const char *args;
		enum wc_sleep how;
		uint64_t addr;
	} cases[] = {
		{ SYS_futex, "0x7f10 0x189 0x0 0x0 0x0 0x1 0x7ffc 0x7f", WC_SLEEP_PRIVATE, 0x7f10 },
		{ SYS_futex, "0x7f10 0x80 0x0 0x0 0x0 0x1 0x7ffc 0x7f", WC_SLEEP_PRIVATE, 0x7f10 },
		{ SYS_futex, "0x7f10 0x109 0x0 0x0 0x0 0x1 0x7ffc 0x7f", WC_SLEEP_SHARED, 0x7f10 },
		{ 455, "0x7f10 0x0 0x1 0x82 0x0 0x1 0x7ffc 0x7f", WC_SLEEP_PRIVATE, 0x7f10 },
		{ SYS_epoll_pwait, "0x4 0x0 0x1 0x0 0x0 0x1 0x7ffc 0x7f", WC_SLEEP_POLL, 0 },
		{ SYS_clock_nanosleep, "0x0 0x0 0x0 0x0 0x0 0x1 0x7ffc 0x7f", WC_SLEEP_TIMED, 0 },
		{ SYS_read, "0x0 0x0 0x0 0x0 0x0 0x1 0x7ffc 0x7f", WC_SLEEP_OTHER, 0 },
		{ -1, "0x7ffc 0x7f", WC_SLEEP_OTHER, 0 },
	};
	struct wc_sleeper s;
	char line[160];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(line, sizeof(line), "%ld %s\n", cases[i].nr, cases[i].args);
		wc_look__parse(line, &s);
		assert_int_equal(s.how, cases[i].how);
		assert_int_equal(s.addr, cases[i].addr);
	}
	wc_look__parse("running\n", &s);
	assert_int_equal(s.how, WC_SLEEP_RUNNING);
	wc_look__parse("", &s);
	assert_int_equal(s.how, WC_SLEEP_UNREAD);
}

/* ---- what if ---- */

static void rounds_are_compared(void **state)
{
	struct wc_trial without[8], with[8];
	struct wc_whatif w;

	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		without[i] = (struct wc_trial){ 20000 + i * 10, 22000 + i * 10, 100, 16 };
		with[i] = (struct wc_trial){ 300 + i, 2200 + i, 1000, 4096 };
	}
	assert_int_equal(wc_whatif__of(without, with, 8, 4096, &w), 0);
	assert_int_equal(w.rounds, 8);
	assert_int_equal(w.slots_before, 16);
	assert_int_equal(w.slots_after, 4096);
	assert_float_equal(w.before[WC_WHATIF_FIND].ns, 20035, 1e-9);
	assert_float_equal(w.after[WC_WHATIF_WAKE].ns, 2203.5, 1e-9);
	assert_float_equal(w.change[WC_WHATIF_WAKE].ns, -19831.5, 1e-9);
	assert_true(w.change[WC_WHATIF_WAKE].has_ci);
	assert_float_equal(w.change[WC_WHATIF_RATE].ns, 900, 1e-9);
	assert_non_null(strstr(w.verdict, "10 times as many"));
	assert_null(strstr(w.verdict, "too few"));

	with[3].slots = 16; /* one did not take them */
	assert_int_equal(wc_whatif__of(without, with, 2, 4096, &w), 0);
	assert_false(w.change[WC_WHATIF_WAKE].has_ci);
	assert_non_null(strstr(w.verdict, "too few"));
	assert_int_equal(wc_whatif__of(without, with, 8, 4096, &w), 0);
	assert_int_equal(w.slots_after, 0);

	for (unsigned int i = 0; i < 8; i++)
		with[i].wake_p50_ns = without[i].wake_p50_ns + (i & 1 ? 50 : -50);
	assert_int_equal(wc_whatif__of(without, with, 8, 4096, &w), 0);
	assert_non_null(strstr(w.verdict, "make no difference"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_add_up),
		cmocka_unit_test(each_cause_is_named),
		cmocka_unit_test(the_middle_wake_is_told_apart),
		cmocka_unit_test(nothing_stands_out),
		cmocka_unit_test(chains_of_those_woken),
		cmocka_unit_test(the_walk_is_told_by_its_chain),
		cmocka_unit_test(doubts_are_said),
		cmocka_unit_test(slots_are_the_kernels),
		cmocka_unit_test(slots_are_proposed),
		cmocka_unit_test(lines_of_proc),
		cmocka_unit_test(rounds_are_compared),
	};

	return cmocka_run_group_tests_name("running", tests, NULL, NULL);
}
