// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <jansson.h>

#include "user/output/lab.h"
#include "user/util/version.h"

#define SCHEMA "wakecost.lab/1"
/* said with every figure: nobody must take these for times */
#define UNIT "counts of an emulated machine, never times"

static json_t *row__json(const struct wc_lab_row *row)
{
	json_t *o = json_pack("{s:s, s:s}", "stage", row->stage, "function", row->function);
	unsigned int c;

	for (c = 0; c < WC_LAB_COUNT_CNT; c++)
		json_object_set_new(o, wc_lab_count__name(c),
				    json_integer((json_int_t)row->counts[c]));
	return o;
}

static json_t *cell__json(const struct wc_lab_cell *cell)
{
	json_t *rows = json_array(), *each = json_object();
	unsigned int c;
	size_t i;

	for (c = 0; c < WC_LAB_COUNT_CNT; c++)
		json_object_set_new(each, wc_lab_count__name(c),
				    json_real(wc_lab_cell__per_handoff(cell, NULL, NULL, c)));
	for (i = 0; i < cell->row_cnt; i++)
		json_array_append_new(rows, row__json(&cell->rows[i]));
	return json_pack("{s:s, s:s*, s:s*, s:s, s:I, s:I, s:f, s:o, s:o}", "kernel", cell->kernel,
			 "release", cell->release, "scheduler", cell->scheduler, "params",
			 cell->params, "seed", (json_int_t)cell->seed, "handoffs",
			 (json_int_t)cell->handoffs, "waits_per_handoff", cell->waits_per_handoff,
			 "per_handoff", each, "totals", rows);
}

int wc_out_lab_json(FILE *f, const struct wc_lab *lab)
{
	json_t *cells = json_array(), *doc;
	size_t i;
	int err;

	for (i = 0; i < lab->cell_cnt; i++)
		json_array_append_new(cells, cell__json(&lab->cells[i]));
	doc = json_pack("{s:s, s:{s:s, s:s}, s:s, s:s, s:s, s:s, s:o}", "schema", SCHEMA, "tool",
			"name", "wakecost", "version", wc_version(), "shape", lab->shape, "unit",
			UNIT, "emulator", lab->emulator, "model", lab->model, "cells", cells);
	if (!doc)
		return -ENOMEM;
	err = json_dumpf(doc, f, JSON_INDENT(1) | JSON_REAL_PRECISION(10)) ? -EIO : 0;
	json_decref(doc);
	fputc('\n', f);
	return err ?: ferror(f) ? -EIO : 0;
}
