/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call frame information of an ELF file for x86-64: how the frame of an instruction is left. As
 * much of .eh_frame as can be followed with two registers, found by the sorted table of
 * .eh_frame_hdr and read piece by piece: no more of the file than the answer needs.
 *
 * Read in this process, of files that may be hostile: all lengths are bounded, nothing is mapped
 * and nothing in the file is called upon to be true. A lie gives a wrong row, never more.
 */
#ifndef WC_SYMBOL_CFI_H
#define WC_SYMBOL_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Same values as enum wc_hint_kind. */
enum wc_row_kind {
	WC_ROW_FP = 0,	/* caller's bp and the return address where bp points */
	WC_ROW_SP = 1,	/* the caller's frame (CFA) begins at sp + cfa_off */
	WC_ROW_BP = 2,	/* .. at bp + cfa_off */
	WC_ROW_END = 3, /* nobody called it */
};

struct wc_row {
	enum wc_row_kind kind;
	int32_t cfa_off;
	int32_t bp_off; /* where the caller's bp is, from the CFA; 0: still in its register */
};

struct wc_cfi_segment {
	uint64_t offset, vaddr, filesz;
	bool exec;
};

#define WC_CFI_SEGMENTS_MAX 64

/* Where in the file what is. */
struct wc_cfi {
	struct wc_cfi_segment segments[WC_CFI_SEGMENTS_MAX];
	size_t segment_cnt;
	uint64_t hdr;	/* address of .eh_frame_hdr */
	uint64_t table; /* .. of its sorted table */
	uint64_t fde_cnt;
};

/* What is read: a file (fd), or memory. */
struct wc_cfi_from {
	int fd; /* -1: bytes */
	const void *bytes;
	size_t sz;
};

/* NULL: there is none that can be used, or no memory. */
struct wc_cfi *wc_cfi__new(const struct wc_cfi_from *from);
void wc_cfi__free(struct wc_cfi *cfi);
/* Address in the file's own terms; false: it is nowhere in the file. */
bool wc_cfi__vaddr(const struct wc_cfi *cfi, uint64_t offset, uint64_t *vaddr);
/* 0 or -ENOENT: no row, or one that needs more than this. */
int wc_cfi__row(const struct wc_cfi *cfi, const struct wc_cfi_from *from, uint64_t vaddr,
		struct wc_row *out);

#endif
