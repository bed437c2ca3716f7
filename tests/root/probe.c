// SPDX-License-Identifier: BSD-2-Clause
/*
 * A probe session around a known workload, for the root tests:
 *
 *	probe [OPTION...] -- COMMAND [ARG...]
 *
 * The command says one line of JSON when it stands still, is told to go by a line on its stdin,
 * and says a second line when it stands still again. The probes are attached between the first
 * line and the word to go, detached after the second. Both lines, and all that was counted, are
 * printed as one JSON document. In arguments "@stamps" is the descriptor of the stamp page.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/root/show.h"
#include "tests/root/tracepoint.h"
#include "user/util/exit.h"

#define IDS_MAX 64

static struct {
	struct wc_session_opts session;
	struct wc_filter filter;
	/* keys into the command's first line ("pid", "wakee"), or numbers */
	const char *tgid_keys[IDS_MAX], *tid_keys[IDS_MAX];
	pid_t tgids[IDS_MAX], tids[IDS_MAX];
	uint8_t cpus[32];
	const char *go, *count_filter;
} o = { .go = "go", .filter = { .cgroup_level = -1, .waker_cgroup_level = -1 } };

struct child {
	pid_t pid;
	int in_fd;
	FILE *out;
	char *ready, *done;
};

static void die(const char *what)
{
	fprintf(stderr, "probe: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t cgroup_id(const char *dir)
{
	struct stat st;

	if (stat(dir, &st))
		die(dir);
	return st.st_ino;
}

/* "PATH" or "PATH:LEVEL" */
static void parse_cgroup(char *arg, uint64_t *id, int *level)
{
	char *colon = strrchr(arg, ':');

	if (colon) {
		*colon = '\0';
		*level = atoi(colon + 1);
	}
	*id = cgroup_id(arg);
}

static void add_cpu(unsigned int cpu)
{
	if (cpu >= sizeof(o.cpus) * 8)
		die("--cpu");
	o.cpus[cpu / 8] |= 1u << (cpu % 8);
	o.filter.cpus = o.cpus;
	o.filter.cpu_cnt = sizeof(o.cpus) * 8;
}

static void parse_options(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "tgid", 1, NULL, 'g' },
		{ "tid", 1, NULL, 't' },
		{ "comm", 1, NULL, 'c' },
		{ "cgroup", 1, NULL, 'G' },
		{ "waker-cgroup", 1, NULL, 'W' },
		{ "cpu", 1, NULL, 'p' },
		{ "disable", 1, NULL, 'd' },
		{ "handoffs", 0, NULL, 'h' },
		{ "pair-max", 1, NULL, 'P' },
		{ "event-bytes", 1, NULL, 'b' },
		{ "event-every", 1, NULL, 'e' },
		{ "go", 1, NULL, 'w' },
		{ "no-return", 0, NULL, 'r' },
		{ "count", 1, NULL, 'n' },
		{ NULL, 0, NULL, 0 },
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "+", longs, NULL)) != -1) {
		switch (opt) {
		case 'g':
			o.tgid_keys[o.filter.tgid_cnt++] = optarg;
			break;
		case 't':
			o.tid_keys[o.filter.tid_cnt++] = optarg;
			break;
		case 'c':
			o.filter.comm = optarg;
			break;
		case 'G':
			parse_cgroup(optarg, &o.filter.cgroup_id, &o.filter.cgroup_level);
			break;
		case 'W':
			parse_cgroup(optarg, &o.filter.waker_cgroup_id,
				     &o.filter.waker_cgroup_level);
			break;
		case 'p':
			add_cpu(atoi(optarg));
			break;
		case 'd':
			if (wc_source__parse_list(optarg, &o.session.disable_sources))
				die("--disable");
			break;
		case 'h':
			o.session.handoffs = true;
			break;
		case 'P':
			o.session.pair_max = atoi(optarg);
			break;
		case 'b':
			o.session.event_bytes = atoi(optarg);
			break;
		case 'e':
			o.session.event_every = atoi(optarg);
			break;
		case 'w':
			o.go = optarg;
			break;
		case 'r':
			o.session.no_return = true;
			break;
		case 'n':
			o.count_filter = optarg;
			break;
		default:
			exit(WC_EXIT_USAGE);
		}
	}
}

static pid_t find_id(const char *line, const char *key)
{
	char pattern[64];
	const char *at;

	if (*key >= '0' && *key <= '9')
		return atoi(key);
	snprintf(pattern, sizeof(pattern), "\"%s\":", key);
	at = strstr(line, pattern);
	if (!at) {
		fprintf(stderr, "probe: no \"%s\" in: %s\n", key, line);
		exit(1);
	}
	return atoi(at + strlen(pattern));
}

static void resolve_ids(const char *line)
{
	size_t i;

	for (i = 0; i < o.filter.tgid_cnt; i++)
		o.tgids[i] = find_id(line, o.tgid_keys[i]);
	for (i = 0; i < o.filter.tid_cnt; i++)
		o.tids[i] = find_id(line, o.tid_keys[i]);
	o.filter.tgids = o.tgids;
	o.filter.tids = o.tids;
}

