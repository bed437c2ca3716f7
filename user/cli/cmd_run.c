// SPDX-License-Identifier: BSD-2-Clause
/* wakecost run: cells of a workload in interleaved rounds, cut into stages. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/cli/cmd.h"
#include "user/cli/measuring.h"
#include "user/experiment/cells.h"
#include "user/output/output.h"
#include "user/util/log.h"

static struct wc_strings params;
static uint64_t rounds = 7, seed, pair_max;
static const char *output, *disable, *counters;
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
	WC_MEASURING_COUNTERS(&counters),
	WC_FLAG(0, "no-bpf", &no_bpf, "without probes: the workload's own figures, no root needed"),
	WC_FLAG(0, "no-warmup", &no_warmup, "measure from the first round on"),
	WC_MEASURING_DISABLE(&disable),
	WC_UNSIGNED(0, "pair-max", "N", &pair_max, 1, 1u << 20, "size of the pair table, for tests",
		    .hidden = true),
	WC_FLAG(0, "no-return", &no_return, "leave out find and return, for tests", .hidden = true),
	WC_OPT_END,
};

static const char *const examples[] = {
	"sudo wakecost run handoff -P background=none,futex-own -P parked=0,4000,16000",
	"sudo wakecost run ring -P mechanism=eventfd -P threads=2,4096 -o ring.data",
	"wakecost run server -P model=per-request,coroutine -P pool=50,200 --no-bpf",
	NULL,
};

static const char *const shapes[] = { "handoff", "ring", "herd", "server", NULL };

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
	if (counters)
		fprintf(f, " --counters %s", counters);
	fprintf(f, " --rounds %llu", (unsigned long long)rounds);
	if (fclose(f))
		return NULL;
	return line;
}

static int describe(struct wc_result *r, struct wc_session *s, int argc, char **argv)
{
	char *line = join_command(argc, argv);
	int err = line ? wc_measuring__describe(r, s, "wakecost.run/1", argv[1], line) : -ENOMEM;

	r->seed = wc_measuring__seed(seed_given, seed);
	r->rounds_wanted = rounds;
	free(line);
	return err;
}

/* Print first, then save: a full disk loses the file and not the answer. */
static int deliver(const struct wc_result *r)
{
	struct wc_table_opts to = {
		.wide = wc_log__level() == WC_LOG_DEBUG,
		.colour = wc_log__may_colour(STDOUT_FILENO),
	};
	int err = json ? wc_out_json(stdout, r) : wc_out_table(stdout, r, &to);

	if (err || fflush(stdout))
		wc_err("printing the result failed: %s", strerror(err ? -err : errno));
	if (!output)
		return err;
	err = wc_measuring__save(r, output);
	if (!err && !json)
		wc_info("next: wakecost report %s --by class\n      wakecost export %s --format csv",
			output, output);
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
	struct wc_session_opts so = { .pair_max = (unsigned int)pair_max, .no_return = no_return };
	struct wc_run_opts ro = { .rounds = (unsigned int)rounds,
				  .warmup = !no_warmup,
				  .no_bpf = no_bpf };
	struct wc_session *s = NULL;
	char why[512];
	int err, saved, status;

	if (argc < 2) {
		wc_err("run wants a shape: handoff, ring, herd or server; `wakecost list params` has the rest");
		wc_result__free(r);
		return WC_EXIT_USAGE;
	}
	err = r ? wc_cells__build(r, argv[1], params.items, params.cnt, why, sizeof(why)) : -ENOMEM;
	if (err) {
		wc_err("%s", err == -ENOMEM ? "no memory" : why);
		wc_result__free(r);
		return exit_status(err, err == -EINVAL);
	}
	err = wc_measuring__shape(r, argv[1]);
	if (err) {
		wc_result__free(r);
		return WC_EXIT_FAILED;
	}
	/* Of work all wakes of its process are meant, whose calls nobody stamps. */
	so.handoffs = !r->work;
	so.syscalls = r->work && !no_return;
	wc_measuring__catch_signals();
	status = wc_measuring__counters(r, no_bpf ? NULL : counters, &so);
	if (status)
		goto out;
	if (!no_bpf) {
		status = wc_measuring__open(&so, disable, &s);
		if (status)
			goto out;
	}
	err = describe(r, s, argc, argv);
	ro.session = s;
	err = err ? err : wc_measuring__rounds(r, &ro);
	saved = !err || anything_complete(r) ? deliver(r) : 0;
	status = exit_status(err ? err : saved, err == -EINVAL);
out:
	wc_session__free(s);
	wc_result__free(r);
	wc_strings__free(&params);
	wc_measuring__die_if_stopped();
	return status;
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
