// SPDX-License-Identifier: BSD-2-Clause
/* wakecost explain: which cause makes a handoff dearer, how much, how sure, what to do. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/cli/cmd.h"
#include "user/cli/explain_program.h"
#include "user/cli/explain_show.h"
#include "user/cli/measuring.h"
#include "user/experiment/chase.h"
#include "user/experiment/plan.h"
#include "user/probe/futex_hash.h"
#include "user/util/log.h"
#include "user/util/path.h"
#include "user/util/units.h"

#define SECOND_NS   1000000000ull
#define PARKED_MAX  16
#define PARKED_MOST 100000
#define CHASE_REACH (128ull << 20) /* a second or two */

static const char *parked = "0,250,1000,4000,16000,30000", *mechanism = "futex";
static const char *background = "futex-own", *output, *html, *disable, *counters;
static unsigned int placement_choice;
static uint64_t rounds, seed;
static struct wc_strings extra;
static bool json, quick, thorough, seed_given, parked_given;

/* of a program */
static const char *pid, *what_if;
static uint64_t duration_ns = 10 * SECOND_NS, delay_ns;
static bool duration_given, delay_given, experiment_given;

static const char *const placements[] = { "same", "cross", "free", NULL };

static const struct wc_opt opts[] = {
	WC_STRING(0, "parked", "N[,N...]", &parked, "how many (0,250,1000,4000,16000,30000)",
		  .given = &parked_given),
	WC_STRING(0, "background", "HOW", &background, "how they are parked (futex-own)",
		  .given = &experiment_given),
	WC_STRING(0, "mechanism", "M", &mechanism, "of the handoff (futex)",
		  .given = &experiment_given),
	WC_ENUM(0, "placement", "WHERE", &placement_choice, placements,
		"same, cross or free (same)", .given = &experiment_given),
	WC_FLAG(0, "quick", &quick, "two minutes: fewer levels and contrasts"),
	WC_FLAG(0, "thorough", &thorough, "as many rounds as it takes"),
	WC_UNSIGNED('r', "rounds", "N", &rounds, 1, 10000,
		    "rounds, whatever time they take; of --what-if (1)"),
	WC_STRINGS('P', "param", "K=V", &extra, "for every cell, as with run"),
	WC_MEASURING_COUNTERS(&counters),
	WC_UNSIGNED(0, "seed", "S", &seed, 0, INT64_MAX, "of the order of cells (drawn)",
		    .given = &seed_given),
	WC_STRING('p', "pid", "PID", &pid, "explain this program, as it runs"),
	WC_DURATION('d', "duration", "TIME", &duration_ns, 10000000, UINT64_MAX / 2,
		    "how long a program is measured (10s)", .given = &duration_given),
	WC_DURATION(0, "delay", "TIME", &delay_ns, 0, UINT64_MAX / 2,
		    "how long a command runs before that (until its threads are steady)",
		    .given = &delay_given),
	WC_STRING(0, "what-if", "KEY=VALUE", &what_if,
		  "run the command without and with it: futex-slots=N"),
	WC_STRING('o', "output", "FILE", &output, "leave a recording"),
	WC_FLAG('j', "json", &json, "print one JSON document"),
	WC_STRING(0, "html", "PAGE", &html, "draw the experiment as a page; - is standard output",
		  .given = &experiment_given),
	WC_MEASURING_DISABLE(&disable),
	WC_OPT_END,
};

static const char *const examples[] = {
	"sudo wakecost explain --quick",
	"sudo wakecost explain --parked 0,1000,4000 -P futex_slots=1024 -j",
	"sudo wakecost explain --what-if futex-slots=4096 --rounds 5 -- java Service",
	NULL,
};

static int parse_parked(uint64_t *out, size_t *cnt)
{
	char *copy = strdup(parked), *save = NULL, *word;
	int err = copy ? 0 : -ENOMEM;

	*cnt = 0;
	for (word = copy ? strtok_r(copy, ",", &save) : NULL; !err && word;
	     word = strtok_r(NULL, ",", &save)) {
		if (*cnt == PARKED_MAX || wc_units__parse_unsigned(word, &out[*cnt]) ||
		    out[*cnt] > PARKED_MOST || (*cnt && out[*cnt] <= out[*cnt - 1]))
			err = -EINVAL;
		else
			++*cnt;
	}
	free(copy);
	if (err == -EINVAL || !*cnt) {
		wc_err("--parked wants up to %d rising numbers up to %d, not \"%s\"", PARKED_MAX,
		       PARKED_MOST, parked);
		return -EINVAL;
	}
	return err;
}

static int build(struct wc_result *r)
{
	uint64_t levels[PARKED_MAX];
	struct wc_plan plan = {
		.size = quick	   ? WC_PLAN_QUICK
			: thorough ? WC_PLAN_THOROUGH
				   : WC_PLAN_DEFAULT,
		.parked = levels,
		.background = background,
		.mechanism = mechanism,
		.placement = placements[placement_choice],
		.extra = extra.items,
		.extra_cnt = extra.cnt,
	};
	struct wc_futex_table table;
	char why[512];
	int err;

	if (quick && !parked_given)
		parked = "0,1000,4000,16000";
	err = parse_parked(levels, &plan.parked_cnt);
	if (err)
		return err;
	memset(&table, 0, sizeof(table));
	wc_futex_hash__measure(&table);
	plan.slots = table.kind == WC_FUTEX_PRIVATE ? table.slots_most : 0;
	err = wc_plan__build(r, &plan, why, sizeof(why));
	if (err)
		wc_err("%s", why[0] ? why : strerror(-err));
	return err;
}

