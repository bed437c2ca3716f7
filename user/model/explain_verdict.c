// SPDX-License-Identifier: BSD-2-Clause
/* Sentences a person can act on. None without figures, and doubt is said. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/explain_cells.h"
#include "user/util/units.h"

static void say(struct wc_explain *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct wc_explain *e, const char *fmt, ...)
{
	va_list ap;

	if (e->verdict_cnt == WC_VERDICT_MAX)
		return;
	va_start(ap, fmt);
	if (vasprintf(&e->verdicts[e->verdict_cnt], fmt, ap) >= 0)
		e->verdict_cnt++;
	va_end(ap);
}

/* "17.1 us [16.8, 17.5]" */
static const char *with_ci(const struct wc_effect *x, char *buf, size_t sz)
{
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ], c[WC_UNITS_BUF_SZ];

	wc_units__format_ns(a, sizeof(a), x->ns);
	wc_units__format_ns(b, sizeof(b), x->lo);
	wc_units__format_ns(c, sizeof(c), x->hi);
	if (x->has_ci)
		snprintf(buf, sz, "%s [%s, %s]", a, b, c);
	else
		snprintf(buf, sz, "%s (no interval)", a);
	return buf;
}

/* how: they are parked. */
static const char *advice(unsigned int cause, const char *how)
{
	switch (cause) {
	case WC_CAUSE_WAITER:
		if (how && !strcmp(how, "futex-one")) /* one futex is in one slot */
			return "let them sleep on futexes of their own, with slots enough "
			       "(PR_FUTEX_HASH), or on epoll or as coroutines: waiters of one "
			       "futex share its slot, however many there are";
		return "give the process more futex slots (PR_FUTEX_HASH; `wakecost explain "
		       "--what-if futex-slots=1024 -- COMMAND` tries it), keep fewer threads "
		       "parked on futexes, or park them on epoll or as coroutines";
	case WC_CAUSE_CPU:
		return "pin the threads that hand off to each other, or give them fewer CPUs to "
		       "choose from";
	case WC_CAUSE_NEXT:
		return "keep fewer tasks runnable, or fewer control groups between them";
	case WC_CAUSE_COLD:
		return "wake the threads that ran last, keep their working sets small, and use "
		       "huge pages where they are not";
	case WC_CAUSE_TASKS:
		return "keep fewer tasks, or run the work as coroutines on a few threads";
	default:
		return "record it: sudo wakecost record";
	}
}

static unsigned int failed_checks(const struct wc_explain *e, const char **first)
{
	unsigned int cnt = 0;
	size_t i;

	for (i = 0; i < e->check_cnt; i++) {
		if (e->checks[i].result != WC_CHECK_FAILED)
			continue;
		if (!cnt++)
			*first = e->checks[i].what;
	}
	return cnt;
}

/* Growth that would not be told from none: what equal cells differ by, within reason. */
static double indifferent(const struct wc_explain *e)
{
	return fmin(fmax(e->noise_floor_ns, 0.1 * e->base.ns), 0.25 * e->base.ns);
}

/* Further rounds until it is clear whether there is growth; 0: it is. */
static unsigned int rounds_needed(const struct wc_explain *e, const struct wc_effect *growth)
{
	double half = (growth->hi - growth->lo) / 2, want = indifferent(e), n = growth->n;

	if (!growth->has_ci)
		return n < WC_EFFECT_ROUNDS_MIN ? WC_EFFECT_ROUNDS_MIN - growth->n : 1;
	if (wc_explain__grew(e, growth) || growth->hi <= want)
		return 0;
	/* widths shrink with the root of their number */
	want = fmax(want, fabs(growth->ns)) / 2;
	return (unsigned int)fmin(fmax(ceil(n * (half / want) * (half / want) - n), 1), 1000);
}

/* "selection, which waiter" */
static const char *full_name(unsigned int cause, char *buf, size_t sz)
{
	const char *group = wc_cause__group(cause), *name = wc_cause__name(cause);
	bool both = *group && strcmp(group, name) != 0;

	snprintf(buf, sz, "%s%s%s", both ? group : name, both ? ", " : "", both ? name : "");
	return buf;
}

/* Causes that this experiment has a knob for; of the others no check can speak. */
static bool has_knob(unsigned int cause)
{
	return cause == WC_CAUSE_WAITER || cause == WC_CAUSE_TASKS;
}

static void conclude__growth(struct wc_explain *e, const struct wc_result *r,
			     const struct wc_level *top)
{
	unsigned int c = wc_level__main_cause(top);
	char growth[192], part[192], name[64], handoff[WC_UNITS_BUF_SZ], parked[WC_UNITS_BUF_SZ];
	char share[WC_UNITS_BUF_SZ];
	const struct wc_cell *cell = wc_role__at(r, WC_ROLE_SUBJECT, "parked", top->parked);
	const char *how = cell ? wc_kvs__get(&cell->params, "background") : NULL;

	wc_units__format_ns(handoff, sizeof(handoff), top->handoff.ns);
	wc_units__format_count(parked, sizeof(parked), top->parked);
	with_ci(&top->growth, growth, sizeof(growth));
	if (!wc_effect__is_real(&top->causes[c]) || c == WC_CAUSE_NONE) {
		say(e,
		    "With %s parked (%s) a handoff takes %s: %s more than with none. No cause stands "
		    "out of the noise: more rounds (-r) would tell them apart.",
		    parked, how ? how : "?", handoff, growth);
		return;
	}
	with_ci(&top->causes[c], part, sizeof(part));
	wc_units__format_percent(share, sizeof(share), top->causes[c].ns / top->growth.ns);
	say(e,
	    "With %s parked (%s) a handoff takes %s: %s more than with none. %s of that is %s: %s.",
	    parked, how ? how : "?", handoff, growth, share, full_name(c, name, sizeof(name)),
	    part);
	say(e, "What to do: %s.", advice(c, how));
	if (!has_knob(c))
		say(e, "The stages say so; this experiment has no knob that would confirm it.");
}

