/* SPDX-License-Identifier: BSD-2-Clause */
/* Histograms of pairs (bpf/hist.h), added up and read. */
#ifndef WC_MODEL_PHIST_H
#define WC_MODEL_PHIST_H

#include <stdint.h>

#include "bpf/hist.h"

struct wc_pooled {
	uint64_t count;
	uint64_t slots[WC_PHIST_SLOT_CNT];
};

void wc_pooled__add(struct wc_pooled *into, const struct wc_phist *h); /* NULL allowed */
/* Linear inside the bucket; 0 when empty. q in 0..1. */
double wc_pooled__quantile(const struct wc_pooled *p, double q);
/* Highest value there can be in it; 0 when empty. */
uint64_t wc_pooled__highest(const struct wc_pooled *p);

#endif
