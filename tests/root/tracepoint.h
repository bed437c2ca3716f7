/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's own count of a scheduler tracepoint, by perf events of every CPU: what the probes'
 * counts are held against. Needs a tracefs, which is mounted where only this process sees it.
 */
#ifndef TESTS_ROOT_TRACEPOINT_H
#define TESTS_ROOT_TRACEPOINT_H

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRACEPOINT_CPU_MAX 256

struct tracepoint {
	int fds[TRACEPOINT_CPU_MAX];
	int cnt;
};

static inline long tracepoint__id(const char *name)
{
	static const char *const dirs[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[256];
	size_t i;
	long id;

	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/events/sched/%s/id", dirs[i], name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%ld", &id) != 1)
			id = -1;
		fclose(f);
		return id;
	}
	return -1;
}

/* A tracefs for this process alone, if there is none. */
static inline int tracepoint__mount(void)
{
	if (tracepoint__id("sched_waking") > 0)
		return 0;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/sys/kernel/tracing", "tracefs", 0, NULL))
		return -errno;
	return tracepoint__id("sched_waking") > 0 ? 0 : -ENOENT;
}

/* Opened on every CPU and not yet counting. filter: as in a tracefs filter file; "" for none. */
static inline int tracepoint__open(struct tracepoint *t, const char *name, const char *filter)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = sizeof(attr),
					.disabled = 1 };
	long id = tracepoint__id(name);
	int cpu, cpu_cnt = (int)sysconf(_SC_NPROCESSORS_CONF);

	t->cnt = 0;
	if (id < 0)
		return -ENOENT;
	attr.config = (unsigned long long)id;
	for (cpu = 0; cpu < cpu_cnt && cpu < TRACEPOINT_CPU_MAX; cpu++) {
		int fd =
			(int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

		if (fd < 0 && errno == ENODEV) /* not online */
			continue;
		if (fd < 0)
			return -errno;
		t->fds[t->cnt++] = fd;
		if (*filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
			return -errno;
	}
	return 0;
}

static inline void tracepoint__enable(struct tracepoint *t, bool on)
{
	int i;

	for (i = 0; i < t->cnt; i++)
		ioctl(t->fds[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

static inline unsigned long long tracepoint__read(const struct tracepoint *t)
{
	unsigned long long sum = 0, one;
	int i;

	for (i = 0; i < t->cnt; i++) {
		if (read(t->fds[i], &one, sizeof(one)) == sizeof(one))
			sum += one;
	}
	return sum;
}

#endif
