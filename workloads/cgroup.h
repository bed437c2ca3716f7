/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WORKLOADS_CGROUP_H
#define WORKLOADS_CGROUP_H

#include <limits.h>

#include "types.h"

struct cgroup_limit {
	char path[PATH_MAX]; /* directory in the mounted file system */
	u64 max, current;
};

/* The cgroup of this process, or an ancestor of it, that may not have one task more. */
bool cgroup__pids_full(struct cgroup_limit *out);

#endif
