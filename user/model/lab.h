/* SPDX-License-Identifier: BSD-2-Clause */
/* What an emulated machine counted: instructions and modelled misses, by stage and function. */
#ifndef WC_MODEL_LAB_H
#define WC_MODEL_LAB_H

#include <stddef.h>
#include <stdint.h>

enum wc_lab_count {
	WC_LAB_INSNS = 0,
	WC_LAB_MEM = 1, /* loads and stores */
	WC_LAB_L1D = 2, /* misses, here and below */
	WC_LAB_L1I = 3,
	WC_LAB_L2 = 4,
	WC_LAB_DTLB = 5,
	WC_LAB_STLB = 6,
	WC_LAB_COUNT_CNT = 7,
};

const char *wc_lab_count__name(unsigned int count); /* "l1d_misses" */

/* One function of the guest in one stage, over all measured handoffs. */
struct wc_lab_row {
	char *stage, *function;
	uint64_t counts[WC_LAB_COUNT_CNT];
};

/* One boot: a kernel, a point of the experiment, a seed. */
struct wc_lab_cell {
	char *kernel;	 /* as it was asked for */
	char *release;	 /* its uname -r; NULL: unknown, here and below */
	char *scheduler; /* "CFS", "EEVDF" */
	char *params;	 /* "background=futex-own parked=4000" */
	uint64_t seed, handoffs;
	double waits_per_handoff;
	struct wc_lab_row *rows;
	size_t row_cnt;
};

struct wc_lab {
	char *shape;
	char *emulator; /* "QEMU emulator version 7.2" */
	char *model;	/* sizes of caches and TLBs */
	struct wc_lab_cell *cells;
	size_t cell_cnt;
};

struct wc_lab *wc_lab__new(void);
void wc_lab__free(struct wc_lab *lab); /* NULL allowed */
struct wc_lab_cell *wc_lab__add_cell(struct wc_lab *lab);
struct wc_lab_row *wc_lab_cell__add_row(struct wc_lab_cell *cell);
/* A handoff's share of a count; stage or function NULL: all of them. */
double wc_lab_cell__per_handoff(const struct wc_lab_cell *cell, const char *stage,
				const char *function, enum wc_lab_count count);
/* The same as a mean over seeds: over the cells of the same kernel and parameters. */
double wc_lab__mean(const struct wc_lab *lab, const struct wc_lab_cell *like, const char *stage,
		    const char *function, enum wc_lab_count count);
/* Is this the first cell of its kernel and parameters? Those stand for their seeds in a table. */
int wc_lab__is_first(const struct wc_lab *lab, const struct wc_lab_cell *cell);
/* The first cell of the same kernel: what a table compares with. */
const struct wc_lab_cell *wc_lab__baseline(const struct wc_lab *lab,
					   const struct wc_lab_cell *cell);

#endif
