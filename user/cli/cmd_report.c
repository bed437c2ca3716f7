/* SPDX-License-Identifier: BSD-2-Clause */
/* wakecost report: the table of a recording, with no need of root or of probes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/cli/cmd.h"
#include "user/model/store.h"
#include "user/output/output.h"
#include "user/util/log.h"

/* In the order of enum wc_table_by and enum wc_table_sort. */
static const char *const by_names[] = { "cell", "class", "pair", NULL };
static const char *const sort_names[] = { "cell", "p50", "p99", "cost", "wakes", NULL };
static const char *const colour_names[] = { "auto", "always", "never", NULL };

static unsigned int by, sort, colour;
static uint64_t limit;
static bool json;
static const char *input;

static const struct wc_opt opts[] = {
	WC_STRING('i', "input", "FILE", &input, "the recording (wakecost.data)"),
	WC_ENUM(0, "by", "WHAT", &by, by_names, "cell, class (kind of wake) or pair (cell)"),
	WC_ENUM('s', "sort", "KEY", &sort, sort_names,
		"cell (as asked for), p50, p99, cost or wakes (cell)"),
	WC_UNSIGNED('n', "limit", "N", &limit, 1, 1000000,
		    "rows of cells, or of pairs a cell (all)"),
	WC_FLAG('j', "json", &json, "print one JSON document"),
	WC_ENUM(0, "color", "WHEN", &colour, colour_names, "auto, always or never (auto)"),
	WC_OPT_END,
};

static const char *const examples[] = {
	"wakecost report",
	"wakecost report --by class -s p99 -n 5 run.data",
	"wakecost report -j run.data | jq '.cells[].handoff_ns'",
	NULL,
};

static bool want_colour(void)
{
	if (colour == 0)
		return wc_log__may_colour(STDOUT_FILENO);
	return colour == 1;
}

static int report(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : input ? input : "wakecost.data";
	struct wc_table_opts table = {
		.wide = wc_log__level() == WC_LOG_DEBUG,
		.colour = want_colour(),
		.by = (enum wc_table_by)by,
		.sort = (enum wc_table_sort)sort,
		.limit = (unsigned int)limit,
	};
	struct wc_result *r;
	char *why;
	int err = wc_store__read(path, &r, &why);

	if (err) {
		wc_err("%s", why ? why : strerror(-err));
		free(why);
		return WC_EXIT_FAILED;
	}
	err = json ? wc_out_json(stdout, r) : wc_out_table(stdout, r, &table);
	wc_result__free(r);
	if (!err)
		return WC_EXIT_OK;
	wc_err("cannot print the report: %s", strerror(-err));
	return WC_EXIT_FAILED;
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
