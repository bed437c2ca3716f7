/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings kept once each, until the pool is freed. */
#ifndef WC_SYMBOL_POOL_H
#define WC_SYMBOL_POOL_H

#include <stddef.h>
#include <stdint.h>

struct wc_pool;

struct wc_pool *wc_pool__new(void); /* NULL: no memory */
void wc_pool__free(struct wc_pool *p);
/* The copy kept of s; NULL: no memory. */
const char *wc_pool__add(struct wc_pool *p, const char *s);
const char *wc_pool__add_len(struct wc_pool *p, const char *s, size_t len);

uint64_t wc_hash(const char *s, size_t len);

#endif
