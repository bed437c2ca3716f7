/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WC_SYMBOL_DEMANGLE_H
#define WC_SYMBOL_DEMANGLE_H

/*
 * A C++ or (legacy) Rust name as its author wrote it; free() it. NULL when the name is none, or
 * this machine has no libstdc++ to ask: the name stands as it is then.
 */
char *wc_demangle(const char *name);

#endif
