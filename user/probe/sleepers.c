// SPDX-License-Identifier: BSD-2-Clause
#include "user/probe/sleepers.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "user/probe/sys.h"

#ifndef SYS_futex_wait
#define SYS_futex_wait 455
#endif
#define FUTEX2_IS_PRIVATE 128 /* FUTEX2_PRIVATE, linux/futex.h since 6.7 */

static bool is_poll(long nr)
{
	static const long polls[] = {
#ifdef SYS_epoll_wait
		SYS_epoll_wait,
#endif
#ifdef SYS_poll
		SYS_poll,
#endif
#ifdef SYS_select
		SYS_select,
#endif
#ifdef SYS_epoll_pwait2
		SYS_epoll_pwait2,
#endif
		SYS_epoll_pwait,  SYS_ppoll, SYS_pselect6,
	};
	size_t i;

	for (i = 0; i < sizeof(polls) / sizeof(polls[0]); i++) {
		if (nr == polls[i])
			return true;
	}
	return false;
}

void wc_look__parse(const char *line, struct wc_sleeper *s)
{
	unsigned long long arg[6] = { 0 };
	long nr;
	int got = sscanf(line, "%ld %llx %llx %llx %llx %llx", &nr, &arg[0], &arg[1], &arg[2],
			 &arg[3], &arg[4]);

	s->addr = 0;
	if (got < 1) {
		s->how = strncmp(line, "running", 7) ? WC_SLEEP_UNREAD : WC_SLEEP_RUNNING;
		return;
	}
	s->how = WC_SLEEP_OTHER;
	if (got == 6 && nr == SYS_futex) {
		s->addr = arg[0];
		s->how = arg[1] & FUTEX_PRIVATE_FLAG ? WC_SLEEP_PRIVATE : WC_SLEEP_SHARED;
	} else if (got == 6 && nr == SYS_futex_wait) {
		s->addr = arg[0];
		s->how = arg[3] & FUTEX2_IS_PRIVATE ? WC_SLEEP_PRIVATE : WC_SLEEP_SHARED;
	} else if (is_poll(nr)) {
		s->how = WC_SLEEP_POLL;
	} else if (nr == SYS_nanosleep || nr == SYS_clock_nanosleep) {
		s->how = WC_SLEEP_TIMED;
	}
}

static int look__add(struct wc_look *look, size_t *cap, pid_t pid, uint32_t tid)
{
	struct wc_sleeper *more, *s;
	char line[256];
	int len;

	if (look->cnt == *cap) {
		*cap = *cap ? *cap * 2 : 256;
		more = reallocarray(look->items, *cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		look->items = more;
	}
	len = wc_sys__readf(line, sizeof(line), "/proc/%d/task/%u/syscall", pid, tid);
	if (len == -ENOENT || len == -ESRCH)
		return 0; /* it has ended since */
	s = &look->items[look->cnt++];
	s->tid = tid;
	wc_look__parse(len > 0 ? line : "", s);
	return 0;
}

int wc_look__take(pid_t pid, struct wc_look *look)
{
	char path[64], full[4096];
	size_t cap = 0, i, unread = 0;
	struct dirent *entry;
	int err = 0;
	DIR *dir;

	memset(look, 0, sizeof(*look));
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(wc_sys__path(full, sizeof(full), path));
	if (!dir)
		return -ESRCH;
	while (!err && (entry = readdir(dir))) {
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			err = look__add(look, &cap, pid,
					(uint32_t)strtoul(entry->d_name, NULL, 10));
	}
	closedir(dir);
	if (err)
		return err;
	for (i = 0; i < look->cnt; i++)
		unread += look->items[i].how == WC_SLEEP_UNREAD;
	if (!look->cnt)
		return -ESRCH;
	if (unread == look->cnt)
		return -EACCES;
	look->taken = true;
	return 0;
}

void wc_look__free(struct wc_look *look)
{
	free(look->items);
	memset(look, 0, sizeof(*look));
}

static pid_t parent_of(const char *pid)
{
	char line[1024], *end;
	int parent;

	/* a name may hold anything, brackets too */
	if (wc_sys__readf(line, sizeof(line), "/proc/%s/stat", pid) <= 0)
		return 0;
	end = strrchr(line, ')');
	return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

static bool among(const pid_t *pids, size_t cnt, pid_t pid)
{
	size_t i;

	for (i = 0; i < cnt; i++) {
		if (pids[i] == pid)
			return true;
	}
	return false;
}

size_t wc_family__of(pid_t pid, pid_t *out, size_t max)
{
	char full[4096];
	size_t cnt = 0, before;
	struct dirent *entry;
	DIR *dir;

	if (!max || !wc_family__thread_cnt(pid))
		return 0;
	out[cnt++] = pid;
	do { /* a child may stand before its parent */
		before = cnt;
		dir = opendir(wc_sys__path(full, sizeof(full), "/proc"));
		while (dir && cnt < max && (entry = readdir(dir))) {
			pid_t one = (pid_t)strtol(entry->d_name, NULL, 10);

			if (one > 0 && !among(out, cnt, one) &&
			    among(out, cnt, parent_of(entry->d_name)))
				out[cnt++] = one;
		}
		if (dir)
			closedir(dir);
	} while (cnt > before && cnt < max);
	return cnt;
}

size_t wc_family__thread_cnt(pid_t pid)
{
	char path[64];
	uint64_t cnt;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	return wc_sys__read_key_u64(path, "Threads", &cnt) ? 0 : cnt;
}

void wc_family__name(pid_t pid, char *dst, size_t sz)
{
	if (wc_sys__readf(dst, sz, "/proc/%d/comm", pid) <= 0)
		snprintf(dst, sz, "?");
}
