// SPDX-License-Identifier: BSD-2-Clause
/* Two machines, or one at two times. */
#include <string.h>

#include "user/model/compare.h"

size_t wc_compare__hosts(const struct wc_result *base, const struct wc_result *new,
			 struct wc_difference out[WC_DIFFERENCE_MAX])
{
	/* what stays as it is while a machine is left alone, and moves a wake */
	static const char *const keys[] = {
		"kernel",	  "arch",	 "scheduler",	 "preemption",	"hz",
		"cpu_model",	  "cpus",	 "cpus_allowed", "smt",		"numa_nodes",
		"governor",	  "turbo",	 "idle_driver",	 "idle_states", "isolated_cpus",
		"nohz_full_cpus", "mitigations", "cpu_quota",	 "virtualised", "clocksource",
		"bpf_jit",	  "lockdown",
	};
	size_t cnt = 0;

	_Static_assert(sizeof(keys) / sizeof(keys[0]) <= WC_DIFFERENCE_MAX, "room for every key");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *a = wc_kvs__get(&base->host, keys[i]);
		const char *b = wc_kvs__get(&new->host, keys[i]);
		struct wc_difference d = { keys[i], a ? a : "", b ? b : "" };

		if (strcmp(d.base, d.new) != 0)
			out[cnt++] = d;
	}
	return cnt;
}
