/* SPDX-License-Identifier: BSD-2-Clause */
/* wakecost lab: instructions and misses of a handoff on other kernels, in an emulated machine. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/cli/cmd.h"
#include "user/cli/lab_show.h"
#include "user/experiment/cells.h"
#include "user/lab/lab.h"
#include "user/lab/read.h"
#include "user/model/store.h"
#include "user/util/log.h"
#include "user/util/path.h"
#include "user/util/units.h"

#define KERNEL_MAX 16
#define INPUT_MAX  8

/* In the order of enum wc_lab_count. */
static const char *const metric_names[] = {
	"insns", "mem", "l1d", "l1i", "l2", "dtlb", "stlb", NULL
};

static const char *kernels = "6.1,6.12", *vmlinuz, *model, *beside;
static struct wc_strings params, inputs;
static struct wc_lab_show show;
static uint64_t seeds = 4, handoffs = 2000;
static uint64_t timeout_ns = 300 * 1000000000ull;
static bool kernels_given, metric_given;

static const struct wc_opt opts[] = {
	WC_STRING(0, "kernel", "LIST", &kernels, "kernels that make lab fetched (6.1,6.12)",
		  .given = &kernels_given),
	WC_STRING(0, "vmlinuz", "FILE", &vmlinuz, "a kernel of your own, instead of those"),
	WC_STRINGS('P', "param", "K=V[,V...]", &params, "values of a parameter"),
	WC_UNSIGNED(0, "seeds", "N", &seeds, 1, 64, "boots of each, memory laid out anew (4)"),
	WC_UNSIGNED(0, "handoffs", "N", &handoffs, 1, 1000000, "handoffs counted in each (2000)"),
	WC_STRING(0, "model", "LIST", &model, "caches and TLBs: l2=SIZE:WAYS, see docs/lab.md"),
	WC_DURATION(0, "timeout", "TIME", &timeout_ns, 1000000000ull, 3600 * 1000000000ull,
		    "most that one boot may take (300s)"),
	WC_STRINGS('i', "input", "FILE", &inputs, "count nothing: show what -o left"),
	WC_STRING('o', "output", "FILE", &show.output, "leave the counts in FILE, as JSON"),
	WC_FLAG('j', "json", &show.json, "print one JSON document"),
	WC_STRING(0, "html", "PAGE", &show.html, "draw a page; - is standard output"),
	WC_STRING(0, "beside", "FILE", &beside, "page: times of this recording beside the counts"),
	WC_STRING(0, "flame", "PICTURE", &show.flame,
		  "flame graph of the last cell, or of the one that --kernel and -P name"),
	WC_ENUM(0, "metric", "WHAT", &show.metric, metric_names,
		"flame graph: insns, mem, l1d, l1i, l2, dtlb or stlb (insns)",
		.given = &metric_given),
	WC_FLAG(0, "diff", &show.diff, "flame graph: of the change since the kernel's first cell"),
	WC_OPT_END,
};

static const char *const examples[] = {
	"wakecost lab handoff -P background=futex-own -P parked=0,4000",
	"wakecost lab handoff --vmlinuz arch/x86/boot/bzImage --seeds 1",
	"wakecost lab -i parked.json -i ring.json --html lab.html --beside explain.data",
	NULL,
};

static const char *const shapes[] = { "handoff", "ring", NULL };

static struct wc_progress progress;

static void on_progress(void *ctx, size_t done, size_t total, const char *label)
{
	(void)ctx;
	wc_progress__update(&progress, done, total, label);
}

/* DIR/lab/NAME/vmlinuz, DIR being where the workload of this build is. */
static char *kernel__path(const char *name)
{
	char dir[PATH_MAX], *path = NULL;

	if (wc_path__workload(dir, sizeof(dir)))
		return NULL;
	*strrchr(dir, '/') = '\0';
	return asprintf(&path, "%s/lab/%s/vmlinuz", dir, name) < 0 ? NULL : path;
}

static int add_kernel(struct wc_lab_kernel *list, size_t *cnt, const char *name, char *path)
{
	if (!path || access(path, R_OK)) {
		wc_err("no kernel %s (%s): sudo make lab fetches 6.1 and 6.12, --vmlinuz takes any",
		       name, path ?: "nowhere");
		free(path);
		return -ENOENT;
	}
	list[*cnt].name = name;
	list[(*cnt)++].vmlinuz = path;
	return 0;
}

/* names is cut into the names it holds, and must outlive the list. */
static int find_kernels(struct wc_lab_kernel *list, size_t *cnt, char *names)
{
	char *name, *rest = names;
	int err = 0;

	if (vmlinuz)
		return add_kernel(list, cnt, vmlinuz, strdup(vmlinuz));
	while (!err && (name = strsep(&rest, ",")) && *cnt < KERNEL_MAX)
		err = add_kernel(list, cnt, name, kernel__path(name));
	return err;
}

