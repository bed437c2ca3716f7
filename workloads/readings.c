/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "limit.h"
#include "proc.h"
#include "readings.h"

/* Ids below are not given out again once the numbers have wrapped. */
#define ID_RESERVED_CNT 300u
/* Tasks of others that may have come or gone between the refusal and our reading. */
#define TASK_SLACK_CNT	64u
#define USER_SLACK_CNT	8u
#define MAP_SLACK_CNT	4u
#define MEMORY_SLACK_SZ (64ull << 20)
/* cgroup v1 shows "none" as the largest whole number of pages. */
#define V1_NO_LIMIT	(1ull << 62)
#define PID_NS_INIT_INO 0xEFFFFFFCu /* include/linux/proc_ns.h */

struct taking {
	struct readings *r;
	pid_t pid;
	bool at;
};

/* What a walk over /proc finds: the pid namespace it shows, no other. */
struct ids {
	u64 task_cnt, high_cnt, user_cnt; /* high: not among the reserved */
};

static struct reading *taking__find(struct taking *t, const char *name, const char *where)
{
	struct readings *r = t->r;
	struct reading *one;
	int i;

	for (i = 0; i < r->cnt; i++) {
		if (!strcmp(r->items[i].name, name) && !strcmp(r->items[i].where, where))
			return &r->items[i];
	}
	if (r->cnt == READINGS_MAX)
		return NULL;
	one = &r->items[r->cnt++];
	memset(one, 0, sizeof(*one));
	one->name = name;
	snprintf(one->where, sizeof(one->where), "%s", where);
	one->binds = true;
	one->refused_before = one->refused_at = UINT64_MAX;
	return one;
}

static struct reading *taking__add(struct taking *t, const char *name, const char *where, int calls,
				   const char *unit, u64 limit, u64 used, u64 slack)
{
	struct reading *one = taking__find(t, name, where);

	if (!one)
		return NULL;
	one->calls = calls;
	one->unit = unit;
	one->limit = limit;
	one->slack = slack;
	if (!t->at)
		one->before = used;
	one->at = used;
	return one;
}

static void ids__threads(struct ids *ids, const char *process, bool own_user)
{
	char path[300];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/task", process);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		ids->task_cnt++;
		ids->user_cnt += own_user;
		ids->high_cnt += strtoul(entry->d_name, NULL, 10) >= ID_RESERVED_CNT;
	}
	if (dir)
		closedir(dir);
}

static void ids__scan(struct ids *ids)
{
	char path[300];
	struct dirent *entry;
	struct stat st;
	DIR *dir = opendir("/proc");

	memset(ids, 0, sizeof(*ids));
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/status", entry->d_name);
		ids__threads(ids, entry->d_name, !stat(path, &st) && st.st_uid == getuid());
	}
	if (dir)
		closedir(dir);
}

static bool pid_ns__is_first(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == PID_NS_INIT_INO;
}

static void take__tasks(struct taking *t)
{
	u64 limit, used;
	struct rlimit rl;
	struct reading *one;
	struct ids ids;

	ids__scan(&ids);
	t->r->task_cnt = proc__task_cnt();
	if (!proc__read_u64("/proc/sys/kernel/threads-max", &limit))
		taking__add(t, "kernel.threads-max", "", READING_CLONE, "tasks", limit,
			    t->r->task_cnt, TASK_SLACK_CNT);
	if (!proc__read_u64("/proc/sys/kernel/pid_max", &limit)) {
		used = ids.high_cnt + ID_RESERVED_CNT;
		/* hidepid=: not all are shown, but the machine's count is of all */
		if (pid_ns__is_first() && t->r->task_cnt > ids.task_cnt)
			used += t->r->task_cnt - ids.task_cnt;
		taking__add(t, "kernel.pid_max", "", READING_CLONE, "ids", limit, used,
			    TASK_SLACK_CNT);
	}
	if (!getrlimit(RLIMIT_NPROC, &rl)) {
		one = taking__add(t, "RLIMIT_NPROC", "", READING_CLONE, "tasks",
				  rl.rlim_cur == RLIM_INFINITY ? UINT64_MAX : rl.rlim_cur,
				  ids.user_cnt, USER_SLACK_CNT);
		if (one)
			one->binds = !limit__nproc_exempt();
	}
}

static bool take__pids(void *ctx, const char *dir, bool v2)
{
	struct taking *t = ctx;
	char path[PATH_MAX + 32];
	struct reading *one;
	u64 max, used = 0, refused;

	(void)v2;
	snprintf(path, sizeof(path), "%s/pids.max", dir);
	if (proc__read_u64(path, &max))
		return false;
	snprintf(path, sizeof(path), "%s/pids.current", dir);
	proc__read_u64(path, &used);
	one = taking__add(t, "pids.max", dir, READING_CLONE, "tasks", max, used, 0);
	snprintf(path, sizeof(path), "%s/pids.events", dir);
	if (!one || proc__read_key(path, "max ", &refused))
		return false;
	if (!t->at)
		one->refused_before = refused;
	one->refused_at = refused;
	return false;
}

static bool take__memory_group(void *ctx, const char *dir, bool v2)
{
	char path[PATH_MAX + 32];
	u64 max, used = 0;

	snprintf(path, sizeof(path), "%s/memory.%s", dir, v2 ? "max" : "limit_in_bytes");
	if (proc__read_u64(path, &max) || max >= V1_NO_LIMIT)
		return false;
	snprintf(path, sizeof(path), "%s/memory.%s", dir, v2 ? "current" : "usage_in_bytes");
	proc__read_u64(path, &used);
	taking__add(ctx, v2 ? "memory.max" : "memory.limit_in_bytes", dir,
		    READING_CLONE | READING_MAP, "bytes", max, used, MEMORY_SLACK_SZ);
	return false;
}

