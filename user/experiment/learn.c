// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/learn.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "user/experiment/walk.h"
#include "user/symbol/unwind.h"

#define MS		1000000ull
#define TURN_MAX_NS	(5 * MS) /* of work at a stretch: we may sit on the CPU that is measured */
#define SHARE		100	 /* one part in so many of a CPU's time */
#define CREDIT_MAX_NS	(100 * MS) /* what may be spent at once after idling, and at first */
#define SOON_NS		(10 * MS)
#define LATE_NS		(100 * MS)
#define SPACES_AT_FIRST 256

/* An address space of the kernel's number id, as the last that asked in it was seen. */
struct space {
	uint64_t id; /* 0: none */
	uint64_t stack_start;
	uint64_t turn; /* of the last look at its mappings */
	pid_t tgid;
};

struct wc_learn {
	struct wc_session *s;
	struct wc_symbols *syms;
	struct space *spaces; /* open addressing, at most half full */
	size_t mask, cnt;
	uint64_t turn, due_ns, credited_ns, every_ns, cpu_ns;
	int64_t credit_ns;
	size_t asked_cnt;
	int err;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct wc_learn *wc_learn__new(struct wc_session *s, struct wc_symbols *syms)
{
	struct wc_learn *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->s = s;
	l->syms = syms;
	l->mask = SPACES_AT_FIRST - 1;
	l->spaces = calloc(SPACES_AT_FIRST, sizeof(*l->spaces));
	l->credit_ns = CREDIT_MAX_NS;
	l->every_ns = SOON_NS;
	l->credited_ns = clock_ns(CLOCK_MONOTONIC);
	l->due_ns = wc_session__opts(s)->unwind ? l->credited_ns : UINT64_MAX;
	if (l->spaces)
		return l;
	free(l);
	return NULL;
}

void wc_learn__free(struct wc_learn *l)
{
	if (!l)
		return;
	free(l->spaces);
	free(l);
}

uint64_t wc_learn__due(const struct wc_learn *l)
{
	return l->due_ns;
}

/* Where it is, or where it is to be put. */
static struct space *space__slot(const struct wc_learn *l, uint64_t id)
{
	size_t i = (id * 0x9e3779b97f4a7c15ull >> 32) & l->mask;

	while (l->spaces[i].id && l->spaces[i].id != id)
		i = (i + 1) & l->mask;
	return &l->spaces[i];
}

/* A new table of that size, with those that live. */
static int spaces__rebuild(struct wc_learn *l, size_t size, bool (*keep)(const struct space *s))
{
	struct space *old = l->spaces;
	size_t old_mask = l->mask, i;

	l->spaces = calloc(size, sizeof(*l->spaces));
	if (!l->spaces) {
		l->spaces = old;
		return -ENOMEM;
	}
	l->mask = size - 1;
	l->cnt = 0;
	for (i = 0; i <= old_mask; i++) {
		if (!old[i].id || !keep(&old[i]))
			continue;
		*space__slot(l, old[i].id) = old[i];
		l->cnt++;
	}
	free(old);
	return 0;
}

static bool space__is_any(const struct space *s)
{
	(void)s;
	return true;
}

static bool space__lives(const struct space *s)
{
	return wc_symbols__stack_start(s->tgid) == s->stack_start;
}

/*
 * The mappings of tgid, if they are those of this space. A child of vfork() lives in its parent's
 * till it executes something: what is seen under its number must be neither mistaken for the other.
 */
static bool space__look(struct wc_learn *l, struct space *s, pid_t tgid)
{
	int err;

	if (!s->stack_start || wc_symbols__stack_start(tgid) != s->stack_start)
		return false;
	err = wc_symbols__snapshot(l->syms, tgid);
	if (err == -ENOMEM)
		l->err = err;
	if (err || wc_symbols__stack_start(tgid) != s->stack_start)
		return false;
	s->tgid = tgid;
	s->turn = l->turn;
	return true;
}

/* NULL: whoever asked has gone, or become somebody else. */
static struct space *space__of(struct wc_learn *l, const struct wc_hint_ask *ask)
{
	struct space *s;

