/* SPDX-License-Identifier: BSD-2-Clause */
/* Hardware counters: without them cache and TLB are told from growth alone. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/probe/features_internal.h"

/* The counter of CPU 0, as the probes would read it. 0 or -errno. */
static int try_event(__u32 type, __u64 config)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

#define READ_MISS(cache) \
	((cache) | (PERF_COUNT_HW_CACHE_OP_READ << 8) | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16))

int wc_features__check_pmu(struct wc_checkup *c)
{
	static const struct {
		__u32 type;
		__u64 config;
		const char *name;
	} events[] = {
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles" },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions" },
		{ PERF_TYPE_HW_CACHE, READ_MISS(PERF_COUNT_HW_CACHE_L1D), "L1d misses" },
		{ PERF_TYPE_HW_CACHE, READ_MISS(PERF_COUNT_HW_CACHE_DTLB), "dTLB misses" },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "software events" },
	};
	bool no_cycles = false;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < sizeof(events) / sizeof(*events); i++) {
		int refused = try_event(events[i].type, events[i].config);
		bool rights = refused == -EPERM || refused == -EACCES;

		/* Without cycles there is no PMU: one line says it all. */
		if (i && no_cycles && events[i].type != PERF_TYPE_SOFTWARE)
			continue;
		no_cycles |= !i && refused;

		if (!refused)
			err = wc_checkup__add(c, WC_SEC_PMU, WC_MARK_OK, events[i].name,
					      "can be counted", "", "");
		else
			err = wc_checkup__add(
				c, WC_SEC_PMU, rights ? WC_MARK_UNKNOWN : WC_MARK_MISSING,
				events[i].name, "no",
				rights ? "opening it is refused"
				: refused == -ENOENT || refused == -EOPNOTSUPP
					? "the CPU, or the hypervisor, gives none"
					: strerror(-refused),
				rights ? "run as root, or sysctl -w kernel.perf_event_paranoid=-1"
				       : "measure on bare metal, or a virtual machine with a PMU");
	}
	return err;
}
