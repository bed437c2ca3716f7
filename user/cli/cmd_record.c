// SPDX-License-Identifier: BSD-2-Clause
/* wakecost record: the wakes of programs as they run. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/cli/cmd.h"
#include "user/cli/measuring.h"
#include "user/cli/record_interval.h"
#include "user/cli/record_who.h"
#include "user/experiment/record.h"
#include "user/util/log.h"
#include "user/util/units.h"

#define STACK_EVERY_DEFAULT 64
#define EVENT_RING_BYTES    (4u << 20)

static struct wc_who_words words;
static uint64_t duration_ns, interval_ns, slow_ns = 1000000, stack_every = STACK_EVERY_DEFAULT;
static uint64_t pair_max, stack_max, chain_max;
static const char *output = "wakecost.data", *disable;
static unsigned int stacks_choice = 1, syscalls_choice, unwind_choice = 1;
static bool all, events, inlines;

static const char *const stacks_choices[] = { "none", "sampled", "all", NULL };
static const char *const unwind_choices[] = { "fp", "learn", NULL };
static const char *const syscalls_choices[] = { "auto", "on", "off", NULL };

static const struct wc_opt opts[] = {
	WC_STRING('p', "pid", "PID[,PID...]", &words.pids,
		  "processes, with their threads and children"),
	WC_STRING('t', "tid", "TID[,TID...]", &words.tids, "threads"),
	WC_STRING(0, "comm", "NAME", &words.comm, "threads of this name; may end in *"),
	WC_STRING('G', "cgroup", "PATH", &words.cgroup,
		  "tasks of a control group (v2) and those below"),
	WC_STRING(0, "waker-cgroup", "PATH", &words.waker_cgroup,
		  "only wakes made from this group"),
	WC_FLAG('a', "all", &all, "every task of the machine"),
	WC_STRING('C', "cpu", "LIST", &words.cpus, "only wakes that ran on these CPUs"),
	WC_DURATION('d', "duration", "TIME", &duration_ns, 1000000, UINT64_MAX / 2,
		    "how long (until Ctrl-C, or until all have ended)"),
	WC_STRING('o', "output", "FILE", &output, "the recording (wakecost.data)"),
	WC_DURATION('i', "interval", "TIME", &interval_ns, 100000000, UINT64_MAX / 2,
		    "print what came since the last interval"),
	WC_ENUM(0, "stacks", "WHICH", &stacks_choice, stacks_choices,
		"none, sampled or all (sampled)"),
	WC_UNSIGNED(0, "every", "K", &stack_every, 1, 1u << 20,
		    "take the stacks of one wake in K (64)"),
	WC_DURATION(0, "slow", "TIME", &slow_ns, 0, UINT64_MAX / 2,
		    "and of every wake this slow; 0: of no other (1ms)"),
	WC_ENUM(0, "unwind", "HOW", &unwind_choice, unwind_choices,
		"user stacks: fp, by frame pointers; learn, and by unwind tables (learn)"),
	WC_ENUM(0, "syscalls", "WHEN", &syscalls_choice, syscalls_choices,
		"find and return from system calls: auto, on, off (auto: on for one process)"),
	WC_FLAG(0, "events", &events, "keep single wakes as well, one in K, for perfetto"),
	WC_FLAG(0, "inlines", &inlines, "name inlined functions and lines (slower at the end)"),
	WC_UNSIGNED(0, "max-pairs", "N", &pair_max, 1, 1u << 20,
		    "size of the table of pairs (32768)"),
	WC_UNSIGNED(0, "max-stacks", "N", &stack_max, 16, 1u << 20,
		    "size of the table of stacks (16384)"),
	WC_UNSIGNED(0, "max-paths", "N", &chain_max, 16, 1u << 20,
		    "size of the table of paths (16384)"),
	WC_MEASURING_DISABLE(&disable),
	WC_OPT_END,
};

static const char *const examples[] = {
	"sudo wakecost record -p 4711 -d 10s",
	"sudo wakecost record -i 1s -- java -XX:+PreserveFramePointer -jar service.jar",
	"sudo wakecost record -G system.slice/postgresql.service -d 30s -o pg.data",
	NULL,
};

/* Only so that waiting is interrupted. */
static void on_child(int sig)
{
	(void)sig;
}

static int open_session(const struct wc_who *who, struct wc_session **s)
{
	bool one_process = words.command || who->named_cnt == 1;
	struct wc_session_opts so = {
		.record = true,
		.syscalls = syscalls_choice == 1 || (!syscalls_choice && one_process),
		.follow = who->filter.follow,
		.stack_every = stacks_choice == 0   ? 0
			       : stacks_choice == 2 ? 1
						    : stack_every,
		.slow_ns = stacks_choice == 0 ? 0 : slow_ns,
		.pair_max = pair_max,
		.stack_max = stack_max,
		.chain_max = chain_max,
		.unwind = unwind_choice == 1,
		.event_bytes = events ? EVENT_RING_BYTES : 0,
		.event_every = stacks_choice == 1 ? stack_every : 1,
	};

	return wc_measuring__open(&so, disable, s);
}

static int describe_who(struct wc_result *r, char **command, int argc)
{
	const struct {
		const char *key, *value;
	} given[] = { { "pid", words.pids },
		      { "tid", words.tids },
		      { "comm", words.comm },
		      { "cgroup", words.cgroup },
		      { "waker_cgroup", words.waker_cgroup },
		      { "cpu", words.cpus },
		      { "all", all ? "1" : NULL } };
	char *line;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < sizeof(given) / sizeof(given[0]); i++) {
		if (given[i].value)
			err = wc_kvs__set(&r->params, given[i].key, given[i].value);
	}
	if (err || !words.command)
		return err;
	line = wc_measuring__join("", command, argc);
	err = line ? wc_kvs__set(&r->params, "command", line) : -ENOMEM;
	free(line);
	return err;
}

