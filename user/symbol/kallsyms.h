/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's own table of symbols. */
#ifndef WC_SYMBOL_KALLSYMS_H
#define WC_SYMBOL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/symbol/pool.h"

struct wc_ksym {
	uint64_t addr;
	const char *name;   /* in the pool */
	const char *module; /* "[kernel]", "[ext4]" */
	uint64_t base;	    /* where the text of its module begins */
	uint64_t end;
	int demerit; /* of several at one address the least is shown */
};

struct wc_kallsyms {
	struct wc_ksym *syms; /* by address, one each */
	size_t cnt, cap;
	bool hidden; /* there are names, and every address is 0 */
};

/* 0 or -errno; k is to be zeroed. Nothing but code is kept. */
int wc_kallsyms__load(struct wc_kallsyms *k, struct wc_pool *pool, const char *path);
const struct wc_ksym *wc_kallsyms__find(const struct wc_kallsyms *k, uint64_t ip);
void wc_kallsyms__clear(struct wc_kallsyms *k);

#endif
