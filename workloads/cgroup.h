/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WORKLOADS_CGROUP_H
#define WORKLOADS_CGROUP_H

#include <limits.h>

#include "types.h"

struct cgroup_limit {
	char path[PATH_MAX]; /* directory in the mounted file system */
	u64 max, current;
};

/* dir: in the mounted file system. true ends the walk. */
typedef bool cgroup_fn(void *ctx, const char *dir, bool v2);

/* The group of this process and each of its ancestors; what fn said last. */
bool cgroup__each(const char *controller, cgroup_fn *fn, void *ctx);
/* The cgroup of this process, or an ancestor of it, that may not have one task more. */
bool cgroup__pids_full(struct cgroup_limit *out);

#endif
