/* SPDX-License-Identifier: BSD-2-Clause */
/* wakecost lab: instructions and misses of a handoff on other kernels, in an emulated machine. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/cli/cmd.h"
#include "user/experiment/cells.h"
#include "user/lab/lab.h"
#include "user/output/lab.h"
#include "user/util/file.h"
#include "user/util/log.h"
#include "user/util/path.h"
#include "user/util/units.h"

#define KERNEL_MAX 16
#define MEMORY_MB  2048 /* what 16 000 parked threads take, and half of it over */

static const char *kernels = "6.1,6.12", *vmlinuz, *output, *model;
static struct wc_strings params;
static uint64_t seeds = 4, handoffs = 2000;
static uint64_t timeout_ns = 300 * 1000000000ull;
static bool json;

static const struct wc_opt opts[] = {
	WC_STRING(0, "kernel", "LIST", &kernels, "kernels that make lab fetched (6.1,6.12)"),
	WC_STRING(0, "vmlinuz", "FILE", &vmlinuz, "a kernel of your own, instead of those"),
	WC_STRINGS('P', "param", "K=V[,V...]", &params, "values of a parameter"),
	WC_UNSIGNED(0, "seeds", "N", &seeds, 1, 64, "boots of each, memory laid out anew (4)"),
	WC_UNSIGNED(0, "handoffs", "N", &handoffs, 1, 1000000, "handoffs counted in each (2000)"),
	WC_STRING(0, "model", "LIST", &model, "caches and TLBs: l2=SIZE:WAYS, see docs/lab.md"),
	WC_DURATION(0, "timeout", "TIME", &timeout_ns, 1000000000ull, 3600 * 1000000000ull,
		    "most that one boot may take (300s)"),
	WC_STRING('o', "output", "FILE", &output, "leave the counts in FILE, as JSON"),
	WC_FLAG('j', "json", &json, "print one JSON document"),
	WC_OPT_END,
};

static const char *const examples[] = {
	"wakecost lab handoff -P background=futex-own -P parked=0,4000",
	"wakecost lab ring -P threads=2,256 --kernel 6.1 --seeds 1 -o ring.json",
	"wakecost lab handoff --vmlinuz arch/x86/boot/bzImage --seeds 1",
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

static int save(const struct wc_lab *lab)
{
	FILE *f = fopen(output, "we");
	int err = f ? wc_out_lab_json(f, lab) : -errno;

	if (f && fclose(f) && !err)
		err = -errno;
	if (err) {
		wc_err("%s could not be written: %s", output, strerror(-err));
		if (f)
			unlink(output);
	}
	return err;
}

static int measure(const struct wc_lab_opts *o)
{
	struct wc_lab *lab = wc_lab__new();
	char why[1024] = "no memory";
	int err;

	wc_progress__start(&progress);
	err = lab ? wc_lab__run(o, lab, why, sizeof(why)) : -ENOMEM;
	wc_progress__end(&progress);
	if (err)
		wc_err("%s", why);
	else if (json)
		err = wc_out_lab_json(stdout, lab);
	else
		err = wc_out_lab_table(stdout, lab, wc_log__may_colour(STDOUT_FILENO));
	if (!err && output)
		err = save(lab);
	wc_lab__free(lab);
	if (err == -EINTR)
		return WC_EXIT_INTERRUPTED;
	return err ? WC_EXIT_FAILED : WC_EXIT_OK;
}

static int cmd_lab(int argc, char **argv)
{
	const char *shape = argc > 1 ? argv[1] : "handoff";
	struct wc_lab_kernel list[KERNEL_MAX];
	struct wc_result *points = wc_result__new();
	char *names = strdup(kernels), why[512] = "no memory";
	size_t cnt = 0;
	int status = WC_EXIT_USAGE;

	if (strcmp(shape, "handoff") && strcmp(shape, "ring")) {
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
			.memory_mb = MEMORY_MB,
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
