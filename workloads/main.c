/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wakecost-workload: threads that wake each other, beside others that are parked, with the time of
 * every handoff. Needs no rights; reports JSON; see --help.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "control.h"
#include "fail.h"
#include "num.h"
#include "registry.h"
#include "run.h"

#ifndef WAKECOST_VERSION
#define WAKECOST_VERSION "0.1.0"
#endif

static const char usage_text[] =
	"usage: wakecost-workload SHAPE [-P key=value[,key=value]...]... [--stamp-fd N] [--control]\n"
	"       wakecost-workload --list [-j] | --help | --version\n"
	"\n"
	"Wakes threads and times each handoff, beside a background of parked ones; or serves\n"
	"requests and counts what that takes.\n"
	"\n"
	"  SHAPE             handoff, ring or herd; server: requests over TCP;\n"
	"                    admission: a server beyond its threads, connections and backlog;\n"
	"                    cpu-limited: a server below a CPU limit, with a database;\n"
	"                    load: requests for a server that is there already;\n"
	"                    ceiling: how many threads there can be;\n"
	"                    chase: what an access to memory costs\n"
	"  -P key=value      parameter, see --list (-P parked=4000,background=futex-own)\n"
	"      --stamp-fd N  stamp every wake into the memory of this descriptor\n"
	"      --control     commands on stdin (run, warm, measure, quit), an event a line on stdout\n"
	"      --list        shapes, mechanisms, backgrounds and parameters; -j as JSON\n"
	"  -h, --help        this text\n"
	"  -V, --version     the version\n"
	"\n"
	"Example: wakecost-workload handoff -P background=futex-own,parked=4000\n"
	"Exit status: 0 done, 1 failed, 2 wrong usage.\n";

enum { OPT_STAMP_FD = 256, OPT_CONTROL, OPT_LIST };

static const struct option options[] = {
	{ "stamp-fd", required_argument, NULL, OPT_STAMP_FD },
	{ "control", no_argument, NULL, OPT_CONTROL },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "param", required_argument, NULL, 'P' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

struct args {
	const char **params; /* kept until the shape is known */
	int param_cnt;
	int stamp_fd;
	bool control, list, json, help, version;
};

static int args__parse(struct args *args, int argc, char **argv)
{
	u64 fd;
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":P:jhV", options, NULL)) != -1) {
		switch (opt) {
		case 'P':
			args->params[args->param_cnt++] = optarg;
			break;
		case OPT_STAMP_FD:
			if (num__parse(optarg, &fd) || fd > INT_MAX)
				return fail__usage(
					"--stamp-fd '%s': not a descriptor number; see --help",
					optarg);
			args->stamp_fd = (int)fd;
			break;
		case OPT_CONTROL:
			args->control = true;
			break;
		case OPT_LIST:
			args->list = true;
			break;
		case 'j':
			args->json = true;
			break;
		case 'h':
			args->help = true;
			break;
		case 'V':
			args->version = true;
			break;
		case ':':
			return fail__usage("%s needs a value; see --help", argv[optind - 1]);
		default:
			return fail__usage("unknown option %s; see --help", argv[optind - 1]);
		}
	}
	return 0;
}

static const char *shape__name_at(const void *ctx, size_t i)
{
	(void)ctx;
	return registry__shape_name(i);
}

static int run__choose(struct wl_run *run, const struct args *args, const char *shape)
{
	const char *near;
	int i, err;

	for (i = 0; (run->shape = registry__shape((size_t)i)); i++) {
		if (!strcmp(run->shape->name, shape))
			break;
	}
	if (!run->shape) {
		near = nearest__find(shape, shape__name_at, NULL);
		return fail__usage("unknown shape '%s'%s%s%s; see wakecost-workload --list", shape,
				   near ? ", did you mean '" : "", near ? near : "",
				   near ? "'?" : "");
	}
	params__init(&run->p, shape);
	for (i = 0; i < args->param_cnt; i++) {
		err = params__parse(&run->p, shape, args->params[i]);
		if (err)
			return err;
	}
	if (run->shape->alone && args->control)
		return fail__usage("%s is no handoff and takes no commands: wakecost %s", shape,
				   shape);
	run->mech = registry__mech(run->p.mechanism);
	run->bg = registry__bg(run->p.background);
	run->stamp_fd = args->stamp_fd;
	return 0;
}

static int main__run(struct wl_run *run, bool control)
{
	int err;

	fail__use_events(control);
	/* Whoever drives us owns us: no thread outlives it. */
	if (control)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	err = run->shape->alone ? run->shape->alone(run) : run__setup(run);
	if (!err && !run->shape->alone)
		err = control ? control__serve(run) : control__once(run);
	if (err && !fail__status())
		fail__set(-err, NULL, "cannot write the result: %s; is stdout still open?",
			  strerror(-err));
	if (err)
		fail__print(control);
	run__close(run);
	return fail__status();
}

static int main__answer(const struct args *args)
{
	if (args->help)
		fputs(usage_text, stdout);
	else if (args->version)
		puts("wakecost-workload " WAKECOST_VERSION);
	else
		list__print(args->json);
	if (fflush(stdout) || ferror(stdout)) {
		fail__set(EIO, NULL, "cannot write to stdout: is it still open, the disk full?");
		fail__print(false);
	}
	return fail__status();
}

int main(int argc, char **argv)
{
	static struct wl_run run;
	struct args args = { .stamp_fd = -1 };
	sigset_t set;
	int err;

	args.params = calloc((size_t)argc, sizeof(*args.params));
	if (!args.params)
		return 1;
	/* For mechanism=signal; before any thread, so that all inherit it. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);

	err = args__parse(&args, argc, argv);
	if (!err && (args.help || args.version || args.list))
		return main__answer(&args);
	if (!err && args.json)
		err = fail__usage("-j goes with --list; see --help");
	if (!err && optind == argc)
		err = fail__usage(
			"which shape? handoff, ring, herd, server, admission, cpu-limited, load or "
			"ceiling; see --help");
	if (!err && optind + 1 < argc)
		err = fail__usage("unexpected argument '%s'; see --help", argv[optind + 1]);
	if (!err)
		err = run__choose(&run, &args, argv[optind]);
	if (err) {
		fail__print(args.control);
		return fail__status();
	}
	err = main__run(&run, args.control);
	fflush(stdout);
	/* No way through 16,000 threads but this one. */
	_exit(err);
}
