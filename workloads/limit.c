/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "fail.h"
#include "limit.h"
#include "proc.h"

/* Pids below are not given out again once the numbers have wrapped. */
#define PID_RESERVED_CNT 300u
/* Tasks that may have come or gone between the refusal and our reading. */
#define TASK_SLACK_CNT 64u

#define U(x)	       ((unsigned long long)(x))

/* Read while a descriptor is still to be had. */
static u64 nr_open = 1048576, file_max;

static void limit__raise_one(int resource, rlim_t want)
{
	struct rlimit limit, higher;

	if (getrlimit(resource, &limit) || limit.rlim_cur >= want)
		return;
	higher = limit;
	higher.rlim_cur = want;
	if (higher.rlim_max < want)
		higher.rlim_max = want;
	/* Above the hard limit needs CAP_SYS_RESOURCE; else as far as the hard one goes. */
	if (!setrlimit(resource, &higher))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(resource, &limit);
}

int limit__raise(u64 fd_cnt)
{
	proc__read_u64("/proc/sys/fs/nr_open", &nr_open);
	proc__read_u64("/proc/sys/fs/file-max", &file_max);
	limit__raise_one(RLIMIT_NOFILE, fd_cnt < nr_open ? fd_cnt : nr_open);
	limit__raise_one(RLIMIT_NPROC, RLIM_INFINITY);
	return 0;
}

bool limit__nproc_exempt(void)
{
	u64 inside = 1, outside = 1, cnt = 0, caps = 0;
	FILE *f = fopen("/proc/self/uid_map", "re");
	char line[128];

	if (f && fgets(line, sizeof(line), f) &&
	    sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &inside, &outside, &cnt) != 3)
		cnt = 0;
	if (f)
		fclose(f);
	if (inside || outside || cnt != UINT32_MAX)
		return false;
	f = fopen("/proc/self/status", "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "CapEff:", 7))
			caps = strtoull(line + 7, NULL, 16);
	}
	if (f)
		fclose(f);
	return getuid() == 0 || caps >> 24 & 1 || caps >> 21 & 1;
}

u64 limit__user_task_cnt(void)
{
	char path[300];
	struct dirent *entry;
	struct stat st;
	u64 cnt = 0, threads;
	DIR *dir = opendir("/proc");

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/status", entry->d_name);
		if (!stat(path, &st) && st.st_uid == getuid() &&
		    !proc__read_key(path, "Threads:", &threads))
			cnt += threads;
	}
	if (dir)
		closedir(dir);
	return cnt;
}

static bool limit__memory_low(u64 wanted_sz)
{
	u64 available_kb;

	return !proc__read_key("/proc/meminfo", "MemAvailable:", &available_kb) &&
	       available_kb * 1024 < wanted_sz + (64ull << 20);
}

static int limit__task(int err, u64 reached, const char *what)
{
	u64 task_cnt = proc__task_cnt(), pid_max = UINT64_MAX, threads_max = UINT64_MAX, user_cnt;
	struct cgroup_limit cgroup;
	struct rlimit nproc;

	if (err == EINVAL)
		return fail__set(
			err, "stack",
			"%s: stopped after %llu: the C library wants larger stacks for its "
			"threads; raise stack (stack=2M)",
			what, U(reached));
	proc__read_u64("/proc/sys/kernel/pid_max", &pid_max);
	proc__read_u64("/proc/sys/kernel/threads-max", &threads_max);
	if (cgroup__pids_full(&cgroup))
		return fail__set(
			err, "pids.max",
			"%s: stopped after %llu: the cgroup %s allows %llu tasks (pids.max) and "
			"has %llu; raise it: echo max > %s/pids.max (systemd: TasksMax=)",
			what, U(reached), cgroup.path, U(cgroup.max), U(cgroup.current),
			cgroup.path);
	if (task_cnt + TASK_SLACK_CNT >= threads_max)
		return fail__set(
			err, "threads-max",
			"%s: stopped after %llu: kernel.threads-max is %llu and the machine has "
			"%llu tasks; raise it: sysctl kernel.threads-max=%llu",
			what, U(reached), U(threads_max), U(task_cnt), U(threads_max * 4));
	if (!limit__nproc_exempt() && !getrlimit(RLIMIT_NPROC, &nproc) &&
	    nproc.rlim_cur != RLIM_INFINITY) {
		user_cnt = limit__user_task_cnt();
		if (user_cnt + TASK_SLACK_CNT / 8 >= nproc.rlim_cur)
			return fail__set(
				err, "RLIMIT_NPROC",
				"%s: stopped after %llu: RLIMIT_NPROC allows this user %llu tasks "
				"and %llu exist; raise it: ulimit -u unlimited, or nproc in "
				"/etc/security/limits.conf",
				what, U(reached), U(nproc.rlim_cur), U(user_cnt));
	}
	if (task_cnt + PID_RESERVED_CNT + TASK_SLACK_CNT >= pid_max)
		return fail__set(
			err, "pid_max",
			"%s: stopped after %llu: kernel.pid_max is %llu and the machine has %llu "
			"tasks; raise it: sysctl kernel.pid_max=4194304 (or -P raise_sysctls=1)",
			what, U(reached), U(pid_max), U(task_cnt));
	if (err == ENOMEM || limit__memory_low(0))
		return fail__set(
			err, "memory",
			"%s: stopped after %llu: no memory for another kernel stack; see "
			"MemAvailable in /proc/meminfo and memory.max of the cgroup, or use a "
			"smaller parked",
			what, U(reached));
	return fail__set(err, "unknown",
			 "%s: stopped after %llu: %s, and no limit read explains it (pid_max %llu, "
			 "threads-max %llu, %llu tasks); see dmesg, or use a smaller parked",
			 what, U(reached), strerror(err), U(pid_max), U(threads_max), U(task_cnt));
}

