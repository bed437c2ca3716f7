/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "fail.h"
#include "nest.h"

#define LEVEL_NAME   "/d"
#define GONE_WAIT_NS 20000000
#define GONE_TRIES   1500 /* of 20 ms: so many threads take a while to end */
#define DEPTH_HINT                                                                                \
	"cgroup_depth: %s: %s; it takes root, and a group below which the cpu controller may be " \
	"used (from the root group, or a systemd unit with Delegate=cpu)"

static int file__write(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX + 64];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

struct own {
	char dir[PATH_MAX];
	bool v2;
};

static bool own__take(void *ctx, const char *dir, bool v2)
{
	struct own *own = ctx;

	snprintf(own->dir, sizeof(own->dir), "%s", dir);
	own->v2 = v2;
	return true;
}

static void nest__remove(char *dir, size_t top_len)
{
	const struct timespec pause_ts = { 0, GONE_WAIT_NS };
	char *slash;
	int tries = 0;

	while (strlen(dir) > top_len) {
		/* the whole of this process may take its time to be gone */
		while (rmdir(dir) && errno == EBUSY && tries++ < GONE_TRIES)
			nanosleep(&pause_ts, NULL);
		slash = strrchr(dir, '/');
		*slash = '\0';
	}
}

/* Outlives us whatever ends us, sees the pipe close when all of us have gone, and cleans up. */
static int nest__leave_janitor(const char *deepest, size_t top_len)
{
	char dir[PATH_MAX], c;
	int fds[2];
	pid_t pid;

	if (pipe(fds))
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid) {
		close(fds[0]);
		waitpid(pid, NULL, 0);
		return 0;
	}
	/* no child of ours: those are waited for */
	if (fork())
		_exit(0);
	/* nobody waits for us or for what we hold open */
	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	dup2(fds[0], 0);
	close_range(1, ~0u, 0);
	while (read(0, &c, 1) < 0 && errno == EINTR)
		;
	snprintf(dir, sizeof(dir), "%s", deepest);
	nest__remove(dir, top_len);
	_exit(0);
}

static int nest__make(struct own *own, u64 depth, size_t *top_len)
{
	size_t len = strlen(own->dir);
	u64 i;
	int err = 0;

	*top_len = len;
	for (i = 0; !err && i < depth; i++) {
		/* its children share out the CPU only if it says so; refused where it holds tasks */
		if (own->v2)
			err = file__write(own->dir, "cgroup.subtree_control", "+cpu");
		if (err)
			break;
		if (i)
			len += (size_t)snprintf(own->dir + len, sizeof(own->dir) - len, LEVEL_NAME);
		else
			len += (size_t)snprintf(own->dir + len, sizeof(own->dir) - len,
						"/wakecost.%d", (int)getpid());
		if (len >= sizeof(own->dir))
			return -ENAMETOOLONG;
		if (mkdir(own->dir, 0755))
			err = -errno;
	}
	return err;
}

int nest__enter(u64 depth)
{
	struct own own = { .dir = "" };
	char pid[24];
	size_t top_len = 0;
	int err;

	if (!depth)
		return 0;
	if (!cgroup__each("cpu", own__take, &own))
		return fail__set(ENOENT, "cgroup", DEPTH_HINT, "/proc/self/cgroup",
				 "no control group with the cpu controller");
	err = nest__make(&own, depth, &top_len);
	if (!err)
		err = nest__leave_janitor(own.dir, top_len);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (!err)
		err = file__write(own.dir, "cgroup.procs", pid);
	if (!err)
		return 0;
	fail__set(-err, "cgroup", DEPTH_HINT, own.dir, strerror(-err));
	nest__remove(own.dir, top_len);
	return err;
}

/* ---- one group, with something in it ---- */

struct made {
	struct nest *nest;
	int (*set)(void *ctx, struct nest *nest);
	void *ctx;
	size_t top_len;
	int err;
};

int nest__write(struct nest *nest, const char *file, const char *text)
{
	int err = file__write(nest->dir, file, text);

	if (err)
		nest->file = file;
	return err;
}

/* Does a file of a group hold this word? */
static bool file__has(const char *dir, const char *name, const char *word)
{
	char path[PATH_MAX + 64], line[512], *rest = line, *item;
	bool has = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f)) {
		while ((item = strsep(&rest, " \n")))
			has |= !strcmp(item, word);
	}
	if (f)
		fclose(f);
	return has;
}

static void nest__name(struct nest *nest, size_t top_len)
{
	snprintf(nest->dir + top_len, sizeof(nest->dir) - top_len, "/wakecost.%d", (int)getpid());
}

/*
 * v2: may its children share out the CPU? Refused where it holds tasks, but for the root; or taken,
 * and then its children may hold none.
 */
static int made__allow(struct made *made)
{
	struct nest *nest = made->nest;
	bool had = file__has(nest->dir, "cgroup.subtree_control", "cpu");
	int err = had ? 0 : nest__write(nest, "cgroup.subtree_control", "+cpu");

	if (err)
		return err;
	nest__name(nest, made->top_len);
	if (mkdir(nest->dir, 0755))
		return -errno;
	if (file__has(nest->dir, "cgroup.type", "domain") &&
	    !file__has(nest->dir, "cgroup.type", "invalid"))
		return 0;
	rmdir(nest->dir);
	nest->dir[made->top_len] = '\0';
	if (!had)
		file__write(nest->dir, "cgroup.subtree_control", "-cpu");
	return -EBUSY;
}

/* true: no ancestor is tried any more. */
static bool made__try(void *ctx, const char *dir, bool v2)
{
	struct made *made = ctx;
	struct nest *nest = made->nest;

	nest->v2 = v2;
	nest->file = NULL;
	made->top_len = (size_t)snprintf(nest->dir, sizeof(nest->dir), "%s", dir);
	made->err = 0;
	if (v2) {
		made->err = made__allow(made);
		if (made->err == -EBUSY || made->err == -ENOENT || made->err == -EOPNOTSUPP)
			return false;
	} else {
		nest__name(nest, made->top_len);
		if (mkdir(nest->dir, 0755))
			made->err = -errno;
	}
	if (made->err)
		return true;
	made->err = made->set(made->ctx, nest);
	if (made->err)
		rmdir(nest->dir);
	return true;
}

int nest__own(struct nest *nest, int (*set)(void *ctx, struct nest *nest), void *ctx)
{
	struct made made = { nest, set, ctx, 0, -ENOENT };
	char pid[24];
	int err;

	memset(nest, 0, sizeof(*nest));
	cgroup__each("cpu", made__try, &made);
	if (made.err)
		return made.err;
	err = nest__leave_janitor(nest->dir, made.top_len);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (!err)
		err = nest__write(nest, "cgroup.procs", pid);
	if (err)
		rmdir(nest->dir);
	return err;
}
