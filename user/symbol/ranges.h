/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ranges of addresses that may overlap, and which of them an address belongs to: that of the
 * highest rank, among equals the one added last.
 */
#ifndef WC_SYMBOL_RANGES_H
#define WC_SYMBOL_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct wc_range {
	uint64_t start, end; /* end is not in it */
	uint64_t rank;
	uint32_t value; /* the owner's */
};

/* A piece of the flattened table. */
struct wc_piece {
	uint64_t start, end;
	uint32_t range; /* index into ranges */
};

struct wc_ranges {
	struct wc_range *ranges;
	size_t cnt, cap;
	struct wc_piece *pieces; /* by start, disjoint; NULL until built */
	size_t piece_cnt;
};

/* Empty ranges are left out. 0 or -ENOMEM; undoes build. */
int wc_ranges__add(struct wc_ranges *r, uint64_t start, uint64_t end, uint64_t rank,
		   uint32_t value);
/* In n log n. 0 or -ENOMEM.  */
int wc_ranges__build(struct wc_ranges *r);
/* NULL: in none. Only after build. */
const struct wc_range *wc_ranges__find(const struct wc_ranges *r, uint64_t at);
/* Forgets everything and frees what it held; r itself is the caller's. */
void wc_ranges__clear(struct wc_ranges *r);

#endif
