// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/explain_cells.h"

#include <stdlib.h>
#include <string.h>

#include "user/model/params.h"
#include "user/model/stats.h"

static bool has_rounds(const struct wc_cell *cell)
{
	size_t i;

	for (i = 0; i < cell->round_cnt; i++) {
		if (cell->rounds[i].complete && !cell->rounds[i].warmup)
			return true;
	}
	return false;
}

static bool is_role(const struct wc_cell *cell, const char *role)
{
	const char *v = wc_kvs__get(&cell->params, WC_ROLE_KEY);

	return v && !strcmp(v, role) && has_rounds(cell);
}

const struct wc_cell *wc_role__cell(const struct wc_result *r, const char *role, size_t n)
{
	size_t i;

	for (i = 0; i < r->cell_cnt; i++) {
		if (is_role(&r->cells[i], role) && !n--)
			return &r->cells[i];
	}
	return NULL;
}

uint64_t wc_cell__number(const struct wc_cell *cell, const char *key)
{
	uint64_t v = 0;

	return wc_params__number(cell, key, &v) ? v : 0;
}

const struct wc_cell *wc_role__at(const struct wc_result *r, const char *role, const char *key,
				  uint64_t value)
{
	size_t i;

	for (i = 0; i < r->cell_cnt; i++) {
		if (is_role(&r->cells[i], role) && wc_cell__number(&r->cells[i], key) == value)
			return &r->cells[i];
	}
	return NULL;
}

void wc_cells__differ(const struct wc_cell *a, const struct wc_cell *b, unsigned int metrics,
		      struct wc_effect *e)
{
	struct wc_series x = {}, y = {};

	memset(e, 0, sizeof(*e));
	if (!a || !b)
		return;
	if (!wc_series__of(a, metrics, &x) && !wc_series__of(b, metrics, &y)) {
		wc_series__add(&x, &y, -1);
		wc_effect__of(&x, e);
	}
	wc_series__free(&x);
	wc_series__free(&y);
}

void wc_cells__value(const struct wc_cell *cell, unsigned int metrics, struct wc_effect *e)
{
	struct wc_series x = {};

	memset(e, 0, sizeof(*e));
	if (cell && !wc_series__of(cell, metrics, &x))
		wc_effect__of(&x, e);
	wc_series__free(&x);
}

uint64_t wc_cell__chain(const struct wc_cell *cell)
{
	double *v = malloc((cell->round_cnt + 1) * sizeof(*v));
	uint64_t chain = UINT64_MAX;
	size_t i, n = 0;

	for (i = 0; v && i < cell->round_cnt; i++) {
		const struct wc_round *round = &cell->rounds[i];

		if (!round->warmup && round->complete && round->chain_cnt != UINT64_MAX)
			v[n++] = (double)round->chain_cnt;
	}
	if (n)
		chain = (uint64_t)wc_stats__median(v, n);
	free(v);
	return chain;
}
