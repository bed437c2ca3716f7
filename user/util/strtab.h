/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings kept once and known by number, from 0 in the order they came. */
#ifndef WC_UTIL_STRTAB_H
#define WC_UTIL_STRTAB_H

#include <stddef.h>
#include <stdint.h>

#define WC_STRTAB_NONE UINT32_MAX

struct wc_strtab {
	char **items; /* belong to the table */
	uint32_t cnt;
	uint32_t *slots;
	size_t slot_cnt;
};

/* The number of an equal string, added if new; WC_STRTAB_NONE: no memory. */
uint32_t wc_strtab__add(struct wc_strtab *t, const char *s);
void wc_strtab__free(struct wc_strtab *t);

#endif
