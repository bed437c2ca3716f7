/* SPDX-License-Identifier: BSD-2-Clause */
/* A look at the threads of a process: what each sleeps in. */
#ifndef WC_PROBE_SLEEPERS_H
#define WC_PROBE_SLEEPERS_H

#include <sys/types.h>

#include "user/model/running.h"

/*
 * Reads /proc/PID/task/N/syscall of every thread, which takes root or the rights of a debugger, and
 * a moment: not to be done while anything is measured. 0, -ESRCH, -EACCES (no thread could be
 * read) or -ENOMEM; free the look in any case.
 */
int wc_look__take(pid_t pid, struct wc_look *look);
void wc_look__free(struct wc_look *look);

/* "281473 0x7f.. 0x189 ...", "running", "-1 0x.. 0x..": one such line. */
void wc_look__parse(const char *line, struct wc_sleeper *s);

/* Processes below pid, itself first: at most max. How many. */
size_t wc_family__of(pid_t pid, pid_t *out, size_t max);
/* 0: gone. */
size_t wc_family__thread_cnt(pid_t pid);
/* Name of the process; "?" when it is gone. */
void wc_family__name(pid_t pid, char *dst, size_t sz);

#endif
