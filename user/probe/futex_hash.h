/* SPDX-License-Identifier: BSD-2-Clause */
/* What futexes of a new process would hash into. */
#ifndef WC_PROBE_FUTEX_HASH_H
#define WC_PROBE_FUTEX_HASH_H

#include "user/model/checkup.h"

/*
 * Asked in a child with threads of its own, so the caller's hash stays as it is: a process has
 * none of its own before its second thread, and the kernel lets it grow with threads up to the
 * number of CPUs. 0 or -errno; what could not be found out is left 0.
 */
int wc_futex_hash__measure(struct wc_futex_table *t);
/* Adds the findings. 0 or -ENOMEM. */
int wc_futex_hash__check(struct wc_checkup *c);

/* Buckets of the machine's one table, by the kernel's own rule (one node). */
unsigned int wc_futex_hash__global_by_rule(unsigned int possible_cpus);
/* From the kernel log's "futex hash table entries: N"; 0: no such line. */
unsigned int wc_futex_hash__parse_log(const char *log);

#endif
