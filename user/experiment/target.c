// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void child(char **argv, int go_fd, int exec_fd)
{
	sigset_t none;
	int err;
	char c;

	/* as if started from the shell: what the tool blocks and ignores is not its business */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	/* as exec will name it: wakes before that are its own too */
	prctl(PR_SET_NAME, strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0]);
	while (read(go_fd, &c, 1) < 0 && errno == EINTR)
		;
	execvp(argv[0], argv);
	err = errno;
	if (write(exec_fd, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(err == ENOENT ? 127 : 126);
}

int wc_target__launch(struct wc_target *t, char **argv)
{
	int go[2], said[2];

	memset(t, 0, sizeof(*t));
	t->go_fd = t->exec_fd = -1;
	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(said, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return -errno;
	}
	t->pid = fork();
	if (t->pid == 0) {
		close(go[1]);
		child(argv, go[0], said[1]);
	}
	close(go[0]);
	close(said[1]);
	t->go_fd = go[1];
	t->exec_fd = said[0];
	if (t->pid < 0) {
		t->pid = 0;
		return -errno;
	}
	/* only its exit is asked for; refused, its addresses at the end stay what they were before */
	t->traced = !ptrace(PTRACE_SEIZE, t->pid, NULL, PTRACE_O_TRACEEXIT);
	return 0;
}

int wc_target__release(struct wc_target *t)
{
	int err = 0;

	close(t->go_fd);
	t->go_fd = -1;
	/* closed by a successful exec */
	while (read(t->exec_fd, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	close(t->exec_fd);
	t->exec_fd = -1;
	return -err;
}

/* What a tracer owes its tracee: let it go on, with the signal it was to get. */
static void stopped(struct wc_target *t, int status, void (*before_exit)(void *ctx, pid_t pid),
		    void *ctx)
{
	int sig = WSTOPSIG(status), event = status >> 16;

	if (event == PTRACE_EVENT_EXIT) {
		before_exit(ctx, t->pid);
		ptrace(PTRACE_CONT, t->pid, NULL, NULL);
	} else if (event == PTRACE_EVENT_STOP &&
		   (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU)) {
		ptrace(PTRACE_LISTEN, t->pid, NULL, NULL); /* stopped by its user: stays so */
	} else {
		ptrace(PTRACE_CONT, t->pid, NULL, event ? 0L : (long)sig);
	}
}

void wc_target__reap(struct wc_target *t, void (*before_exit)(void *ctx, pid_t pid), void *ctx)
{
	int status;

	while (t->pid > 0 && !t->ended && waitpid(t->pid, &status, WNOHANG | __WALL) == t->pid) {
		if (WIFSTOPPED(status)) {
			stopped(t, status, before_exit, ctx);
			continue;
		}
		t->ended = true;
		t->status = status;
	}
}

void wc_target__kill(struct wc_target *t)
{
	bool alive = t->pid > 0 && !t->ended;

	if (alive) /* before the pipe is closed, which would let it begin */
		kill(t->pid, SIGKILL);
	if (t->go_fd >= 0)
		close(t->go_fd);
	if (t->exec_fd >= 0)
		close(t->exec_fd);
	t->go_fd = t->exec_fd = -1;
	if (!alive)
		return;
	while (waitpid(t->pid, &t->status, __WALL) < 0 && errno == EINTR)
		;
	t->ended = true;
}
