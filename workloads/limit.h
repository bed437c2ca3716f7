/* SPDX-License-Identifier: BSD-2-Clause */
/* The limits of the machine: raise what may be raised, name the one that stopped us. */
#ifndef WORKLOADS_LIMIT_H
#define WORKLOADS_LIMIT_H

#include "types.h"

enum limit_call { LIMIT_THREAD, LIMIT_PROCESS, LIMIT_MMAP, LIMIT_FD };

/* RLIMIT_NOFILE and RLIMIT_NPROC, as far as they go without asking anybody. */
int limit__raise(u64 fd_cnt);

/*
 * A call was refused with `err` after `reached` of what was wanted. Finds the limit by reading
 * them all, sets the failure message and returns -err. `sz`: bytes asked for (LIMIT_MMAP).
 */
int limit__refused(enum limit_call call, int err, size_t sz, u64 reached, const char *what);

/*
 * limit_tasks.c: are there so many tasks to be had beside those that exist? 0, or -errno with the
 * failure set and the limit named.
 */
int limit__check_tasks(u64 cnt, const char *what);
/* Tasks of this user, as RLIMIT_NPROC counts them. */
u64 limit__user_task_cnt(void);

/* Root and those with CAP_SYS_RESOURCE or CAP_SYS_ADMIN, but not those of a user namespace. */
bool limit__nproc_exempt(void);

#endif
