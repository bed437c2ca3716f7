// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/grid.h"
#include "user/output/lab.h"

#define GROWN_MAX   8
#define GROWN_INSNS 5.0 /* per handoff: less is layout */
#define GROWN_LINES 0.5

static const char *const stages[] = { "find", "select", "enqueue", "wait",
				      "pick", "switch", "return",  "outside" };

#define STAGE_CNT (sizeof(stages) / sizeof(*stages))

static const char *words(const char *params)
{
	return *params ? params : "(defaults)";
}

static void put_counts(struct wc_grid *g, const struct wc_lab *lab, const struct wc_lab_cell *cell,
		       const char *stage)
{
	unsigned int c;

	for (c = 0; c < WC_LAB_COUNT_CNT; c++)
		wc_grid__put(g, c > WC_LAB_MEM ? "%.2f" : "%.1f",
			     wc_lab__mean(lab, cell, stage, NULL, c));
}

static void heads(struct wc_grid *g)
{
	static const char *const names[] = { "insns", "mem", "L1d", "L1i", "L2", "dTLB", "STLB" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		wc_grid__head(g, names[i]);
}

static int print_totals(FILE *f, const struct wc_lab *lab, bool colour)
{
	struct wc_grid *g = wc_grid__new("llrrrrrrrr");
	size_t i;

	wc_grid__head(g, "kernel");
	wc_grid__head(g, "parameters");
	wc_grid__head(g, "waits");
	heads(g);
	for (i = 0; i < lab->cell_cnt; i++) {
		const struct wc_lab_cell *cell = &lab->cells[i];

		if (!wc_lab__is_first(lab, cell))
			continue;
		wc_grid__put(g, "%s", cell->kernel);
		wc_grid__put(g, "%s", words(cell->params));
		wc_grid__put(g, "%.2f", cell->waits_per_handoff);
		put_counts(g, lab, cell, NULL);
	}
	return wc_grid__print(g, f, "", colour);
}

static int print_stages(FILE *f, const struct wc_lab *lab, const struct wc_lab_cell *cell,
			bool colour)
{
	struct wc_grid *g = wc_grid__new("lrrrrrrr");
	size_t s;

	wc_grid__head(g, "stage");
	heads(g);
	for (s = 0; s < STAGE_CNT; s++) {
		wc_grid__put(g, "%s", stages[s]);
		put_counts(g, lab, cell, stages[s]);
	}
	return wc_grid__print(g, f, "", colour);
}

/* A function in a stage, and what a handoff pays more for it than in the baseline. */
struct grown {
	const struct wc_lab_row *row;
	double insns, l1d, l2, dtlb;
};

static double more(const struct wc_lab *lab, const struct wc_lab_cell *cell,
		   const struct wc_lab_row *row, enum wc_lab_count count)
{
	return wc_lab__mean(lab, cell, row->stage, row->function, count) -
	       wc_lab__mean(lab, wc_lab__baseline(lab, cell), row->stage, row->function, count);
}

static double weight(const struct grown *g)
{
	/* a line from L2 costs some ten instructions, one from beyond it some hundred */
	return fabs(g->insns) + fabs(g->l1d) * 10 + fabs(g->l2) * 100;
}

static int heavier(const void *a, const void *b)
{
	double x = weight(a), y = weight(b);

	return x < y ? 1 : x > y ? -1 : 0;
}

static int print_grown(FILE *f, const struct wc_lab *lab, const struct wc_lab_cell *cell,
		       bool colour)
{
	struct grown *all = calloc(cell->row_cnt + 1, sizeof(*all));
	struct wc_grid *g = wc_grid__new("llrrrr");
	size_t cnt = 0, i;

	wc_grid__head(g, "function");
	wc_grid__head(g, "stage");
	wc_grid__head(g, "insns");
	wc_grid__head(g, "L1d");
	wc_grid__head(g, "L2");
	wc_grid__head(g, "dTLB");
	for (i = 0; all && i < cell->row_cnt; i++) {
		const struct wc_lab_row *row = &cell->rows[i];
		struct grown one = { row, more(lab, cell, row, WC_LAB_INSNS),
				     more(lab, cell, row, WC_LAB_L1D),
				     more(lab, cell, row, WC_LAB_L2),
				     more(lab, cell, row, WC_LAB_DTLB) };

		if (fabs(one.insns) >= GROWN_INSNS || fabs(one.l1d) >= GROWN_LINES)
			all[cnt++] = one;
	}
	if (all)
		qsort(all, cnt, sizeof(*all), heavier);
	for (i = 0; i < cnt && i < GROWN_MAX; i++) {
		wc_grid__put(g, "%s", all[i].row->function);
		wc_grid__put(g, "%s", all[i].row->stage);
		wc_grid__put(g, "%+.1f", all[i].insns);
		wc_grid__put(g, "%+.2f", all[i].l1d);
		wc_grid__put(g, "%+.2f", all[i].l2);
		wc_grid__put(g, "%+.2f", all[i].dtlb);
	}
	free(all);
	if (!cnt)
		fputs("No function differs by 5 instructions or half a line.\n", f);
	return wc_grid__print(g, f, "", colour);
}

static int print_cell(FILE *f, const struct wc_lab *lab, const struct wc_lab_cell *cell,
		      bool colour)
{
	const struct wc_lab_cell *base = wc_lab__baseline(lab, cell);
	int err;

	fprintf(f, "\n%s%s, %s%s\n", WC_BOLD(colour), cell->kernel, words(cell->params),
		WC_PLAIN(colour));
	err = print_stages(f, lab, cell, colour);
	if (err || cell == base)
		return err;
	fprintf(f, "\nMore than with %s, the most first\n", words(base->params));
	return print_grown(f, lab, cell, colour);
}

int wc_out_lab_table(FILE *f, const struct wc_lab *lab, bool colour)
{
	size_t i;
	int err;

	fprintf(f, "%s on one CPU of an emulated machine: counts, never times\n", lab->shape);
	fprintf(f, "%s; model %s\n\n", lab->emulator, lab->model);
	fputs("Each handoff: instructions, loads and stores, lines and translations missed\n", f);
	err = print_totals(f, lab, colour);
	for (i = 0; !err && i < lab->cell_cnt; i++) {
		if (wc_lab__is_first(lab, &lab->cells[i]))
			err = print_cell(f, lab, &lab->cells[i], colour);
	}
	return err ?: ferror(f) ? -EIO : 0;
}
