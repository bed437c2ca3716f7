// SPDX-License-Identifier: BSD-2-Clause
/* wakecost run: cells of a workload in interleaved rounds, cut into stages. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "user/cli/cmd.h"
#include "user/util/version.h"
#include "user/experiment/cells.h"
#include "user/experiment/run.h"
#include "user/model/store.h"
#include "user/output/output.h"
#include "user/probe/host.h"
#include "user/util/log.h"
#include "user/util/path.h"

static struct wc_strings params;
static uint64_t rounds = 7, seed, pair_max;
static const char *output, *disable;
static bool json, no_bpf, no_warmup, no_return, seed_given;

static const struct wc_opt opts[] = {
	WC_STRINGS('P', "param", "K=V[,V...]", &params,
		   "values of a parameter; cells are the product"),
	WC_UNSIGNED('r', "rounds", "N", &rounds, 1, 10000,
		    "rounds of every cell, after a warm-up (7)"),
	WC_UNSIGNED(0, "seed", "S", &seed, 0, INT64_MAX, "of the order of cells (drawn)",
		    .given = &seed_given),
	WC_STRING('o', "output", "FILE", &output,
		  "leave a recording (an older one becomes FILE.old)"),
	WC_FLAG('j', "json", &json, "print one JSON document"),
	WC_FLAG(0, "no-bpf", &no_bpf, "without probes: the workload's own figures, no root needed"),
	WC_FLAG(0, "no-warmup", &no_warmup, "measure from the first round on"),
	WC_STRING(0, "disable", "LIST", &disable, "sources not to use, for tests", .hidden = true),
	WC_UNSIGNED(0, "pair-max", "N", &pair_max, 1, 1u << 20, "size of the pair table, for tests",
		    .hidden = true),
	WC_FLAG(0, "no-return", &no_return, "leave out find and return, for tests", .hidden = true),
	WC_OPT_END,
};

static const char *const examples[] = {
	"sudo wakecost run handoff -P background=none,futex-own -P parked=0,4000,16000",
	"sudo wakecost run ring -P mechanism=eventfd -P threads=2,4096 -o ring.data",
	"wakecost run handoff -P placement=same,cross --no-bpf",
	NULL,
};

static const char *const shapes[] = { "handoff", "ring", "herd", NULL };

static volatile sig_atomic_t stop;

/* First: stop and keep what is complete. Second: end at once. */
static void on_signal(int sig)
{
	stop = sig;
	signal(sig, SIG_DFL);
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static struct wc_progress bar;

static void on_progress(void *ctx, size_t done, size_t total, const char *label)
{
	(void)ctx;
	wc_progress__update(&bar, done, total, label);
}

static int open_session(struct wc_session **s)
{
	struct wc_session_opts so = { .handoffs = true,
				      .pair_max = pair_max,
				      .no_return = no_return };
	int err;

	if (disable && wc_source__parse_list(disable, &so.disable_sources)) {
		wc_err("--disable wants a list of tp_btf, raw_tp, fentry and kprobe, not \"%s\"",
		       disable);
		return -EINVAL;
	}
	err = wc_session__open(&so, s);
	if (err)
		wc_err("%s", wc_session__error(*s));
	return err;
}

static char *join_command(int argc, char **argv)
{
	char *line = NULL;
	size_t sz, i;
	FILE *f = open_memstream(&line, &sz);

	if (!f)
		return NULL;
	fputs("wakecost run", f);
	for (i = 1; i < (size_t)argc; i++)
		fprintf(f, " %s", argv[i]);
	for (i = 0; i < params.cnt; i++)
		fprintf(f, " -P %s", params.items[i]);
	fprintf(f, " --rounds %llu", (unsigned long long)rounds);
	if (fclose(f))
		return NULL;
	return line;
}

static int describe(struct wc_result *r, struct wc_session *s, int argc, char **argv)
{
	struct timespec now;
	int err;

	clock_gettime(CLOCK_REALTIME, &now);
	if (!seed_given && getrandom(&seed, sizeof(seed), 0) == sizeof(seed))
		seed >>= 33; /* short enough to type again */
	r->schema = strdup("wakecost.run/1");
	r->tool_version = strdup(wc_version());
	r->command_line = join_command(argc, argv);
	r->shape = strdup(argv[1]);
	r->seed = seed;
	r->started_s = now.tv_sec;
	r->rounds_wanted = rounds;
	if (!r->schema || !r->tool_version || !r->command_line || !r->shape)
		return -ENOMEM;
	err = wc_host__describe(&r->host, r);
	if (s) {
		err = err ?: wc_session__stages(s, r->stages);
		err = err
			      ?: wc_kvs__setf(&r->host, "probe_memory_bytes", "%llu",
					      (unsigned long long)wc_session__map_bytes(s));
	}
	return err;
}

static int measure(struct wc_result *r, struct wc_session *s)
{
	char path[4096], why[1024] = "";
	struct wc_run_opts ro = {
		.workload_path = path,
		.rounds = rounds,
		.warmup = !no_warmup,
		.no_bpf = no_bpf,
		.session = s,
		.stop = &stop,
		.progress = on_progress,
		.error = why,
		.error_sz = sizeof(why),
	};
	int err = wc_path__workload(path, sizeof(path));

	if (err) {
		wc_err("wakecost-workload is neither beside wakecost nor on PATH: install both");
		return err;
	}
	wc_progress__start(&bar);
	err = wc_run__rounds(r, &ro);
	wc_progress__end(&bar);
	if (err && err != -EINTR)
		wc_err("%s", why[0] ? why : strerror(-err));
	return err;
}

/* Print first, then save: a full disk loses the file and not the answer. */
static int deliver(const struct wc_result *r)
{
	struct wc_table_opts to = {
		.wide = wc_log__level() == WC_LOG_DEBUG,
		.colour = wc_log__may_colour(STDOUT_FILENO),
	};
	char *why = NULL;
	int err = json ? wc_out_json(stdout, r) : wc_out_table(stdout, r, &to);

	if (err || fflush(stdout))
		wc_err("printing the result failed: %s", strerror(err ? -err : errno));
	if (!output)
		return err;
	err = wc_store__write(r, output, &why);
	if (err)
		wc_err("%s", why ? why : strerror(-err));
	else if (!json)
		wc_info("next: wakecost report %s --by class\n      wakecost export %s --format csv",
			output, output);
	free(why);
	return err;
}

static bool anything_complete(const struct wc_result *r)
{
	size_t i, j;

	for (i = 0; i < r->cell_cnt; i++) {
		for (j = 0; j < r->cells[i].round_cnt; j++) {
			if (r->cells[i].rounds[j].complete)
				return true;
		}
	}
	return false;
}

static int exit_status(int err, bool usage)
{
	if (!err)
		return WC_EXIT_OK;
	return usage ? WC_EXIT_USAGE : WC_EXIT_FAILED;
}

static int cmd_run(int argc, char **argv)
{
	struct wc_result *r = wc_result__new();
	struct wc_session *s = NULL;
	char why[512];
	int err, saved;

	if (argc < 2) {
		wc_err("run wants a shape: handoff, ring or herd; `wakecost list params` has the rest");
		wc_result__free(r);
		return WC_EXIT_USAGE;
	}
	err = r ? wc_cells__build(r, argv[1], params.items, params.cnt, why, sizeof(why)) : -ENOMEM;
	if (err) {
		wc_err("%s", err == -ENOMEM ? "no memory" : why);
		wc_result__free(r);
		return exit_status(err, err == -EINVAL);
	}
	catch_signals();
	if (!no_bpf) {
		err = open_session(&s);
		if (err) {
			wc_session__free(s);
			wc_result__free(r);
			return err == -EINVAL && disable ? WC_EXIT_USAGE : WC_EXIT_UNABLE;
		}
	}
	err = describe(r, s, argc, argv);
	err = err ?: measure(r, s);
	wc_session__free(s);
	saved = !err || anything_complete(r) ? deliver(r) : 0;
	wc_result__free(r);
	wc_strings__free(&params);
	if (stop)
		raise(stop); /* default by now: the shell sees the signal */
	return exit_status(err ?: saved, err == -EINVAL);
}

const struct wc_cmd wc_cmd_run = {
	.name = "run",
	.args = "SHAPE",
	.args_max = 1,
	.help = "measure a built-in workload, cut into stages",
	.opts = opts,
	.examples = examples,
	.words = shapes,
	.fn = cmd_run,
};
