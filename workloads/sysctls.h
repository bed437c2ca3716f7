/* SPDX-License-Identifier: BSD-2-Clause */
/* raise_sysctls=1: the machine's limits for the length of a run, restored whatever ends it. */
#ifndef WORKLOADS_SYSCTLS_H
#define WORKLOADS_SYSCTLS_H

#include "types.h"

int sysctls__raise(u64 task_cnt, u64 map_cnt);
/* Restores now and waits for it. */
void sysctls__restore(void);

#endif
