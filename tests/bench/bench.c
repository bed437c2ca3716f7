// SPDX-License-Identifier: BSD-2-Clause
/*
 * What measuring costs: one handoff, bare and under each tool in turn, in one run. Every round
 * visits every condition in a drawn order, all on the same process and threads; printed are the
 * median over rounds, its range, and the median of the differences from the same round's bare.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "user/experiment/away.h"
#include "user/util/rng.h"
#include "user/experiment/workload.h"
#include "user/model/stats.h"
#include "user/probe/session.h"
#include "user/util/path.h"

#define ROUND_MAX   99
#define PERF_FILE   "/tmp/wakecost-bench-perf.data"
#define RECORD_FILE "/tmp/wakecost-bench.data"

/* RECORD: the command itself, with all it does beside the probes. */
enum kind { BARE, OURS, RECORD, PEER };

struct condition {
	const char *name, *what;
	enum kind kind;
	struct wc_session_opts opts;
	const char *argv[12];
	struct wc_session *session;
	bool skip;
	double ns[ROUND_MAX];
};

static struct condition conditions[] = {
	{ "bare", "nothing attached", .kind = BARE },
	{ "bare-again", "the same: the noise", .kind = BARE },
	{ "empty", "the programs, empty", .kind = OURS, .opts = { .empty = true } },
	{ "clock", "the programs, one clock read each", .kind = OURS,
	  .opts = { .clock_only = true } },
	{ "stages-kernel", "stages, without find and return", .kind = OURS,
	  .opts = { .handoffs = true, .no_return = true } },
	{ "stages", "all stages", .kind = OURS, .opts = { .handoffs = true } },
	{ "record none", "wakecost record -p, no stacks", .kind = RECORD,
	  .argv = { "--stacks", "none" } },
	{ "record", "wakecost record -p, stacks of one wake in 64", .kind = RECORD },
	{ "record off", "the same with --syscalls off, as for -a", .kind = RECORD,
	  .argv = { "--syscalls", "off" } },
	{ "record all", "wakecost record -p, all stacks", .kind = RECORD,
	  .argv = { "--stacks", "all" } },
	{ "runqlat", "peer", .kind = PEER, .argv = { "runqlat", "3600", "1" } },
	{ "runqslower", "peer", .kind = PEER, .argv = { "runqslower", "100000" } },
	{ "wakeuptime", "peer", .kind = PEER, .argv = { "wakeuptime", "3600" } },
	{ "perf sched", "peer: perf sched record", .kind = PEER,
	  .argv = { "perf", "sched", "record", "-q", "-o", PERF_FILE, "sleep", "3600" } },
};
#define CONDITION_CNT (sizeof(conditions) / sizeof(conditions[0]))

static struct wc_workload workload;
static char wakecost_path[4096];
static int record_fd = -1;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	wc_workload__stop(&workload);
	exit(1);
}

static void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static bool on_path(const char *name)
{
	char path[512];
	const char *dirs[] = { "/usr/sbin", "/usr/bin", "/sbin", "/bin" };
	size_t i;

	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", dirs[i], name);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

static void child__quiet(int err_fd)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	dup2(null, 1);
	dup2(err_fd < 0 ? null : err_fd, 2);
}

static pid_t peer__start(const struct condition *c)
{
	pid_t pid = fork();

	if (pid < 0)
		die(c->name, strerror(errno));
	if (!pid) {
		child__quiet(-1);
		setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
		execvp(c->argv[0], (char **)c->argv);
		_exit(127);
	}
	pause_ms(1500); /* they have no way of saying that they are attached */
	if (waitpid(pid, NULL, WNOHANG) == pid)
		die(c->name, "ended at once: does it run by hand?");
	return pid;
}

/* Until it says that it records; what it says later goes nowhere. */
static void record__await(const char *name, int fd)
{
	char said[1024];
	size_t len = 0;
	ssize_t n;

	while (len < sizeof(said) - 1) {
		n = read(fd, said + len, sizeof(said) - 1 - len);
		if (n <= 0)
			break;
		len += (size_t)n;
		said[len] = 0;
		if (strstr(said, "recording; "))
			return;
	}
	said[len] = 0;
	die(name, said);
}

static pid_t record__start(const struct condition *c)
{
	const char *argv[20] = { "wakecost", "record", "-o", RECORD_FILE, "-p" };
	size_t at = 5, i;
	char target[16];
	int fds[2];
	pid_t pid;

	snprintf(target, sizeof(target), "%d", workload.pid);
	argv[at++] = target;
	for (i = 0; c->argv[i]; i++)
		argv[at++] = c->argv[i];
	unlink(RECORD_FILE);
	if (pipe2(fds, O_CLOEXEC))
		die(c->name, strerror(errno));
	pid = fork();
	if (pid < 0)
		die(c->name, strerror(errno));
	if (!pid) {
		child__quiet(fds[1]);
		execv(wakecost_path, (char **)argv);
		_exit(127);
	}
	close(fds[1]);
	record__await(c->name, fds[0]);
	pause_ms(500);	    /* it attaches, and learns how this program's stacks are walked */
	record_fd = fds[0]; /* its end closes the pipe: it may not be gone before */
	return pid;
}

static void peer__stop(pid_t pid)
{
	int i;

	kill(pid, SIGINT);
	for (i = 0; i < 200; i++) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			break;
		pause_ms(50);
		if (i == 198)
			kill(pid, SIGKILL);
	}
	if (record_fd >= 0)
		close(record_fd);
	record_fd = -1;
	unlink(PERF_FILE);
	unlink(RECORD_FILE);
	pause_ms(300);
}

