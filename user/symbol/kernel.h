/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WC_SYMBOL_KERNEL_H
#define WC_SYMBOL_KERNEL_H

#include "user/symbol/kallsyms.h"

struct wc_kernel {
	bool tried;
	struct wc_kallsyms syms;
	const char *trouble; /* in the pool; NULL: none */
	const char *build_id;
};

/* Reads the symbols if that has not been done. */
void wc_kernel__load(struct wc_kernel *k, struct wc_pool *pool);

#endif
