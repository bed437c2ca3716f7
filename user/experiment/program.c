// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "user/probe/sleepers.h"

#define STEP_NS	   20000000ull
#define FAMILY_MAX 256

static void child(char *const *argv, const char *const *env, int said_fd)
{
	sigset_t none;
	int err;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	for (; env && *env; env++)
		putenv((char *)*env);
	execvp(argv[0], argv);
	err = errno;
	if (write(said_fd, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(err == ENOENT ? 127 : 126);
}

int wc_program__start(struct wc_program *p, char *const *argv, const char *const *env)
{
	int said[2], err = 0;

	memset(p, 0, sizeof(*p));
	if (pipe2(said, O_CLOEXEC))
		return -errno;
	p->pid = fork();
	if (p->pid == 0) {
		close(said[0]);
		child(argv, env, said[1]);
	}
	if (p->pid < 0)
		err = errno;
	close(said[1]);
	/* closed by a successful exec */
	while (!err && read(said[0], &err, sizeof(err)) < 0 && errno == EINTR)
		;
	close(said[0]);
	if (err && p->pid > 0) {
		waitpid(p->pid, NULL, 0);
		p->ended = true;
	}
	return -err;
}

static void reap(struct wc_program *p)
{
	if (!p->ended && waitpid(p->pid, &p->status, WNOHANG) == p->pid)
		p->ended = true;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool wc_program__wait(struct wc_program *p, uint64_t ns, const volatile sig_atomic_t *stop)
{
	const struct timespec step = { 0, STEP_NS };
	uint64_t end = now_ns() + ns;

	reap(p);
	while (!p->ended && !(stop && *stop) && now_ns() < end) {
		nanosleep(&step, NULL);
		reap(p);
	}
	return !p->ended;
}

static void tell(const pid_t *pids, size_t cnt, int sig)
{
	size_t i;

	/* the first is our child and not reaped; the others were below it a moment ago */
	for (i = 0; i < cnt; i++)
		kill(pids[i], sig);
}

void wc_program__end(struct wc_program *p, uint64_t grace_ns)
{
	pid_t pids[FAMILY_MAX];
	size_t cnt;

	if (p->pid <= 0)
		return;
	reap(p);
	if (p->ended)
		return;
	cnt = wc_family__of(p->pid, pids, FAMILY_MAX);
	tell(pids, cnt, SIGTERM);
	if (!wc_program__wait(p, grace_ns, NULL))
		return;
	cnt = wc_family__of(p->pid, pids, FAMILY_MAX);
	tell(pids, cnt, SIGKILL);
	while (waitpid(p->pid, &p->status, 0) < 0 && errno == EINTR)
		;
	p->ended = true;
}
