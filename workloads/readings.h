/* SPDX-License-Identifier: BSD-2-Clause */
/* Every limit that can refuse a thread, read before and at the refusal. */
#ifndef WORKLOADS_READINGS_H
#define WORKLOADS_READINGS_H

#include <limits.h>
#include <sys/types.h>

#include "types.h"

#define READINGS_MAX 48

/* Calls that a limit can refuse. */
enum { READING_CLONE = 1, READING_MAP = 2 };

struct reading {
	const char *name; /* "kernel.pid_max" */
	char where[PATH_MAX];
	const char *unit;
	int calls;
	bool binds;	/* false: whoever runs this is not held to it */
	u64 limit;	/* UINT64_MAX: none */
	u64 before, at; /* used */
	u64 refused_before,
		refused_at; /* the kernel's own count of refusals; UINT64_MAX: has none */
	u64 slack;	    /* as near as this to its limit it may have been what refused */
};

struct readings {
	struct reading items[READINGS_MAX];
	int cnt;
	u64 stack_sz; /* what the next thread asks for */
	u64 task_cnt; /* of the machine, when last taken */
};

/* Of process pid, a child of ours that holds the threads; at: the second time. */
void readings__take(struct readings *r, pid_t pid, bool at);

/* What may still be had; UINT64_MAX without limit. */
u64 reading__room(const struct reading *one);
/* Used by one of `cnt` threads, from what was used before and at; at least 1. */
u64 reading__per_thread(const struct reading *one, u64 cnt);
/* One sentence: how to have more. */
void reading__todo(const struct reading *one, char *dst, size_t sz);

#endif
