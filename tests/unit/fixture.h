/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A result made by hand, whose figures can be worked out on paper:
 *
 *   handoff i (0..999) of round n takes in find  base + (i % 5) * 10 + n * 2 ns
 *   select+enqueue 300, wait 100, pick 250, switch 150, return 600, nobody's 10 ns
 *   900 are delayed, 90 local, 10 remote: these also spend 400 ns in send
 *   5 more are ended by their timer after 1 ms, 95 never sleep and take 200 ns
 *
 * Cells: none/0 and pause/4000 (find base 200), futex-own/4000 (find base 17000), and a spin
 * cell in which nothing sleeps. Rounds 0 (warm-up) .. 7; the last cell lacks its round 7.
 */
#ifndef WC_TESTS_FIXTURE_H
#define WC_TESTS_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "user/model/summary.h"

#define FIX_SLEPT     1000
#define FIX_TIMED     5
#define FIX_UNSLEPT   95
#define FIX_REST_NS   1410 /* all that is not find and send */
#define FIX_BARE_LESS 300  /* bare handoffs are so much shorter */

static inline void fix_add(struct wc_round *round, unsigned int wake_class, unsigned int metric,
			   uint64_t ns)
{
	struct wc_hist **h = &round->hists[wake_class][metric];

	if (!*h)
		*h = calloc(1, sizeof(**h));
	assert_non_null(*h);
	(*h)->slots[wc_hist_slot(ns)]++;
	(*h)->count++;
	(*h)->sum += ns;
}

static inline unsigned int fix_class(unsigned int i)
{
	return i < 900 ? WC_CLASS_DELAYED : i < 990 ? WC_CLASS_LOCAL : WC_CLASS_REMOTE;
}

static inline void fix_slept(struct wc_round *round, uint64_t find_ns)
{
	for (unsigned int i = 0; i < FIX_SLEPT; i++) {
		unsigned int c = fix_class(i);
		uint64_t find = find_ns + i % 5 * 10 + round->index * 2;
		uint64_t send = c == WC_CLASS_REMOTE ? 400 : 0;

		fix_add(round, c, WC_STAGE_FIND, find);
		fix_add(round, c, WC_STAGE_SELECT, 300);
		if (send)
			fix_add(round, c, WC_STAGE_SEND, send);
		fix_add(round, c, WC_STAGE_WAIT, 100);
		fix_add(round, c, WC_STAGE_PICK, 250);
		fix_add(round, c, WC_STAGE_SWITCH, 150);
		fix_add(round, c, WC_STAGE_RETURN, 600);
		fix_add(round, c, WC_METRIC_TOTAL, find + send + FIX_REST_NS);
		round->probed.handoff.sum_ns += find + send + FIX_REST_NS;
	}
	for (unsigned int i = 0; i < FIX_TIMED; i++)
		fix_add(round, WC_CLASS_TIMED, WC_METRIC_TOTAL, 1000000);
	round->probed.handoff.sum_ns += FIX_TIMED * 1000000 + FIX_UNSLEPT * 200;
}

static inline void fix_pairs(struct wc_round *round)
{
	static const char names[2][16] = { "ping", "po\"ng\033[31m" };

	round->pairs = calloc(2, sizeof(*round->pairs));
	assert_non_null(round->pairs);
	round->pair_cnt = 2;
	for (unsigned int i = 0; i < 2; i++) {
		struct wc_pair *p = &round->pairs[i];

		p->key.waker_tid = 100 + round->index * 2 + i;
		p->key.wakee_tid = 100 + round->index * 2 + !i;
		memcpy(p->waker_comm, names[i], 16);
		memcpy(p->wakee_comm, names[!i], 16);
		p->wakes[WC_CLASS_DELAYED] = 450;
		p->wakes[WC_CLASS_LOCAL] = 50;
		p->handoff_cnt = 500;
		p->total = (struct wc_sum){ 500, 500 * 1640 };
		p->stages[WC_STAGE_FIND] = (struct wc_sum){ 500, 500 * 220 };
	}
}