static int describe(struct wc_result *r, struct wc_session *s)
{
	int err = wc_measuring__describe(r, s, WC_EXPLAIN_SCHEMA, "explain", "wakecost explain");

	r->seed = wc_measuring__seed(seed_given, seed);
	err = err ? err : wc_kvs__set(&r->params, "parked", parked);
	err = err ? err : wc_kvs__set(&r->params, "background", background);
	err = err ? err : wc_kvs__set(&r->params, "mechanism", mechanism);
	err = err ? err : wc_kvs__set(&r->params, "placement", placements[placement_choice]);
	err = err ? err
		  : wc_kvs__set(&r->params, "size",
				quick	   ? "quick"
				: thorough ? "thorough"
					   : "default");
	if (!err && counters)
		err = wc_kvs__set(&r->params, "counters", counters);
	for (size_t i = 0; !err && i < extra.cnt; i++) {
		/* there: wc_plan__build() has looked */
		const char *eq = strchr(extra.items[i], '=');
		char key[80];

		snprintf(key, sizeof(key), "-P %.*s", (int)(eq - extra.items[i]), extra.items[i]);
		err = wc_kvs__set(&r->params, key, eq + 1);
	}
	return err;
}

/* Before the rounds, as they are measured, on the CPU of the pair. What is missing is said. */
static int calibrate(struct wc_result *r)
{
	char path[4096];
	int err = wc_path__workload(path, sizeof(path));

	if (!err && !wc_measuring__stop) {
		wc_info("calibrating: what an access to memory costs here");
		err = wc_chase__measure(r, path, CHASE_REACH);
	}
	if (!err)
		return 0;
	return wc_result__warnf(r, "what an access to memory costs was not measured (%s)",
				strerror(-err));
}

static int measure(struct wc_result *r, struct wc_session *s)
{
	struct wc_run_opts ro = {
		.rounds = rounds ? (unsigned int)rounds : 1000,
		.rounds_min = 6, /* fewer give no interval */
		.warmup = 1,
		.budget_ns = rounds ? 0
				    : (quick	  ? 106
				       : thorough ? 3600
						  : 552) *
					      SECOND_NS,
		.optional_cells = true,
		.session = s,
	};

	r->rounds_wanted = ro.rounds;
	return wc_measuring__rounds(r, &ro);
}

/* What took minutes to measure is kept even where it cannot be shown. */
static int deliver(const struct wc_result *r)
{
	const struct wc_explain_show show = {
		.json = json,
		.html = html,
		.wide = wc_log__level() == WC_LOG_DEBUG,
		.colour = wc_log__may_colour(STDOUT_FILENO),
	};
	int err = wc_explain__show(r, &show), saved = output ? wc_measuring__save(r, output) : 0;

	return err ? err : saved;
}

/* 0 or -EINVAL: options of the experiment and of a program do not mix. */
static int check_mode(bool program, bool command)
{
	bool experiment = experiment_given || parked_given || quick || thorough || seed_given ||
			  extra.cnt || counters;

	if (program && experiment)
		wc_err("a program is measured as it is: give it no option of the experiment");
	else if (pid && command)
		wc_err("give -p or a command, not both");
	else if (!command && (what_if || delay_given))
		wc_err("--what-if and --delay go with a command: -- COMMAND ARGS...");
	else if (!program && duration_given)
		wc_err("-d goes with -p or a command: the experiment takes --quick or --rounds");
	else if (program && rounds && !what_if)
		wc_err("--rounds of a program go with --what-if");
	else if (what_if && output)
		wc_err("--what-if makes several windows: leave a recording without it");
	else
		return 0;
	return -EINVAL;
}

static int explain_program(int argc, char **argv)
{
	struct wc_explain_program p = {
		.pid = pid,
		.command = argc > 1 ? argv + 1 : NULL,
		.command_cnt = argc - 1,
		.duration_ns = duration_ns,
		.delay_given = delay_given,
		.delay_ns = delay_ns,
		.what_if = what_if,
		.rounds = rounds ? (unsigned int)rounds : 1,
		.output = output,
		.json = json,
		.disable = disable,
	};

	return wc_explain_program__run(&p);
}

static int experiment(void)
{
	struct wc_session_opts so = { .handoffs = true };
	struct wc_result *r = wc_result__new();
	struct wc_session *s = NULL;
	int err = r ? build(r) : -ENOMEM, status;

	if (err) {
		status = err == -EINVAL ? WC_EXIT_USAGE : WC_EXIT_FAILED;
		goto out;
	}
	status = wc_measuring__counters(r, counters, &so);
	status = status ? status : wc_measuring__open(&so, disable, &s);
	if (status)
		goto out;
	wc_measuring__catch_signals();
	err = describe(r, s);
	err = err ? err : calibrate(r);
	err = err ? err : measure(r, s);
	if (!err || err == -EINTR)
		err = deliver(r);
	status = err ? WC_EXIT_FAILED : WC_EXIT_OK;
out:
	wc_session__free(s);
	wc_result__free(r);
	return status;
}

static int cmd_explain(int argc, char **argv)
{
	bool program = pid || argc > 1;
	int status = WC_EXIT_USAGE;

	if (!check_mode(program, argc > 1))
		status = program ? explain_program(argc, argv) : experiment();
	wc_strings__free(&extra);
	wc_measuring__die_if_stopped();
	return status;
}

const struct wc_cmd wc_cmd_explain = {
	.name = "explain",
	.args = "[-- COMMAND ARGS...]",
	.args_max = UINT_MAX,
	.help = "find what makes a handoff dearer, and how sure that is",
	.opts = opts,
	.examples = examples,
	.fn = cmd_explain,
};
