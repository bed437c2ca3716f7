/* SPDX-License-Identifier: BSD-2-Clause */
/* Calibration: what an access to memory costs here, as the workload program's chase measures it. */
#ifndef WC_EXPERIMENT_CHASE_H
#define WC_EXPERIMENT_CHASE_H

#include "user/model/result.h"

/*
 * Runs `path chase` with a largest working set of reach bytes, some seconds, and adds its points to
 * r and the reported caches to r->host. 0, or -errno with r as before: -EBADMSG when the program
 * is of another version. What the program says for itself goes to stderr.
 */
int wc_chase__measure(struct wc_result *r, const char *path, uint64_t reach);

#endif
