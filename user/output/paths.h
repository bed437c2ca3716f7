/* SPDX-License-Identifier: BSD-2-Clause */
/* What the outputs drawn from paths have in common. */
#ifndef WC_OUTPUT_PATHS_H
#define WC_OUTPUT_PATHS_H

#include "user/model/profile.h"

/* Never empty; a stage goes by the name of the span it was measured in. Belongs to r or p. */
const char *wc_paths__name(const struct wc_result *r, const struct wc_path_frame *f);
/* Place of a stage among the others; "unattributed" is the last. */
unsigned int wc_paths__stage_order(const char *name);

#endif
