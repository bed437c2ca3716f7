/* SPDX-License-Identifier: BSD-2-Clause */
/* Running some control groups deeper than one was started. */
#ifndef WORKLOADS_NEST_H
#define WORKLOADS_NEST_H

#include <limits.h>

#include "types.h"

/*
 * Makes depth groups below that of this process, one in the other, where the CPU is shared out, and
 * moves it into the last. They go when it and its children have ended, however they did. 0 or
 * -errno with the failure set.
 */
int nest__enter(u64 depth);

struct nest {
	char dir[PATH_MAX];
	bool v2;
	const char *file; /* the one that said no, or NULL */
};

/*
 * A group of its own for this process, with what `set` writes into it; gone like those above. Where
 * cgroup v2 lets no group be made below that of this process, it is made below the nearest ancestor
 * that does. Enters it. 0 or -errno, which the caller puts into words.
 */
int nest__own(struct nest *nest, int (*set)(void *ctx, struct nest *nest), void *ctx);
/* Writes a file of the group: 0 or -errno, with nest->file. */
int nest__write(struct nest *nest, const char *file, const char *text);

#endif
