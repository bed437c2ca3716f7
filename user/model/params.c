/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "user/model/params.h"
#include "user/util/units.h"

static bool equal(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool wc_params__varies(const struct wc_result *r, const char *key)
{
	for (size_t i = 1; i < r->cell_cnt; i++)
		if (!equal(wc_kvs__get(&r->cells[0].params, key),
			   wc_kvs__get(&r->cells[i].params, key)))
			return true;
	return false;
}

bool wc_params__number(const struct wc_cell *cell, const char *key, uint64_t *value)
{
	const char *text = wc_kvs__get(&cell->params, key);

	return text && !wc_units__parse_unsigned(text, value);
}

static bool is_axis(const struct wc_result *r, const char *key)
{
	uint64_t value;

	for (size_t i = 0; i < r->cell_cnt; i++)
		if (!wc_params__number(&r->cells[i], key, &value))
			return false;
	return wc_params__varies(r, key);
}

const char *wc_params__axis(const struct wc_result *r)
{
	if (!r->cell_cnt)
		return NULL;
	if (is_axis(r, "parked"))
		return "parked";
	for (size_t i = 0; i < r->cells[0].params.cnt; i++)
		if (is_axis(r, r->cells[0].params.items[i].key))
			return r->cells[0].params.items[i].key;
	return NULL;
}

const char *wc_params__label(const struct wc_result *r, const struct wc_cell *cell,
			     const struct wc_cell *other, bool same, char *buf, size_t sz)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < cell->params.cnt && used < sz; i++) {
		const struct wc_kv *kv = &cell->params.items[i];

		if (!wc_params__varies(r, kv->key))
			continue;
		if (other && same != equal(kv->value, wc_kvs__get(&other->params, kv->key)))
			continue;
		used += (size_t)snprintf(buf + used, sz - used, "%s%s=%s", used ? " " : "", kv->key,
					 kv->value);
	}
	return buf;
}
