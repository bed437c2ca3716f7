// SPDX-License-Identifier: BSD-2-Clause
#include "user/lab/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "user/util/file.h"

#define EMULATOR     "qemu-system-x86_64"
#define ARG_MAX_CNT  48
#define CONSOLE_MAX  (8u << 20)
#define POLL_NS	     20000000
#define WALL_FACTOR  10 /* more than its own time: this machine may have others to run */
#define IDLE_FACTOR  50
#define KERNEL_WORDS "console=ttyS0 quiet panic=-1 oops=panic nokaslr norandmaps no5lvl"

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

struct words {
	char *items[ARG_MAX_CNT];
	unsigned int cnt;
	int err;
};

static void add(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct words *w, const char *fmt, ...)
{
	va_list ap;
	int len;

	if (w->err || w->cnt + 1 >= ARG_MAX_CNT) {
		w->err = w->err ?: -E2BIG;
		return;
	}
	va_start(ap, fmt);
	len = vasprintf(&w->items[w->cnt], fmt, ap);
	va_end(ap);
	if (len < 0)
		w->err = -ENOMEM;
	else
		w->cnt++;
}

static void words__free(struct words *w)
{
	while (w->cnt)
		free(w->items[--w->cnt]);
}

/*
 * -icount: a nanosecond of the guest is an instruction, and idle time passes at once. -cx16: QEMU
 * 7.2 leaves wrong flags behind cmpxchg16b. A fixed clock and seed, or boots would differ.
 */
static void make_command(const struct wc_guest *g, struct words *w)
{
	static const char *const fixed[] = {
		EMULATOR,
		"-M",
		"q35",
		"-accel",
		"tcg,thread=single",
		"-icount",
		"shift=0,sleep=off",
		"-rtc",
		"base=2024-01-01,clock=vm",
		"-cpu",
		"max,-cx16",
		"-smp",
		"1",
		"-display",
		"none",
		"-nodefaults",
		"-no-reboot",
	};
	size_t i;

	for (i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		add(w, "%s", fixed[i]);
	add(w, "-seed");
	add(w, "%llu", (unsigned long long)g->seed);
	add(w, "-m");
	add(w, "%uM", g->memory_mb);
	add(w, "-kernel");
	add(w, "%s", g->vmlinuz);
	add(w, "-initrd");
	add(w, "%s", g->initrd);
	add(w, "-append");
	add(w, KERNEL_WORDS " -- %s", g->args);
	add(w, "-serial");
	add(w, "file:%s/console", g->dir);
	add(w, "-serial");
	add(w, "file:%s/serial", g->dir);
	if (g->plugin) {
		add(w, "-plugin");
		add(w, "%s", g->plugin);
	}
}

static pid_t spawn(char *const *argv, const char *dir)
{
	char path[4096];
	pid_t pid = fork();
	int null, log;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(path, sizeof(path), "%s/emulator", dir);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	dup2(null, STDIN_FILENO);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	execvp(argv[0], argv);
	_exit(errno == ENOENT ? 127 : 126);
}

static double clock_s(clockid_t clock)
{
	struct timespec ts = { 0, 0 };

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* By the CPU time it used; by the clock only when it hardly runs, or has waited very long. */
static bool is_overdue(pid_t pid, double since_s, double timeout_s)
{
	double wall = clock_s(CLOCK_MONOTONIC) - since_s, used;
	clockid_t clock;

	if (wall < timeout_s)
		return false;
	if (clock_getcpuclockid(pid, &clock))
		return true;
	used = clock_s(clock);
	return used >= timeout_s || wall >= timeout_s * WALL_FACTOR || used * IDLE_FACTOR < wall;
}

/* The status wait() gives, or -errno after having ended it. */
static int await(pid_t pid, unsigned int timeout_s, int *status)
{
	const struct timespec nap = { .tv_nsec = POLL_NS };
	double since_s = clock_s(CLOCK_MONOTONIC);
	int err = 0;

	for (;;) {
		pid_t got = waitpid(pid, status, WNOHANG);

		if (got == pid)
			return 0;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (interrupted)
			err = -EINTR;
		else if (is_overdue(pid, since_s, timeout_s))
			err = -ETIMEDOUT;
		if (err)
			break;
		nanosleep(&nap, NULL);
	}
	kill(pid, SIGKILL);
	waitpid(pid, status, 0);
	return err;
}

/* The line of a dying kernel that says why, or its last one. */
static const char *last_words(char *console)
{
	static const char *const fatal[] = { "Oops", "BUG:", "Kernel panic", "general protection" };
	char *at = NULL, *end;
	size_t i;

	for (i = 0; !at && i < sizeof(fatal) / sizeof(*fatal); i++)
		at = strstr(console, fatal[i]);
	if (!at)
		return NULL;
	end = at + strcspn(at, "\r\n");
	*end = '\0';
	return at;
}

static int judge(const struct wc_guest *g, int err, int status, char *error, size_t sz)
{
	char path[4096], *console;
	const char *fatal;

	snprintf(path, sizeof(path), "%s/console", g->dir);
	console = wc_file__slurp(path, CONSOLE_MAX, NULL);
	fatal = console ? last_words(console) : NULL;
	if (err == -EINTR) {
		snprintf(error, sz, "interrupted");
	} else if (fatal) {
		err = -EFAULT;
		snprintf(error, sz, "the guest's kernel failed: %s", fatal);
	} else if (err == -ETIMEDOUT) {
		snprintf(error, sz, "the guest did not end within %u s: give it more (--timeout)",
			 g->timeout_s);
	} else if (!err && WIFEXITED(status) && WEXITSTATUS(status) == 127) {
		err = -ENOENT;
		snprintf(error, sz, "no " EMULATOR ": install the package qemu-system-x86");
	} else if (!err && status) {
		char said[512] = "nothing";

		err = -EIO;
		snprintf(path, sizeof(path), "%s/emulator", g->dir);
		wc_file__read_line(path, said, sizeof(said));
		snprintf(error, sz, EMULATOR " failed; it said: %s", said);
	}
	free(console);
	return err;
}

int wc_guest__run(const struct wc_guest *g, char *error, size_t error_sz)
{
	struct sigaction act = { .sa_handler = on_signal }, old_int, old_term;
	struct words w = { .cnt = 0 };
	int status = 0, err;
	pid_t pid;

	make_command(g, &w);
	if (w.err) {
		words__free(&w);
		return w.err;
	}
	w.items[w.cnt] = NULL;
	interrupted = 0;
	sigaction(SIGINT, &act, &old_int);
	sigaction(SIGTERM, &act, &old_term);
	pid = spawn(w.items, g->dir);
	err = pid < 0 ? -errno : await(pid, g->timeout_s, &status);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	words__free(&w);
	return judge(g, err, status, error, error_sz);
}

int wc_guest__emulator(char *out, size_t sz)
{
	FILE *f = popen(EMULATOR " --version 2>/dev/null", "re");
	char *end;

	if (!f)
		return -errno;
	if (!fgets(out, (int)sz, f))
		*out = '\0';
	pclose(f);
	end = strchr(out, '\n');
	if (end)
		*end = '\0';
	return *out ? 0 : -ENOENT;
}
