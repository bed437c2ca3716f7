/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/model/phist.h"

void wc_pooled__add(struct wc_pooled *into, const struct wc_phist *h)
{
	for (unsigned int i = 0; h && i < WC_PHIST_SLOT_CNT; i++) {
		into->slots[i] += h->slots[i];
		into->count += h->slots[i];
	}
}

/* Exact where a slot is one ns wide; the last slot has no end, so its beginning stands for it. */
static double inside_slot(unsigned int slot, double part)
{
	double low = (double)wc_phist_slot_low(slot);
	double width = (double)wc_phist_slot_low(slot + 1) - low;

	return width <= 1 || slot == WC_PHIST_SLOT_CNT - 1 ? low : low + part * width;
}

double wc_pooled__quantile(const struct wc_pooled *p, double q)
{
	double rank = q * (double)p->count, below = 0;
	unsigned int last = 0;

	if (!p->count)
		return 0;
	for (unsigned int i = 0; i < WC_PHIST_SLOT_CNT; i++) {
		double n = (double)p->slots[i];

		if (!p->slots[i])
			continue;
		last = i;
		if (below + n >= rank)
			return inside_slot(i, rank > below ? (rank - below) / n : 0);
		below += n;
	}
	return inside_slot(last, 1);
}

uint64_t wc_pooled__highest(const struct wc_pooled *p)
{
	for (unsigned int i = WC_PHIST_SLOT_CNT; i-- > 0;)
		if (p->slots[i])
			return i == WC_PHIST_SLOT_CNT - 1 ? wc_phist_slot_low(i)
							  : wc_phist_slot_low(i + 1) - 1;
	return 0;
}
