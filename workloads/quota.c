/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "proc.h"
#include "quota.h"

struct quota {
	u64 quota_us, period_us;
};

static int quota__set(void *ctx, struct nest *nest)
{
	const struct quota *q = ctx;
	char text[64];
	int err;

	snprintf(text, sizeof(text), "%llu %llu", (unsigned long long)q->quota_us,
		 (unsigned long long)q->period_us);
	if (nest->v2)
		return nest__write(nest, "cpu.max", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)q->period_us);
	err = nest__write(nest, "cpu.cfs_period_us", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)q->quota_us);
	return err ? err : nest__write(nest, "cpu.cfs_quota_us", text);
}

static const char *quota__todo(const struct nest *nest, int err)
{
	if (!nest->dir[0])
		return "mount the cpu controller: cgroup2 on /sys/fs/cgroup, or cgroup v1 with -o "
		       "cpu";
	if (err == -EACCES || err == -EPERM)
		return "run as root (sudo)";
	if (err == -EROFS)
		return "control groups are mounted read-only here, as in a container: run it on "
		       "the host";
	if (err == -ENOENT && nest->file && !nest->v2)
		return "this kernel has no CPU limits (CONFIG_CFS_BANDWIDTH)";
	if (err == -EINVAL && nest->file)
		return "a group above this one may have a smaller limit: ask for less";
	return "start it from the root group, or a systemd unit with Delegate=cpu";
}

int quota__enter(struct nest *nest, u64 cpu_milli, u64 period_ns)
{
	struct quota q = { .period_us = period_ns / 1000 };
	int err;

	q.quota_us = q.period_us * cpu_milli / 1000;
	if (q.quota_us < 1000)
		return fail__usage("cpu_limit: %llu us a period are less than the millisecond the "
				   "kernel takes; give a larger cpu_limit or cpu_period",
				   (unsigned long long)q.quota_us);
	err = nest__own(nest, quota__set, &q);
	if (!err)
		return 0;
	return fail__set(-err, "cgroup", "cpu_limit: %s%s%s: %s; %s, or use cpu_limit=0",
			 nest->dir[0] ? nest->dir : "no cpu controller in /proc/self/cgroup",
			 nest->file ? "/" : "", nest->file ? nest->file : "", strerror(-err),
			 quota__todo(nest, err));
}

int quota__read(const struct nest *nest, struct quota_stat *out)
{
	char path[PATH_MAX + 16];
	int err;

	snprintf(path, sizeof(path), "%s/cpu.stat", nest->dir);
	err = proc__read_key(path, "nr_periods ", &out->period_cnt);
	err = err ? err : proc__read_key(path, "nr_throttled ", &out->throttled_cnt);
	if (err || !proc__read_key(path, "throttled_time ", &out->throttled_ns))
		return err;
	err = proc__read_key(path, "throttled_usec ", &out->throttled_ns);
	out->throttled_ns *= 1000;
	return err;
}