static void conclude__tasks(struct wc_explain *e, const struct wc_level *top)
{
	const struct wc_effect *t = &top->causes[WC_CAUSE_TASKS];
	char ci[192], parked[WC_UNITS_BUF_SZ];

	if (!t->n)
		return;
	wc_units__format_count(parked, sizeof(parked), top->parked);
	with_ci(t, ci, sizeof(ci));
	if (wc_explain__grew(e, t))
		say(e, "The mere existence of %s tasks costs a handoff %s.", parked, ci);
	else if (t->has_ci)
		say(e, "The mere existence of %s tasks costs nothing that can be measured: %s.",
		    parked, ci);
}

/* Where accesses of a level go: "as much as 25 accesses to memory". */
static const char *const worth_words[WC_MEM_CNT] = {
	[WC_MEM_L1] = "accesses to the L1 cache",
	[WC_MEM_L2] = "accesses to the L2 cache",
	[WC_MEM_LAST] = "accesses to the last-level cache",
	[WC_MEM_MEMORY] = "accesses to memory",
	[WC_MEM_WALK] = "page walks",
};

static const char *worth_one(const struct wc_explain *e, const struct wc_contrast *c,
			     unsigned int level, char *buf, size_t sz)
{
	char cnt[WC_UNITS_BUF_SZ], each[WC_UNITS_BUF_SZ];

	wc_units__format_count(cnt, sizeof(cnt), (uint64_t)llround(c->worth[level]));
	wc_units__format_ns(each, sizeof(each), e->memory.levels[level].ns);
	snprintf(buf, sz, "%s %s (%s each)", cnt, worth_words[level], each);
	return buf;
}

/* ". That is as much as 25 accesses to memory (170 ns each) or 280 to ..."; or nothing. */
static void worth_of(const struct wc_explain *e, const struct wc_contrast *c, char *buf, size_t sz)
{
	const unsigned int beside = c->worth_level == WC_MEM_MEMORY ? WC_MEM_LAST : WC_MEM_MEMORY;
	char one[112], other[112] = "";

	buf[0] = '\0';
	if (c->worth_level >= WC_MEM_CNT || !(c->worth[c->worth_level] >= 1))
		return;
	if (c->worth[beside] >= 1)
		worth_one(e, c, beside, other, sizeof(other));
	snprintf(buf, sz, ". That is as much as %s%s%s",
		 worth_one(e, c, c->worth_level, one, sizeof(one)), other[0] ? " or " : "", other);
}

/* The largest of an axis that grew. */
static void conclude__axis(struct wc_explain *e, const char *role, const char *cause)
{
	const struct wc_contrast *best = NULL;
	unsigned int m, most = 0;
	char ci[192], all[WC_UNITS_BUF_SZ], worth[256];
	size_t i;

	for (i = 0; i < e->contrast_cnt; i++) {
		const struct wc_contrast *c = &e->contrasts[i];

		if (!strcmp(c->role, role) && (!best || c->x > best->x))
			best = c;
	}
	if (!best || !wc_explain__grew(e, &best->growth))
		return;
	for (m = 0; m < WC_STAGE_CNT; m++) {
		if (best->stages[m].ns > best->stages[most].ns)
			most = m;
	}
	with_ci(&best->growth, ci, sizeof(ci));
	wc_units__format_ns(all, sizeof(all), best->handoff.ns);
	worth_of(e, best, worth, sizeof(worth));
	say(e, "%s: %s costs %s more (%s in all), most of it in %s%s.", cause, best->what, ci, all,
	    wc_stage__name(most), worth);
}

void wc_explain__conclude(const struct wc_result *r, struct wc_explain *e)
{
	const struct wc_level *top = e->level_cnt ? &e->levels[e->level_cnt - 1] : NULL;
	const char *first = "";
	char ci[192], parked[WC_UNITS_BUF_SZ];
	unsigned int failed = failed_checks(e, &first);

	if (top) {
		e->rounds_needed = rounds_needed(e, &top->growth);
		wc_units__format_count(parked, sizeof(parked), top->parked);
		with_ci(&top->growth, ci, sizeof(ci));
		if (e->rounds_needed)
			say(e,
			    "Inconclusive: with %s parked a handoff takes %s more, after %u round%s; "
			    "%u more round%s would tell.",
			    parked, ci, top->growth.n, top->growth.n == 1 ? "" : "s",
			    e->rounds_needed, e->rounds_needed == 1 ? "" : "s");
		else if (wc_explain__grew(e, &top->growth))
			conclude__growth(e, r, top);
		else
			say(e, "No growth: with %s parked a handoff takes %s more than with none.",
			    parked, ci);
		conclude__tasks(e, top);
	}
	conclude__axis(e, WC_ROLE_RING, "Cache/TLB");
	conclude__axis(e, WC_ROLE_RING_PAGES, "Stack pages");
	conclude__axis(e, WC_ROLE_BYTES, "Working set");
	conclude__axis(e, WC_ROLE_PAGES, "Pages");
	conclude__axis(e, WC_ROLE_RUNNABLE, "Runnable tasks");
	if (failed)
		say(e, "Not to be relied on: %u check%s failed (%s).", failed,
		    failed > 1 ? "s" : "", first);
}
