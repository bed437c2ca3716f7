/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "num.h"
#include "proc.h"

static ssize_t proc__slurp(const char *path, char *buf, size_t sz)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	ssize_t len;

	if (fd < 0)
		return -errno;
	do {
		len = read(fd, buf, sz - 1);
	} while (len < 0 && errno == EINTR);
	err = errno;
	close(fd);
	if (len < 0)
		return -err;
	buf[len] = '\0';
	return len;
}

bool proc__has_slept(int status_fd, u64 before_cnt)
{
	static const char key[] = "\nvoluntary_ctxt_switches:";
	const char *state, *cnt;
	char buf[4096];
	ssize_t len;

	len = pread(status_fd, buf, sizeof(buf) - 1, 0);
	if (len <= 0)
		return false;
	buf[len] = '\0';
	state = strstr(buf, "\nState:\t");
	cnt = strstr(buf, key);
	if (!state || !cnt || state[8] != 'S')
		return false;
	return strtoull(cnt + sizeof(key) - 1, NULL, 10) > before_cnt;
}

static void proc__path(char *path, size_t sz, pid_t tid, bool own_thread, const char *file)
{
	snprintf(path, sz, own_thread ? "/proc/self/task/%d/%s" : "/proc/%d/%s", tid, file);
}

char proc__state(pid_t tid, bool own_thread)
{
	char path[64], buf[512], *p;

	proc__path(path, sizeof(path), tid, own_thread, "stat");
	if (proc__slurp(path, buf, sizeof(buf)) <= 0)
		return '?';
	/* The name between the parentheses may hold any byte. */
	p = strrchr(buf, ')');
	return p && p[1] == ' ' && p[2] ? p[2] : '?';
}

int proc__syscall(pid_t tid, bool own_thread, long *nr, u64 *arg0)
{
	char path[64], buf[256], *end;
	ssize_t len;

	proc__path(path, sizeof(path), tid, own_thread, "syscall");
	len = proc__slurp(path, buf, sizeof(buf));
	if (len <= 0)
		return len ? (int)len : -ENODATA;
	if (!strncmp(buf, "running", 7))
		return -EAGAIN;
	*nr = strtol(buf, &end, 10);
	if (end == buf)
		return -ENODATA;
	*arg0 = strtoull(end, NULL, 16);
	return 0;
}

int proc__read_u64(const char *path, u64 *out)
{
	char buf[64];
	ssize_t len = proc__slurp(path, buf, sizeof(buf));

	if (len <= 0)
		return len ? (int)len : -ENODATA;
	buf[strcspn(buf, "\n")] = '\0';
	if (!strcmp(buf, "max")) {
		*out = UINT64_MAX;
		return 0;
	}
	return num__parse(buf, out);
}

int proc__read_key(const char *path, const char *key, u64 *out)
{
	FILE *f = fopen(path, "re");
	char line[256];
	int err = -ENOENT;

	if (!f)
		return -errno;
	while (err && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)))
			continue;
		*out = strtoull(line + strlen(key), NULL, 10);
		err = 0;
	}
	fclose(f);
	return err;
}

u64 proc__line_cnt(const char *path)
{
	FILE *f = fopen(path, "re");
	u64 cnt = 0;
	int c;

	if (!f)
		return 0;
	while ((c = getc_unlocked(f)) != EOF)
		cnt += c == '\n';
	fclose(f);
	return cnt;
}

u64 proc__task_cnt(void)
{
	char buf[128], *slash;

	if (proc__slurp("/proc/loadavg", buf, sizeof(buf)) <= 0)
		return 0;
	slash = strchr(buf, '/');
	return slash ? strtoull(slash + 1, NULL, 10) : 0;
}

int proc__run_wait_ns(u64 *out)
{
	DIR *dir = opendir("/proc/self/task");
	char path[64], buf[128], *end;
	struct dirent *e;
	ssize_t len;

	*out = 0;
	if (!dir)
		return -errno;
	while ((e = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/task/%.20s/schedstat", e->d_name);
		len = e->d_name[0] == '.' ? 0 : proc__slurp(path, buf, sizeof(buf));
		/* its CPU time; then this */
		if (len > 0 && strtoull(buf, &end, 10) != UINT64_MAX)
			*out += strtoull(end, NULL, 10);
	}
	closedir(dir);
	return *out ? 0 : -ENODATA;
}
