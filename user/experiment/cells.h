/* SPDX-License-Identifier: BSD-2-Clause */
/* Points of an experiment: the product of the values given for each parameter. */
#ifndef WC_EXPERIMENT_CELLS_H
#define WC_EXPERIMENT_CELLS_H

#include "user/model/result.h"

#define WC_CELLS_MAX 10000

/*
 * specs: "key=v[,v...]", in the order given; a key given twice takes the later values. r->params
 * gets the specs, r->cells one cell a point (last key varies fastest) with the values given. With
 * background=none parked is 0, and what is then the same point is there once.
 * 0, -ENOMEM, or -EINVAL with the sentence in error.
 */
int wc_cells__build(struct wc_result *r, const char *shape, const char *const *specs,
		    size_t spec_cnt, char *error, size_t error_sz);

#endif