static inline void fix_phases(struct wc_round *round, uint64_t handoff_ns)
{
	struct wc_phase *p = &round->probed;
	uint64_t n = FIX_SLEPT + FIX_TIMED + FIX_UNSLEPT;

	p->valid = true;
	p->handoff.count = n;
	p->handoff.min_ns = 200;
	p->handoff.max_ns = 1000000;
	p->handoff.p50_ns = handoff_ns;
	p->handoff.p90_ns = handoff_ns + 20;
	p->handoff.p99_ns = handoff_ns + 40;
	p->elapsed_ns = n * handoff_ns;
	p->cpu_ns = n * handoff_ns;
	p->csw_voluntary_cnt = FIX_SLEPT + FIX_TIMED;
	p->csw_involuntary_cnt = 22;
	round->bare = *p;
	round->bare.handoff.sum_ns -= n * FIX_BARE_LESS;
	round->bare.handoff.p50_ns -= FIX_BARE_LESS;
	round->bare.handoff.p90_ns -= FIX_BARE_LESS;
	round->bare.handoff.p99_ns -= FIX_BARE_LESS;
	round->bare.cpu_ns -= n * FIX_BARE_LESS;
}

static inline void fix_round(struct wc_cell *cell, unsigned int index, const char *mechanism,
			     uint64_t parked, uint64_t find_ns)
{
	struct wc_round *round = wc_cell__add_round(cell);
	bool spin = !strcmp(mechanism, "spin");

	assert_non_null(round);
	round->index = index;
	round->order = (index + 1) % 4;
	round->warmup = index == 0;
	round->complete = !spin || index < 7;
	round->parked_cnt = parked;
	round->chain_cnt = find_ns > 1000 ? 250 : UINT64_MAX;
	round->futex_slots = 16;
	if (spin) {
		round->probed.handoff.sum_ns = 1100 * 2000;
		fix_phases(round, 2000);
		round->probed.csw_voluntary_cnt = 0;
		round->bare.csw_voluntary_cnt = 0;
		return;
	}
	fix_slept(round, find_ns);
	fix_phases(round, find_ns + 20 + index * 2 + FIX_REST_NS);
	fix_pairs(round);
	round->other[WC_CLASS_LOCAL] = (struct wc_sum){ 3, 9000 };
	round->counters[WC_CNT_WAKING] = 1010;
	round->counters[WC_CNT_COMPLETED] = 1008;
	round->counters[WC_CNT_HANDOFF] = 1005;
	round->counters[WC_CNT_NO_PAIR] = index == 3 ? 2 : 0;
	round->contexts[WC_CTX_TASK] = 1003;
	round->contexts[WC_CTX_TIMER] = 5;
}

static inline void fix_cell(struct wc_result *r, const char *mechanism, const char *background,
			    uint64_t parked, uint64_t find_ns)
{
	struct wc_cell *cell = wc_result__add_cell(r);
	int err = 0;

	assert_non_null(cell);
	err |= wc_kvs__set(&cell->params, "shape", "handoff");
	err |= wc_kvs__set(&cell->params, "mechanism", mechanism);
	err |= wc_kvs__set(&cell->params, "background", background);
	err |= wc_kvs__setf(&cell->params, "parked", "%llu", (unsigned long long)parked);
	err |= wc_kvs__set(&cell->params, "placement", "same");
	err |= wc_kvs__set(&cell->params, "policy", "batch");
	assert_int_equal(err, 0);
	for (unsigned int n = 0; n <= 7; n++)
		fix_round(cell, n, mechanism, parked, find_ns);
}

static inline void fix_stage(struct wc_result *r, unsigned int stage, enum wc_status status,
			     const char *shown_as, const char *probe, const char *why)
{
	r->stages[stage].status = status;
	r->stages[stage].shown_as = strdup(shown_as);
	r->stages[stage].probe = strdup(probe);
	r->stages[stage].why = strdup(why);
}

