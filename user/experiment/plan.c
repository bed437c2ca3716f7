// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/explain.h"

#define SLOTS_UP 4096

struct build {
	struct wc_result *r;
	const struct wc_plan *plan;
	struct wc_cell *cell; /* the one last added */
	char *error;
	size_t error_sz;
	int err; /* the first */
};

static void set(struct build *b, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void set(struct build *b, const char *key, const char *fmt, ...)
{
	char value[64];
	va_list ap;

	if (b->err)
		return;
	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	b->err = wc_kvs__set(&b->cell->params, key, value);
	b->cell->asked_cnt = b->cell->params.cnt;
}

/* What every cell shares; what is set after it replaces it. */
static void cell(struct build *b, const char *role, const char *shape)
{
	size_t i;

	if (b->err)
		return;
	b->cell = wc_result__add_cell(b->r);
	if (!b->cell) {
		b->err = -ENOMEM;
		return;
	}
	set(b, "shape", "%s", shape);
	set(b, WC_ROLE_KEY, "%s", role);
	set(b, "placement", "%s", b->plan->placement);
	for (i = 0; i < b->plan->extra_cnt; i++) {
		const char *spec = b->plan->extra[i], *eq = strchr(spec, '=');
		char key[64];

		if (!eq || eq == spec || (size_t)(eq - spec) >= sizeof(key) || strchr(eq, ',')) {
			snprintf(
				b->error, b->error_sz,
				"-P wants key=value (one value: the experiment has its own axes), not "
				"\"%s\"",
				spec);
			b->err = -EINVAL;
			return;
		}
		snprintf(key, sizeof(key), "%.*s", (int)(eq - spec), spec);
		set(b, key, "%s", eq + 1);
	}
}

static void parked(struct build *b, const char *role, const char *background, uint64_t cnt)
{
	cell(b, role, "handoff");
	set(b, "mechanism", "%s", b->plan->mechanism);
	set(b, "background", "%s", background);
	set(b, "parked", "%llu", (unsigned long long)cnt);
	/* few handoffs suffice where each is slow, and rounds are what intervals are made of */
	if (cnt >= 4000) {
		set(b, "handoffs", "%u", b->plan->size >= WC_PLAN_DEFAULT ? 5000 : 3000);
		set(b, "warmup", "%u", 500);
	}
}

static uint64_t top(const struct wc_plan *p)
{
	return p->parked_cnt ? p->parked[p->parked_cnt - 1] : 0;
}

static void subject(struct build *b)
{
	const struct wc_plan *p = b->plan;
	size_t i;

	parked(b, WC_ROLE_BASE, "none", 0);
	parked(b, WC_ROLE_AGAIN, "none", 0);
	for (i = 0; i < p->parked_cnt; i++) {
		if (!p->parked[i])
			continue;
		parked(b, WC_ROLE_SUBJECT, p->background, p->parked[i]);
		if (p->size >= WC_PLAN_DEFAULT || p->parked[i] == top(p))
			parked(b, WC_ROLE_TASKS, "pause", p->parked[i]);
	}
}

/* What the user sets for every cell; NULL: not. */
static const char *given(const struct wc_plan *p, const char *key)
{
	size_t len = strlen(key), i = p->extra_cnt;

	while (i--) {
		if (!strncmp(p->extra[i], key, len) && p->extra[i][len] == '=')
			return p->extra[i] + len + 1;
	}
	return NULL;
}

/* Slots of a process in this experiment; 0: not known, or a global table. */
static unsigned int slots_of(const struct wc_plan *p)
{
	const char *slots = given(p, "futex_slots");

	if (!slots || !strcmp(slots, "default"))
		return p->slots;
	return (unsigned int)strtoul(slots, NULL, 10);
}

static void slot_knobs(struct build *b, unsigned int slots)
{
	const struct wc_plan *p = b->plan;

	if (slots < SLOTS_UP) {
		parked(b, WC_ROLE_SLOTS_UP, p->background, top(p));
		set(b, "futex_slots", "%u", SLOTS_UP);
	}
	if (slots >= 4) {
		parked(b, WC_ROLE_SLOTS_HALF, p->background, top(p));
		set(b, "futex_slots", "%u", slots / 2);
	}
}

/* Each takes the waiter walk away, or changes its length by a known factor. */
static void knobs(struct build *b)
{
	const struct wc_plan *p = b->plan;
	unsigned int slots = slots_of(p);
	uint64_t n = top(p);
	bool one;

	if (!n || strcmp(p->mechanism, "futex") != 0)
		return;
	/* one futex is in one slot, however many there are: where it is matters then, as much */
	one = !strcmp(p->background, "futex-one");
	if (!one)
		slot_knobs(b, slots);
	/* setting up the most parked is what takes the time: quick has rounds instead */
	if (p->size >= WC_PLAN_DEFAULT) {
		parked(b, WC_ROLE_MECHANISM, p->background, n);
		set(b, "mechanism", "eventfd");
		parked(b, WC_ROLE_MECH_BASE, "none", 0);
		set(b, "mechanism", "eventfd");
	}
	parked(b, WC_ROLE_ONE_OTHER, "futex-one", one || p->size >= WC_PLAN_DEFAULT ? n : n / 4);
	set(b, "bucket", "other");
	/* as long as an ordinary chain is at the top, so that its ns a waiter are comparable */
	parked(b, WC_ROLE_ONE_PAIR, "futex-one", slots && n / slots > 50 ? n / slots : 1000);
	set(b, "bucket", "pair");
}

static void ring(struct build *b, const char *role, unsigned int threads)
{
	cell(b, role, "ring");
	set(b, "mechanism", "eventfd");
	set(b, "threads", "%u", threads);
}

/* Each touches pages of its own stack before it hands on. */
static void ring_pages(struct build *b, const char *role)
{
	ring(b, role, 4096);
	set(b, "stack_walk", "8");
}

static void walk(struct build *b, const char *role, const char *key, unsigned int value)
{
	parked(b, role, "none", 0);
	set(b, key, "%u", value);
}

static void cold(struct build *b)
{
	static const unsigned int sizes[] = { 2, 16, 256, 4096 };
	size_t i;

	for (i = 0; i < 4; i++) {
		if (b->plan->size >= WC_PLAN_DEFAULT || sizes[i] == 2 || sizes[i] == 4096)
			ring(b, WC_ROLE_RING, sizes[i]);
	}
	if (b->plan->size < WC_PLAN_DEFAULT)
		return;
	ring_pages(b, WC_ROLE_RING_PAGES);
	ring_pages(b, WC_ROLE_RING_HUGE);
	set(b, "huge", "1");
	walk(b, WC_ROLE_BYTES, "walk_bytes", 1u << 20);
	walk(b, WC_ROLE_PAGES, "walk_pages", 1024);
	if (b->plan->size < WC_PLAN_THOROUGH)
		return;
	walk(b, WC_ROLE_BYTES, "walk_bytes", 32u << 10);
	walk(b, WC_ROLE_BYTES, "walk_bytes", 256u << 10);
	walk(b, WC_ROLE_PAGES, "walk_pages", 64);
	walk(b, WC_ROLE_PAGES, "walk_pages", 8192);
}

static void nested(struct build *b, unsigned int depth)
{
	parked(b, WC_ROLE_CGROUP, "none", 0);
	set(b, "cgroup_depth", "%u", depth);
}

static void others(struct build *b)
{
	uint64_t n = top(b->plan), some = n < 1000 ? n : 1000;

	parked(b, WC_ROLE_RUNNABLE, "runnable", 16);
	if (b->plan->size < WC_PLAN_DEFAULT)
		return;
	parked(b, WC_ROLE_RUNNABLE, "runnable", 4);
	nested(b, 8);
	if (b->plan->size >= WC_PLAN_THOROUGH) {
		parked(b, WC_ROLE_RUNNABLE, "runnable", 64);
		nested(b, 1);
		nested(b, 24);
	}
	parked(b, WC_ROLE_COROUTINE, "coroutine", 4000);
	parked(b, WC_ROLE_COROUTINE, "coroutine", 100000);
	if (!n)
		return;
	parked(b, WC_ROLE_STACK, b->plan->background, 4000);
	set(b, "stack", "%u", 512u << 10);
	parked(b, WC_ROLE_STACK, b->plan->background, 4000);
	set(b, "stack", "%u", 8u << 20);
	parked(b, WC_ROLE_TIMED, "timed", n < 4000 ? n : 4000);
	parked(b, WC_ROLE_PROCESS, "process", some);
}

/* What other published figures are of, and no contrast needs: wakecost compare --book. */
static void published(struct build *b)
{
	if (b->plan->size < WC_PLAN_DEFAULT)
		return;
	parked(b, WC_ROLE_READ, "none", 0);
	set(b, "mechanism", "pipe");
	/* who spins on the only CPU keeps away whom it waits for */
	parked(b, WC_ROLE_READ_CROSS, "none", 0);
	set(b, "mechanism", "pipe");
	set(b, "placement", "cross");
	parked(b, WC_ROLE_SPIN, "none", 0);
	set(b, "mechanism", "spin");
	set(b, "placement", "cross");
}

int wc_plan__build(struct wc_result *r, const struct wc_plan *plan, char *error, size_t error_sz)
{
	struct build b = { .r = r, .plan = plan, .error = error, .error_sz = error_sz };

	error[0] = '\0';
	subject(&b);
	knobs(&b);
	cold(&b);
	others(&b);
	published(&b);
	return b.err;
}
