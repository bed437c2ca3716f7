// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/symbol/apart.h"
#include "user/symbol/elf_open.h"

#define NOBODY	     65534
#define TEXT_MAX     4096  /* of a name or a path; longer ones are cut */
#define WAIT_MS	     30000 /* the first answer to a large file takes seconds */
#define CPU_MAX_SECS 120

struct wc_apart {
	pid_t pid;
	int sock;
	bool failed;
};

struct question {
	uint64_t addr;
	uint32_t max;
};

/* What stands for one line; its texts follow. */
struct answer {
	uint64_t addr;
	uint32_t line, name_len, file_len;
	uint32_t has_name;
};

static bool put(int sock, const void *bytes, size_t sz)
{
	const char *at = bytes;
	ssize_t n;

	while (sz) {
		n = send(sock, at, sz, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		sz -= (size_t)n;
	}
	return true;
}

static bool get(int sock, void *bytes, size_t sz, int wait_ms)
{
	struct pollfd p = { .fd = sock, .events = POLLIN };
	char *at = bytes;
	ssize_t n;
	int ready;

	while (sz) {
		ready = poll(&p, 1, wait_ms);
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return false;
		n = recv(sock, at, sz, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		sz -= (size_t)n;
	}
	return true;
}

/* The reader. */

static void close_all_but(int a, int b)
{
	int lo = a < b ? a : b, hi = a < b ? b : a;

	if (lo > 0)
		syscall(SYS_close_range, 0, lo - 1, 0);
	if (hi - lo > 1)
		syscall(SYS_close_range, lo + 1, hi - 1, 0);
	syscall(SYS_close_range, hi + 1, ~0U, 0);
}

static bool confine(int fd)
{
	const struct rlimit no_core = { 0, 0 }, cpu = { CPU_MAX_SECS, CPU_MAX_SECS };
	uid_t uid = NOBODY;
	gid_t gid = NOBODY;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st)) {
		uid = st.st_uid;
		gid = st.st_gid;
	}
	setrlimit(RLIMIT_CORE, &no_core);
	setrlimit(RLIMIT_CPU, &cpu);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return false;
	if (geteuid() == 0 && uid != 0 &&
	    (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid)))
		return false;
	/* Only now: a change of user undoes it. */
	return !prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static bool answer_one(int sock, const struct wc_line *line)
{
	struct answer a = {
		.addr = line->addr,
		.line = line->line,
		.has_name = line->name != NULL,
		.name_len = (uint32_t)strnlen(line->name ? line->name : "", TEXT_MAX),
		.file_len = (uint32_t)strnlen(line->file, TEXT_MAX),
	};

	return put(sock, &a, sizeof(a)) && put(sock, line->name ? line->name : "", a.name_len) &&
	       put(sock, line->file, a.file_len);
}

static void serve(struct wc_elf *e, int sock)
{
	struct wc_lines *l = wc_lines__new(e);
	struct wc_pool *pool = wc_pool__new();
	struct wc_line lines[WC_LINES_MAX];
	struct question q;
	int32_t cnt, i;

	while (pool && get(sock, &q, sizeof(q), -1)) {
		cnt = l ? wc_lines__find(l, pool, q.addr, lines, q.max) : 0;
		if (!put(sock, &cnt, sizeof(cnt)))
			break;
		for (i = 0; i < cnt; i++) {
			if (!answer_one(sock, &lines[i]))
				break;
		}
	}
}

/* What crashes here says nothing to the user's terminal. */
static void quiet(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), i;

	for (i = 0; null >= 0 && i < 3; i++)
		dup2(null, i);
}

static _Noreturn void run_reader(struct wc_elf *e, int fd, int sock)
{
	/* Above those that are to be the standard ones. */
	int own_sock = fcntl(sock, F_DUPFD_CLOEXEC, 3);
	int own_fd = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : own_sock;

	if (own_sock < 0 || own_fd < 0)
		_exit(1);
	/* The file is opened anew, so that nothing of what was read before is trusted. */
	close_all_but(own_sock, own_fd);
	quiet();
	if (!confine(fd >= 0 ? own_fd : -1))
		_exit(1);
	if (fd >= 0 && !wc_elf__begin(e, own_fd))
		_exit(1);
	serve(e, own_sock);
	_exit(0);
}

struct wc_apart *wc_apart__new(struct wc_elf *e, int fd)
{
	struct wc_apart *a = calloc(1, sizeof(*a));
	int socks[2];

	if (!a || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socks)) {
		free(a);
		wc_elf__end(e);
		return NULL;
	}
	a->sock = socks[0];
	a->pid = fork();
	if (!a->pid)
		run_reader(e, fd, socks[1]);
	close(socks[1]);
	wc_elf__end(e);
	if (a->pid > 0)
		return a;
	close(a->sock);
	free(a);
	return NULL;
}

static void stop(struct wc_apart *a)
{
	if (a->pid <= 0)
		return;
	kill(a->pid, SIGKILL);
	while (waitpid(a->pid, NULL, 0) < 0 && errno == EINTR)
		;
	a->pid = 0;
	close(a->sock);
}

void wc_apart__free(struct wc_apart *a)
{
	if (!a)
		return;
	stop(a);
	free(a);
}

/* The reader may have been taken over by the file: its answers are checked. */
static bool read_one(struct wc_apart *a, struct wc_pool *pool, struct wc_line *out)
{
	char name[TEXT_MAX], file[TEXT_MAX];
	struct answer got;

	if (!get(a->sock, &got, sizeof(got), WAIT_MS) || got.name_len > TEXT_MAX ||
	    got.file_len > TEXT_MAX || !get(a->sock, name, got.name_len, WAIT_MS) ||
	    !get(a->sock, file, got.file_len, WAIT_MS))
		return false;
	*out = (struct wc_line){ .line = got.line, .addr = got.addr };
	out->file = wc_pool__add_len(pool, file, got.file_len);
	if (got.has_name)
		out->name = wc_pool__add_len(pool, name, got.name_len);
	return out->file && (!got.has_name || out->name);
}

int wc_apart__find(struct wc_apart *a, struct wc_pool *pool, uint64_t addr, struct wc_line *out,
		   size_t max)
{
	struct question q = { .addr = addr, .max = (uint32_t)max };
	int32_t cnt = 0, i;

	if (a->failed)
		return 0;
	a->failed = !put(a->sock, &q, sizeof(q)) || !get(a->sock, &cnt, sizeof(cnt), WAIT_MS) ||
		    cnt > (int32_t)max;
	for (i = 0; i < cnt && !a->failed; i++)
		a->failed = !read_one(a, pool, &out[i]);
	if (a->failed || cnt < 0) {
		a->failed = true;
		stop(a);
		return 0;
	}
	return cnt;
}

bool wc_apart__failed(const struct wc_apart *a)
{
	return a->failed;
}
