/* SPDX-License-Identifier: BSD-2-Clause */
/* What the wakes of a running program wait for. w: NULL without --what-if. Both 0 or -errno. */
#ifndef WC_OUTPUT_RUNNING_H
#define WC_OUTPUT_RUNNING_H

#include <stdio.h>

#include "user/model/running.h"

int wc_out_running_text(FILE *f, const struct wc_result *r, const struct wc_running *run,
			const struct wc_whatif *w, bool colour);
/* wakecost.explain-program/1: docs/json-explain.md. */
int wc_out_running_json(FILE *f, const struct wc_result *r, const struct wc_running *run,
			const struct wc_whatif *w);

#endif
