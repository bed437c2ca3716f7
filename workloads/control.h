/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WORKLOADS_CONTROL_H
#define WORKLOADS_CONTROL_H

#include "run.h"

/* All rounds, one document. */
int control__once(struct wl_run *run);
/* Commands from stdin until quit or its end. */
int control__serve(struct wl_run *run);

#endif
