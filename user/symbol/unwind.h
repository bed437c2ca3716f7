/* SPDX-License-Identifier: BSD-2-Clause */
/* How the frames of a process are left, by its files' own unwind tables. x86-64. */
#ifndef WC_SYMBOL_UNWIND_H
#define WC_SYMBOL_UNWIND_H

#include "user/symbol/cfi.h"
#include "user/symbol/symbol.h"

/*
 * leaf: ip is where the thread was, else a return address. 0; -ENODATA: its code says nothing that
 * helps; -ENOENT: nothing was mapped there when last looked (wc_symbols__snapshot()).
 */
int wc_symbols__row(struct wc_symbols *s, pid_t tgid, uint64_t ip, bool leaf, struct wc_row *out);

/* Where the stack of its first thread began: another one after exec. 0: gone, or not ours to see. */
uint64_t wc_symbols__stack_start(pid_t tgid);

#endif
