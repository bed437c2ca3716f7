/* SPDX-License-Identifier: BSD-2-Clause */
/* What a shape of the workload does, asked of it: handoffs, or work that it counts. */
#ifndef WC_EXPERIMENT_SHAPE_H
#define WC_EXPERIMENT_SHAPE_H

#include "user/model/result.h"

/*
 * Fills work and gauges of r, which stay empty for handoffs and for a shape there is not (that
 * the workload says itself, when it is started). 0, -ENOMEM, or -EPROTO with the sentence in error.
 */
int wc_shape__ask(struct wc_result *r, const char *workload_path, const char *shape, char *error,
		  size_t error_sz);

#endif