static inline void fix_stages(struct wc_result *r)
{
	static const char why[] = "this kernel has no event between choosing the CPU and queueing";

	fix_stage(r, WC_STAGE_FIND, WC_STATUS_EXACT, "find", "stamp, tp_btf/sched_waking", "");
	fix_stage(r, WC_STAGE_SELECT, WC_STATUS_MERGED, "select+enqueue", "tp_btf/sched_wakeup",
		  why);
	fix_stage(r, WC_STAGE_SEND, WC_STATUS_EXACT, "send", "tp_btf/ipi_send_cpu", "");
	fix_stage(r, WC_STAGE_ENQUEUE, WC_STATUS_MERGED, "select+enqueue", "tp_btf/sched_wakeup",
		  why);
	fix_stage(r, WC_STAGE_WAIT, WC_STATUS_EXACT, "wait", "tp_btf/sched_entry_tp", "");
	fix_stage(r, WC_STAGE_PICK, WC_STATUS_EXACT, "pick", "tp_btf/sched_switch", "");
	fix_stage(r, WC_STAGE_SWITCH, WC_STATUS_EXACT, "switch", "tp_btf/sched_exit_tp", "");
	fix_stage(r, WC_STAGE_RETURN, WC_STATUS_EXACT, "return", "stamp", "");
}

static inline struct wc_result *fix_result(void)
{
	struct wc_result *r = wc_result__new();
	int err = 0;

	assert_non_null(r);
	r->tool_version = strdup("0.0.1");
	r->command_line = strdup("wakecost run handoff -P parked=0,4000");
	r->shape = strdup("handoff");
	r->seed = UINT64_MAX;
	r->started_s = 1700000000;
	r->rounds_wanted = 7;
	err |= wc_kvs__set(&r->params, "parked", "0,4000");
	err |= wc_kvs__set(&r->params, "rounds", "7");
	err |= wc_kvs__set(&r->host, "kernel", "6.18.0");
	err |= wc_kvs__set(&r->host, "scheduler", "EEVDF");
	err |= wc_kvs__set(&r->host, "cpus", "2");
	err |= wc_result__warnf(r, "virtual machine: times include the host's; measure on iron");
	assert_int_equal(err, 0);
	fix_stages(r);
	fix_cell(r, "futex", "none", 0, 200);
	fix_cell(r, "futex", "pause", 4000, 200);
	fix_cell(r, "futex", "futex-own", 4000, 17000);
	fix_cell(r, "spin", "none", 0, 0);
	return r;
}

/*
 * Compares with tests/golden/NAME; WAKECOST_GOLDEN=write in the environment makes it anew
 * (make golden), to be read before it is committed.
 */
static inline void fix_golden_of(const char *name, struct wc_result *r,
				 int (*print)(FILE *f, const struct wc_result *r))
{
	const char *mode = getenv("WAKECOST_GOLDEN");
	char path[256], *got = NULL, *want;
	size_t len = 0, want_len;
	FILE *f = open_memstream(&got, &len);

	assert_non_null(f);
	assert_int_equal(print(f, r), 0);
	fclose(f);
	wc_result__free(r);
	snprintf(path, sizeof(path), "tests/golden/%s", name);
	f = fopen(path, mode && !strcmp(mode, "write") ? "w+" : "r");
	assert_non_null(f);
	if (mode && !strcmp(mode, "write"))
		fwrite(got, 1, len, f);
	rewind(f);
	want = calloc(1, len + 2);
	assert_non_null(want);
	want_len = fread(want, 1, len + 1, f);
	fclose(f);
	assert_string_equal(got, want);
	assert_int_equal(want_len, len);
	free(want);
	free(got);
}

static inline void fix_golden(const char *name, int (*print)(FILE *f, const struct wc_result *r))
{
	fix_golden_of(name, fix_result(), print);
}

/* Two counters; in each complete round the first counts 3 a time, the second a quarter. */
static inline void fix_counters(struct wc_result *r)
{
	assert_int_equal(wc_kvs__set(&r->counters, "page-faults", "page faults"), 0);
	assert_int_equal(wc_kvs__set(&r->counters, "cycles", "core cycles"), 0);
	for (size_t i = 0; i < r->cell_cnt; i++) {
		for (size_t k = 0; k < r->cells[i].round_cnt; k++) {
			for (unsigned int s = 0; s < WC_SPAN_CNT; s++)
				r->cells[i].rounds[k].spans[s] =
					(struct wc_span){ .count = 100,
							  .discarded = 2,
							  .failed = 1,
							  .sums = { 300, 25 } };
		}
	}
}

#endif
