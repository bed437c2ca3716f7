// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/book.h"

#include <string.h>

#include "user/model/explain_cells.h"
#include "user/model/summary.h"

#define EXPLAIN "sudo wakecost explain -o FILE"
#define PARKED                                                                                 \
	"the same question: two threads hand off while others are parked, by park and unpark " \
	"there, by futex here; its means are medians here, its runtime is a JVM"

enum {
	PARKED_0,
	PARKED_4000,
	STACK_SMALL,
	STACK_LARGE,
	COROUTINE_4000,
	COROUTINE_100000,
	CEILING,
	READ_SWITCHES,
	READ_WAKE,
	SPIN_CPU
};

#define BASELINE 2275.0

const struct wc_book_row wc_book__rows[WC_BOOK_ROW_CNT] = {
	[PARKED_0] = { "parked-0", "nobody parked: the baseline", WC_BOOK_NS, BASELINE, 1900, 3300,
		       1, WC_BOOK_RATIO,
		       "each machine's own baseline, by which all else is divided", EXPLAIN },
	[PARKED_4000] = { "parked-4000", "4,000 threads parked", WC_BOOK_NS, 48800, 48800, 51700,
			  48800 / BASELINE, WC_BOOK_RATIO, PARKED,
			  EXPLAIN " --parked 0,250,1000,4000,16000" },
	[STACK_SMALL] = { "stack-512k", "the same, stacks of 512 KiB", WC_BOOK_NS, 46000, 0, 0,
			  46000 / BASELINE, WC_BOOK_RATIO,
			  "compare it with the next row: the size of a stack is all that differs",
			  EXPLAIN },
	[STACK_LARGE] = { "stack-8m", "the same, stacks of 8 MiB", WC_BOOK_NS, 49000, 0, 0,
			  49000 / BASELINE, WC_BOOK_RATIO,
			  "compare it with the row before; reserved, not touched, on both machines",
			  EXPLAIN },
	[COROUTINE_4000] = { "virtual-4000", "4,000 virtual threads", WC_BOOK_NS, 2255, 0, 0,
			     2255 / BASELINE, WC_BOOK_RATIO,
			     "coroutines here: the kernel sees few threads on both, but virtual "
			     "threads have a scheduler in the runtime and coroutines none",
			     EXPLAIN },
	[COROUTINE_100000] = { "virtual-100000", "100,000 virtual threads", WC_BOOK_NS, 2938, 1855,
			       2938, 2938 / BASELINE, WC_BOOK_RATIO,
			       "as before; its rerun of 1,855 ns lies below its own baseline",
			       EXPLAIN },
	[CEILING] = { "ceiling", "threads until one is refused", WC_BOOK_THREADS, 4068, 0, 0, 0,
		      WC_BOOK_NOT,
		      "a limit each system sets for itself: there kern.num_taskthreads = 4,096 a "
		      "process, here whichever of several is met first",
		      "sudo wakecost ceiling" },
	[READ_SWITCHES] = { "read-switches", "switches of a read() that sleeps", WC_BOOK_SWITCHES,
			    1, 0, 0, 0, WC_BOOK_RATIO,
			    "voluntary context switches, a count, the same thing on both; 0 there when "
			    "data was waiting, and a handoff never finds data waiting",
			    EXPLAIN },
	[READ_WAKE] = { "read-wake", "write() to a read() that sleeps", WC_BOOK_NS, 31000, 0, 0,
			31000 / BASELINE, WC_BOOK_DIRECTION,
			"until the read() returns: there a reader that slept long on a CPU gone idle, here a pair that "
			"never lets its CPU idle: a lower bound",
			EXPLAIN },
	[SPIN_CPU] = { "spin-cpu", "CPU of polling over read()", WC_BOOK_TIMES, 40, 0, 0, 0,
		       WC_BOOK_NOT,
		       "who polls burns as long as it waits, and how long that was has not been "
		       "published; here it is one handoff between two CPUs, short enough for "
		       "polling to be the cheaper",
		       EXPLAIN },
};

const char *wc_book_match__name(unsigned int match)
{
	static const char *const names[] = { "ratio", "direction", "no", "value" };

	return match < sizeof(names) / sizeof(names[0]) ? names[match] : NULL;
}

static void beside__set(struct wc_beside *b, const struct wc_cell *cell, const struct wc_cell *base)
{
	const struct wc_term over = { cell, WC_BITS_TOTAL, 1 }, under = { base, WC_BITS_TOTAL, 1 };

	if (!cell)
		return;
	wc_cells__value(cell, WC_BITS_TOTAL, &b->own);
	wc_terms__ratio(&over, 1, &under, 1, &b->ratio);
}

static struct wc_effect effect_of(const struct wc_figure *f)
{
	struct wc_effect e = { .n = f->n, .has_ci = f->has_ci, .ns = f->median };

	e.lo = f->has_ci ? f->lo : f->median;
	e.hi = f->has_ci ? f->hi : f->median;
	return e;
}

/* Bare: what the probes cost is no part of what a count or the CPU time is asked for. */
static void beside__switches(const struct wc_result *r, struct wc_beside *b)
{
	const struct wc_cell *cell = wc_role__cell(r, WC_ROLE_READ, 0);
	struct wc_cell_summary s;

	if (!cell)
		return;
	wc_cell__summarise(r, cell, &s);
	b->own = effect_of(&s.bare_waits_per_handoff);
}

static void beside__spin(const struct wc_result *r, struct wc_beside *b)
{
	const struct wc_cell *spin = wc_role__cell(r, WC_ROLE_SPIN, 0);
	const struct wc_cell *read = wc_role__cell(r, WC_ROLE_READ_CROSS, 0);
	struct wc_cell_summary s, t;

	if (!spin || !read)
		return;
	wc_cell__summarise(r, spin, &s);
	wc_cell__summarise(r, read, &t);
	b->own = effect_of(&s.bare_cpu_ns_per_handoff);
	if (t.bare_cpu_ns_per_handoff.median <= 0) {
		b->own = (struct wc_effect){};
		return;
	}
	/* figures of two cells: a ratio without an interval */
	b->own.ns /= t.bare_cpu_ns_per_handoff.median;
	b->own.lo = b->own.hi = b->own.ns;
	b->own.has_ci = false;
}

void wc_book__beside(const struct wc_result *r, struct wc_beside out[WC_BOOK_ROW_CNT])
{
	const struct wc_cell *base = wc_role__cell(r, WC_ROLE_BASE, 0);
	size_t i;

	memset(out, 0, WC_BOOK_ROW_CNT * sizeof(*out));
	for (i = 0; i < WC_BOOK_ROW_CNT; i++)
		out[i].row = &wc_book__rows[i];
	beside__set(&out[PARKED_0], base, base);
	beside__set(&out[PARKED_4000], wc_role__at(r, WC_ROLE_SUBJECT, "parked", 4000), base);
	beside__set(&out[STACK_SMALL], wc_role__at(r, WC_ROLE_STACK, "stack", 512u << 10), base);
	beside__set(&out[STACK_LARGE], wc_role__at(r, WC_ROLE_STACK, "stack", 8u << 20), base);
	beside__set(&out[COROUTINE_4000], wc_role__at(r, WC_ROLE_COROUTINE, "parked", 4000), base);
	beside__set(&out[COROUTINE_100000], wc_role__at(r, WC_ROLE_COROUTINE, "parked", 100000),
		    base);
	beside__set(&out[READ_WAKE], wc_role__cell(r, WC_ROLE_READ, 0), base);
	beside__switches(r, &out[READ_SWITCHES]);
	beside__spin(r, &out[SPIN_CPU]);
}
