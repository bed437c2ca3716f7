/* SPDX-License-Identifier: BSD-2-Clause */
/* wakecost export: a recording for other programs. A format is one row of formats[]. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/cli/cmd.h"
#include "user/model/store.h"
#include "user/output/output.h"
#include "user/util/file.h"
#include "user/util/log.h"

/* clang-format off */
#define FORMATS(row)                                                     \
	row(json, wc_out_json, "one document, every figure")             \
	row(csv,  wc_out_csv,  "one row a cell and stage")               \
	row(prom, wc_out_prom, "textfile for Prometheus' node_exporter")
/* clang-format on */

#define FORMAT_ROW(name, fn, help)  { #name, fn, help },
#define FORMAT_NAME(name, fn, help) #name,

static const struct {
	const char *name;
	int (*fn)(FILE *f, const struct wc_result *r);
	const char *help;
} formats[] = { FORMATS(FORMAT_ROW) };

static const char *const format_names[] = { FORMATS(FORMAT_NAME) NULL };

static unsigned int format;
static bool format_given, force;
static const char *input, *output = "-";

static const struct wc_opt opts[] = {
	WC_STRING('i', "input", "FILE", &input, "the recording (wakecost.data)"),
	WC_ENUM(0, "format", "NAME", &format, format_names, "json, csv or prom",
		.given = &format_given),
	WC_STRING('o', "output", "FILE", &output, "where to; - is standard output (-)"),
	WC_FLAG(0, "force", &force, "replace an output that is already there"),
	WC_OPT_END,
};

static const char *const examples[] = {
	"wakecost export --format csv > run.csv",
	"wakecost export --format json run.data -o run.json",
	"wakecost export --format prom --force -o /var/lib/node_exporter/wakecost.prom",
	NULL,
};

static bool any_file(int fd, void *ctx)
{
	(void)fd;
	(void)ctx;
	return true;
}

static int write_file(const struct wc_result *r, const char *path)
{
	const struct wc_outfile_opts how = { .is_ours = force ? any_file : NULL };
	struct wc_outfile *out;
	int fd, err = wc_outfile__open(path, &how, &out);
	FILE *f;

	if (err)
		return err;
	/* a descriptor of its own: closing the stream must leave the other for commit */
	fd = dup(wc_outfile__fd(out));
	f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!f) {
		err = -errno;
		if (fd >= 0)
			close(fd);
	} else {
		err = formats[format].fn(f, r);
		if (fclose(f) && !err)
			err = -errno;
	}
	if (!err)
		err = wc_outfile__commit(out);
	wc_outfile__discard(out);
	return err;
}

static int complain(int err)
{
	if (err == -EEXIST)
		wc_err("%s is already there: give another name, or --force", output);
	else if (err == -ELOOP)
		wc_err("%s is a symbolic link: not followed; give the file itself", output);
	else
		wc_err("cannot write %s: %s", strcmp(output, "-") ? output : "to standard output",
		       strerror(-err));
	return WC_EXIT_FAILED;
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
			wc_err("  %-6s%s", formats[i].name, formats[i].help);
		return WC_EXIT_USAGE;
	}
	err = wc_store__read(path, &r, &why);
	if (err) {
		wc_err("%s", why ? why : strerror(-err));
		free(why);
		return WC_EXIT_FAILED;
	}
	err = strcmp(output, "-") ? write_file(r, output) : formats[format].fn(stdout, r);
	wc_result__free(r);
	return err ? complain(err) : WC_EXIT_OK;
}

const struct wc_cmd wc_cmd_export = {
	.name = "export",
	.args = "[FILE]",
	.args_max = 1,
	.help = "write a recording as json, csv or prom",
	.opts = opts,
	.examples = examples,
	.fn = export,
};