static int show_labs(const struct wc_lab *const *labs, size_t cnt)
{
	struct wc_result *host = NULL;
	char *why;
	int err = beside ? wc_store__read(beside, &host, &why) : 0;

	if (err) {
		wc_err("%s", why ? why : strerror(-err));
		free(why);
		return WC_EXIT_FAILED;
	}
	if (host && host->profile) {
		wc_err("%s is of wakecost record: --beside takes one of run or explain", beside);
		err = -EINVAL;
	}
	show.host = host;
	err = err ?: wc_lab_show(labs, cnt, &show);
	wc_result__free(host);
	return err ? WC_EXIT_FAILED : WC_EXIT_OK;
}

static int measure(const struct wc_lab_opts *o)
{
	struct wc_lab *lab = wc_lab__new();
	const struct wc_lab *const labs[] = { lab };
	char why[1024] = "no memory";
	int err;

	wc_progress__start(&progress);
	err = lab ? wc_lab__run(o, lab, why, sizeof(why)) : -ENOMEM;
	wc_progress__end(&progress);
	if (err) {
		wc_err("%s", why);
		err = err == -EINTR ? WC_EXIT_INTERRUPTED : WC_EXIT_FAILED;
	} else {
		err = show_labs(labs, 1);
	}
	wc_lab__free(lab);
	return err;
}

/* Files read, nothing counted. --kernel and -P then say which cell is drawn. */
static int show_files(void)
{
	struct wc_lab *labs[INPUT_MAX] = { NULL };
	const struct wc_lab *shown[INPUT_MAX];
	char why[512];
	size_t i;
	int status = WC_EXIT_FAILED;

	show.kernel = kernels_given ? kernels : NULL;
	show.params = params.items;
	show.param_cnt = params.cnt;
	for (i = 0; i < inputs.cnt; i++) {
		if (wc_lab__read(inputs.items[i], &labs[i], why, sizeof(why)))
			break;
		shown[i] = labs[i];
	}
	if (i < inputs.cnt)
		wc_err("%s", why);
	else
		status = show_labs(shown, inputs.cnt);
	for (i = 0; i < inputs.cnt; i++)
		wc_lab__free(labs[i]);
	return status;
}

/* What goes with what; true: said what does not. */
static bool contradicts(int argc)
{
	bool one = show.json || show.output || show.flame;

	if (inputs.cnt > INPUT_MAX)
		wc_err("at most %d files can be shown at once", INPUT_MAX);
	else if (inputs.cnt && (argc > 1 || vmlinuz || model))
		wc_err("-i shows what was counted: without SHAPE, --vmlinuz and --model");
	else if (inputs.cnt > 1 && one)
		wc_err("-j, -o and --flame take one FILE");
	else if (beside && !show.html)
		wc_err("--beside is for the page: with --html");
	else if ((metric_given || show.diff) && !show.flame)
		wc_err("--metric and --diff are for the flame graph: with --flame");
	else
		return false;
	return true;
}

static int cmd_lab(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "handoff";
	struct wc_lab_kernel list[KERNEL_MAX];
	struct wc_result *points = wc_result__new();
	char *names = strdup(kernels), why[512] = "no memory";
	size_t cnt = 0;
	int status = WC_EXIT_USAGE;

	if (contradicts(argc)) {
	} else if (wc_lab_show__check(&show)) {
		status = WC_EXIT_FAILED;
	} else if (inputs.cnt) {
		status = show_files();
	} else if (strcmp(shape, "handoff") && strcmp(shape, "ring")) {
		wc_err("lab takes handoff or ring, not \"%s\"", shape);
	} else if (!points || !names ||
		   wc_cells__build(points, shape, params.items, params.cnt, why, sizeof(why))) {
		wc_err("%s", why);
	} else if (find_kernels(list, &cnt, names)) {
		status = WC_EXIT_UNABLE;
	} else {
		const struct wc_lab_opts o = {
			.kernels = list,
			.kernel_cnt = cnt,
			.points = points,
			.shape = shape,
			.model = model,
			.seeds = seeds,
			.handoffs = handoffs,
			.timeout_s = (unsigned int)(timeout_ns / 1000000000ull),
			.progress = on_progress,
		};

		status = measure(&o);
	}
	while (cnt)
		free(list[--cnt].vmlinuz);
	free(names);
	wc_result__free(points);
	return status;
}

const struct wc_cmd wc_cmd_lab = {
	.name = "lab",
	.args = "[SHAPE]",
	.args_max = 1,
	.help = "count instructions and misses of a handoff on other kernels, emulated",
	.opts = opts,
	.examples = examples,
	.words = shapes,
	.fn = cmd_lab,
};
