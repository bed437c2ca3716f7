/* SPDX-License-Identifier: BSD-2-Clause */
/* What else wants the CPUs, how much of them this process may have, and what reading the clock
 * costs it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "user/probe/cgroup.h"
#include "user/probe/host_internal.h"
#include "user/probe/sys.h"

static int set_load(struct wc_kvs *kvs, struct wc_result *r)
{
	unsigned int cpus = wc_sys__cpu_cnt("online");
	char buf[128];
	double load;
	int err;

	if (wc_sys__read("/proc/loadavg", buf, sizeof(buf)) < 0 || sscanf(buf, "%lf", &load) != 1)
		return 0;
	err = wc_kvs__setf(kvs, "load", "%.2f", load);
	if (err || !cpus || load <= cpus / 2.0)
		return err;
	return wc_result__warnf(r,
				"load average is %.2f on %u CPUs, other tasks share them: stop "
				"what else runs, or pin it elsewhere",
				load, cpus);
}

struct quota {
	double cpus; /* tightest so far; 0: none */
	char dir[1024];
};

static int see_quota(void *ctx, const char *dir, bool is_v2)
{
	unsigned long long quota_us = 0, period_us = 0;
	struct quota *q = ctx;
	char text[64];
	uint64_t v1;

	if (is_v2) {
		if (wc_sys__readf(text, sizeof(text), "%s/cpu.max", dir) < 0 ||
		    sscanf(text, "%llu %llu", &quota_us, &period_us) != 2)
			return 0;
	} else {
		char path[2400];

		snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", dir);
		if (wc_sys__read_u64(path, &v1) || v1 == UINT64_MAX)
			return 0;
		quota_us = v1;
		snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", dir);
		if (wc_sys__read_u64(path, &v1))
			return 0;
		period_us = v1;
	}
	if (!period_us || (q->cpus > 0 && (double)quota_us / (double)period_us >= q->cpus))
		return 0;
	q->cpus = (double)quota_us / (double)period_us;
	snprintf(q->dir, sizeof(q->dir), "%s", dir);
	return 0;
}

static int set_quota(struct wc_kvs *kvs, struct wc_result *r)
{
	struct quota q = { 0 };
	int err;

	wc_cgroup__each("cpu", see_quota, &q);
	if (q.cpus <= 0)
		return 0;
	err = wc_kvs__setf(kvs, "cpu_quota", "%.2f CPUs (%s)", q.cpus, q.dir);
	if (err)
		return err;
	return wc_result__warnf(r,
				"the control group %s may use only %.2f CPUs and is stopped when "
				"it has: run outside of it, or lift its CPU quota",
				q.dir, q.cpus);
}

int wc_host__describe_load(struct wc_kvs *kvs, struct wc_result *r)
{
	char buf[256];
	int err = set_load(kvs, r);

	err = err ? err : set_quota(kvs, r);
	if (!err && !wc_sys__read_key("/proc/pressure/cpu", "some", buf, sizeof(buf))) {
		buf[strcspn(buf, " ")] = '\0';
		err = wc_kvs__set(kvs, "psi", buf);
	}
	if (!err && !wc_sys__read_bracketed("/sys/kernel/mm/transparent_hugepage/enabled", buf,
					    sizeof(buf)))
		err = wc_kvs__set(kvs, "thp", buf);
	return err;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Best of a few batches, so that an interrupt does not count. */
static unsigned int clock_read_ns(bool by_syscall)
{
	enum { BATCH = 200, TRIES = 7 };
	uint64_t best = UINT64_MAX;
	struct timespec t;
	int i, j;

	for (i = 0; i < TRIES; i++) {
		uint64_t from = now_ns(), took;

		for (j = 0; j < BATCH; j++) {
			if (by_syscall)
				syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
			else
				clock_gettime(CLOCK_MONOTONIC, &t);
		}
		took = now_ns() - from;
		best = took < best ? took : best;
	}
	return (unsigned int)(best / BATCH);
}

int wc_host__describe_clock(struct wc_kvs *kvs, struct wc_result *r)
{
	unsigned int read_ns = clock_read_ns(false), syscall_ns = clock_read_ns(true);
	char source[64], list[256];
	int err = 0;

	if (wc_sys__read("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
			 sizeof(source)) < 0)
		snprintf(source, sizeof(source), "unknown");
	source[strcspn(source, " ")] = '\0';
	err = wc_kvs__set(kvs, "clocksource", source);
	if (!err)
		err = wc_kvs__setf(kvs, "clock_read", "%u ns", read_ns);
	/* Within a fifth of a real system call: there was no shortcut. */
	if (err || read_ns * 5 < syscall_ns * 4)
		return err;
	if (wc_sys__read("/sys/devices/system/clocksource/clocksource0/available_clocksource", list,
			 sizeof(list)) < 0)
		snprintf(list, sizeof(list), "unknown");
	list[strcspn(list, "\n")] = '\0';
	return wc_result__warnf(
		r,
		"reading the clock (%s) is a system call of %u ns here, stamps cost "
		"more: choose another of '%s' with 'echo NAME "
		">/sys/devices/system/clocksource/clocksource0/current_clocksource'",
		source, read_ns, list);
}
