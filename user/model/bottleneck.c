/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/model/bottleneck.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "user/model/summary.h"
#include "user/util/units.h"

/* Used up; and surely not. Between them nothing is said. */
#define FULL	   0.90
#define NOT_FULL   0.80
#define WAITED	   0.80 /* somebody waits for a connection, of the time */
#define THROTTLED  0.50 /* of the periods */
#define HELD_LONG  2.0	/* held so many times as long as database and own work take */
#define HELD_SHORT 1.3
#define RUN_WAIT   0.50 /* of the latency */
#define BOTH	   1.15 /* with CPU to spare the connections would give no more than this */
#define AGREE	   0.80 /* of the rounds */

const char *wc_bottleneck__name(unsigned int verdict)
{
	static const char *const names[WC_BOTTLENECK_CNT] = { "inconclusive", "connections", "cpu",
							      "scheduling", "users" };

	return verdict < WC_BOTTLENECK_CNT ? names[verdict] : NULL;
}

/* ---- one round ---- */

/* NaN compares false: what was not measured is not used up. */
static enum wc_bottleneck judge_pool(const struct wc_bottleneck_facts *f)
{
	double held = f->database_bound / f->connection_bound;

	if (f->cpu_limit_used >= NOT_FULL || f->throttled_share >= THROTTLED)
		return WC_BOTTLENECK_INCONCLUSIVE;
	if (held >= HELD_LONG)
		return WC_BOTTLENECK_SCHEDULING;
	return held <= HELD_SHORT ? WC_BOTTLENECK_CONNECTIONS : WC_BOTTLENECK_INCONCLUSIVE;
}

static enum wc_bottleneck judge_neither(const struct wc_bottleneck_facts *f)
{
	if (f->cpu_limit_used >= NOT_FULL)
		return WC_BOTTLENECK_INCONCLUSIVE;
	if (f->run_wait_ns >= RUN_WAIT * f->latency_ns)
		return WC_BOTTLENECK_SCHEDULING;
	return f->connections_busy >= NOT_FULL ? WC_BOTTLENECK_INCONCLUSIVE : WC_BOTTLENECK_USERS;
}

enum wc_bottleneck wc_bottleneck__judge(const struct wc_bottleneck_facts *f)
{
	bool pool = f->waited_share >= WAITED && f->connections_busy >= FULL;
	bool cpu = f->cpu_limit_used >= FULL && f->throttled_share >= THROTTLED;

	if (!(f->throughput > 0))
		return WC_BOTTLENECK_INCONCLUSIVE;
	if (cpu && pool && f->database_bound < BOTH * f->throughput)
		return WC_BOTTLENECK_INCONCLUSIVE;
	/* A full pool is then what comes of it: who holds a connection waits for CPU time. */
	if (cpu)
		return WC_BOTTLENECK_CPU;
	return pool ? judge_pool(f) : judge_neither(f);
}

/* ---- a cell ---- */

static const struct {
	const char *name;
	size_t off;
} fields[] = {
	{ "throughput", offsetof(struct wc_bottleneck_facts, throughput) },
	{ "waited_share", offsetof(struct wc_bottleneck_facts, waited_share) },
	{ "connections_busy", offsetof(struct wc_bottleneck_facts, connections_busy) },
	{ "connection_bound", offsetof(struct wc_bottleneck_facts, connection_bound) },
	{ "database_bound", offsetof(struct wc_bottleneck_facts, database_bound) },
	{ "cpu_limit_used", offsetof(struct wc_bottleneck_facts, cpu_limit_used) },
	{ "throttled_share", offsetof(struct wc_bottleneck_facts, throttled_share) },
	{ "cpu_bound", offsetof(struct wc_bottleneck_facts, cpu_bound) },
	{ "cpu", offsetof(struct wc_bottleneck_facts, cpu_ns) },
	{ "cpu_beside", offsetof(struct wc_bottleneck_facts, cpu_beside_ns) },
	{ "run_wait", offsetof(struct wc_bottleneck_facts, run_wait_ns) },
	{ "latency_p50", offsetof(struct wc_bottleneck_facts, latency_ns) },
};

#define FIELD_CNT (sizeof(fields) / sizeof(fields[0]))

static double *field_of(struct wc_bottleneck_facts *facts, size_t i)
{
	return (double *)(void *)((char *)facts + fields[i].off);
}

/* Of the result's gauges those that are asked for; false where one is not there. */
static bool find_gauges(const struct wc_result *r, size_t at[FIELD_CNT])
{
	for (size_t i = 0; i < FIELD_CNT; i++) {
		for (at[i] = 0; at[i] < r->gauge_cnt; at[i]++)
			if (!strcmp(r->gauges[at[i]].name, fields[i].name))
				break;
		if (at[i] == r->gauge_cnt)
			return false;
	}
	return true;
}

static bool has_bare(const struct wc_cell *cell)
{
	for (size_t i = 0; i < cell->round_cnt; i++)
		if (cell->rounds[i].complete && !cell->rounds[i].warmup &&
		    cell->rounds[i].bare.valid)
			return true;
	return false;
}

static void count_verdicts(const struct wc_cell *cell, const size_t at[FIELD_CNT], bool bare,
			   unsigned int cnt[WC_BOTTLENECK_CNT])
{
	for (size_t n = 0; n < cell->round_cnt; n++) {
		const struct wc_round *round = &cell->rounds[n];
		const struct wc_phase *phase = bare ? &round->bare : &round->probed;
		struct wc_bottleneck_facts facts;

		if (!round->complete || round->warmup || !phase->valid || !phase->gauges)
			continue;
		for (size_t i = 0; i < FIELD_CNT; i++)
			*field_of(&facts, i) = phase->gauges[at[i]];
		cnt[wc_bottleneck__judge(&facts)]++;
	}
}

