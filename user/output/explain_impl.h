/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the text that explain prints, in files of their own. */
#ifndef WC_OUTPUT_EXPLAIN_IMPL_H
#define WC_OUTPUT_EXPLAIN_IMPL_H

#include <stdbool.h>
#include <stdio.h>

#include "user/model/result.h"

/* Nothing without counters. 0 or -ENOMEM. */
int explain__counted(FILE *f, const struct wc_result *r, bool colour);

#endif
