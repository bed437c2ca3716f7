/* SPDX-License-Identifier: BSD-2-Clause */
/* The control groups this process is in, from its own up to the top that can be seen. */
#ifndef WC_PROBE_CGROUP_H
#define WC_PROBE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* dir is absolute (without the mock root), for wc_sys__read(). Return non-zero to stop. */
typedef int (*wc_cgroup_fn)(void *ctx, const char *dir, bool is_v2);

/*
 * Calls fn for this process's group and each of its ancestors that is mounted, in the v1
 * hierarchy of the controller ("pids", "memory", "cpu") and in the v2 one. What fn returned, or
 * 0, also when no hierarchy is mounted.
 */
int wc_cgroup__each(const char *controller, wc_cgroup_fn fn, void *ctx);

/*
 * A group of the v2 hierarchy by its directory, or by its path below the v2 mount: its id and its
 * depth below the root (-1 inside a cgroup namespace, where it cannot be told). 0, -ENOENT,
 * -ENOTSUP (exists, and is not of the v2 hierarchy), -errno.
 */
int wc_cgroup__resolve(const char *path, uint64_t *id, int *level);

#endif
