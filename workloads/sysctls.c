/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guardian process holds the old values and the end of a pipe. It writes them back when the last
 * holder of the other end is gone: after a normal end, a failure, and kill -9 alike.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"
#include "proc.h"
#include "sysctls.h"

#define SPARE_CNT   2048u
#define PID_MAX_MAX 4194304u /* PID_MAX_LIMIT of a 64-bit kernel */

static struct sysctl {
	const char *path;
	u64 old, raised; /* raised 0: left alone */
} sysctls[] = {
	{ .path = "/proc/sys/kernel/pid_max" },
	{ .path = "/proc/sys/kernel/threads-max" },
	{ .path = "/proc/sys/vm/max_map_count" },
};

static pid_t guardian;
static int guardian_fd = -1;

static int sysctl__write(const char *path, u64 value)
{
	char text[32];
	int fd = open(path, O_WRONLY | O_CLOEXEC), len, err = 0;

	if (fd < 0)
		return -errno;
	len = snprintf(text, sizeof(text), "%llu\n", (unsigned long long)value);
	if (write(fd, text, (size_t)len) != len)
		err = -errno;
	close(fd);
	return err;
}

static void guardian__main(int fd)
{
	size_t i;
	u64 now;
	char c;

	setsid();
	prctl(PR_SET_NAME, "wakecost-guard");
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	/* Whoever reads our output must see it end with the program. */
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	while (read(fd, &c, 1) < 0 && errno == EINTR)
		;
	for (i = 0; i < ARRAY_CNT(sysctls); i++) {
		/* Changed by somebody else since: theirs. */
		if (sysctls[i].raised && !proc__read_u64(sysctls[i].path, &now) &&
		    now == sysctls[i].raised)
			sysctl__write(sysctls[i].path, sysctls[i].old);
	}
	_exit(0);
}

/* Two runs at once would restore each other's values: the name is held by the guardian. */
static int guardian__lock(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = "\0wakecost-sysctls" };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return fail__set(errno, NULL, "raise_sysctls: socket: %s; raise them by hand",
				 strerror(errno));
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fail__set(
			errno, NULL,
			"raise_sysctls: another run has raised them (%s); wait for its end",
			strerror(errno));
	return fd;
}

static int guardian__start(void)
{
	int fds[2], lock_fd = guardian__lock();

	if (lock_fd < 0)
		return lock_fd;
	if (pipe2(fds, O_CLOEXEC))
		return fail__set(errno, NULL, "raise_sysctls: pipe: %s; raise them by hand",
				 strerror(errno));
	guardian = fork();
	if (guardian < 0)
		return fail__set(errno, NULL, "raise_sysctls: fork: %s; raise them by hand",
				 strerror(errno));
	if (!guardian) {
		close(fds[1]);
		guardian__main(fds[0]);
	}
	close(fds[0]);
	close(lock_fd);
	guardian_fd = fds[1];
	return 0;
}

int sysctls__raise(u64 task_cnt, u64 map_cnt)
{
	u64 tasks = proc__task_cnt() + task_cnt + SPARE_CNT;
	const u64 wants[] = { tasks < PID_MAX_MAX ? tasks : PID_MAX_MAX, tasks,
			      map_cnt + SPARE_CNT };
	bool any = false;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_CNT(sysctls); i++) {
		if (proc__read_u64(sysctls[i].path, &sysctls[i].old) || sysctls[i].old >= wants[i])
			continue;
		sysctls[i].raised = wants[i];
		any = true;
	}
	if (!any)
		return 0;
	/* First who restores, then what is to be restored. */
	err = guardian__start();
	for (i = 0; !err && i < ARRAY_CNT(sysctls); i++) {
		if (!sysctls[i].raised)
			continue;
		err = sysctl__write(sysctls[i].path, sysctls[i].raised);
		if (err)
			return fail__set(-err, NULL,
					 "raise_sysctls: cannot write %llu to %s: %s; run as root",
					 (unsigned long long)sysctls[i].raised, sysctls[i].path,
					 strerror(-err));
	}
	return err;
}

void sysctls__restore(void)
{
	if (guardian_fd < 0)
		return;
	close(guardian_fd);
	guardian_fd = -1;
	while (waitpid(guardian, NULL, 0) < 0 && errno == EINTR)
		;
}
