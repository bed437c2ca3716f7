// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/book_work.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/util/units.h"

static const struct wc_work_book books[] = {
	{ "server", "pool chapter, Apple M1, macOS 26.5, JDK 25", "macOS 26.5's" },
	{ "admission", "request threads of Tomcat, Apple M1, macOS 15.5, Spring Boot 3.5.4",
	  "macOS 15.5's" },
	{ "cpu-limited",
	  "virtual threads below a CPU limit, a Linux container, Java 21, Spring Boot 3.5.3",
	  "of its Linux, not published" },
};

const struct wc_work_book *wc_work_book__of(const char *shape)
{
	for (size_t i = 0; shape && i < sizeof(books) / sizeof(books[0]); i++)
		if (!strcmp(books[i].shape, shape))
			return &books[i];
	return NULL;
}

/* ---- the cell a row is about ---- */

/* As typed, or the same time in other units: 5s is 5000ms. */
static bool value__is(const char *value, const char *wanted)
{
	uint64_t a, b;

	if (!strcmp(value, wanted))
		return true;
	return !wc_units__parse_duration(value, &a) && !wc_units__parse_duration(wanted, &b) &&
	       a == b;
}

static bool cell__has(const struct wc_cell *cell, const char *item, size_t len)
{
	char key[96], *wanted;
	const char *value;

	if (len >= sizeof(key))
		return false;
	memcpy(key, item, len);
	key[len] = '\0';
	wanted = strchr(key, '=');
	if (!wanted)
		return false;
	*wanted++ = '\0';
	value = wc_kvs__get(&cell->params, key);
	return value && value__is(value, wanted);
}

static bool cell__fits(const struct wc_cell *cell, const char *needs)
{
	while (*needs) {
		size_t len = strcspn(needs, ",");

		if (!cell__has(cell, needs, len))
			return false;
		needs += len + (needs[len] == ',');
	}
	return true;
}

static const struct wc_gauge *gauge__find(const struct wc_result *r, const char *name)
{
	for (size_t i = 0; i < r->gauge_cnt; i++)
		if (!strcmp(r->gauges[i].name, name))
			return &r->gauges[i];
	return NULL;
}

/* ---- its figures ---- */

static const struct wc_phase *phase_of(const struct wc_round *round, bool bare)
{
	const struct wc_phase *p = bare ? &round->bare : &round->probed;

	return round->complete && !round->warmup && p->valid && p->gauges ? p : NULL;
}

static bool cell__has_bare(const struct wc_cell *cell)
{
	for (size_t i = 0; i < cell->round_cnt; i++)
		if (phase_of(&cell->rounds[i], true))
			return true;
	return false;
}

/* By round index, so that cells of one recording are divided round by round. */
static int series__of_gauge(const struct wc_cell *cell, size_t gauge, struct wc_series *out)
{
	bool bare = cell__has_bare(cell);

	*out = (struct wc_series){};
	for (size_t i = 0; i < cell->round_cnt; i++)
		if (cell->rounds[i].index >= out->cnt)
			out->cnt = (size_t)cell->rounds[i].index + 1;
	if (out->cnt > WC_ROUND_MAX + 1) /* as a stranger's recording may have it */
		out->cnt = WC_ROUND_MAX + 1;
	out->v = malloc((out->cnt + 1) * sizeof(*out->v));
	if (!out->v)
		return -ENOMEM;
	for (size_t i = 0; i < out->cnt; i++)
		out->v[i] = NAN;
	for (size_t i = 0; i < cell->round_cnt; i++) {
		const struct wc_phase *p = phase_of(&cell->rounds[i], bare);

		if (p && cell->rounds[i].index < out->cnt)
			out->v[cell->rounds[i].index] = p->gauges[gauge];
	}
	return 0;
}

struct found {
	const struct wc_result *r;
	struct wc_series series;
};

static int row__find(const struct wc_result *const *results, size_t result_cnt,
		     struct wc_work_beside *b, struct found *found)
{
	for (size_t i = 0; i < result_cnt; i++) {
		const struct wc_result *r = results[i];
		const struct wc_gauge *gauge = gauge__find(r, b->row->gauge);

		for (size_t k = 0; gauge && k < r->cell_cnt; k++) {
			if (!cell__fits(&r->cells[k], b->row->needs))
				continue;
			if (series__of_gauge(&r->cells[k], (size_t)(gauge - r->gauges),
					     &found->series))
				return -ENOMEM;
			wc_effect__of(&found->series, &b->own);
			if (b->own.n) {
				b->cell = &r->cells[k];
				b->gauge = gauge;
				found->r = r;
				return 0;
			}
			wc_series__free(&found->series);
			found->series = (struct wc_series){};
		}
	}
	return 0;
}

/* In place of the row's series. Of two recordings only the medians can be divided. */
static void row__divide(struct wc_work_beside *b, struct found *found,
			const struct wc_work_beside *base, const struct found *of_base)
{
	if (!b->own.n || !base->own.n || !(base->own.ns > 0))
		return;
	if (found->r == of_base->r) {
		if (b != base)
			wc_series__divide(&found->series, &of_base->series);
		else
			for (size_t i = 0; i < found->series.cnt; i++)
				found->series.v[i] /= found->series.v[i];
		wc_effect__of(&found->series, &b->ratio);
		return;
	}
	b->ratio = (struct wc_effect){ .n = b->own.n < base->own.n ? b->own.n : base->own.n,
				       .ns = b->own.ns / base->own.ns };
	b->ratio.lo = b->ratio.hi = b->ratio.ns;
}

/* From the last: a row's base stands before it, and is whole until then. */
static void rows__divide(struct wc_work_beside *rows, struct found *found, size_t cnt)
{
	for (size_t i = cnt; i-- > 0;) {
		for (size_t k = 0; rows[i].row->base && k <= i; k++) {
			if (strcmp(rows[k].row->id, rows[i].row->base) != 0)
				continue;
			if (rows[k].row->value > 0)
				rows[i].book_ratio = rows[i].row->value / rows[k].row->value;
			row__divide(&rows[i], &found[i], &rows[k], &found[k]);
			break;
		}
	}
}

int wc_work_book__beside(const struct wc_result *const *results, size_t result_cnt,
			 struct wc_work_beside **out, size_t *cnt)
{
	struct wc_work_beside *rows = calloc(wc_work_book__row_cnt, sizeof(*rows));
	struct found *found = calloc(wc_work_book__row_cnt, sizeof(*found));
	int err = rows && found && result_cnt ? 0 : -ENOMEM;

	*cnt = 0;
	for (size_t i = 0; !err && i < wc_work_book__row_cnt; i++) {
		if (strcmp(wc_work_book__rows[i].shape, results[0]->shape) != 0)
			continue;
		rows[*cnt].row = &wc_work_book__rows[i];
		err = row__find(results, result_cnt, &rows[*cnt], &found[*cnt]);
		(*cnt)++;
	}
	if (!err)
		rows__divide(rows, found, *cnt);
	for (size_t i = 0; found && i < *cnt; i++)
		wc_series__free(&found[i].series);
	free(found);
	if (err) {
		free(rows);
		rows = NULL;
		*cnt = 0;
	}
	*out = rows;
	return err;
}
