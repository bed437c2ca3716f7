/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "num.h"
#include "params.h"
#include "registry.h"

static const struct wl_named buckets[] = { { "other", BUCKET_OTHER },
					   { "pair", BUCKET_PAIR },
					   { "any", BUCKET_ANY },
					   { NULL, 0 } };
static const struct wl_named placements[] = { { "same", PLACE_SAME },
					      { "cross", PLACE_CROSS },
					      { "free", PLACE_FREE },
					      { NULL, 0 } };
static const struct wl_named policies[] = { { "batch", POLICY_BATCH },
					    { "other", POLICY_OTHER },
					    { "fifo", POLICY_FIFO },
					    { NULL, 0 } };
static const struct wl_named slot_words[] = { { "default", SLOTS_DEFAULT },
					      { "global", SLOTS_GLOBAL },
					      { NULL, 0 } };
static const struct wl_named stack_kinds[] = { { "pthread", STACKS_PTHREAD },
					       { "slab", STACKS_SLAB },
					       { NULL, 0 } };
static const struct wl_named stack_words[] = { { "default", STACK_DEFAULT }, { NULL, 0 } };
static const struct wl_named cpu_words[] = { { "auto", CPU_AUTO }, { NULL, 0 } };

/* Each its own, and apart from the parameters of a handoff. */
#define CEILING	   "ceiling"
#define CHASE	   "chase"

#define OFF(field) offsetof(struct wl_params, field)

static const struct wl_param table[] = {
	{ "mechanism", PARAM_ENUM, OFF(mechanism), "futex", NULL, 0, 0, NULL,
	  "how one thread wakes another" },
	{ "background", PARAM_ENUM, OFF(background), "none", NULL, 0, 0, NULL,
	  "what the parked threads sleep in" },
	{ "parked", PARAM_INT, OFF(parked), "0", NULL, 0, 100000, NULL,
	  "how many are parked in the background" },
	{ "threads", PARAM_INT, OFF(threads), "16", NULL, 1, 16384, "ring herd",
	  "threads in the ring (2 or more), wakees of the herd" },
	{ "handoffs", PARAM_INT, OFF(handoffs), "20000", NULL, 1, 100000000, NULL,
	  "measured handoffs of a round, in all directions together" },
	{ "warmup", PARAM_INT, OFF(warmup), "2000", NULL, 0, 100000000, NULL,
	  "handoffs before them, not measured and not stamped" },
	{ "rounds", PARAM_INT, OFF(rounds), "1", NULL, 1, 10000, NULL,
	  "times warm-up and measurement are repeated" },
	{ "settle", PARAM_BOOL, OFF(settle), "0", NULL, 0, 1, NULL,
	  "before each wake prove that the wakee sleeps (exact counts; outside measured time)" },
	{ "placement", PARAM_ENUM, OFF(placement), "same", placements, 0, 0, NULL,
	  "same: all on one CPU; cross: on two; free: the scheduler chooses" },
	{ "cpu", PARAM_INT, OFF(cpu), "auto", cpu_words, 0, 65535, NULL,
	  "the CPU (cross: of the first thread); auto: the last allowed" },
	{ "cpu2", PARAM_INT, OFF(cpu2), "auto", cpu_words, 0, 65535, NULL,
	  "cross: the CPU of the other thread" },
	{ "policy", PARAM_ENUM, OFF(policy), "batch", policies, 0, 0, NULL,
	  "scheduling policy of the threads that hand off; batch: every handoff sleeps" },
	{ "bucket", PARAM_ENUM, OFF(bucket), "other", buckets, 0, 0, NULL,
	  "futex-one: its hash bucket relative to those the handoffs use" },
	{ "futex_slots", PARAM_INT, OFF(futex_slots), "default", slot_words, 2, 1u << 20, NULL,
	  "slots of the private futex hash, a power of two (prctl PR_FUTEX_HASH)" },
	{ "stack", PARAM_SIZE, OFF(stack), "64K", NULL, 16384, 1ull << 32,
	  "handoff ring herd ceiling", "stack of each thread or coroutine" },
	{ "stack_touch", PARAM_INT, OFF(stack_touch), "0", NULL, 0, 1u << 20, NULL,
	  "pages of its stack each one writes before it parks" },
	{ "guard", PARAM_BOOL, OFF(guard), "0", NULL, 0, 1, NULL,
	  "a guard page below each stack: two mappings each, as pthread_create makes them" },
	{ "huge", PARAM_BOOL, OFF(huge), "0", NULL, 0, 1, NULL,
	  "stacks from huge pages (MADV_HUGEPAGE)" },
	{ "walk_bytes", PARAM_SIZE, OFF(walk_bytes), "0", NULL, 0, 1ull << 34, NULL,
	  "bytes the wakee reads between handoffs, from one buffer they share" },
	{ "walk_pages", PARAM_INT, OFF(walk_pages), "0", NULL, 0, 1u << 22, NULL,
	  "pages the wakee reads one line of between handoffs" },
	{ "stack_walk", PARAM_INT, OFF(stack_walk), "0", NULL, 0, 1u << 20, NULL,
	  "pages of its own stack the wakee writes between handoffs (needs a stack that large)" },
	{ "gap_ns", PARAM_INT, OFF(gap_ns), "0", NULL, 0, 1000000000, NULL,
	  "busy wait of the wakee between handoffs" },
	{ "cgroup_depth", PARAM_INT, OFF(cgroup_depth), "0", NULL, 0, 32, NULL,
	  "control groups, one in the other, below the one it was started in (root)" },
	{ "raise_sysctls", PARAM_BOOL, OFF(raise_sysctls), "0", NULL, 0, 1, NULL,
	  "raise pid_max, threads-max and max_map_count as needed, and restore them (root)" },
	{ "markers", PARAM_BOOL, OFF(markers), "0", NULL, 0, 1, "handoff ring",
	  "instructions an emulator can find around the measured part (wakecost lab)" },
	{ "stacks", PARAM_ENUM, OFF(stacks), "pthread", stack_kinds, 0, 0, CEILING,
	  "pthread: as pthread_create maps them, guard included; slab: many in one mapping" },
	{ "thread_stack", PARAM_SIZE, OFF(thread_stack), "default", stack_words, 16384, 1ull << 40,
	  CEILING, "stack of each thread; default: what pthread_create would give" },
	{ "most", PARAM_INT, OFF(most), "4194304", NULL, 0, 4194304, CEILING,
	  "threads to stop at, if nothing else does" },
	{ "coroutines", PARAM_INT, OFF(coroutines), "1000000", NULL, 0, 100000000, CEILING,
	  "coroutines to enter beside, on stacks of the size stack" },
	{ "reach", PARAM_SIZE, OFF(reach), "256M", NULL, 1u << 20, 1ull << 34, CHASE,
	  "the largest working set; less where memory is short" },
};

