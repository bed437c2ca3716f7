// SPDX-License-Identifier: BSD-2-Clause
/*
 * A cell of the lab as a flame graph: stage, and the functions in it, as wide as what a handoff
 * counts there; with a base, what has changed since.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/flame_impl.h"
#include "user/output/lab.h"
#include "user/util/units.h"

static const char *const units[WC_LAB_COUNT_CNT] = {
	"instructions", "loads and stores", "L1d misses",  "L1i misses",
	"L2 misses",	"dTLB misses",	    "STLB misses",
};

/* Who runs there; the second user instruction is between two handoffs. */
static enum wc_path_class class_of(const char *stage)
{
	if (!strcmp(stage, "switch") || !strcmp(stage, "return"))
		return WC_PATH_WAKEE_KERNEL;
	return !strcmp(stage, "outside") ? WC_PATH_WAKER_USER : WC_PATH_WAKER_KERNEL;
}

/* All seeds of a cell; returns -ENOMEM, or 0 with the handoffs added. */
static int add(struct flame *fl, const struct wc_lab *lab, const struct wc_lab_cell *like,
	       enum flame_side side, enum wc_lab_count count, uint64_t *handoffs)
{
	size_t i, r;
	int err = 0;

	for (i = 0; i < lab->cell_cnt; i++) {
		const struct wc_lab_cell *cell = &lab->cells[i];

		if (strcmp(cell->kernel, like->kernel) || strcmp(cell->params, like->params))
			continue;
		*handoffs += cell->handoffs;
		for (r = 0; !err && r < cell->row_cnt; r++) {
			const struct wc_lab_row *row = &cell->rows[r];
			const struct flame_node path[] = {
				{ .name = row->stage,
				  .module = "",
				  .path_class = WC_PATH_STAGE,
				  .kind = WC_FRAME_NOTE },
				{ .name = row->function,
				  .module = "",
				  .path_class = class_of(row->stage),
				  .kind = WC_FRAME_KERNEL },
			};

			if (row->counts[count])
				err = flame_tree__put(&fl->tree, side, path, 2, row->counts[count]);
		}
	}
	return err;
}

static int describe(struct flame *fl, const struct wc_lab *lab, const struct wc_lab_cell *cell,
		    const struct wc_lab_cell *base)
{
	const struct flame_node *root = &fl->tree.nodes[0];
	char buf[WC_UNITS_BUF_SZ], before[WC_UNITS_BUF_SZ], *title;
	int err;

	if (asprintf(&title, "%s%s of a handoff \xe2\x80\x94 %s, %s", base ? "Change in " : "",
		     fl->unit, cell->release ?: cell->kernel,
		     *cell->params ? cell->params : "defaults") < 0)
		return -ENOMEM;
	if (*title >= 'a' && *title <= 'z')
		*title ^= 0x20;
	fl->title = flame__safe(title);
	free(title);
	err = fl->title ? 0 : -ENOMEM;
	err = err
		      ?: flame__fact(fl, "%s %s a handoff",
				     flame__format(fl, buf, sizeof(buf), root->value[FLAME_NEW]),
				     fl->unit);
	if (base)
		err = err
			      ?: flame__fact(fl, "before, %s: %s",
					     *base->params ? base->params : "defaults",
					     flame__format(fl, before, sizeof(before),
							   root->value[FLAME_BASE]));
	err = err ?: flame__fact(fl, "counted in an emulated machine: no time");
	if (cell->scheduler)
		err = err ?: flame__fact(fl, "%s", cell->scheduler);
	err = err ?: flame__fact(fl, "%s", lab->shape);
	err = err
		      ?: flame__fact(fl, "%s handoffs",
				     wc_units__format_count(buf, sizeof(buf), (uint64_t)fl->per));
	return err ?: flame__fact(fl, "model %s", lab->model);
}

int wc_out_lab_flame(FILE *f, const struct wc_lab *lab, const struct wc_lab_cell *cell,
		     const struct wc_lab_cell *base, enum wc_lab_count count, bool still)
{
	uint64_t handoffs = 0, handoffs_before = 0;
	struct flame fl = { .compared = base,
			    .unit = units[count],
			    .opts = { .no_js = still, .width = still ? WC_FLAME_WIDTH : 0 } };
	int err = flame_tree__init(&fl.tree);

	err = err ?: add(&fl, lab, cell, FLAME_NEW, count, &handoffs);
	if (base)
		err = err ?: add(&fl, lab, base, FLAME_BASE, count, &handoffs_before);
	if (!err && !fl.tree.nodes[0].value[FLAME_NEW])
		err = -ENODATA;
	if (!err && base)
		flame_tree__scale_base(&fl.tree, handoffs, handoffs_before);
	fl.per = (double)handoffs;
	err = err ?: flame__lay_out(&fl);
	err = err ?: describe(&fl, lab, cell, base);
	err = err ?: flame__write(&fl, f);
	flame__free(&fl);
	return err;
}
