/* SPDX-License-Identifier: BSD-2-Clause */
/* Building and freeing results. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/profile.h"
#include "user/model/result.h"
#include "user/util/grow.h"

struct wc_result *wc_result__new(void)
{
	struct wc_result *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->schema = strdup("wakecost.run/1");
	if (!r->schema) {
		free(r);
		return NULL;
	}
	return r;
}

static void round_clear(struct wc_round *round)
{
	for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
		for (unsigned int m = 0; m < WC_METRIC_CNT; m++)
			free(round->hists[c][m]);
	free(round->pairs);
	free(round->bare.gauges);
	free(round->probed.gauges);
}

static void cell_clear(struct wc_cell *cell)
{
	for (size_t j = 0; j < cell->round_cnt; j++)
		round_clear(&cell->rounds[j]);
	free(cell->rounds);
	wc_kvs__free(&cell->params);
}

void wc_result__drop_cell(struct wc_result *r)
{
	cell_clear(&r->cells[--r->cell_cnt]);
}

static void gauge_clear(struct wc_gauge *g)
{
	free(g->name);
	free(g->unit);
	free(g->better);
	free(g->group);
	free(g->label);
	free(g->help);
}

void wc_result__free(struct wc_result *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->cell_cnt; i++)
		cell_clear(&r->cells[i]);
	free(r->cells);
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		free(r->stages[i].shown_as);
		free(r->stages[i].probe);
		free(r->stages[i].why);
	}
	for (size_t i = 0; i < r->warning_cnt; i++)
		free(r->warnings[i]);
	free(r->warnings);
	free(r->accesses);
	for (size_t i = 0; i < r->gauge_cnt; i++)
		gauge_clear(&r->gauges[i]);
	free(r->gauges);
	free(r->work);
	wc_kvs__free(&r->params);
	wc_kvs__free(&r->host);
	wc_kvs__free(&r->counters);
	wc_profile__free(r->profile);
	free(r->schema);
	free(r->tool_version);
	free(r->command_line);
	free(r->shape);
	free(r);
}

int wc_kvs__set(struct wc_kvs *kvs, const char *key, const char *value)
{
	struct wc_kv *items;
	char *v = strdup(value), *k;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < kvs->cnt; i++) {
		if (strcmp(kvs->items[i].key, key))
			continue;
		free(kvs->items[i].value);
		kvs->items[i].value = v;
		return 0;
	}
	k = strdup(key);
	items = k ? wc_grow(kvs->items, kvs->cnt, sizeof(*items)) : NULL;
	if (!items) {
		free(k);
		free(v);
		return -ENOMEM;
	}
	kvs->items = items;
	kvs->items[kvs->cnt++] = (struct wc_kv){ .key = k, .value = v };
	return 0;
}

int wc_kvs__setf(struct wc_kvs *kvs, const char *key, const char *fmt, ...)
{
	char *value;
	va_list ap;
	int n, err;

	va_start(ap, fmt);
	n = vasprintf(&value, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	err = wc_kvs__set(kvs, key, value);
	free(value);
	return err;
}

const char *wc_kvs__get(const struct wc_kvs *kvs, const char *key)
{
	for (size_t i = 0; i < kvs->cnt; i++)
		if (!strcmp(kvs->items[i].key, key))
			return kvs->items[i].value;
	return NULL;
}

void wc_kvs__free(struct wc_kvs *kvs)
{
	for (size_t i = 0; i < kvs->cnt; i++) {
		free(kvs->items[i].key);
		free(kvs->items[i].value);
	}
	free(kvs->items);
	*kvs = (struct wc_kvs){ 0 };
}

int wc_result__warnf(struct wc_result *r, const char *fmt, ...)
{
	char **warnings, *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	for (size_t i = 0; i < r->warning_cnt; i++) {
		if (!strcmp(r->warnings[i], text)) {
			free(text);
			return 0;
		}
	}
	warnings = wc_grow(r->warnings, r->warning_cnt, sizeof(*warnings));
	if (!warnings) {
		free(text);
		return -ENOMEM;
	}
	r->warnings = warnings;
	r->warnings[r->warning_cnt++] = text;
	return 0;
}

struct wc_cell *wc_result__add_cell(struct wc_result *r)
{
	struct wc_cell *cells = wc_grow(r->cells, r->cell_cnt, sizeof(*cells));

	if (!cells)
		return NULL;
	r->cells = cells;
	cells += r->cell_cnt++;
	memset(cells, 0, sizeof(*cells));
	return cells;
}

struct wc_access *wc_result__add_access(struct wc_result *r)
{
	struct wc_access *accesses = wc_grow(r->accesses, r->access_cnt, sizeof(*accesses));

	if (!accesses)
		return NULL;
	r->accesses = accesses;
	accesses += r->access_cnt++;
	memset(accesses, 0, sizeof(*accesses));
	return accesses;
}

struct wc_round *wc_cell__add_round(struct wc_cell *cell)
{
	struct wc_round *rounds;

	if (cell->round_cnt >= WC_ROUND_MAX)
		return NULL;
	rounds = wc_grow(cell->rounds, cell->round_cnt, sizeof(*rounds));
	if (!rounds)
		return NULL;
	cell->rounds = rounds;
	rounds += cell->round_cnt++;
	memset(rounds, 0, sizeof(*rounds));
	rounds->chain_cnt = UINT64_MAX;
	return rounds;
}

struct wc_gauge *wc_result__add_gauge(struct wc_result *r)
{
	struct wc_gauge *gauges;

	if (r->gauge_cnt >= WC_GAUGE_MAX)
		return NULL;
	gauges = wc_grow(r->gauges, r->gauge_cnt, sizeof(*gauges));
	if (!gauges)
		return NULL;
	r->gauges = gauges;
	gauges += r->gauge_cnt++;
	memset(gauges, 0, sizeof(*gauges));
	return gauges;
}

int wc_phase__make_gauges(const struct wc_result *r, struct wc_phase *phase)
{
	if (phase->gauges || !r->gauge_cnt)
		return 0;
	phase->gauges = malloc(r->gauge_cnt * sizeof(*phase->gauges));
	if (!phase->gauges)
		return -ENOMEM;
	for (size_t i = 0; i < r->gauge_cnt; i++)
		phase->gauges[i] = NAN;
	return 0;
}
