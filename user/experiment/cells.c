// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/cells.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(char *error, size_t sz, const char *fmt, const char *what)
{
	snprintf(error, sz, fmt, what);
	return -EINVAL;
}

static int spec__add(struct wc_result *r, const char *spec, char *error, size_t sz)
{
	const char *eq = strchr(spec, '='), *v;
	char *key;
	int err;

	if (!eq || eq == spec)
		return fail(error, sz, "-P wants key=value[,value...], not \"%s\"", spec);
	/* an empty value is a slip of the pen, not a value */
	for (v = eq + 1;; v = strchr(v, ',') + 1) {
		if (*v == ',' || !*v)
			return fail(error, sz, "-P %s has an empty value", spec);
		if (!strchr(v, ','))
			break;
	}
	key = strndup(spec, eq - spec);
	if (!key)
		return -ENOMEM;
	err = wc_kvs__set(&r->params, key, eq + 1);
	free(key);
	return err;
}

static size_t value_cnt(const char *list)
{
	size_t cnt = 1;

	for (; *list; list++)
		cnt += *list == ',';
	return cnt;
}

/* The i-th of "a,b,c"; free() it. */
static char *value_at(const char *list, size_t i)
{
	while (i--)
		list = strchr(list, ',') + 1;
	return strndup(list, strcspn(list, ","));
}

static int cell__fill(struct wc_result *r, struct wc_cell *cell, const char *shape, size_t n)
{
	int err = wc_kvs__set(&cell->params, "shape", shape);
	size_t i, div = 1;

	/* last key fastest: its stride is 1, so strides are computed from behind */
	for (i = 0; i < r->params.cnt; i++)
		div *= value_cnt(r->params.items[i].value);
	for (i = 0; !err && i < r->params.cnt; i++) {
		const struct wc_kv *kv = &r->params.items[i];
		size_t cnt = value_cnt(kv->value);
		char *value;

		div /= cnt;
		value = value_at(kv->value, n / div % cnt);
		err = value ? wc_kvs__set(&cell->params, kv->key, value) : -ENOMEM;
		free(value);
	}
	cell->asked_cnt = cell->params.cnt;
	return err;
}

/* Nobody parked is one point, however many of nobody are asked for. */
static int cell__none_parked(struct wc_cell *cell)
{
	const char *background = wc_kvs__get(&cell->params, "background");

	if (!background || strcmp(background, "none") || !wc_kvs__get(&cell->params, "parked"))
		return 0;
	return wc_kvs__set(&cell->params, "parked", "0");
}

static bool cells__equal(const struct wc_cell *a, const struct wc_cell *b)
{
	size_t i;

	for (i = 0; i < a->params.cnt; i++) {
		if (strcmp(a->params.items[i].value, b->params.items[i].value))
			return false;
	}
	return true;
}

/* Only where nobody is parked: a value given twice is meant, as two equal cells. */
static bool cell__is_again(const struct wc_result *r)
{
	const struct wc_cell *last = &r->cells[r->cell_cnt - 1];
	const char *background = wc_kvs__get(&last->params, "background");
	size_t i;

	if (!background || strcmp(background, "none"))
		return false;
	for (i = 0; i + 1 < r->cell_cnt; i++) {
		if (cells__equal(&r->cells[i], last))
			return true;
	}
	return false;
}

int wc_cells__build(struct wc_result *r, const char *shape, const char *const *specs,
		    size_t spec_cnt, char *error, size_t error_sz)
{
	size_t i, total = 1;
	int err = 0;

	error[0] = '\0';
	for (i = 0; !err && i < spec_cnt; i++)
		err = spec__add(r, specs[i], error, error_sz);
	for (i = 0; !err && i < r->params.cnt; i++) {
		total *= value_cnt(r->params.items[i].value);
		if (total > WC_CELLS_MAX)
			return fail(error, error_sz,
				    "the lists make too many cells (%s): name fewer values",
				    "more than 10000");
	}
	for (i = 0; !err && i < total; i++) {
		struct wc_cell *cell = wc_result__add_cell(r);

		err = cell ? cell__fill(r, cell, shape, i) : -ENOMEM;
		err = err ? err : cell__none_parked(cell);
		if (!err && cell__is_again(r))
			wc_result__drop_cell(r);
	}
	return err;
}
