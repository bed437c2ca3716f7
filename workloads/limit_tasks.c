/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether so many threads can be had at all, asked before the first is made. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

#include "cgroup.h"
#include "fail.h"
#include "limit.h"
#include "proc.h"

#define U(x) ((unsigned long long)(x))

struct room {
	u64 cnt;
	char path[PATH_MAX]; /* the group that has no more */
	u64 max;
};

/* The least of all groups above; the walk goes on. */
static bool room__of_group(void *ctx, const char *dir, bool v2)
{
	struct room *least = ctx;
	char path[PATH_MAX + 32];
	u64 max, current;

	(void)v2;
	snprintf(path, sizeof(path), "%s/pids.max", dir);
	if (proc__read_u64(path, &max) || max == UINT64_MAX)
		return false;
	snprintf(path, sizeof(path), "%s/pids.current", dir);
	if (proc__read_u64(path, &current))
		return false;
	current = max > current ? max - current : 0;
	if (current >= least->cnt)
		return false;
	least->cnt = current;
	least->max = max;
	snprintf(least->path, sizeof(least->path), "%s", dir);
	return false;
}

static int room__short(const char *limit, const char *what, u64 cnt, u64 max, u64 used,
		       const char *raise)
{
	return fail__set(
		EAGAIN, limit,
		"%s: %llu wanted, and %s allows %llu tasks, of which %llu exist; raise it: "
		"%s, or ask for fewer",
		what, U(cnt), limit, U(max), U(used), raise);
}

int limit__check_tasks(u64 cnt, const char *what)
{
	struct room room = { .cnt = UINT64_MAX };
	u64 task_cnt = proc__task_cnt(), max, user_cnt;
	char raise[PATH_MAX + 64];
	struct rlimit nproc;

	limit__raise(0);
	cgroup__each("pids", room__of_group, &room);
	if (room.cnt < cnt) {
		snprintf(raise, sizeof(raise), "echo max > %s/pids.max (systemd: TasksMax=)",
			 room.path);
		return room__short("pids.max", what, cnt, room.max, room.max - room.cnt, raise);
	}
	if (!proc__read_u64("/proc/sys/kernel/threads-max", &max) && task_cnt + cnt > max)
		return room__short("kernel.threads-max", what, cnt, max, task_cnt,
				   "sysctl kernel.threads-max");
	if (!proc__read_u64("/proc/sys/kernel/pid_max", &max) && task_cnt + cnt > max)
		return room__short("kernel.pid_max", what, cnt, max, task_cnt,
				   "sysctl kernel.pid_max=4194304");
	if (limit__nproc_exempt() || getrlimit(RLIMIT_NPROC, &nproc) ||
	    nproc.rlim_cur == RLIM_INFINITY)
		return 0;
	user_cnt = limit__user_task_cnt();
	if (user_cnt + cnt > nproc.rlim_cur)
		return room__short("RLIMIT_NPROC", what, cnt, nproc.rlim_cur, user_cnt,
				   "ulimit -u unlimited, or nproc in /etc/security/limits.conf");
	return 0;
}
