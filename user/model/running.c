// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/running.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/profile_overall.h"
#include "user/model/running_say.h"

/* It stands out when it is this much of the whole, and this much more than the next. */
#define DOMINANT_SHARE 0.4
#define DOMINANT_RATIO 1.5

const char *wc_part__name(unsigned int part)
{
	static const char *const names[WC_PART_CNT] = {
		"finding the waiter",
		"choosing a CPU",
		"interrupt and idle exit",
		"run-queue wait",
		"migration",
		"delayed dequeue",
		"enqueue",
		"cold wakee",
		"unattributed",
	};

	return part < WC_PART_CNT ? names[part] : NULL;
}

const char *wc_part__what(unsigned int part)
{
	static const char *const whats[WC_PART_CNT] = {
		"find",
		"select",
		"send, and wait of remote wakes",
		"wait and pick, queued by the waker",
		"wait and pick, ran elsewhere than queued",
		"select and enqueue of delayed wakes",
		"enqueue",
		"switch and return",
		"no stage",
	};

	return part < WC_PART_CNT ? whats[part] : NULL;
}

static enum wc_part part_of(unsigned int stage, unsigned int wake_class)
{
	switch (stage) {
	case WC_STAGE_FIND:
		return WC_PART_WALK;
	case WC_STAGE_SELECT:
		return wake_class == WC_CLASS_DELAYED ? WC_PART_DELAYED : WC_PART_CHOOSE;
	case WC_STAGE_SEND:
		return WC_PART_IDLE;
	case WC_STAGE_ENQUEUE:
		return wake_class == WC_CLASS_DELAYED ? WC_PART_DELAYED : WC_PART_ENQUEUE;
	case WC_STAGE_WAIT:
		if (wake_class == WC_CLASS_REMOTE)
			return WC_PART_IDLE;
		return wake_class == WC_CLASS_MIGRATED ? WC_PART_MIGRATE : WC_PART_QUEUE;
	case WC_STAGE_PICK:
		return wake_class == WC_CLASS_MIGRATED ? WC_PART_MIGRATE : WC_PART_QUEUE;
	default:
		return WC_PART_COLD;
	}
}

static void fill_parts(const struct wc_round *round, struct wc_running *run)
{
	double rest = (double)run->total_ns;
	unsigned int c, s;

	for (c = 0; c < WC_CLASS_CNT; c++) {
		if (c == WC_CLASS_TIMED || c == WC_CLASS_NEW)
			continue;
		for (s = 0; s < WC_STAGE_CNT; s++) {
			const struct wc_hist *h = round->hists[c][s];

			if (h)
				run->parts[part_of(s, c)].total_ns += (double)h->sum;
		}
	}
	for (c = 0; c < WC_PART_REST; c++)
		rest -= run->parts[c].total_ns;
	run->parts[WC_PART_REST].total_ns = rest;
	for (c = 0; c < WC_PART_CNT; c++) {
		struct wc_part_sum *part = &run->parts[c];

		part->mean_ns = run->wakes ? part->total_ns / (double)run->wakes : 0;
		part->share = run->total_ns ? part->total_ns / (double)run->total_ns : 0;
	}
}

/* One stage of the kinds that are in a part; where a wake has it not, it took no time. */
static double typical_of(const struct wc_round *round, unsigned int part, unsigned int stage,
			 uint64_t wakes)
{
	struct wc_hist pool;
	unsigned int c;
	double half = (double)wakes / 2;

	memset(&pool, 0, sizeof(pool));
	for (c = 0; c < WC_CLASS_CNT; c++) {
		if (c != WC_CLASS_TIMED && c != WC_CLASS_NEW && round->hists[c][stage] &&
		    part_of(stage, c) == part)
			wc_hist__merge(&pool, round->hists[c][stage]);
	}
	if ((double)pool.count <= half)
		return 0;
	return wc_hist__quantile(&pool, ((double)pool.count - half) / (double)pool.count);
}

