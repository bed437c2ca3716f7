/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/probe/limits.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "user/probe/cgroup.h"
#include "user/probe/rights.h"
#include "user/probe/sys.h"

uint64_t wc_limits__room(uint64_t value, uint64_t used, uint64_t per_thread)
{
	if (value == UINT64_MAX || !per_thread)
		return UINT64_MAX;
	return value > used ? (value - used) / per_thread : 0;
}

static int add(struct wc_checkup *c, const char *name, uint64_t value, uint64_t used,
	       uint64_t per_thread, const char *todo)
{
	const struct wc_limit limit = {
		.name = (char *)name,
		.value = value,
		.used = used,
		.per_thread = per_thread,
		.room = wc_limits__room(value, used, per_thread),
		.todo = (char *)todo,
	};

	return wc_checkup__add_limit(c, &limit);
}

/* "0.10 0.20 0.30 running/total last": threads of the whole machine. */
static int machine_threads(uint64_t *cnt)
{
	unsigned long long total;
	char buf[128];

	if (wc_sys__read("/proc/loadavg", buf, sizeof(buf)) < 0 ||
	    sscanf(buf, "%*s %*s %*s %*[0-9]/%llu", &total) != 1)
		return -ENOENT;
	*cnt = total;
	return 0;
}

static int add_machine(struct wc_checkup *c)
{
	uint64_t threads, max;
	int err = 0;

	if (machine_threads(&threads))
		return 0;
	if (!wc_sys__read_u64("/proc/sys/kernel/threads-max", &max))
		err = add(c, "kernel.threads-max", max, threads, 1,
			  "sysctl -w kernel.threads-max=1000000");
	if (!err && !wc_sys__read_u64("/proc/sys/kernel/pid_max", &max))
		err = add(c, "kernel.pid_max", max, threads + WC_LIMITS_RESERVED_PIDS, 1,
			  "sysctl -w kernel.pid_max=4194304");
	return err;
}

static int add_maps(struct wc_checkup *c)
{
	char full[4096];
	uint64_t max, used = 0;
	FILE *f;
	int ch;

	if (wc_sys__read_u64("/proc/sys/vm/max_map_count", &max))
		return 0;
	f = fopen(wc_sys__path(full, sizeof(full), "/proc/self/maps"), "re");
	while (f && (ch = getc(f)) != EOF)
		used += ch == '\n';
	if (f)
		fclose(f);
	return add(c, "vm.max_map_count", max, used, WC_LIMITS_THREAD_MAPS,
		   "sysctl -w vm.max_map_count=1048576");
}

static bool is_pid(const char *name)
{
	return *name && strspn(name, "0123456789") == strlen(name);
}

