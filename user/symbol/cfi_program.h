/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of a call frame description, and the little programs in them. */
#ifndef WC_SYMBOL_CFI_PROGRAM_H
#define WC_SYMBOL_CFI_PROGRAM_H

#include "user/symbol/cfi.h"

/* What is left to read; reading past the end gives zeroes and sets bad. */
struct wc_span {
	const uint8_t *at, *end;
	bool bad;
};

uint64_t wc_span__uint(struct wc_span *s, size_t sz); /* 1, 2, 4 or 8 bytes */
int64_t wc_span__sint(struct wc_span *s, size_t sz);
uint64_t wc_span__uleb(struct wc_span *s);
int64_t wc_span__sleb(struct wc_span *s);
struct wc_span wc_span__take(struct wc_span *s, uint64_t sz);

/*
 * The row that holds at pc: first what the CIE says of all its functions, then what the FDE says of
 * this one, which begins at start. 0 or -ENOENT.
 */
int wc_cfi__run(struct wc_span initial, struct wc_span program, uint64_t start, uint64_t pc,
		uint64_t code_align, int64_t data_align, struct wc_row *out);

#endif
