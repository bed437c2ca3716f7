/* SPDX-License-Identifier: BSD-2-Clause */
/* What debug information says about an address: source line, inlined functions. */
#ifndef WC_SYMBOL_LINES_H
#define WC_SYMBOL_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "user/symbol/pool.h"

struct wc_elf;
struct wc_lines;

struct wc_line {
	const char *name; /* of the inlined function, shown; NULL for the one they are in */
	const char *file; /* "": unknown */
	uint32_t line;
	uint64_t addr; /* where its code begins; 0 for the one they are in */
};

/* Takes what e holds, also on failure. NULL: no debug information, or no memory. */
struct wc_lines *wc_lines__new(struct wc_elf *e);
void wc_lines__free(struct wc_lines *l);
/*
 * Innermost first; the last one is the function of the code itself. At most max, of which the
 * innermost are left out. Number, 0 when nothing is known, or -ENOMEM.
 */
int wc_lines__find(struct wc_lines *l, struct wc_pool *pool, uint64_t addr, struct wc_line *out,
		   size_t max);

#endif