/* Threads of this user, as RLIMIT_NPROC counts them. */
static uint64_t user_threads(void)
{
	char dir[4096], path[300], val[64];
	uint64_t cnt = 0, own;
	struct dirent *e;
	DIR *d;

	d = opendir(wc_sys__path(dir, sizeof(dir), "/proc"));
	if (!d)
		return 0;
	while ((e = readdir(d))) {
		if (!is_pid(e->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/status", e->d_name);
		if (!wc_sys__read_key(path, "Uid", val, sizeof(val)) &&
		    strtoul(val, NULL, 10) == getuid() &&
		    !wc_sys__read_key_u64(path, "Threads", &own))
			cnt += own;
	}
	closedir(d);
	return cnt;
}

static int add_rlimits(struct wc_checkup *c)
{
	struct wc_limit fds = {
		.name = (char *)"RLIMIT_NOFILE",
		.per_thread = 1,
		.fds_only = true,
		.todo = (char *)"ulimit -n 200000, or LimitNOFILE= of the service",
	};
	struct rlimit lim;
	int err = 0;

	/* Root, and who may exceed resources, are not held to it. */
	if (!getrlimit(RLIMIT_NPROC, &lim) && lim.rlim_cur != RLIM_INFINITY && getuid() &&
	    !wc_rights__has_cap(CAP_SYS_RESOURCE) && !wc_rights__has_cap(CAP_SYS_ADMIN))
		err = add(c, "RLIMIT_NPROC", lim.rlim_cur, user_threads(), 1, "ulimit -u 200000");
	if (!err && !getrlimit(RLIMIT_NOFILE, &lim) && lim.rlim_cur != RLIM_INFINITY) {
		/* The workload raises its own up to the hard limit, and further if it may. */
		bool may_exceed = wc_rights__has_cap(CAP_SYS_RESOURCE);
		uint64_t ceiling;

		if (wc_sys__read_u64("/proc/sys/fs/nr_open", &ceiling))
			ceiling = lim.rlim_max;
		fds.value = may_exceed ? ceiling : lim.rlim_max;
		fds.room = wc_limits__room(fds.value, 0, 1);
		err = wc_checkup__add_limit(c, &fds);
	}
	if (!err && !getrlimit(RLIMIT_AS, &lim) && lim.rlim_cur != RLIM_INFINITY) {
		struct rlimit stack;
		uint64_t stack_bytes = 8u << 20;

		if (!getrlimit(RLIMIT_STACK, &stack) && stack.rlim_cur != RLIM_INFINITY)
			stack_bytes = stack.rlim_cur;
		err = add(c, "RLIMIT_AS", lim.rlim_cur, 0, stack_bytes, "ulimit -v unlimited");
	}
	return err;
}

static int see_pids(void *ctx, const char *dir, bool is_v2)
{
	char path[2400], name[2400], todo[2400];
	uint64_t max, used;

	(void)is_v2;
	snprintf(path, sizeof(path), "%s/pids.max", dir);
	if (wc_sys__read_u64(path, &max) || max == UINT64_MAX)
		return 0;
	snprintf(path, sizeof(path), "%s/pids.current", dir);
	if (wc_sys__read_u64(path, &used))
		used = 0;
	snprintf(name, sizeof(name), "pids.max of %s", dir);
	snprintf(todo, sizeof(todo), "echo max >%s/pids.max", dir);
	return add(ctx, name, max, used, 1, todo);
}

/* v1 shows "no limit" as a number of pages near the end of the range. */
#define V1_UNLIMITED_BYTES (1ull << 62)

static int see_memory(void *ctx, const char *dir, bool is_v2)
{
	const char *max_file = is_v2 ? "memory.max" : "memory.limit_in_bytes";
	const char *used_file = is_v2 ? "memory.current" : "memory.usage_in_bytes";
	char path[2400], name[2400], todo[2400];
	uint64_t max, used;

	snprintf(path, sizeof(path), "%s/%s", dir, max_file);
	if (wc_sys__read_u64(path, &max) || max >= V1_UNLIMITED_BYTES)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", dir, used_file);
	if (wc_sys__read_u64(path, &used))
		used = 0;
	snprintf(name, sizeof(name), "%s of %s", max_file, dir);
	snprintf(todo, sizeof(todo), "echo %s >%s/%s", is_v2 ? "max" : "-1", dir, max_file);
	return add(ctx, name, max, used, WC_LIMITS_THREAD_BYTES, todo);
}

static int add_memory(struct wc_checkup *c)
{
	uint64_t kib, mode, commit_kib, committed_kib;
	int err = 0;

	if (!wc_sys__read_key_u64("/proc/meminfo", "MemAvailable", &kib))
		err = add(c, "memory available", kib << 10, 0, WC_LIMITS_THREAD_BYTES,
			  "free memory, or use a larger machine");
	if (err || wc_sys__read_u64("/proc/sys/vm/overcommit_memory", &mode) || mode != 2 ||
	    wc_sys__read_key_u64("/proc/meminfo", "CommitLimit", &commit_kib) ||
	    wc_sys__read_key_u64("/proc/meminfo", "Committed_AS", &committed_kib))
		return err;
	/* Strict accounting charges the whole stack. */
	return add(c, "vm.overcommit_memory=2", commit_kib << 10, committed_kib << 10, 8u << 20,
		   "sysctl -w vm.overcommit_memory=0");
}

static int conclude(struct wc_checkup *c, uint64_t wanted)
{
	const struct wc_limit *first = wc_checkup__first_limit(c, false);
	char value[2600];

	if (!first)
		return wc_checkup__add(c, WC_SEC_THREADS, WC_MARK_UNKNOWN, "threads",
				       "no limit could be read", "", "");
	snprintf(value, sizeof(value), "about %llu more; %s stops first",
		 (unsigned long long)first->room, first->name);
	if (first->room >= wanted)
		return wc_checkup__add(c, WC_SEC_THREADS, WC_MARK_OK, "threads", value, "", "");
	return wc_checkup__add(c, WC_SEC_THREADS, WC_MARK_DEGRADED, "threads", value,
			       "the largest experiments park more", first->todo);
}

int wc_limits__check(struct wc_checkup *c, uint64_t wanted)
{
	int err = add_machine(c);

	err = err ? err : add_maps(c);
	err = err ? err : add_rlimits(c);
	err = err ? err : wc_cgroup__each("pids", see_pids, c);
	err = err ? err : add_memory(c);
	err = err ? err : wc_cgroup__each("memory", see_memory, c);
	return err ? err : conclude(c, wanted);
}
