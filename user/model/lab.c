// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/lab.h"

#include <stdlib.h>
#include <string.h>

#include "user/util/grow.h"

const char *wc_lab_count__name(unsigned int count)
{
	static const char *const names[WC_LAB_COUNT_CNT] = {
		"instructions", "memory_accesses", "l1d_misses",  "l1i_misses",
		"l2_misses",	"dtlb_misses",	   "stlb_misses",
	};

	return count < WC_LAB_COUNT_CNT ? names[count] : NULL;
}

struct wc_lab *wc_lab__new(void)
{
	return calloc(1, sizeof(struct wc_lab));
}

static void cell__clear(struct wc_lab_cell *cell)
{
	size_t i;

	for (i = 0; i < cell->row_cnt; i++) {
		free(cell->rows[i].stage);
		free(cell->rows[i].function);
	}
	free(cell->rows);
	free(cell->kernel);
	free(cell->release);
	free(cell->scheduler);
	free(cell->params);
}

void wc_lab__free(struct wc_lab *lab)
{
	size_t i;

	if (!lab)
		return;
	for (i = 0; i < lab->cell_cnt; i++)
		cell__clear(&lab->cells[i]);
	free(lab->cells);
	free(lab->shape);
	free(lab->emulator);
	free(lab->model);
	free(lab);
}

struct wc_lab_cell *wc_lab__add_cell(struct wc_lab *lab)
{
	struct wc_lab_cell *more = reallocarray(lab->cells, lab->cell_cnt + 1, sizeof(*lab->cells));

	if (!more)
		return NULL;
	lab->cells = more;
	more = &lab->cells[lab->cell_cnt++];
	memset(more, 0, sizeof(*more));
	return more;
}

struct wc_lab_row *wc_lab_cell__add_row(struct wc_lab_cell *cell)
{
	struct wc_lab_row *more = wc_grow(cell->rows, cell->row_cnt, sizeof(*more));

	if (!more)
		return NULL;
	cell->rows = more;
	more = &cell->rows[cell->row_cnt++];
	memset(more, 0, sizeof(*more));
	return more;
}

double wc_lab_cell__per_handoff(const struct wc_lab_cell *cell, const char *stage,
				const char *function, enum wc_lab_count count)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < cell->row_cnt; i++) {
		const struct wc_lab_row *row = &cell->rows[i];

		if ((!stage || !strcmp(row->stage, stage)) &&
		    (!function || !strcmp(row->function, function)))
			sum += row->counts[count];
	}
	return cell->handoffs ? (double)sum / (double)cell->handoffs : 0;
}

static int alike(const struct wc_lab_cell *a, const struct wc_lab_cell *b)
{
	return !strcmp(a->kernel, b->kernel) && !strcmp(a->params, b->params);
}

double wc_lab__mean(const struct wc_lab *lab, const struct wc_lab_cell *like, const char *stage,
		    const char *function, enum wc_lab_count count)
{
	double sum = 0;
	size_t i, cnt = 0;

	for (i = 0; i < lab->cell_cnt; i++) {
		if (!alike(&lab->cells[i], like))
			continue;
		sum += wc_lab_cell__per_handoff(&lab->cells[i], stage, function, count);
		cnt++;
	}
	return cnt ? sum / (double)cnt : 0;
}

int wc_lab__is_first(const struct wc_lab *lab, const struct wc_lab_cell *cell)
{
	const struct wc_lab_cell *c;

	for (c = lab->cells; c < cell; c++) {
		if (alike(c, cell))
			return 0;
	}
	return 1;
}

const struct wc_lab_cell *wc_lab__baseline(const struct wc_lab *lab, const struct wc_lab_cell *cell)
{
	const struct wc_lab_cell *c = lab->cells;

	while (strcmp(c->kernel, cell->kernel))
		c++;
	return c;
}
