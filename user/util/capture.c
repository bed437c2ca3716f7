// SPDX-License-Identifier: BSD-2-Clause
#include "user/util/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* All that comes, or NULL with errno. */
static char *pipe__read(int fd, size_t max)
{
	size_t sz = 4096, have = 0;
	char *buf = malloc(sz), *grown;
	ssize_t got;

	while (buf) {
		got = read(fd, buf + have, sz - have - 1);
		if (got == 0)
			break;
		if (got < 0 && errno == EINTR)
			continue;
		if (got > 0 && have + (size_t)got > max) {
			errno = EFBIG;
			got = -1;
		}
		if (got < 0) {
			free(buf);
			return NULL;
		}
		have += (size_t)got;
		if (have + 1 < sz)
			continue;
		sz *= 2;
		grown = realloc(buf, sz);
		if (!grown)
			free(buf);
		buf = grown;
	}
	if (buf)
		buf[have] = '\0';
	return buf;
}

static pid_t program__start(char *const argv[], int out_fd)
{
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;
	int err = posix_spawn_file_actions_init(&actions);

	if (!err) {
		err = posix_spawn_file_actions_adddup2(&actions, out_fd, STDOUT_FILENO);
		if (!err)
			err = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	errno = err;
	return err ? -1 : pid;
}

char *wc_capture__run(char *const argv[], size_t max, int *status)
{
	int fds[2], saved;
	char *text = NULL;
	pid_t pid;

	*status = 0;
	if (pipe2(fds, O_CLOEXEC))
		return NULL;
	pid = program__start(argv, fds[1]);
	saved = errno;
	close(fds[1]);
	if (pid > 0) {
		text = pipe__read(fds[0], max);
		saved = errno;
		if (!text)
			kill(pid, SIGKILL);
		while (waitpid(pid, status, 0) < 0 && errno == EINTR)
			;
		if (text && *status) {
			free(text);
			text = NULL;
			saved = ECHILD;
		}
	}
	close(fds[0]);
	errno = saved;
	return text;
}
