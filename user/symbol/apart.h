/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug information, read in a process of its own: whoever made the file can crash its reader, and
 * the reader of somebody's file has that user's rights, not ours.
 */
#ifndef WC_SYMBOL_APART_H
#define WC_SYMBOL_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/symbol/lines.h"
#include "user/symbol/pool.h"

#define WC_LINES_MAX 64

struct wc_apart;

/* Takes what e holds, also on failure; fd is the file that it is, -1 for none. NULL: cannot. */
struct wc_apart *wc_apart__new(struct wc_elf *e, int fd);
void wc_apart__free(struct wc_apart *a);
/* As wc_lines__find(), max at most WC_LINES_MAX; nothing is known once the reader has failed. */
int wc_apart__find(struct wc_apart *a, struct wc_pool *pool, uint64_t addr, struct wc_line *out,
		   size_t max);
/* Its reader crashed, or took longer than anybody waits. */
bool wc_apart__failed(const struct wc_apart *a);

#endif
