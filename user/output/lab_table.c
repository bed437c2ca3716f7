// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <math.h>
#include <string.h>

#include "user/model/lab_growth.h"
#include "user/output/grid.h"
#include "user/output/lab.h"

#define GROWN_MAX   8
#define GROWN_LINES 0.5 /* a handoff: less is layout */

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

static void put_change(struct wc_grid *g, const struct wc_lab_change *c)
{
	wc_grid__put(g, "%s", c->function);
	wc_grid__put(g, "%s", c->stage);
	wc_grid__put(g, "%+.1f", wc_lab_change__more(c, WC_LAB_INSNS));
	wc_grid__put(g, "%+.2f", wc_lab_change__more(c, WC_LAB_L1D));
	wc_grid__put(g, "%+.2f", wc_lab_change__more(c, WC_LAB_L2));
	wc_grid__put(g, "%+.2f", wc_lab_change__more(c, WC_LAB_DTLB));
}

/* Two kinds of growth: a longer path, and more misses on the same one. */
static void put_kind(struct wc_grid *g, const char *kind, const double more[WC_LAB_COUNT_CNT])
{
	wc_grid__put(g, "%s", kind);
	wc_grid__put(g, "%s", "");
	wc_grid__put(g, "%+.1f", more[WC_LAB_INSNS]);
	wc_grid__put(g, "%+.2f", more[WC_LAB_L1D]);
	wc_grid__put(g, "%+.2f", more[WC_LAB_L2]);
	wc_grid__put(g, "%+.2f", more[WC_LAB_DTLB]);
}

static int print_grown(FILE *f, const struct wc_lab *lab, const struct wc_lab_cell *cell,
		       bool colour)
{
	static const char *const names[] = { "function", "stage", "insns", "L1d", "L2", "dTLB" };
	struct wc_grid *g = wc_grid__new("llrrrr");
	struct wc_lab_growth grown;
	size_t shown = 0, i;
	int err = wc_lab_growth__of(lab, cell, wc_lab__baseline(lab, cell), &grown);

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		wc_grid__head(g, names[i]);
	put_kind(g, "(all whose path changed)", grown.path);
	put_kind(g, "(all whose path is the same)", grown.same);
	for (i = 0; !err && i < grown.cnt && shown < GROWN_MAX; i++) {
		if (!grown.items[i].path &&
		    fabs(wc_lab_change__more(&grown.items[i], WC_LAB_L1D)) < GROWN_LINES)
			continue;
		put_change(g, &grown.items[i]);
		shown++;
	}
	wc_lab_growth__free(&grown);
	i = wc_grid__print(g, f, "", colour);
	if (!shown)
		fputs("No function differs by 5 instructions or half a line.\n", f);
	return err ?: (int)i;
}

static int print_cell(FILE *f, const struct wc_lab *lab, const struct wc_lab_cell *cell,
		      bool colour)
{
	const struct wc_lab_cell *base = wc_lab__baseline(lab, cell);
	int err;

	fprintf(f, "\n%s%s%s%s%s, %s%s\n", WC_BOLD(colour), cell->kernel,
		cell->scheduler ? " (" : "", cell->scheduler ?: "", cell->scheduler ? ")" : "",
		words(cell->params), WC_PLAIN(colour));
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