/* The end of the stack is near the end of what addresses there are: the next power of two. */
static u64 address_space_sz(void)
{
	u64 here = (u64)(uintptr_t)__builtin_frame_address(0), sz = 1;

	while (sz && sz <= here)
		sz <<= 1;
	return sz ? sz : UINT64_MAX;
}

static void take__mappings(struct taking *t)
{
	u64 limit, vm_kb = 0, data_kb = 0, map_cnt;
	struct rlimit rl;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", t->pid);
	/* one line is the vsyscall page, which is no mapping of its own */
	map_cnt = proc__line_cnt(path);
	if (!proc__read_u64("/proc/sys/vm/max_map_count", &limit))
		taking__add(t, "vm.max_map_count", "", READING_MAP, "mappings", limit, map_cnt,
			    MAP_SLACK_CNT);
	snprintf(path, sizeof(path), "/proc/%d/status", t->pid);
	proc__read_key(path, "VmSize:", &vm_kb);
	proc__read_key(path, "VmData:", &data_kb);
	taking__add(t, "address space", "", READING_MAP, "bytes", address_space_sz(), vm_kb * 1024,
		    t->r->stack_sz);
	if (!getrlimit(RLIMIT_AS, &rl) && rl.rlim_cur != RLIM_INFINITY)
		taking__add(t, "RLIMIT_AS", "", READING_MAP, "bytes", rl.rlim_cur, vm_kb * 1024,
			    t->r->stack_sz + (1u << 20));
	if (!getrlimit(RLIMIT_DATA, &rl) && rl.rlim_cur != RLIM_INFINITY)
		taking__add(t, "RLIMIT_DATA", "", READING_MAP, "bytes", rl.rlim_cur, data_kb * 1024,
			    t->r->stack_sz + (1u << 20));
}

static void take__memory(struct taking *t)
{
	u64 mode = 0, total_kb = 0, free_kb, limit_kb, used_kb, swap_kb = 0, limit_sz;

	proc__read_key("/proc/meminfo", "SwapTotal:", &swap_kb);
	if (!proc__read_key("/proc/meminfo", "MemTotal:", &total_kb) &&
	    !proc__read_key("/proc/meminfo", "MemAvailable:", &free_kb))
		taking__add(t, "memory", "", READING_CLONE | READING_MAP, "bytes", total_kb * 1024,
			    total_kb > free_kb ? (total_kb - free_kb) * 1024 : 0, MEMORY_SLACK_SZ);
	if (proc__read_u64("/proc/sys/vm/overcommit_memory", &mode) || mode == 1)
		return;
	if (mode == 2 && !proc__read_key("/proc/meminfo", "CommitLimit:", &limit_kb) &&
	    !proc__read_key("/proc/meminfo", "Committed_AS:", &used_kb))
		taking__add(t, "vm.overcommit_memory", "", READING_MAP, "bytes", limit_kb * 1024,
			    used_kb * 1024, t->r->stack_sz + (1u << 20));
	/* mode 0 looks at each mapping alone: more than all memory there is will not be had */
	limit_sz = (total_kb + swap_kb) * 1024;
	if (!mode && t->r->stack_sz > limit_sz)
		taking__add(t, "vm.overcommit_memory", "", READING_MAP, "bytes", limit_sz,
			    t->r->stack_sz, 0);
}

void readings__take(struct readings *r, pid_t pid, bool at)
{
	struct taking t = { .r = r, .pid = pid, .at = at };

	take__tasks(&t);
	cgroup__each("pids", take__pids, &t);
	take__mappings(&t);
	take__memory(&t);
	cgroup__each("memory", take__memory_group, &t);
}

u64 reading__room(const struct reading *one)
{
	if (one->limit == UINT64_MAX)
		return UINT64_MAX;
	return one->limit > one->at ? one->limit - one->at : 0;
}

u64 reading__per_thread(const struct reading *one, u64 cnt)
{
	u64 more = one->at > one->before ? one->at - one->before : 0;

	return cnt && more > cnt ? (more + cnt / 2) / cnt : 1;
}

void reading__todo(const struct reading *one, char *dst, size_t sz)
{
	unsigned long long more = one->limit < UINT64_MAX / 4 ? one->limit * 4 : one->limit;

	if (!strcmp(one->name, "kernel.pid_max"))
		snprintf(dst, sz, "sysctl -w kernel.pid_max=4194304");
	else if (!strncmp(one->name, "kernel.", 7) || !strcmp(one->name, "vm.max_map_count"))
		snprintf(dst, sz, "sysctl -w %s=%llu", one->name, more);
	else if (!strcmp(one->name, "RLIMIT_NPROC"))
		snprintf(dst, sz, "ulimit -u unlimited, or nproc in /etc/security/limits.conf");
	else if (!strcmp(one->name, "pids.max"))
		snprintf(dst, sz, "echo max >%s/pids.max (systemd: TasksMax=)", one->where);
	else if (!strcmp(one->name, "RLIMIT_AS"))
		snprintf(dst, sz, "ulimit -v unlimited, or smaller stacks");
	else if (!strcmp(one->name, "RLIMIT_DATA"))
		snprintf(dst, sz, "ulimit -d unlimited, or smaller stacks");
	else if (!strcmp(one->name, "vm.overcommit_memory"))
		snprintf(dst, sz, "sysctl -w vm.overcommit_memory=1, or smaller stacks");
	else if (one->where[0])
		snprintf(dst, sz, "raise %s in %s", one->name, one->where);
	else
		snprintf(dst, sz, "smaller stacks, fewer threads, or a larger machine");
}