	if (l->cnt * 2 > l->mask && spaces__rebuild(l, (l->mask + 1) * 2, space__is_any)) {
		l->err = -ENOMEM;
		return NULL;
	}
	s = space__slot(l, ask->key.space);
	if (s->id && s->tgid == (pid_t)ask->tgid)
		return s;
	if (s->id)
		return space__look(l, s, (pid_t)ask->tgid) ? s : NULL;
	s->stack_start = ask->stack_start;
	if (!space__look(l, s, (pid_t)ask->tgid))
		return NULL;
	s->id = ask->key.space;
	l->cnt++;
	return s;
}

static int give(struct wc_learn *l, const struct wc_hint_key *key, const struct wc_row *row)
{
	const struct wc_hint hint = {
		.kind = (unsigned short)row->kind,
		.cfa_off = row->cfa_off,
		.bp_words = (short)(row->bp_off / 8),
	};
	int err = wc_session__hint(l->s, key, &hint);

	if (err && err != -E2BIG)
		l->err = err;
	return err;
}

/* 0, -ENOENT: no code, -EAGAIN: that is not certain, and too early to look once more. */
static int find_row(struct wc_learn *l, struct space *s, uint64_t ip, bool leaf, struct wc_row *row)
{
	bool looked = s->turn != l->turn;
	int err = wc_symbols__row(l->syms, s->tgid, ip, leaf, row);

	if (err == -ENOENT && looked) {
		looked = space__look(l, s, s->tgid);
		if (looked)
			err = wc_symbols__row(l->syms, s->tgid, ip, leaf, row);
	}
	if (err == -ENODATA) {
		*row = (struct wc_row){ .kind = WC_ROW_FP, .cfa_off = 16, .bp_off = -16 };
		return 0;
	}
	return err == -ENOENT && !looked ? -EAGAIN : err;
}

static bool is_spent(const struct wc_learn *l)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - l->cpu_ns > TURN_MAX_NS;
}

/*
 * From the frame that was asked for to its callers, while nothing is known of them: most threads
 * still have the stack that they had. One that has moved on gives other addresses, which does no
 * harm: what is said of an address is true wherever it came from.
 */
static void learn_from(struct wc_learn *l, struct space *s, const struct wc_hint_ask *ask)
{
	struct wc_hint_key key = ask->key;
	struct wc_walk at = { .tgid = s->tgid, .ip = ask->key.ip, .sp = ask->sp, .bp = ask->bp };
	unsigned int depth;
	struct wc_row row;
	int err;

	for (depth = 0; depth < WC_STACK_DEPTH && (!depth || !is_spent(l)); depth++) {
		key.ip = at.ip;
		if (wc_session__has_hint(l->s, &key))
			return;
		err = find_row(l, s, at.ip, !depth && ask->leaf, &row);
		if (err == -EAGAIN && !depth)
			wc_session__unhint(l->s, &key);
		if (err || give(l, &key, &row) || !wc_walk__step(&at, &row))
			return;
	}
}

/* Alive, and what it maps is not for us to see: of no use to be asked again. */
static bool is_closed(pid_t tgid)
{
	return !wc_symbols__stack_start(tgid) && (!kill(tgid, 0) || errno == EPERM);
}

static int on_ask(void *ctx, const struct wc_hint_ask *ask)
{
	struct wc_learn *l = ctx;
	struct space *s = space__of(l, ask);

	l->asked_cnt++;
	if (s)
		learn_from(l, s, ask);
	else if (!is_closed((pid_t)ask->tgid))
		wc_session__unhint(l->s, &ask->key);
	return l->err || is_spent(l);
}

static bool is_gone(void *ctx, uint64_t space)
{
	return !space__slot(ctx, space)->id;
}

/* No place for more: those go that say nothing, or of processes that have ended. */
static int make_room(struct wc_learn *l)
{
	int err = spaces__rebuild(l, l->mask + 1, space__lives);

	err = err ? err : wc_session__hints_drop(l->s, is_gone, l);
	return err < 0 ? err : 0;
}

static void settle_up(struct wc_learn *l)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	l->credit_ns -= (int64_t)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - l->cpu_ns);
	l->credit_ns += (int64_t)((now - l->credited_ns) / SHARE);
	if (l->credit_ns > (int64_t)CREDIT_MAX_NS)
		l->credit_ns = CREDIT_MAX_NS;
	l->credited_ns = now;
	l->every_ns = l->asked_cnt ? SOON_NS : l->every_ns * 2;
	if (l->every_ns > LATE_NS)
		l->every_ns = LATE_NS;
	l->due_ns = now + l->every_ns;
	if (l->credit_ns < 0 && l->due_ns < now - l->credit_ns * SHARE)
		l->due_ns = now - l->credit_ns * SHARE;
}

int wc_learn__turn(struct wc_learn *l)
{
	int err;

	if (clock_ns(CLOCK_MONOTONIC) < l->due_ns)
		return 0;
	l->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	l->asked_cnt = 0;
	l->err = 0;
	l->turn++;
	err = wc_session__hints_asked(l->s, on_ask, l);
	err = err ? err : l->err;
	if (!err && wc_session__hints_full(l->s))
		err = make_room(l);
	settle_up(l);
	return err;
}