const struct wl_param *params__table(size_t *cnt)
{
	*cnt = ARRAY_CNT(table);
	return table;
}

const char *params__type_name(enum wl_param_type type)
{
	static const char *const names[] = { "int", "size", "enum", "bool" };

	return names[type];
}

const char *params__word(const struct wl_param *p, size_t i)
{
	if (p->off == OFF(mechanism))
		return registry__mech_name(i);
	if (p->off == OFF(background))
		return registry__bg_name(i);
	return p->names ? p->names[i].name : NULL;
}

static u64 params__word_value(const struct wl_param *p, size_t i)
{
	return p->names ? p->names[i].value : i;
}

static int edit__distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), i, k;
	int row[64], diag, up;

	if (la > 40 || lb > 40)
		return INT_MAX;
	for (k = 0; k <= lb; k++)
		row[k] = (int)k;
	for (i = 1; i <= la; i++) {
		diag = row[0];
		row[0] = (int)i;
		for (k = 1; k <= lb; k++) {
			up = row[k];
			row[k] = diag + (a[i - 1] != b[k - 1]);
			if (up + 1 < row[k])
				row[k] = up + 1;
			if (row[k - 1] + 1 < row[k])
				row[k] = row[k - 1] + 1;
			diag = up;
		}
	}
	return row[lb];
}

const char *nearest__find(const char *word, const char *(*at)(const void *ctx, size_t i),
			  const void *ctx)
{
	const char *best = NULL, *name;
	int best_cost = 4, cost;
	size_t i;

	for (i = 0; (name = at(ctx, i)); i++) {
		cost = edit__distance(word, name);
		if (cost < best_cost && cost < (int)strlen(name)) {
			best = name;
			best_cost = cost;
		}
	}
	return best;
}

static const char *params__key_at(const void *ctx, size_t i)
{
	(void)ctx;
	return i < ARRAY_CNT(table) ? table[i].name : NULL;
}