static int describe(struct wc_result *r, struct wc_session *s, int argc, char **argv)
{
	char *line = wc_measuring__join("wakecost record", argv + 1, argc - 1);
	int err = line ? describe_who(r, argv + 1, argc - 1) : -ENOMEM;

	err = err ? err : wc_measuring__describe(r, s, "wakecost.record/1", "record", line);
	r->rounds_wanted = 1;
	free(line);
	return err;
}

static struct wc_live live;

static int on_interval(void *ctx, const struct wc_round *sofar, uint64_t elapsed_ns)
{
	int err = wc_live__say(ctx, stdout, sofar, elapsed_ns);

	return err == -EPIPE ? -ECANCELED : err; /* nobody reads any more: a planned end */
}

static void on_begin(void *ctx)
{
	(void)ctx;
	wc_info("recording; Ctrl-C ends it");
}

static int record(struct wc_result *r, struct wc_session *s, struct wc_who *who,
		  struct wc_target *target)
{
	char why[1024] = "";
	struct wc_record_opts ro = {
		.session = s,
		.filter = who->filter,
		.pids = who->pids,
		.pid_cnt = who->pid_cnt,
		.ending_cnt = who->named_cnt,
		.target = target,
		.duration_ns = duration_ns,
		.interval_ns = interval_ns,
		.on_begin = target || duration_ns ? NULL : on_begin,
		.on_interval = on_interval,
		.ctx = &live,
		.inlines = inlines,
		.stop = &wc_measuring__stop,
		.error = why,
		.error_sz = sizeof(why),
	};
	int err;

	live.stages = r->stages;
	live.colour = wc_log__may_colour(STDOUT_FILENO);
	err = wc_record__run(r, &ro);
	wc_live__free(&live);
	if (err)
		wc_err("%s", why[0] ? why : strerror(-err));
	return err;
}

static int save(const struct wc_result *r)
{
	const struct wc_round *round = &r->cells[0].rounds[0];
	char n[WC_UNITS_BUF_SZ], t[WC_UNITS_BUF_SZ];
	int err = wc_measuring__save(r, output);

	if (err)
		return err;
	wc_info("%s wakes in %s are in %s; next: wakecost report%s%s, wakecost flame%s%s",
		wc_units__format_count(n, sizeof(n), round->counters[WC_CNT_COMPLETED]),
		wc_units__format_ns(t, sizeof(t), r->profile->window_ns), output,
		strcmp(output, "wakecost.data") ? " " : "",
		strcmp(output, "wakecost.data") ? output : "",
		strcmp(output, "wakecost.data") ? " " : "",
		strcmp(output, "wakecost.data") ? output : "");
	return 0;
}

/* With a command, its status is ours; it dies of a signal, so do we. */
static int status_of(const struct wc_target *t, int err)
{
	if (err == -ENOENT)
		return WC_EXIT_NOT_FOUND;
	if (err == -EACCES || err == -ENOEXEC)
		return WC_EXIT_CANNOT_RUN;
	if (err)
		return WC_EXIT_WRAPPER;
	if (!t->ended)
		return WC_EXIT_OK;
	if (WIFSIGNALED(t->status)) {
		signal(WTERMSIG(t->status), SIG_DFL);
		raise(WTERMSIG(t->status));
	}
	return WEXITSTATUS(t->status);
}

static void nothing(void *ctx, pid_t pid)
{
	(void)ctx;
	(void)pid;
}

/* The recording is over, the command need not be: its status is what we end with. */
static void see_out(struct wc_target *t)
{
	if (wc_measuring__stop && !t->ended)
		kill(t->pid,
		     wc_measuring__stop); /* a terminal has told it already, `kill` has not */
	for (;;) {
		wc_target__reap(t, nothing, NULL);
		if (t->ended)
			return;
		poll(NULL, 0, 200); /* SIGCHLD ends it early */
	}
}

static int run_it(struct wc_who *who, int argc, char **argv)
{
	struct wc_result *r = wc_result__new();
	struct wc_session *s = NULL;
	struct wc_target target = {};
	int status = r ? open_session(who, &s) : WC_EXIT_FAILED, err;
	bool launched = false;

	if (status)
		goto out;
	err = describe(r, s, argc, argv);
	if (!err && words.command) {
		err = wc_target__launch(&target, argv + 1);
		launched = !err;
	}
	err = err ? err : record(r, s, who, launched ? &target : NULL);
	if (!err)
		err = save(r);
	if (launched && err)
		wc_target__kill(&target);
	else if (launched)
		see_out(&target);
	if (words.command)
		status = status_of(&target, err);
	else
		status = err ? WC_EXIT_FAILED : WC_EXIT_OK;
out:
	wc_session__free(s);
	wc_result__free(r);
	return status;
}

static int cmd_record(int argc, char **argv)
{
	struct sigaction chld = { .sa_handler = on_child };
	static struct wc_who who;
	int err, status;

	words.all = all;
	words.command = argc > 1;
	err = wc_who__parse(&who, &words);
	if (err) {
		wc_who__free(&who);
		return err == -EINVAL ? WC_EXIT_USAGE : WC_EXIT_FAILED;
	}
	wc_measuring__catch_signals();
	sigaction(SIGCHLD, &chld, NULL);
	status = run_it(&who, argc, argv);
	wc_who__free(&who);
	return status;
}

const struct wc_cmd wc_cmd_record = {
	.name = "record",
	.args = "[-- COMMAND ARGS...]",
	.args_max = UINT_MAX,
	.help = "record the wakes of running programs, with stacks",
	.opts = opts,
	.examples = examples,
	.fn = cmd_record,
};
