// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/counted.h"

struct wc_counted wc_cell__counted(const struct wc_cell *cell, unsigned int span,
				   unsigned int counter)
{
	struct wc_counted c = { 0 };
	double sum = 0;

	for (size_t i = 0; i < cell->round_cnt; i++) {
		const struct wc_round *round = &cell->rounds[i];

		if (!round->complete || round->warmup)
			continue;
		c.count += round->spans[span].count;
		c.discarded += round->spans[span].discarded;
		c.failed += round->spans[span].failed;
		sum += (double)round->spans[span].sums[counter];
	}
	if (c.count)
		c.mean = sum / (double)c.count;
	return c;
}
