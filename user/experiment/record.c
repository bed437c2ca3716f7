// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/record.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "user/experiment/learn.h"
#include "user/util/log.h"

#define EVENT_MAX (1u << 20)

struct record {
	const struct wc_record_opts *opts;
	struct wc_symbols *syms;
	struct wc_result *r;
	struct wc_profile *p;
	struct wc_learn *learn;
	struct pollfd *fds; /* of pids: readable when the process has ended */
	uint64_t started_ns;
	size_t event_cap;
	uint64_t events_dropped;
};

static int fail(struct record *rec, int err, const char *what, const char *why)
{
	snprintf(rec->opts->error, rec->opts->error_sz, "%s%s%s", what, why[0] ? ": " : "", why);
	return err;
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void before_exit(void *ctx, pid_t pid)
{
	struct record *rec = ctx;

	wc_symbols__snapshot(rec->syms, pid);
}

static void on_event(void *ctx, const struct wc_event *e)
{
	struct record *rec = ctx;
	struct wc_profile *p = rec->p;

	if (p->event_cnt == rec->event_cap) {
		size_t cap = rec->event_cap ? rec->event_cap * 2 : 4096;
		struct wc_event *more =
			cap > EVENT_MAX ? NULL : reallocarray(p->events, cap, sizeof(*more));

		if (!more) {
			rec->events_dropped++;
			return;
		}
		p->events = more;
		rec->event_cap = cap;
	}
	p->events[p->event_cnt++] = *e;
}

/* All that were to be watched have ended. */
static bool all_ended(struct record *rec)
{
	size_t cnt = rec->opts->ending_cnt ? rec->opts->ending_cnt : rec->opts->pid_cnt, i;

	if (rec->opts->target)
		return rec->opts->target->ended;
	for (i = 0; i < cnt; i++) {
		if (rec->fds[i].fd >= 0)
			return false;
	}
	return rec->opts->pid_cnt > 0;
}

static void wait_until(struct record *rec, uint64_t deadline_ns)
{
	uint64_t now = now_ns(CLOCK_MONOTONIC), left = deadline_ns > now ? deadline_ns - now : 0;
	struct timespec t = { left / 1000000000, left % 1000000000 };
	size_t i;

	/* signals interrupt it; the fraction of a second is for one that came just before */
	if (left > 500000000)
		t = (struct timespec){ 0, 500000000 };
	if (ppoll(rec->fds, rec->opts->pid_cnt, &t, NULL) <= 0)
		return;
	for (i = 0; i < rec->opts->pid_cnt; i++) {
		if (rec->fds[i].fd >= 0 && rec->fds[i].revents) {
			close(rec->fds[i].fd);
			rec->fds[i].fd = -1;
		}
	}
}

static void round__clear(struct wc_round *round)
{
	unsigned int i;

	for (i = 0; i < WC_CLASS_CNT * WC_METRIC_CNT; i++)
		free(round->hists[i / WC_METRIC_CNT][i % WC_METRIC_CNT]);
	free(round->pairs);
}

static int say_interval(struct record *rec, uint64_t elapsed_ns)
{
	struct wc_round sofar = { .index = 1 };
	int err = wc_session__read(rec->opts->session, &sofar);

	if (err)
		fail(rec, err, wc_session__error(rec->opts->session), "");
	else
		err = rec->opts->on_interval(rec->opts->ctx, &sofar, elapsed_ns);
	round__clear(&sofar);
	return err;
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The window: nothing here walks over tasks or maps while it lasts, and little else is done. */
static int watch(struct record *rec)
{
	const struct wc_record_opts *o = rec->opts;
	uint64_t end = o->duration_ns ? rec->started_ns + o->duration_ns : UINT64_MAX;
	uint64_t next = o->interval_ns ? rec->started_ns + o->interval_ns : UINT64_MAX, now;
	int err = 0;

	while (!err && !*o->stop && !all_ended(rec)) {
		wait_until(rec, earliest(earliest(next, end), wc_learn__due(rec->learn)));
		if (o->target)
			wc_target__reap(o->target, before_exit, rec);
		wc_session__events(o->session, on_event, rec);
		err = wc_learn__turn(rec->learn);
		if (err)
			return fail(rec, err, "learning how stacks are walked failed",
				    strerror(-err));
		now = now_ns(CLOCK_MONOTONIC);
		if (o->interval_ns && now >= next) {
			err = say_interval(rec, now - rec->started_ns);
			next += o->interval_ns * ((now - next) / o->interval_ns + 1);
		}
		if (now >= end)
			break;
	}
	return err;
}

static int open_pidfds(struct record *rec)
{
	size_t i;

	rec->fds = calloc(rec->opts->pid_cnt + 1, sizeof(*rec->fds));
	if (!rec->fds)
		return fail(rec, -ENOMEM, "no memory", "");
	for (i = 0; i < rec->opts->pid_cnt; i++) {
		/* -ENOSYS before 5.3: then only -d or Ctrl-C ends it */
		rec->fds[i].fd = syscall(SYS_pidfd_open, rec->opts->pids[i], 0);
		rec->fds[i].events = POLLIN;
		wc_symbols__snapshot(rec->syms, rec->opts->pids[i]);
	}
	return 0;
}

static int begin(struct record *rec)
{
	const struct wc_record_opts *o = rec->opts;
	struct wc_session *s = o->session;
	struct wc_filter filter = o->filter;
	char why[256];
	int err;

	if (o->target) {
		filter.tgids = &o->target->pid;
		filter.tgid_cnt = 1;
	}
	err = wc_session__set_filter(s, &filter);
	err = err ? err : wc_session__reset(s);
	err = err ? err : wc_session__attach(s);
	if (err)
		return fail(rec, err, wc_session__error(s), "");
	rec->started_ns = now_ns(CLOCK_MONOTONIC);
	rec->p->started_ns = rec->started_ns;
	rec->p->clock_offset_ns = now_ns(CLOCK_REALTIME) - now_ns(CLOCK_MONOTONIC);
	if (o->target) {
		err = wc_target__release(o->target);
		snprintf(why, sizeof(why), "%s", strerror(-err));
		if (err)
			return fail(rec, err, "cannot run the command", why);
	}
	if (o->on_begin)
		o->on_begin(o->ctx);
	return 0;
}

/* Live processes' maps as they are now, and what a runtime wrote about its code since. */
static void look_once_more(struct record *rec)
{
	size_t i;

	for (i = 0; i < rec->opts->pid_cnt; i++) {
		wc_symbols__snapshot(rec->syms, rec->opts->pids[i]);
		wc_symbols__look_again(rec->syms, rec->opts->pids[i]);
	}
	if (rec->opts->target) {
		wc_symbols__snapshot(rec->syms, rec->opts->target->pid);
		wc_symbols__look_again(rec->syms, rec->opts->target->pid);
	}
}

static int warn_all(struct record *rec)
{
	const char *const *said;
	const char *trouble = wc_symbols__kernel_trouble(rec->syms);
	size_t cnt, i;
	int err = 0;

	if (trouble && rec->p->stack_every)
		err = wc_result__warnf(rec->r, "%s", trouble);
	said = wc_symbols__warnings(rec->syms, &cnt);
	for (i = 0; !err && i < cnt; i++)
		err = wc_result__warnf(rec->r, "%s", said[i]);
	if (!err && rec->p->plain_pair_cnt)
		err = wc_result__warnf(rec->r,
				       "%llu pairs are without quantiles, there was no room for "
				       "more: record with a larger --max-pairs",
				       (unsigned long long)rec->p->plain_pair_cnt);
	if (!err && rec->events_dropped)
		err = wc_result__warnf(
			rec->r,
			"%llu single wakes were not kept, %u is the most: record for a "
			"shorter time",
			(unsigned long long)rec->events_dropped, EVENT_MAX);
	return err;
}

static int finish(struct record *rec)
{
	struct wc_session *s = rec->opts->session;
	struct wc_cell *cell = wc_result__add_cell(rec->r);
	struct wc_round *round = cell ? wc_cell__add_round(cell) : NULL;
	int err;

	wc_session__detach(s);
	rec->p->window_ns = now_ns(CLOCK_MONOTONIC) - rec->started_ns;
	if (!round)
		return fail(rec, -ENOMEM, "no memory", "");
	round->index = 1;
	err = wc_session__read(s, round);
	if (err)
		return fail(rec, err, wc_session__error(s), "");
	round->complete = true;
	wc_session__events(s, on_event, rec);
	look_once_more(rec);
	err = wc_record__gather(s, rec->syms, round, rec->p);
	/* they are the profile's now, with more than this */
	free(round->pairs);
	round->pairs = NULL;
	round->pair_cnt = 0;
	err = err ? err : warn_all(rec);
	if (err)
		return fail(rec, err, "gathering what was recorded failed", strerror(-err));
	return 0;
}

int wc_record__run(struct wc_result *r, const struct wc_record_opts *opts)
{
	struct record rec = { .opts = opts, .r = r };
	size_t i;
	int err;

	rec.syms = wc_symbols__new();
	rec.p = r->profile = wc_profile__new();
	rec.learn = rec.syms ? wc_learn__new(opts->session, rec.syms) : NULL;
	if (!rec.syms || !rec.p || !rec.learn) {
		err = fail(&rec, -ENOMEM, "no memory", "");
		goto out;
	}
	rec.p->stack_every = wc_session__opts(opts->session)->stack_every;
	rec.p->slow_ns = wc_session__opts(opts->session)->slow_ns;
	wc_symbols__set_inlines(rec.syms, opts->inlines);
	err = open_pidfds(&rec);
	err = err ? err : begin(&rec);
	err = err ? err : watch(&rec);
	if (rec.started_ns && (!err || err == -ECANCELED))
		err = finish(&rec);
	wc_session__detach(opts->session);
out:
	for (i = 0; rec.fds && i < opts->pid_cnt; i++) {
		if (rec.fds[i].fd >= 0)
			close(rec.fds[i].fd);
	}
	free(rec.fds);
	wc_learn__free(rec.learn);
	wc_symbols__free(rec.syms);
	return err;
}
