// SPDX-License-Identifier: BSD-2-Clause
/* wakecost explain: which cause makes a handoff dearer, how much, how sure, what to do. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/cli/cmd.h"
#include "user/cli/measuring.h"
#include "user/experiment/plan.h"
#include "user/output/explain.h"
#include "user/probe/futex_hash.h"
#include "user/util/log.h"
#include "user/util/units.h"

#define SECOND_NS   1000000000ull
#define PARKED_MAX  16
#define PARKED_MOST 100000

static const char *parked = "0,250,1000,4000,16000,30000", *mechanism = "futex";
static const char *background = "futex-own", *output, *disable;
static unsigned int placement_choice;
static uint64_t rounds, seed;
static struct wc_strings extra;
static bool json, quick, thorough, seed_given, parked_given;

static const char *const placements[] = { "same", "cross", "free", NULL };

static const struct wc_opt opts[] = {
	WC_STRING(0, "parked", "N[,N...]", &parked, "how many (0,250,1000,4000,16000,30000)",
		  .given = &parked_given),
	WC_STRING(0, "background", "HOW", &background, "how they are parked (futex-own)"),
	WC_STRING(0, "mechanism", "M", &mechanism, "of the handoff (futex)"),
	WC_ENUM(0, "placement", "WHERE", &placement_choice, placements,
		"same, cross or free (same)"),
	WC_FLAG(0, "quick", &quick, "two minutes: fewer levels and contrasts"),
	WC_FLAG(0, "thorough", &thorough, "as many rounds as it takes"),
	WC_UNSIGNED('r', "rounds", "N", &rounds, 1, 10000, "rounds, whatever time they take"),
	WC_STRINGS('P', "param", "K=V", &extra, "for every cell, as with run"),
	WC_UNSIGNED(0, "seed", "S", &seed, 0, INT64_MAX, "of the order of cells (drawn)",
		    .given = &seed_given),
	WC_STRING('o', "output", "FILE", &output, "leave a recording"),
	WC_FLAG('j', "json", &json, "print one JSON document"),
	WC_MEASURING_DISABLE(&disable),
	WC_OPT_END,
};

static const char *const examples[] = {
	"sudo wakecost explain --quick",
	"sudo wakecost explain --placement cross -o cross.data",
	"sudo wakecost explain --parked 0,1000,4000 -P futex_slots=1024 -j",
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
	return err ? err : wc_kvs__set(&r->params, "placement", placements[placement_choice]);
}

static int measure(struct wc_result *r, struct wc_session *s)
{
	struct wc_run_opts ro = {
		.rounds = rounds ? (unsigned int)rounds : 1000,
		.rounds_min = 2,
		.warmup = 1,
		.budget_ns = rounds ? 0
				    : (quick	  ? 105
				       : thorough ? 3600
						  : 560) *
					      SECOND_NS,
		.optional_cells = true,
		.session = s,
	};

	r->rounds_wanted = ro.rounds;
	return wc_measuring__rounds(r, &ro);
}

static int deliver(const struct wc_result *r)
{
	struct wc_explain_opts eo = {
		.wide = wc_log__level() == WC_LOG_DEBUG,
		.colour = wc_log__may_colour(STDOUT_FILENO),
	};
	struct wc_explain *e = wc_explain__of(r);
	int err;

	if (!e) {
		wc_err("%s", errno == ENODATA ? "no round is complete: nothing can be concluded"
					      : strerror(errno));
		return -errno;
	}
	err = json ? wc_out_explain_json(stdout, r, e) : wc_out_explain_text(stdout, r, e, &eo);
	if (err)
		wc_err("printing the result failed: %s", strerror(-err));
	wc_explain__free(e);
	if (!output)
		return err;
	return wc_measuring__save(r, output);
}

static int cmd_explain(int argc, char **argv)
{
	struct wc_session_opts so = { .handoffs = true };
	struct wc_result *r = wc_result__new();
	struct wc_session *s = NULL;
	int err = r ? build(r) : -ENOMEM, status;

	(void)argc;
	(void)argv;
	if (err) {
		status = err == -EINVAL ? WC_EXIT_USAGE : WC_EXIT_FAILED;
		goto out;
	}
	status = wc_measuring__open(&so, disable, &s);
	if (status)
		goto out;
	wc_measuring__catch_signals();
	err = describe(r, s);
	err = err ? err : measure(r, s);
	if (!err || err == -EINTR)
		err = deliver(r);
	status = err ? WC_EXIT_FAILED : WC_EXIT_OK;
out:
	wc_session__free(s);
	wc_result__free(r);
	wc_strings__free(&extra);
	wc_measuring__die_if_stopped();
	return status;
}

const struct wc_cmd wc_cmd_explain = {
	.name = "explain",
	.args = NULL,
	.args_max = 0,
	.help = "find what makes a handoff dearer, and how sure that is",
	.opts = opts,
	.examples = examples,
	.fn = cmd_explain,
};