static double measure(const char *name)
{
	struct wc_phase ph = {};

	if (wc_workload__warm(&workload) || wc_workload__measure(&workload, &ph))
		die(name, workload.error);
	return (double)ph.elapsed_ns / ph.handoff.count;
}

static double condition__run(struct condition *c)
{
	const struct wc_filter filter = { .tgids = &workload.pid, .tgid_cnt = 1 };
	pid_t peer = 0;
	double ns;

	if (c->kind == PEER)
		peer = peer__start(c);
	if (c->kind == RECORD)
		peer = record__start(c);
	if (c->session && (wc_session__set_filter(c->session, &filter) ||
			   wc_session__attach(c->session) || wc_session__reset(c->session)))
		die(c->name, wc_session__error(c->session));
	ns = measure(c->name);
	if (c->session)
		wc_session__detach(c->session);
	if (peer)
		peer__stop(peer);
	return ns;
}

/* Sessions first: the workload is handed the stamp page of the one that reads it. */
static int open_all(void)
{
	int stamp_fd = -1;
	size_t i;

	for (i = 0; i < CONDITION_CNT; i++) {
		struct condition *c = &conditions[i];

		if (c->kind == PEER && !on_path(c->argv[0])) {
			fprintf(stderr, "bench: %s is not installed, left out\n", c->argv[0]);
			c->skip = true;
		}
		if (c->kind != OURS)
			continue;
		if (wc_session__open(&c->opts, &c->session))
			die(c->name, wc_session__error(c->session));
		if (c->opts.handoffs && !c->opts.no_return)
			stamp_fd = wc_session__stamp_fd(c->session);
	}
	return stamp_fd;
}

static struct condition *find(const char *name)
{
	size_t i;

	for (i = 0; i < CONDITION_CNT; i++) {
		if (!strcmp(conditions[i].name, name))
			return &conditions[i];
	}
	return NULL;
}

static double added(const struct condition *c, unsigned int rounds)
{
	double diff[ROUND_MAX];
	unsigned int r;

	for (r = 0; r < rounds; r++)
		diff[r] = c->ns[r] - find("bare")->ns[r];
	return wc_stats__median(diff, rounds);
}

static void print_ratio(const char *a, const char *b, double target, unsigned int rounds)
{
	double cost_a, cost_b;

	if (find(a)->skip || find(b)->skip)
		return;
	cost_a = added(find(a), rounds);
	cost_b = added(find(b), rounds);
	if (target > 0)
		printf("| `%s` | `%s` | %.2f | %.2f | %s |\n", a, b, cost_a / cost_b, target,
		       cost_a / cost_b <= target ? "met" : "missed");
	else
		printf("| `%s` | `%s` | %.2f | | |\n", a, b, cost_a / cost_b);
}

static void print(unsigned int rounds)
{
	unsigned int r;
	size_t i;

	printf("| condition | median ns | rounds, ns | adds ns | |\n|---|---:|---:|---:|---|\n");
	for (i = 0; i < CONDITION_CNT; i++) {
		struct condition *c = &conditions[i];
		double v[ROUND_MAX], lo, hi, med;

		if (c->skip)
			continue;
		for (r = 0; r < rounds; r++)
			v[r] = c->ns[r];
		med = wc_stats__median(v, rounds); /* sorts */
		lo = v[0];
		hi = v[rounds - 1];
		printf("| `%s` | %.0f | %.0f .. %.0f | %.0f | %s |\n", c->name, med, lo, hi,
		       added(c, rounds), c->what);
	}
	printf("\n| what this adds | over what this adds | times | target | |\n"
	       "|---|---|---:|---:|---|\n");
	print_ratio("stages", "clock", 1.25, rounds);
	print_ratio("stages", "runqlat", 0.6, rounds);
	print_ratio("record", "wakeuptime", 0.3, rounds);
	print_ratio("record off", "wakeuptime", 0, rounds);
	print_ratio("record none", "wakeuptime", 0, rounds);
	print_ratio("record all", "wakeuptime", 0, rounds);
	print_ratio("record", "perf sched", 0, rounds);
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? (unsigned int)atoi(argv[1]) : 11, r;
	struct wc_rng rng = { .state = 1 };
	struct wc_workload_ready ready;
	struct wc_kvs params = {};
	size_t order[CONDITION_CNT], i;
	char path[4096];

	if (rounds < 1 || rounds > ROUND_MAX)
		die("rounds", "1 to 99");
	if (wc_path__workload(path, sizeof(path)))
		die("wakecost-workload", "not found: build first");
	if (wc_path__program("wakecost", wakecost_path, sizeof(wakecost_path)))
		die("wakecost", "not found: build first");
	wc_kvs__set(&params, "shape", "handoff");
	wc_kvs__set(&params, "handoffs", argc > 2 ? argv[2] : "50000");
	if (wc_workload__start(&workload, path, &params, params.cnt, open_all(), &ready))
		die("workload", workload.error);
	wc_away__go();
	for (r = 0; r <= rounds; r++) { /* round 0 is warm-up, and overwritten */
		for (i = 0; i < CONDITION_CNT; i++)
			order[i] = i;
		wc_rng__shuffle(&rng, order, CONDITION_CNT);
		for (i = 0; i < CONDITION_CNT; i++) {
			struct condition *c = &conditions[order[i]];

			if (!c->skip)
				c->ns[r ? r - 1 : 0] = condition__run(c);
		}
	}
	wc_workload__stop(&workload);
	for (i = 0; i < CONDITION_CNT; i++)
		wc_session__free(conditions[i].session);
	wc_kvs__free(&params);
	print(rounds);
	return 0;
}
