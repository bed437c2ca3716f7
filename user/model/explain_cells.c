// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/explain_cells.h"

#include <errno.h>
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

static int terms__series(const struct wc_term *terms, size_t cnt, struct wc_series *sum)
{
	struct wc_series one = {};
	size_t i;
	int err;

	*sum = (struct wc_series){};
	for (i = 0; i < cnt; i++) {
		err = terms[i].cell ? wc_series__of(terms[i].cell, terms[i].metrics, &one)
				    : -ENOENT;
		if (err)
			return err;
		if (i) {
			wc_series__add(sum, &one, terms[i].factor);
			wc_series__free(&one);
		} else {
			*sum = one; /* the first counts once */
		}
	}
	return 0;
}

void wc_terms__effect(const struct wc_term *terms, size_t cnt, struct wc_effect *e)
{
	struct wc_series sum;

	memset(e, 0, sizeof(*e));
	if (!terms__series(terms, cnt, &sum))
		wc_effect__of(&sum, e);
	wc_series__free(&sum);
}

void wc_terms__ratio(const struct wc_term *over, size_t over_cnt, const struct wc_term *under,
		     size_t under_cnt, struct wc_effect *e)
{
	struct wc_series x, y = {};

	memset(e, 0, sizeof(*e));
	if (!terms__series(over, over_cnt, &x) && !terms__series(under, under_cnt, &y)) {
		wc_series__divide(&x, &y);
		wc_effect__of(&x, e);
	}
	wc_series__free(&x);
	wc_series__free(&y);
}

void wc_cells__differ(const struct wc_cell *a, const struct wc_cell *b, unsigned int metrics,
		      struct wc_effect *e)
{
	wc_terms__effect((struct wc_term[]){ { a, metrics, 1 }, { b, metrics, -1 } }, 2, e);
}

void wc_cells__value(const struct wc_cell *cell, unsigned int metrics, struct wc_effect *e)
{
	wc_terms__effect(&(struct wc_term){ cell, metrics, 1 }, 1, e);
}

bool wc_explain__grew(const struct wc_explain *e, const struct wc_effect *x)
{
	return wc_effect__is_real(x) && x->ns > 0 && x->ns > e->noise_floor_ns;
}

unsigned int wc_level__main_cause(const struct wc_level *l)
{
	unsigned int c, best = WC_CAUSE_NONE;

	for (c = 0; c < WC_CAUSE_NONE; c++) {
		if (l->causes[c].n &&
		    l->causes[c].ns > (l->causes[best].n ? l->causes[best].ns : 0))
			best = c;
	}
	return best;
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
