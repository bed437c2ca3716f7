/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and adding histograms; their buckets are bpf/hist.h. */
#include "user/model/summary.h"

/* Exact where a slot is one ns wide; the last slot has no end, so its beginning stands for it. */
static double inside_slot(unsigned int slot, double part)
{
	double low = (double)wc_hist_slot_low(slot);
	double width = (double)wc_hist_slot_low(slot + 1) - low;

	return width <= 1 || slot == WC_HIST_SLOT_CNT - 1 ? low : low + part * width;
}

double wc_hist__quantile(const struct wc_hist *h, double q)
{
	double rank, below = 0;
	unsigned int last = 0;

	if (!h || !h->count)
		return 0;
	rank = q * (double)h->count;
	for (unsigned int i = 0; i < WC_HIST_SLOT_CNT; i++) {
		double n = (double)h->slots[i];

		if (!h->slots[i])
			continue;
		last = i;
		if (below + n >= rank)
			return inside_slot(i, rank > below ? (rank - below) / n : 0);
		below += n;
	}
	return inside_slot(last, 1);
}

void wc_hist__merge(struct wc_hist *into, const struct wc_hist *from)
{
	if (!from)
		return;
	into->count += from->count;
	into->sum += from->sum;
	for (unsigned int i = 0; i < WC_HIST_SLOT_CNT; i++)
		into->slots[i] += from->slots[i];
}

uint64_t wc_hist__lowest(const struct wc_hist *h)
{
	for (unsigned int i = 0; i < WC_HIST_SLOT_CNT; i++)
		if (h->slots[i])
			return wc_hist_slot_low(i);
	return 0;
}

uint64_t wc_hist__highest(const struct wc_hist *h)
{
	for (unsigned int i = WC_HIST_SLOT_CNT; i-- > 0;)
		if (h->slots[i])
			return i == WC_HIST_SLOT_CNT - 1 ? wc_hist_slot_low(i)
							 : wc_hist_slot_low(i + 1) - 1;
	return 0;
}
