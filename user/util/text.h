/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that came from elsewhere (names of tasks, symbols, files), made safe to show. */
#ifndef WC_UTIL_TEXT_H
#define WC_UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Copies src so that a terminal cannot be made to obey it: printable ASCII and printable UTF-8
 * stay, every other byte, and the backslash itself, becomes \xNN, so that the original can be
 * had back. Characters that reorder or hide text count as not printable.
 *
 * dst is always terminated (sz > 0) and never ends inside a character or an escape. Returns the
 * length the whole text needs, as snprintf does: truncated when >= sz. dst may be NULL if sz is 0.
 */
size_t wc_text__safe(char *dst, size_t sz, const char *src);

/* Edit distance up to max + 1, a swap of neighbours counting once: for "did you mean". */
unsigned int wc_text__distance(const char *a, const char *b, unsigned int max);
/* Columns on a terminal: characters, not bytes. */
size_t wc_text__width(const char *s);
bool wc_text__starts(const char *s, const char *prefix);

#endif
