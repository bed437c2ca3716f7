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

/* Of the mechanisms and backgrounds the words are the registry's. */
#define OFF(field) offsetof(struct wl_params, field)

static const struct wl_param *row__at(size_t i)
{
	size_t cnt;
	const struct wl_param *table = params__table(&cnt);

	return i < cnt ? &table[i] : NULL;
}

const char *params__type_name(enum wl_param_type type)
{
	static const char *const names[] = { "int",  "size",	"enum", "bool",
					     "time", "decimal", "ipv4" };

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
	const struct wl_param *p = row__at(i);

	(void)ctx;
	return p ? p->name : NULL;
}

static const char *params__word_at(const void *ctx, size_t i)
{
	return params__word(ctx, i);
}

static int params__bad_value(const struct wl_param *p, const char *value)
{
	const char *near = nearest__find(value, params__word_at, p);
	char range[80] = "", low[NUM_TIME_SZ], high[NUM_TIME_SZ];

	if (p->type == PARAM_INT || p->type == PARAM_SIZE)
		snprintf(range, sizeof(range), " (%llu to %llu)", (unsigned long long)p->min,
			 (unsigned long long)p->max);
	else if (p->type == PARAM_TIME)
		snprintf(range, sizeof(range), " (%s to %s, with a unit: ns, us, ms, s)",
			 num__time(low, p->min), num__time(high, p->max));
	else if (p->type == PARAM_DECIMAL)
		snprintf(range, sizeof(range), " (%s to %s, at most 3 decimals)",
			 num__decimal(low, p->min), num__decimal(high, p->max));
	else if (p->type == PARAM_IPV4)
		snprintf(range, sizeof(range), " (an IPv4 address in numbers, 127.0.0.1)");
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
	switch (p->type) {
	case PARAM_SIZE:
		err = num__parse_size(text, out);
		break;
	case PARAM_TIME:
		err = num__parse_time(text, out);
		break;
	case PARAM_DECIMAL:
		err = num__parse_decimal(text, out);
		break;
	case PARAM_IPV4:
		return num__parse_ipv4(text, out);
	default:
		err = num__parse(text, out);
	}
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

/* One of the words of a list. */
static bool list__has(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; list; list = strchr(list, ' ')) {
		list += *list == ' ';
		if (!strncmp(list, word, len) && (list[len] == ' ' || !list[len]))
			return true;
	}
	return false;
}

bool params__applies(const struct wl_param *p, const char *shape)
{
	return list__has(p->shapes ? p->shapes : HANDOFF_SHAPES, shape);
}

/* A name that stands twice has the default of the shape's own row. */
void params__init(struct wl_params *params, const char *shape)
{
	const struct wl_param *p;
	int own;
	size_t i;

	for (own = 0; own < 2; own++) {
		for (i = 0; (p = row__at(i)); i++) {
			if (params__applies(p, shape) == own)
				*(u64 *)((char *)params + p->off) = params__default(p);
		}
	}
}

static int params__set(struct wl_params *params, const char *shape, const char *key,
		       const char *value)
{
	char others[128] = "";
	const struct wl_param *p;
	const char *near;
	size_t i, len = 0;

	for (i = 0; (p = row__at(i)); i++) {
		if (strcmp(p->name, key))
			continue;
		if (!params__applies(p, shape)) {
			if (len < sizeof(others))
				len += (size_t)snprintf(others + len, sizeof(others) - len, "%s%s",
							len ? " " : "",
							p->shapes ? p->shapes : HANDOFF_SHAPES);
			continue;
		}
		if (params__value(p, value, (u64 *)((char *)params + p->off)))
			return params__bad_value(p, value);
		return 0;
	}
	if (len)
		return fail__usage("%s does not apply to the shape %s (only to: %s); see "
				   "wakecost-workload --list",
				   key, shape, others);
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
	char text[NUM_TIME_SZ];
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
	if (p->type == PARAM_TIME)
		json__string(j, key, num__time(text, value));
	else if (p->type == PARAM_DECIMAL)
		json__string(j, key, num__decimal(text, value));
	else if (p->type == PARAM_IPV4)
		json__string(j, key, num__ipv4(text, value));
	else
		json__u64(j, key, value);
}

/* A handoff's are those of all its shapes: ring's threads stand beside handoff's cpu. */
static bool params__shown(const struct wl_param *p, const char *shape)
{
	static const char *const handoffs[] = { "handoff", "ring", "herd" };
	bool handoff = list__has(HANDOFF_SHAPES, shape);
	size_t i;

	if (!handoff)
		return params__applies(p, shape);
	for (i = 0; i < ARRAY_CNT(handoffs); i++) {
		if (params__applies(p, handoffs[i]))
			return true;
	}
	return false;
}

void params__write(const struct wl_params *params, const char *shape, struct json *j,
		   const char *key)
{
	const struct wl_param *p;
	size_t i;

	json__open_object(j, key);
	for (i = 0; (p = row__at(i)); i++) {
		if (params__shown(p, shape))
			params__write_value(p, *(const u64 *)((const char *)params + p->off), j,
					    p->name);
	}
	json__close_object(j);
}
