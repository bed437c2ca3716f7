/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that a test builds, starts, and asks for their addresses. */
#ifndef WC_TESTS_PROGRAM_H
#define WC_TESTS_PROGRAM_H

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char program_dir[64];

static inline int program__open(void **state)
{
	(void)state;
	snprintf(program_dir, sizeof(program_dir), "/tmp/wc-symbol-XXXXXX");
	return mkdtemp(program_dir) ? 0 : -errno;
}

static inline int program__unlink_one(const char *path, const struct stat *st, int type,
				      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline int program__close(void **state)
{
	(void)state;
	return nftw(program_dir, program__unlink_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void program__write(const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", program_dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* A shell command in the directory of the test. */
static inline int program__try(const char *cmd)
{
	char full[2048];
	int status;

	snprintf(full, sizeof(full), "cd %s && { %s; } >&2", program_dir, cmd);
	/* NOLINTNEXTLINE(cert-env33-c,bugprone-command-processor) */
	status = system(full);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline void program__sh(const char *cmd)
{
	if (program__try(cmd))
		fail_msg("failed: %s", cmd);
}

struct program {
	pid_t pid;  /* what was started */
	pid_t tgid; /* what is to be looked at */
	FILE *out;
	uint64_t addrs[4];
};

/* Starts cmd and reads from it one line: "PID ADDR...", PID 0 for that of cmd itself. */
static inline void program__start(struct program *p, const char *cmd)
{
	int fds[2], pid = 0;
	char line[256] = "", *at;
	size_t i;

	memset(p, 0, sizeof(*p));
	assert_int_equal(pipe(fds), 0);
	p->pid = fork();
	assert_true(p->pid >= 0);
	if (!p->pid) {
		char full[2048];

		setpgid(0, 0);
		/* A test that fails leaves nothing running. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(fds[1], 1);
		close(fds[0]);
		close(fds[1]);
		snprintf(full, sizeof(full), "cd %s && exec %s", program_dir, cmd);
		execl("/bin/sh", "sh", "-c", full, (char *)NULL);
		_exit(127);
	}
	setpgid(p->pid, p->pid);
	close(fds[1]);
	p->out = fdopen(fds[0], "r");
	assert_non_null(p->out);
	assert_non_null(fgets(line, sizeof(line), p->out));
	pid = (int)strtol(line, &at, 10);
	p->tgid = pid ? pid : p->pid;
	for (i = 0; i < 4; i++)
		p->addrs[i] = strtoull(at, &at, 16);
}

static inline void program__stop(struct program *p)
{
	if (p->pid) {
		kill(-p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
	}
	if (p->out)
		fclose(p->out);
	memset(p, 0, sizeof(*p));
}

#endif