static const char *params__word_at(const void *ctx, size_t i)
{
	return params__word(ctx, i);
}

static int params__bad_value(const struct wl_param *p, const char *value)
{
	const char *near = nearest__find(value, params__word_at, p);
	char range[80] = "";

	if (p->type == PARAM_INT || p->type == PARAM_SIZE)
		snprintf(range, sizeof(range), " (%llu to %llu)", (unsigned long long)p->min,
			 (unsigned long long)p->max);
	else if (p->type == PARAM_BOOL)
		snprintf(range, sizeof(range), " (0 or 1)");
	return fail__usage("%s: bad value '%s'%s%s%s%s; see wakecost-workload --list", p->name,
			   value, range, near ? ", did you mean '" : "", near ? near : "",
			   near ? "'?" : "");
}

static int params__value(const struct wl_param *p, const char *text, u64 *out)
{
	const char *word;
	size_t i;
	int err;

	for (i = 0; (word = params__word(p, i)); i++) {
		if (!strcmp(word, text)) {
			*out = params__word_value(p, i);
			return 0;
		}
	}
	if (p->type == PARAM_ENUM)
		return -EINVAL;
	if (p->type == PARAM_BOOL && (!strcmp(text, "true") || !strcmp(text, "false"))) {
		*out = text[0] == 't';
		return 0;
	}
	err = p->type == PARAM_SIZE ? num__parse_size(text, out) : num__parse(text, out);
	if (err)
		return err;
	return *out < p->min || *out > p->max ? -ERANGE : 0;
}

u64 params__default(const struct wl_param *p)
{
	u64 value = 0;

	params__value(p, p->def, &value);
	return value;
}

bool params__applies(const struct wl_param *p, const char *shape)
{
	if (p->shapes)
		return strstr(p->shapes, shape) != NULL;
	return strcmp(shape, CEILING) != 0 && strcmp(shape, CHASE) != 0;
}

void params__init(struct wl_params *params)
{
	size_t i;

	for (i = 0; i < ARRAY_CNT(table); i++)
		*(u64 *)((char *)params + table[i].off) = params__default(&table[i]);
}

static int params__set(struct wl_params *params, const char *shape, const char *key,
		       const char *value)
{
	const char *near;
	size_t i;

	for (i = 0; i < ARRAY_CNT(table); i++) {
		if (strcmp(table[i].name, key))
			continue;
		if (!params__applies(&table[i], shape))
			return fail__usage("%s does not apply to the shape %s (only to: %s); see "
					   "wakecost-workload --list",
					   key, shape, table[i].shapes ?: "handoff ring herd");
		if (params__value(&table[i], value, (u64 *)((char *)params + table[i].off)))
			return params__bad_value(&table[i], value);
		return 0;
	}
	near = nearest__find(key, params__key_at, NULL);
	return fail__usage("unknown parameter '%s'%s%s%s; see wakecost-workload --list", key,
			   near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int params__parse(struct wl_params *params, const char *shape, const char *arg)
{
	char *copy = strdup(arg), *rest = copy, *item, *eq;
	int err = 0;

	if (!copy)
		return fail__set(ENOMEM, "memory", "out of memory; free some and try again");
	while (!err && (item = strsep(&rest, ","))) {
		eq = strchr(item, '=');
		if (!eq || eq == item) {
			err = fail__usage(
				"-P '%s': expected key=value; see wakecost-workload --list", item);
			break;
		}
		*eq = '\0';
		err = params__set(params, shape, item, eq + 1);
	}
	free(copy);
	return err;
}

void params__write_value(const struct wl_param *p, u64 value, struct json *j, const char *key)
{
	const char *word;
	size_t i;

	if (p->type == PARAM_BOOL) {
		json__bool(j, key, value);
		return;
	}
	for (i = 0; (word = params__word(p, i)); i++) {
		if (params__word_value(p, i) == value) {
			json__string(j, key, word);
			return;
		}
	}
	json__u64(j, key, value);
}

void params__write(const struct wl_params *params, struct json *j, const char *key)
{
	size_t i;

	json__open_object(j, key);
	for (i = 0; i < ARRAY_CNT(table); i++) {
		if (table[i].shapes &&
		    (!strcmp(table[i].shapes, CEILING) || !strcmp(table[i].shapes, CHASE)))
			continue;
		params__write_value(&table[i], *(const u64 *)((const char *)params + table[i].off),
				    j, table[i].name);
	}
	json__close_object(j);
}
