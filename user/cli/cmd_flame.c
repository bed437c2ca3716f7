// SPDX-License-Identifier: BSD-2-Clause
/* wakecost flame: a recording as one SVG that any browser opens. */
#include <errno.h>
#include <math.h>
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

/* In the order of enum wc_per. */
static const char *const per_names[] = { "wake", "second", "share", "none", NULL };

static const char *input, *output, *base_path, *title, *min_width, *min_delta;
static unsigned int view, metric, per;
static uint64_t width;
static bool threads, inverted, no_js, self, per_given, min_delta_given;

static const struct wc_opt opts[] = {
	WC_STRING('i', "input", "FILE", &input, "the recording (wakecost.data)"),
	WC_STRING('o', "output", "FILE", &output, "the SVG; - is standard output (beside FILE)"),
	WC_ENUM(0, "view", "WHAT", &view, wc_view_names, WC_VIEW_HELP),
	WC_ENUM(0, "metric", "WHAT", &metric, wc_metric_names, WC_METRIC_HELP),
	WC_FLAG(0, "threads", &threads, "tell threads of a process apart, by name"),
	WC_STRING(0, "diff", "BASE", &base_path, "show what has changed since this recording"),
	WC_ENUM(0, "per", "WHAT", &per, per_names,
		"what BASE is scaled by: wake, second, share or none (wake)", .given = &per_given),
	WC_FLAG(0, "self", &self, "colour by the change of the frame alone"),
	WC_STRING(0, "min-delta", "PCT", &min_delta, "of the whole; less is no change (0.1)",
		  .given = &min_delta_given),
	WC_STRING(0, "min-width", "PCT", &min_width, "of the whole; less is not drawn (0.02)"),
	WC_UNSIGNED(0, "width", "PX", &width, 320, 100000, "fixed width (that of the window)"),
	WC_STRING(0, "title", "TEXT", &title, "instead of metric and command"),
	WC_FLAG(0, "inverted", &inverted, "root on top"),
	WC_FLAG(0, "no-js", &no_js, "a still picture, without search and zoom"),
	WC_OPT_END,
};

static const char *const examples[] = {
	"wakecost flame",
	"wakecost flame --view stage service.data -o service.svg",
	"wakecost flame after.data --diff before.data --per wake",
	NULL,
};

struct job {
	struct wc_result *r, *base;
	struct wc_flame_opts how;
};

static int print(FILE *f, void *ctx)
{
	const struct job *job = ctx;

	return wc_out_flame(f, job->r, job->base, &job->how);
}

static bool is_flame(int fd, void *ctx)
{
	char head[256];
	ssize_t len = pread(fd, head, sizeof(head) - 1, 0);

	(void)ctx;
	if (len < 0)
		return false;
	head[len] = '\0';
	return strstr(head, WC_FLAME_MAGIC) != NULL;
}

/* "0.1" or "0.1%", 0 < PCT <= 50. */
static bool parse_percent(const char *option, const char *s, double *out)
{
	char *end;

	if (!s)
		return true;
	errno = 0;
	*out = strtod(s, &end);
	if (end != s && *end == '%')
		end++;
	if (!errno && end != s && !*end && isfinite(*out) && *out > 0 && *out <= 50)
		return true;
	wc_err("--%s takes a percentage above 0 and up to 50, not '%s'", option, s);
	return false;
}

/* wakecost.data -> wakecost.svg, other -> other.svg; NULL: no memory. */
static char *default_output(const char *path)
{
	static const char ending[] = ".data";
	size_t len = strlen(path), cut = sizeof(ending) - 1;
	char *out;

	if (len > cut && path[len - cut - 1] != '/' && !strcmp(path + len - cut, ending))
		len -= cut;
	return asprintf(&out, "%.*s.svg", (int)len, path) < 0 ? NULL : out;
}

static int open_recording(const char *path, struct wc_result **r)
{
	char *why;
	int err = wc_store__read_sums(path, r, &why);

	if (!err)
		return wc_view__check(*r, path, (enum wc_view)view, metric);
	wc_err("%s", why ? why : strerror(-err));
	free(why);
	return err;
}

static int draw(struct job *job, const char *to)
{
	int err = wc_dest__print(to, is_flame, print, job);

	if (err) {
		wc_dest__complain(to, err,
				  "no flame graph of wakecost's, so it is left alone; "
				  "give another name");
		return WC_EXIT_FAILED;
	}
	if (strcmp(to, "-"))
		wc_log(WC_LOG_INFO, "%s: open it in a web browser", to);
	return WC_EXIT_OK;
}

static int flame(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : input ? input : "wakecost.data";
	struct job job = { .how = { .threads = threads,
				    .view = (enum wc_view)view,
				    .weigh = wc_metric__weigh(metric),
				    .inverted = inverted,
				    .no_js = no_js,
				    .title = title,
				    .width = (unsigned int)width,
				    .per = (enum wc_per)per,
				    .self = self } };
	char *made = NULL;
	int status = WC_EXIT_FAILED;

	if (!base_path && (per_given || self || min_delta_given)) {
		wc_err("--per, --self and --min-delta say how to compare: with --diff BASE only");
		return WC_EXIT_USAGE;
	}
	if (!parse_percent("min-width", min_width, &job.how.min_width_pct) ||
	    !parse_percent("min-delta", min_delta, &job.how.min_delta_pct))
		return WC_EXIT_USAGE;
	made = output ? strdup(output) : default_output(path);
	if (!made)
		wc_err("%s", strerror(ENOMEM));
	else if (!open_recording(path, &job.r) &&
		 (!base_path || !open_recording(base_path, &job.base)))
		status = draw(&job, made);
	free(made);
	wc_result__free(job.base);
	wc_result__free(job.r);
	return status;
}

const struct wc_cmd wc_cmd_flame = {
	.name = "flame",
	.args = "[FILE]",
	.args_max = 1,
	.help = "draw a recording as a flame graph (SVG)",
	.opts = opts,
	.examples = examples,
	.fn = flame,
};
