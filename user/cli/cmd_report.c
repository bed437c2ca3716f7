/* SPDX-License-Identifier: BSD-2-Clause */
/* wakecost report: the table of a recording, with no need of root or of probes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/cli/cmd.h"
#include "user/cli/explain_show.h"
#include "user/model/store.h"
#include "user/output/output.h"
#include "user/output/record.h"
#include "user/util/log.h"

/*
 * Recordings of `run` know the first three and five, in the order of enum wc_table_by and enum
 * wc_table_sort; those of `record` what wc_report__by_name() and wc_report__sort_name() know.
 */
#define RUN_BY_CNT   3
#define RUN_SORT_CNT 5
static const char *const by_names[] = { "cell",	   "class", "pair",  "waker", "wakee",
					"process", "cpu",   "stack", NULL };
static const char *const sort_names[] = { "cell",    "p50",    "p99",	 "cost", "wakes",   "mean",
					  "blocked", "find",   "select", "send", "enqueue", "wait",
					  "pick",    "switch", "return", NULL };
static const char *const colour_names[] = { "auto", "always", "never", NULL };

static unsigned int by, sort, colour;
static uint64_t limit;
static bool json, by_given, sort_given, fold;
static const char *input, *html;

static const struct wc_opt opts[] = {
	WC_STRING('i', "input", "FILE", &input, "the recording (wakecost.data)"),
	WC_ENUM(0, "by", "WHAT", &by, by_names,
		"of run: cell, class or pair (cell); of record: pair, waker, wakee, process, cpu,"
		" class or stack (pair)",
		.given = &by_given),
	WC_ENUM('s', "sort", "KEY", &sort, sort_names,
		"cell (run), cost, wakes, p50, p99, mean, blocked or a stage (cell; record: cost)",
		.given = &sort_given),
	WC_UNSIGNED('n', "limit", "N", &limit, 1, 1000000,
		    "rows of cells, or of pairs a cell (all; record: 10)"),
	WC_FLAG(0, "fold-names", &fold, "threads of one name in one process are one (record)"),
	WC_FLAG('j', "json", &json, "print one JSON document"),
	WC_STRING(0, "html", "PAGE", &html, "draw a page; - is standard output (explain)"),
	WC_ENUM(0, "color", "WHEN", &colour, colour_names, "auto, always or never (auto)"),
	WC_OPT_END,
};

static const char *const examples[] = {
	"wakecost report",
	"wakecost report --by process -s wait -n 20 service.data",
	"wakecost report -j run.data | jq '.cells[].handoff_ns'",
	NULL,
};

static bool want_colour(void)
{
	if (colour == 0)
		return wc_log__may_colour(STDOUT_FILENO);
	return colour == 1;
}

static int refuse(const char *option, const char *key, bool record)
{
	wc_err("%s %s is not for recordings of %s: see wakecost report --help", option, key,
	       record ? "record" : "run");
	return WC_EXIT_USAGE;
}

static int print_run(const struct wc_result *r, int *err)
{
	const struct wc_table_opts table = {
		.wide = wc_log__level() == WC_LOG_DEBUG,
		.colour = want_colour(),
		.by = (enum wc_table_by)by,
		.sort = (enum wc_table_sort)sort,
		.limit = (unsigned int)limit,
	};

	if (by >= RUN_BY_CNT)
		return refuse("--by", by_names[by], false);
	if (sort >= RUN_SORT_CNT)
		return refuse("--sort", sort_names[sort], false);
	if (fold)
		return refuse("--fold-names", "", false);
	*err = json ? wc_out_json(stdout, r) : wc_out_table(stdout, r, &table);
	return WC_EXIT_OK;
}

/* The number that name_of() has for a name; false: none. */
static bool number_of(const char *(*name_of)(unsigned int), const char *name, unsigned int *number)
{
	for (unsigned int i = 0; name_of(i); i++) {
		if (!strcmp(name_of(i), name)) {
			*number = i;
			return true;
		}
	}
	return false;
}

static int print_record(const struct wc_result *r, int *err)
{
	unsigned int key = WC_BY_PAIR;
	struct wc_report_opts how = {
		.sort = WC_SORT_COST,
		.limit = (unsigned int)limit,
		.fold_names = fold,
		.wide = wc_log__level() == WC_LOG_DEBUG,
		.colour = want_colour(),
	};

	if (by_given && !number_of(wc_report__by_name, by_names[by], &key))
		return refuse("--by", by_names[by], true);
	if (sort_given && !number_of(wc_report__sort_name, sort_names[sort], &how.sort))
		return refuse("--sort", sort_names[sort], true);
	how.by = (enum wc_profile_by)key;
	*err = json ? wc_out_record_json(stdout, r, &how) : wc_out_record_table(stdout, r, &how);
	return WC_EXIT_OK;
}

/* The conclusion is computed again: a newer wakecost may draw another one. */
static int print_explain(const struct wc_result *r, int *err)
{
	const struct wc_explain_show show = {
		.json = json,
		.html = html,
		.wide = wc_log__level() == WC_LOG_DEBUG,
		.colour = want_colour(),
	};

	*err = 0; /* what went wrong has been said */
	if (by_given || sort_given || fold || limit) {
		wc_err("--by, --sort, --limit and --fold-names are not for recordings of explain: "
		       "see wakecost report --help");
		return WC_EXIT_USAGE;
	}
	return wc_explain__show(r, &show) ? WC_EXIT_FAILED : WC_EXIT_OK;
}

static int print_any(const struct wc_result *r, int *err)
{
	if (!strcmp(r->schema, WC_EXPLAIN_SCHEMA))
		return print_explain(r, err);
	if (html) {
		wc_err("--html is for recordings of explain; wakecost flame draws those of record");
		return WC_EXIT_USAGE;
	}
	return r->profile ? print_record(r, err) : print_run(r, err);
}

static int report(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : input ? input : "wakecost.data";
	struct wc_result *r;
	int status, err;
	char *why;

	err = wc_store__read_sums(path, &r, &why);
	if (err) {
		wc_err("%s", why ? why : strerror(-err));
		free(why);
		return WC_EXIT_FAILED;
	}
	status = print_any(r, &err);
	wc_result__free(r);
	if (err) {
		wc_err("cannot print the report: %s", strerror(-err));
		return WC_EXIT_FAILED;
	}
	return status;
}

const struct wc_cmd wc_cmd_report = {
	.name = "report",
	.args = "[FILE]",
	.args_max = 1,
	.help = "print the table of a recording",
	.opts = opts,
	.examples = examples,
	.fn = report,
};
