/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel says about a task. */
#ifndef WORKLOADS_PROC_H
#define WORKLOADS_PROC_H

#include <sys/types.h>

#include "types.h"

/* Asleep (S), and switched away by its own will since the count was `before_cnt`. */
bool proc__has_slept(int status_fd, u64 before_cnt);

/* State letter of a thread of ours, or of a process; '?' when it is gone. */
char proc__state(pid_t tid, bool own_thread);
/* Number and first argument of the syscall it sleeps in; -EAGAIN: running; other -errno. */
int proc__syscall(pid_t tid, bool own_thread, long *nr, u64 *arg0);

/* A number in a file of one line; -errno. "max" reads as UINT64_MAX. */
int proc__read_u64(const char *path, u64 *out);
/* The number after `key` ("VmSize:") in a file of such lines. */
int proc__read_key(const char *path, const char *key, u64 *out);
u64 proc__line_cnt(const char *path);
/* Of all threads of ours there are: ready to run, and not running. -errno. */
int proc__run_wait_ns(u64 *out);
/* Tasks on the whole machine. */
u64 proc__task_cnt(void);

#endif
