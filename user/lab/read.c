// SPDX-License-Identifier: BSD-2-Clause
#include "user/lab/read.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/util/file.h"

#define SCHEMA	 "wakecost.lab/1"
#define FILE_MAX (512u << 20)

bool wc_lab__is_file(const char *path)
{
	char head[256];
	ssize_t len = wc_file__read(path, head, sizeof(head));

	return (len > 0 || len == -EFBIG) && *head == '{' && strstr(head, "\"" SCHEMA "\"");
}

static char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? strdup(text) : NULL;
}

/* False: not there, or below zero. */
static bool count_of(const json_t *o, const char *key, uint64_t *out)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return false;
	*out = (uint64_t)json_integer_value(v);
	return true;
}

static int row__read(struct wc_lab_cell *cell, const json_t *o)
{
	struct wc_lab_row *row = wc_lab_cell__add_row(cell);
	unsigned int c;

	if (!row)
		return -ENOMEM;
	row->stage = text_of(o, "stage");
	row->function = text_of(o, "function");
	for (c = 0; c < WC_LAB_COUNT_CNT; c++) {
		if (!count_of(o, wc_lab_count__name(c), &row->counts[c]))
			return -EBADMSG;
	}
	return row->stage && row->function ? 0 : -EBADMSG;
}

static int cell__read(struct wc_lab *lab, const json_t *o)
{
	struct wc_lab_cell *cell = wc_lab__add_cell(lab);
	const json_t *rows = json_object_get(o, "totals"),
		     *waits = json_object_get(o, "waits_per_handoff");
	size_t i;
	int err = 0;

	if (!cell)
		return -ENOMEM;
	cell->kernel = text_of(o, "kernel");
	cell->release = text_of(o, "release");
	cell->scheduler = text_of(o, "scheduler");
	cell->params = text_of(o, "params");
	if (!cell->kernel || !cell->params || !count_of(o, "seed", &cell->seed) ||
	    !count_of(o, "handoffs", &cell->handoffs) || !cell->handoffs ||
	    !json_is_number(waits) || !json_array_size(rows))
		return -EBADMSG;
	cell->waits_per_handoff = json_number_value(waits);
	for (i = 0; !err && i < json_array_size(rows); i++)
		err = row__read(cell, json_array_get(rows, i));
	return err;
}

static int lab__fill(struct wc_lab *lab, const json_t *doc)
{
	const char *schema = json_string_value(json_object_get(doc, "schema"));
	const json_t *cells = json_object_get(doc, "cells");
	size_t i;
	int err = 0;

	if (!schema || strcmp(schema, SCHEMA))
		return -EPROTONOSUPPORT;
	lab->shape = text_of(doc, "shape");
	lab->emulator = text_of(doc, "emulator");
	lab->model = text_of(doc, "model");
	if (!lab->shape || !lab->emulator || !lab->model || !json_array_size(cells))
		return -EBADMSG;
	for (i = 0; !err && i < json_array_size(cells); i++)
		err = cell__read(lab, json_array_get(cells, i));
	return err;
}

int wc_lab__read(const char *path, struct wc_lab **lab, char *error, size_t error_sz)
{
	size_t len;
	char *text = wc_file__slurp(path, FILE_MAX, &len);
	json_error_t why;
	json_t *doc;
	int err;

	if (!text) {
		err = -errno;
		snprintf(error, error_sz, "%s: %s", path, strerror(-err));
		return err;
	}
	doc = json_loadb(text, len, 0, &why);
	free(text);
	*lab = wc_lab__new();
	err = !*lab ? -ENOMEM : doc ? lab__fill(*lab, doc) : -EBADMSG;
	if (err == -EPROTONOSUPPORT)
		snprintf(error, error_sz, "%s was not left by `wakecost lab -o FILE`", path);
	else if (err == -EBADMSG)
		snprintf(error, error_sz, "%s is damaged, or no file of `wakecost lab`%s%s", path,
			 doc ? "" : ": ", doc ? "" : why.text);
	else if (err)
		snprintf(error, error_sz, "%s", strerror(-err));
	json_decref(doc);
	if (err) {
		wc_lab__free(*lab);
		*lab = NULL;
	}
	return err;
}
