// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "user/experiment/away.h"
#include "user/util/rng.h"
#include "user/experiment/workload.h"
#include "user/model/params.h"

struct run {
	struct wc_result *r;
	const struct wc_run_opts *opts;
	struct wc_rng rng;
	bool *failed; /* by cell: not to be tried again */
	uint64_t started_ns;
};

static int run__fail(struct run *run, int err, const char *why)
{
	snprintf(run->opts->error, run->opts->error_sz, "%s", why);
	return err;
}

static int phase__bare(struct wc_workload *w, struct wc_round *round)
{
	int err = wc_workload__warm(w);

	return err ?: wc_workload__measure(w, &round->bare);
}

/* Attached for the warm-up too: the first event of a thread makes its record. */
static int phase__probed(struct run *run, struct wc_workload *w, struct wc_round *round)
{
	const struct wc_filter filter = { .tgids = &w->pid, .tgid_cnt = 1 };
	struct wc_session *s = run->opts->session;
	int err = wc_session__set_filter(s, &filter);

	err = err ?: wc_session__attach(s);
	if (err)
		goto probes;
	err = wc_workload__warm(w);
	if (err)
		goto detach;
	err = wc_session__reset(s);
	if (err)
		goto probes;
	err = wc_workload__measure(w, &round->probed);
	if (err)
		goto detach;
	wc_session__detach(s);
	err = wc_session__read(s, round);
	if (!err)
		return 0;
probes:
	run__fail(run, err, wc_session__error(s));
	err = -EIO; /* not the cell's fault: ends the run */
detach:
	wc_session__detach(s);
	return err;
}

static int cell__phases(struct run *run, struct wc_workload *w, struct wc_round *round)
{
	bool bare_first = wc_rng__next(&run->rng) & 1;
	int err = 0;

	if (run->opts->no_bpf)
		return phase__bare(w, round);
	if (bare_first)
		err = phase__bare(w, round);
	err = err ?: phase__probed(run, w, round);
	if (!bare_first)
		err = err ?: phase__bare(w, round);
	return err;
}

/* Cell and round exist only once they are whole: what is in the result is complete. */
static int cell__visit(struct run *run, size_t cell_idx, unsigned int index, unsigned int order)
{
	struct wc_cell *cell = &run->r->cells[cell_idx];
	struct wc_workload w = { .stop = run->opts->stop,
				 .gauges_of = run->r->work ? run->r : NULL };
	struct wc_session *s = run->opts->session;
	struct wc_workload_ready ready = {};
	struct wc_round *round;
	char label[256];
	int err;

	err = wc_workload__start(&w, run->opts->workload_path, &cell->params, cell->asked_cnt,
				 s ? wc_session__stamp_fd(s) : -1, &ready);
	if (err)
		goto out;
	round = wc_cell__add_round(cell);
	if (!round) {
		err = run__fail(run, -ENOMEM, "no memory");
		goto out;
	}
	round->index = index;
	round->order = order;
	round->warmup = index < run->opts->warmup;
	round->parked_cnt = ready.parked_cnt;
	round->chain_cnt = ready.chain_cnt;
	round->futex_slots = ready.futex_slots;
	err = cell__phases(run, &w, round);
	round->complete = !err;
out:
	if (err == -EINVAL && w.usage && run->opts->optional_cells)
		err = -ECHILD; /* this kernel or build has no such knob: the others go on */
	if (err == -EINVAL && w.usage)
		run__fail(run, err, w.error);
	else if (err == -ECHILD || err == -EPROTO || err == -ENOENT) {
		run__fail(run, err, w.error);
		run->failed[cell_idx] = true;
		wc_params__label(run->r, cell, NULL, false, label, sizeof(label));
		if (wc_result__warnf(run->r, "cell %s has no further rounds: %s", label, w.error))
			err = -ENOMEM;
	}
	wc_workload__stop(&w);
	return err;
}

static bool error_ends_run(int err)
{
	return err && err != -ECHILD && err != -EPROTO;
}

static int run__round(struct run *run, size_t *order, unsigned int index, size_t *done)
{
	size_t total = (run->opts->rounds + run->opts->warmup) * run->r->cell_cnt, i;
	char label[256];
	int err;

	wc_rng__shuffle(&run->rng, order, run->r->cell_cnt);
	for (i = 0; i < run->r->cell_cnt; i++, ++*done) {
		struct wc_cell *cell = &run->r->cells[order[i]];

		if (run->failed[order[i]])
			continue;
		wc_params__label(run->r, cell, NULL, false, label, sizeof(label));
		if (run->opts->progress)
			run->opts->progress(run->opts->ctx, *done, total, label);
		if (*run->opts->stop)
			return -EINTR;
		err = cell__visit(run, order[i], index, i);
		if (error_ends_run(err))
			return err;
	}
	return 0;
}

static uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Would another round, as long as the mean of those so far, end after the time given? */
static bool out_of_time(const struct run *run, unsigned int rounds_done)
{
	uint64_t spent = monotonic_ns() - run->started_ns;

	if (!run->opts->budget_ns || rounds_done < run->opts->warmup + run->opts->rounds_min)
		return false;
	return spent + spent / (rounds_done ? rounds_done : 1) > run->opts->budget_ns;
}

static size_t complete_cells(const struct wc_result *r)
{
	size_t i, j, cnt = 0;

	for (i = 0; i < r->cell_cnt; i++) {
		for (j = 0; j < r->cells[i].round_cnt; j++) {
			if (r->cells[i].rounds[j].complete) {
				cnt++;
				break;
			}
		}
	}
	return cnt;
}

int wc_run__rounds(struct wc_result *r, const struct wc_run_opts *opts)
{
	struct run run = { .r = r, .opts = opts, .rng = { r->seed } };
	size_t *order = calloc(r->cell_cnt, sizeof(*order)), i, done = 0;
	unsigned int index;
	int err = 0;

	run.failed = calloc(r->cell_cnt, sizeof(*run.failed));
	if (!order || !run.failed) {
		err = run__fail(&run, -ENOMEM, "no memory");
		goto out;
	}
	for (i = 0; i < r->cell_cnt; i++)
		order[i] = i;
	wc_away__go();
	run.started_ns = monotonic_ns();
	for (index = 0; !err && index < opts->rounds + opts->warmup; index++) {
		if (out_of_time(&run, index))
			break;
		err = run__round(&run, order, index, &done);
	}
	wc_away__undo();
	r->interrupted = err == -EINTR;
	if (!err && !complete_cells(r))
		err = -ECHILD;
out:
	free(order);
	free(run.failed);
	return err;
}