static void fill_typical(const struct wc_round *round, struct wc_running *run)
{
	unsigned int c, s;

	run->typical = run->top;
	for (c = 0; run->wakes && c < WC_PART_REST; c++) {
		for (s = 0; s < WC_STAGE_CNT; s++)
			run->parts[c].typical_ns += typical_of(round, c, s, run->wakes);
		if (run->parts[c].typical_ns > run->parts[run->typical].typical_ns)
			run->typical = c;
	}
}

static void find_top(struct wc_running *run)
{
	unsigned int c, second = WC_PART_CNT;

	run->top = WC_PART_CNT;
	for (c = 0; run->wakes && c < WC_PART_CNT; c++) {
		double ns = run->parts[c].total_ns;

		if (run->top == WC_PART_CNT || ns > run->parts[run->top].total_ns) {
			second = run->top;
			run->top = c;
		} else if (second == WC_PART_CNT || ns > run->parts[second].total_ns) {
			second = c;
		}
	}
	if (run->top == WC_PART_CNT)
		return;
	run->dominates =
		run->top != WC_PART_REST && run->parts[run->top].share >= DOMINANT_SHARE &&
		run->parts[run->top].total_ns >= DOMINANT_RATIO * run->parts[second].total_ns;
}

static void fill_figures(const struct wc_result *r, struct wc_running *run)
{
	struct wc_overall all;
	unsigned int c;
	uint64_t done;

	wc_overall__of(r, &all);
	run->window_ns = r->profile->window_ns;
	run->wakes = all.wakes;
	run->total_ns = all.total_ns;
	run->wakes_per_s = all.wakes_per_s;
	run->mean_ns = all.mean_ns;
	run->p50_ns = all.p50_ns;
	run->p99_ns = all.p99_ns;
	run->lost = all.lost;
	run->find_known = all.stages[WC_STAGE_FIND].cnt != 0;
	run->find_p50_ns = all.stages[WC_STAGE_FIND].p50_ns;
	for (c = 0; all.wakes && c < WC_CLASS_CNT; c++) {
		if (c != WC_CLASS_TIMED && c != WC_CLASS_NEW)
			run->shares[c] = (double)all.classes[c] / (double)all.wakes;
	}
	done = all.counters[WC_CNT_COMPLETED];
	if (done > all.counters[WC_CNT_SAME_CPU])
		run->moved_share = (double)(done - all.counters[WC_CNT_SAME_CPU]) / (double)done;
}

int wc_running__of(const struct wc_result *r, const struct wc_running_facts *facts,
		   struct wc_running *out)
{
	int err = 0;

	memset(out, 0, sizeof(*out));
	out->top = WC_PART_CNT;
	if (!r->profile || !r->cell_cnt || !r->cells[0].round_cnt)
		return -EINVAL;
	out->pid = facts->pid;
	snprintf(out->name, sizeof(out->name), "%s", facts->name);
	out->slots = facts->slots;
	out->basis = facts->basis;
	out->has_before = facts->before.taken;
	out->has_after = facts->after.taken;
	if (out->has_before)
		err = wc_chains__of(&facts->before, facts->slots, facts->basis, r->profile,
				    &out->before);
	if (!err && out->has_after)
		err = wc_chains__of(&facts->after, facts->slots, facts->basis, r->profile,
				    &out->after);
	if (err)
		return err;
	fill_figures(r, out);
	fill_parts(&r->cells[0].rounds[0], out);
	find_top(out);
	fill_typical(&r->cells[0].rounds[0], out);
	return wc_running__say(out);
}

void wc_running__free(struct wc_running *run)
{
	size_t i;

	for (i = 0; i < run->verdict_cnt; i++)
		free(run->verdicts[i]);
	run->verdict_cnt = 0;
}

unsigned int wc_running__slots_for(size_t sleepers)
{
	unsigned int slots = 64;

	while (slots < 65536 && (size_t)slots * 4 < sleepers)
		slots *= 2;
	return slots;
}