static void spawn(struct child *c, char **argv, int stamp_fd)
{
	int in[2], out[2], i;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		die("pipe");
	for (i = 0; argv[i]; i++) {
		char *at = strstr(argv[i], "@stamps"), *made = NULL;

		if (at && asprintf(&made, "%.*s%d", (int)(at - argv[i]), argv[i], stamp_fd) < 0)
			die("argument");
		if (made)
			argv[i] = made;
	}
	c->pid = fork();
	if (c->pid < 0)
		die("fork");
	if (!c->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		fcntl(stamp_fd, F_SETFD, 0);
		execvp(argv[0], argv);
		die(argv[0]);
	}
	close(in[0]);
	close(out[1]);
	c->in_fd = in[1];
	c->out = fdopen(out[0], "r");
}

static char *said(struct child *c)
{
	char *line = NULL;
	size_t sz = 0;
	ssize_t len = getline(&line, &sz, c->out);

	if (len <= 0) {
		fprintf(stderr, "probe: the command ended without a word\n");
		exit(1);
	}
	line[len - 1] = '\0';
	return line;
}

static void tell(struct child *c)
{
	if (dprintf(c->in_fd, "%s\n", o.go) < 0)
		die("go");
}

/* Around the session and inside it: the tracepoint's own count. [0] waking, [1] wakeup_new */
static struct tracepoint outer[2], inner[2];

static void counts__open(void)
{
	static const char *const names[2] = { "sched_waking", "sched_wakeup_new" };
	int i, err = tracepoint__mount();

	for (i = 0; i < 2 && !err; i++) {
		err = tracepoint__open(&outer[i], names[i], o.count_filter);
		err = err ? err : tracepoint__open(&inner[i], names[i], o.count_filter);
	}
	errno = -err;
	if (err)
		die("tracepoint");
}

static void counts__enable(struct tracepoint t[2], bool on)
{
	tracepoint__enable(&t[0], on);
	tracepoint__enable(&t[1], on);
}

/*
 * There are kernels that run no BPF while process 1 is current. How often it has had a CPU: where
 * that differs, a count may be short for no fault of the probes'.
 */
static unsigned long long process1_runs(void)
{
	unsigned long long sum = 0, runs;
	glob_t g;
	size_t i;

	if (glob("/proc/1/task/*/schedstat", 0, NULL, &g))
		return 0;
	for (i = 0; i < g.gl_pathc; i++) {
		FILE *f = fopen(g.gl_pathv[i], "r");

		if (f && fscanf(f, "%*u %*u %llu", &runs) == 1)
			sum += runs;
		if (f)
			fclose(f);
	}
	globfree(&g);
	return sum;
}

static unsigned long long process1_ran;

static int session_failed(struct wc_session *s)
{
	fprintf(stderr, "probe: %s\n", wc_session__error(s));
	wc_session__free(s);
	return WC_EXIT_UNABLE;
}

static size_t event_cnt;

static void on_event(void *ctx, const struct wc_event *e)
{
	(void)ctx;
	printf("%s", event_cnt++ ? ",\n" : "");
	show__event(e);
}

static void show(struct wc_session *s, const struct child *c, const struct wc_round *r)
{
	size_t i;

	printf("{\"ready\":%s,\n\"done\":%s,\n", c->ready, c->done);
	show__counts("counters", r->counters, WC_CNT_CNT, wc_counter__name);
	show__counts("contexts", r->contexts, WC_CTX_CNT, wc_context__name);
	show__hists(r);
	show__stage_table(s);
	printf("\"tracepoint\":{\"outer\":%llu,\"outer_new\":%llu,\"inner\":%llu,\"inner_new\":%llu},\n",
	       tracepoint__read(&outer[0]), tracepoint__read(&outer[1]),
	       tracepoint__read(&inner[0]), tracepoint__read(&inner[1]));
	printf("\"self\":%d,\n\"process1_ran\":%llu,\n\"events\":[", getpid(), process1_ran);
	wc_session__events(s, on_event, NULL);
	printf("],\n\"pairs\":[");
	for (i = 0; i < r->pair_cnt; i++) {
		printf("%s", i ? ",\n" : "");
		show__pair(&r->pairs[i]);
	}
	printf("]}\n");
}

static void window(struct wc_session *s, struct child *c)
{
	process1_ran = process1_runs();
	counts__enable(outer, true);
	if (wc_session__attach(s))
		exit(session_failed(s));
	counts__enable(inner, true);
	tell(c);
	c->done = said(c);
	counts__enable(inner, false);
	wc_session__detach(s);
	counts__enable(outer, false);
	process1_ran = process1_runs() - process1_ran;
}

int main(int argc, char **argv)
{
	struct wc_session *s;
	struct child c;
	struct wc_round round = { 0 };

	parse_options(argc, argv);
	if (optind == argc)
		return WC_EXIT_USAGE;
	signal(SIGPIPE, SIG_IGN);
	if (wc_session__open(&o.session, &s))
		return session_failed(s);
	spawn(&c, argv + optind, wc_session__stamp_fd(s));
	c.ready = said(&c);
	resolve_ids(c.ready);
	if (wc_session__set_filter(s, &o.filter))
		return session_failed(s);
	if (o.count_filter)
		counts__open();
	window(s, &c);
	if (wc_session__read(s, &round))
		return session_failed(s);
	show(s, &c, &round);
	close(c.in_fd);
	kill(c.pid, SIGKILL);
	waitpid(c.pid, NULL, 0);
	wc_session__free(s);
	return 0;
}
