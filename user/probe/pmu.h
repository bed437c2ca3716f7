/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of the CPU and of the kernel, by name: which there are, and one open on each CPU. */
#ifndef WC_PROBE_PMU_H
#define WC_PROBE_PMU_H

#include "user/model/result.h"

/*
 * "cycles,page-faults" into counters, in their order: name, and what is counted by that name on
 * this CPU. 0, -ENOMEM, or -EINVAL with the sentence in error.
 */
int wc_pmu__parse(const char *list, struct wc_kvs *counters, char *error, size_t error_sz);
/*
 * One of them on one CPU, counting all that runs there. A descriptor, or -errno: -ENODEV for a CPU
 * that is not there.
 */
int wc_pmu__open(const char *name, unsigned int cpu);
/* Why opening it failed, and what to do. */
const char *wc_pmu__why(int err);

#endif