bool wc_bottleneck__of(const struct wc_result *r, const struct wc_cell *cell,
		       struct wc_bottleneck_verdict *out)
{
	unsigned int cnt[WC_BOTTLENECK_CNT] = { 0 };
	bool bare = has_bare(cell);
	size_t at[FIELD_CNT];

	*out = (struct wc_bottleneck_verdict){ 0 };
	if (!r->work || !find_gauges(r, at))
		return false;
	for (size_t i = 0; i < FIELD_CNT; i++) {
		struct wc_figure f = wc_cell__gauge(cell, at[i], !bare);

		*field_of(&out->facts, i) = f.n ? f.median : NAN;
	}
	count_verdicts(cell, at, bare, cnt);
	for (unsigned int v = 0; v < WC_BOTTLENECK_CNT; v++) {
		out->rounds += cnt[v];
		if (cnt[v] > out->agreeing) {
			out->agreeing = cnt[v];
			out->verdict = v;
		}
	}
	if (out->agreeing < AGREE * out->rounds) {
		out->verdict = WC_BOTTLENECK_INCONCLUSIVE;
		out->disagree = true;
	}
	return out->rounds > 0;
}

/* ---- in words ---- */

struct words {
	char *buf;
	size_t len;
};

static void say(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct words *w, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(w->buf + w->len, WC_BOTTLENECK_SZ - w->len, fmt, args);
	va_end(args);
	if (n > 0)
		w->len += (size_t)n;
	if (w->len >= WC_BOTTLENECK_SZ)
		w->len = WC_BOTTLENECK_SZ - 1;
}

static void say_limit(struct words *w, const struct wc_bottleneck_facts *f)
{
	if (isnan(f->cpu_limit_used))
		say(w, "; there is no CPU limit");
	else
		say(w, "; %.0f %% of the CPU limit is used", f->cpu_limit_used * 100);
}

static void say_cpu(struct words *w, const struct wc_bottleneck_facts *f)
{
	say(w,
	    "%.0f %% of the CPU limit is used, and the server is stopped in %.0f %% of the "
	    "periods",
	    f->cpu_limit_used * 100, f->throttled_share * 100);
	if (f->cpu_ns > 0 && f->cpu_beside_ns >= 0)
		say(w, "; %.1f %% of its CPU time is not the work requests ask for",
		    f->cpu_beside_ns / f->cpu_ns * 100);
	if (f->database_bound > 0)
		say(w,
		    "; with CPU to spare the connections would allow %.3g requests a second, "
		    "not %.3g",
		    f->database_bound, f->throughput);
}

static void say_connections(struct words *w, const struct wc_bottleneck_facts *f)
{
	say(w,
	    "%.0f %% of the time somebody waits for a connection, and %.3g requests a second are "
	    "%.0f %% of what they allow as long as they are held",
	    f->waited_share * 100, f->throughput, f->throughput / f->connection_bound * 100);
	say_limit(w, f);
}

static void say_scheduling(struct words *w, const struct wc_bottleneck_facts *f)
{
	char ns[WC_UNITS_BUF_SZ];

	if (f->waited_share >= WAITED && f->connections_busy >= FULL)
		say(w,
		    "connections are held %.1f times as long as the database and the request's "
		    "own work take, the rest is waiting to run",
		    f->database_bound / f->connection_bound);
	else
		say(w, "a request waits %s ready to run and not running, %.0f %% of its time",
		    wc_units__format_ns(ns, sizeof(ns), f->run_wait_ns),
		    f->run_wait_ns / f->latency_ns * 100);
	say_limit(w, f);
}

static void say_users(struct words *w, const struct wc_bottleneck_facts *f)
{
	say(w, "nothing is used up, more users would be served");
	if (!isnan(f->connections_busy))
		say(w, "; %.0f %% of the connections are in use", f->connections_busy * 100);
	say_limit(w, f);
}

static void say_inconclusive(struct words *w, const struct wc_bottleneck_verdict *v)
{
	const struct wc_bottleneck_facts *f = &v->facts;

	if (v->disagree) {
		say(w, "the rounds disagree: more of them, longer, on a machine that does nothing "
		       "else");
		return;
	}
	say(w, "between the bounds");
	if (!isnan(f->connections_busy))
		say(w,
		    "; connections in use %.0f %%, held %.1f times as long as the database and "
		    "the request's own work take",
		    f->connections_busy * 100, f->database_bound / f->connection_bound);
	say_limit(w, f);
	if (!isnan(f->throttled_share))
		say(w, ", stopped in %.0f %% of the periods", f->throttled_share * 100);
}

const char *wc_bottleneck__sentence(const struct wc_bottleneck_verdict *v,
				    char buf[WC_BOTTLENECK_SZ])
{
	struct words w = { .buf = buf };

	buf[0] = '\0';
	switch (v->verdict) {
	case WC_BOTTLENECK_CONNECTIONS:
		say_connections(&w, &v->facts);
		break;
	case WC_BOTTLENECK_CPU:
		say_cpu(&w, &v->facts);
		break;
	case WC_BOTTLENECK_SCHEDULING:
		say_scheduling(&w, &v->facts);
		break;
	case WC_BOTTLENECK_USERS:
		say_users(&w, &v->facts);
		break;
	default:
		say_inconclusive(&w, v);
	}
	return buf;
}
