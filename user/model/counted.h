/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters read at the boundaries of wakes: what a cell's rounds make of them. */
#ifndef WC_MODEL_COUNTED_H
#define WC_MODEL_COUNTED_H

#include "user/model/result.h"

struct wc_counted {
	uint64_t count;	    /* spans; 0: none counted, and no mean */
	uint64_t discarded; /* a counter was shared meanwhile */
	uint64_t failed;    /* a counter could not be read */
	double mean;	    /* a span */
};

/* Over the complete rounds without the warm-up. */
struct wc_counted wc_cell__counted(const struct wc_cell *cell, unsigned int span,
				   unsigned int counter);

#endif
