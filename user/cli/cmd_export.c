/* SPDX-License-Identifier: BSD-2-Clause */
/* wakecost export: a recording for other programs. A format is one row of formats[]. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/cli/cmd.h"
#include "user/cli/dest.h"
#include "user/cli/views.h"
#include "user/model/store.h"
#include "user/output/output.h"
#include "user/util/log.h"

#define DRAWN  1u /* from paths: --view, and for folded --metric and --threads */
#define EVENTS 2u /* from single wakes */
#define BINARY 4u

/* clang-format off */
#define FORMATS(row)                                                                       \
	row(json,     wc_out_json,     0,               "one document, every figure")             \
	row(csv,      wc_out_csv,      0,               "one row a cell and stage")               \
	row(prom,     wc_out_prom,     0,               "textfile for Prometheus' node_exporter") \
	row(folded,   folded,          DRAWN,           "one line a path, for other flame graphs") \
	row(pprof,    pprof,           DRAWN | BINARY,  "for go tool pprof, speedscope, Pyroscope") \
	row(perfetto, wc_out_perfetto, EVENTS | BINARY, "single wakes, for ui.perfetto.dev")
/* clang-format on */

#define FORMAT_ROW(name, fn, wants, help)  { #name, fn, wants, help },
#define FORMAT_NAME(name, fn, wants, help) #name,

static unsigned int format, view, metric;
static bool format_given, force, threads;
static const char *input, *output = "-";

static int folded(FILE *f, const struct wc_result *r)
{
	const struct wc_folded_opts how = { (enum wc_view)view, wc_metric__weigh(metric), threads };

	return wc_out_folded(f, r, &how);
}

static int pprof(FILE *f, const struct wc_result *r)
{
	return wc_out_pprof(f, r, (enum wc_view)view);
}

static const struct {
	const char *name;
	int (*fn)(FILE *f, const struct wc_result *r);
	unsigned int wants;
	const char *help;
} formats[] = { FORMATS(FORMAT_ROW) };

static const char *const format_names[] = { FORMATS(FORMAT_NAME) NULL };

static const struct wc_opt opts[] = {
	WC_STRING('i', "input", "FILE", &input, "the recording (wakecost.data)"),
	WC_ENUM(0, "format", "NAME", &format, format_names,
		"json, csv, prom, folded, pprof or perfetto", .given = &format_given),
	WC_STRING('o', "output", "FILE", &output, "where to; - is standard output (-)"),
	WC_ENUM(0, "view", "WHAT", &view, wc_view_names, "folded, pprof: " WC_VIEW_HELP),
	WC_ENUM(0, "metric", "WHAT", &metric, wc_metric_names, "folded: " WC_METRIC_HELP),
	WC_FLAG(0, "threads", &threads, "folded: tell threads of a process apart, by name"),
	WC_FLAG(0, "force", &force, "replace an output that is already there"),
	WC_OPT_END,
};

static const char *const examples[] = {
	"wakecost export --format csv > run.csv",
	"wakecost export --format pprof --view waker -o wakes.pb.gz",
	"wakecost export --format prom --force -o /var/lib/node_exporter/wakecost.prom",
	NULL,
};

static bool any_file(int fd, void *ctx)
{
	(void)fd;
	(void)ctx;
	return true;
}

static int print(FILE *f, void *ctx)
{
	return formats[format].fn(f, ctx);
}

static int check(const struct wc_result *r, const char *path)
{
	unsigned int wants = formats[format].wants;

	if (wants & DRAWN)
		return wc_view__check(r, path, (enum wc_view)view, wants & BINARY ? 0 : metric);
	if (wants & EVENTS && (!r->profile || !r->profile->event_cnt)) {
		wc_err("%s holds no single wakes: `wakecost record --events` keeps them", path);
		return -ENODATA;
	}
	return 0;
}

static int export(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : input ? input : "wakecost.data";
	struct wc_result *r;
	char *why;
	int err;

	if (!format_given) {
		wc_err("which format? --format with one of:");
		for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
			wc_err("  %-10s%s", formats[i].name, formats[i].help);
		return WC_EXIT_USAGE;
	}
	if (formats[format].wants & BINARY && !strcmp(output, "-") && isatty(STDOUT_FILENO)) {
		wc_err("%s is binary, and this a terminal: -o FILE", formats[format].name);
		return WC_EXIT_USAGE;
	}
	err = formats[format].wants & EVENTS ? wc_store__read(path, &r, &why)
					     : wc_store__read_sums(path, &r, &why);
	if (err) {
		wc_err("%s", why ? why : strerror(-err));
		free(why);
		return WC_EXIT_FAILED;
	}
	err = check(r, path);
	if (!err) {
		err = wc_dest__print(output, force ? any_file : NULL, print, r);
		if (err)
			wc_dest__complain(output, err, "give another name, or --force");
	}
	wc_result__free(r);
	return err ? WC_EXIT_FAILED : WC_EXIT_OK;
}

const struct wc_cmd wc_cmd_export = {
	.name = "export",
	.args = "[FILE]",
	.args_max = 1,
	.help = "write a recording for other programs",
	.opts = opts,
	.examples = examples,
	.fn = export,
};