static int limit__map(int err, u64 sz, u64 reached, const char *what)
{
	u64 map_cnt = proc__line_cnt("/proc/self/maps"), map_max = UINT64_MAX, overcommit = 0;
	u64 vm_kb = 0, limit_kb = 0, used_kb = 0;
	struct rlimit as;

	proc__read_u64("/proc/sys/vm/max_map_count", &map_max);
	proc__read_u64("/proc/sys/vm/overcommit_memory", &overcommit);
	proc__read_key("/proc/self/status", "VmSize:", &vm_kb);
	proc__read_key("/proc/meminfo", "CommitLimit:", &limit_kb);
	proc__read_key("/proc/meminfo", "Committed_AS:", &used_kb);
	if (map_cnt + 4 >= map_max)
		return fail__set(
			err, "max_map_count",
			"%s: stopped after %llu: vm.max_map_count is %llu and the process has "
			"%llu mappings; raise it: sysctl vm.max_map_count=%llu, or use guard=0",
			what, U(reached), U(map_max), U(map_cnt), U(map_max * 4));
	if (!getrlimit(RLIMIT_AS, &as) && as.rlim_cur != RLIM_INFINITY &&
	    vm_kb * 1024 + sz + (1u << 20) > as.rlim_cur)
		return fail__set(
			err, "RLIMIT_AS",
			"%s: stopped after %llu: RLIMIT_AS allows %llu bytes of address space, "
			"%llu are used and %llu more were asked for; raise it: ulimit -v "
			"unlimited, or use a smaller stack or parked",
			what, U(reached), U(as.rlim_cur), U(vm_kb * 1024), U(sz));
	if (overcommit == 2 && (used_kb + sz / 1024) > limit_kb)
		return fail__set(
			err, "overcommit",
			"%s: stopped after %llu: vm.overcommit_memory is 2 and %llu of %llu kB "
			"are committed; raise vm.overcommit_ratio, or use a smaller stack",
			what, U(reached), U(used_kb), U(limit_kb));
	if (limit__memory_low(sz) || err == ENOMEM)
		return fail__set(
			err, "memory",
			"%s: stopped after %llu: %llu bytes refused: %s; see MemAvailable in "
			"/proc/meminfo, or use fewer handoffs, a smaller stack or parked",
			what, U(reached), U(sz), strerror(err));
	return fail__set(err, "unknown", "%s: stopped after %llu: %s; see dmesg", what, U(reached),
			 strerror(err));
}

static int limit__fd(int err, u64 reached, const char *what)
{
	struct rlimit nofile = { 0, 0 };

	getrlimit(RLIMIT_NOFILE, &nofile);
	if (err == EMFILE && nofile.rlim_cur >= nr_open)
		return fail__set(
			err, "nr_open",
			"%s: stopped after %llu: fs.nr_open allows a process %llu descriptors; "
			"raise it: sysctl fs.nr_open=%llu",
			what, U(reached), U(nr_open), U(nr_open * 4));
	if (err == EMFILE)
		return fail__set(
			err, "RLIMIT_NOFILE",
			"%s: stopped after %llu: RLIMIT_NOFILE allows %llu descriptors; raise it: "
			"ulimit -Hn %llu, or nofile in /etc/security/limits.conf",
			what, U(reached), U(nofile.rlim_cur), U(nr_open));
	if (err == ENFILE)
		return fail__set(err, "file-max",
				 "%s: stopped after %llu: fs.file-max is %llu; raise it: sysctl "
				 "fs.file-max=%llu",
				 what, U(reached), U(file_max), U(file_max * 4));
	return fail__set(err, err == ENOMEM ? "memory" : "unknown",
			 "%s: stopped after %llu: %s; see dmesg, or ask for fewer", what,
			 U(reached), strerror(err));
}

int limit__refused(enum limit_call call, int err, size_t sz, u64 reached, const char *what)
{
	switch (call) {
	case LIMIT_MMAP:
		return limit__map(err, sz, reached, what);
	case LIMIT_FD:
		return limit__fd(err, reached, what);
	default:
		return limit__task(err, reached, what);
	}
}
