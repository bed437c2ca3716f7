/* SPDX-License-Identifier: BSD-2-Clause */
/* What every output begins with. */
#ifndef WC_OUTPUT_SUMMARIES_H
#define WC_OUTPUT_SUMMARIES_H

#include <stdio.h>

#include "user/model/summary.h"

/* One summary a cell; free() it. NULL: no memory. */
struct wc_cell_summary *wc_summaries__of(const struct wc_result *r);
/* What the stream says when all is written: 0 or -errno. */
int wc_summaries__finish(FILE *f);

#endif
