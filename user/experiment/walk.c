// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/walk.h"

#include <string.h>
#include <sys/uio.h>

#define PAGE	  4096u
#define FRAME_MAX (1u << 20) /* bytes; larger ones are no frames */

/* A few pages from there on, as far as there are any. */
static bool fill(struct wc_walk *w, uint64_t from)
{
	struct iovec remote[WC_WALK_BYTES / PAGE + 1], local = { w->bytes, WC_WALK_BYTES };
	uint64_t at = from, end = from + WC_WALK_BYTES, next;
	unsigned long cnt = 0;
	ssize_t n;

	/* page by page: one that is missing ends the reading and does not spoil it */
	for (; at < end; at = next) {
		next = (at / PAGE + 1) * PAGE;
		if (next > end)
			next = end;
		remote[cnt++] = (struct iovec){ (void *)(uintptr_t)at, next - at };
	}
	n = process_vm_readv(w->tgid, &local, 1, remote, cnt, 0);
	w->from = from;
	w->have = n > 0 ? (size_t)n : 0;
	return n >= (ssize_t)sizeof(uint64_t);
}

static bool read_word(struct wc_walk *w, uint64_t addr, uint64_t *out)
{
	if (addr > UINT64_MAX - WC_WALK_BYTES - PAGE)
		return false;
	if (addr < w->from || addr - w->from + sizeof(*out) > w->have) {
		/* from where the frame begins, as more of it is wanted than this */
		if (!fill(w, addr - w->sp < WC_WALK_BYTES / 2 ? w->sp : addr) ||
		    addr - w->from + sizeof(*out) > w->have)
			return false;
	}
	memcpy(out, w->bytes + (addr - w->from), sizeof(*out));
	return true;
}

bool wc_walk__step(struct wc_walk *w, const struct wc_row *row)
{
	uint64_t cfa = (row->kind == WC_ROW_SP ? w->sp : w->bp) + (uint64_t)(int64_t)row->cfa_off;

	if (row->kind == WC_ROW_END || cfa % 8 || cfa - w->sp - 8 > FRAME_MAX ||
	    !read_word(w, cfa - 8, &w->ip))
		return false;
	if (row->bp_off && !read_word(w, cfa + (uint64_t)(int64_t)row->bp_off, &w->bp))
		return false;
	w->sp = cfa;
	return w->ip != 0;
}
