// SPDX-License-Identifier: BSD-2-Clause
#include "user/lab/lab.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/lab/cpio.h"
#include "user/lab/guest.h"
#include "user/lab/report.h"
#include "user/util/path.h"

#define SERIAL_MAX	 (256u << 20)
#define WARM_UP_S	 20 /* of the guest: what it still does after booting is then over */
#define WARM_UP_CNT	 500
#define WARM_UP_TURNS	 4 /* of a ring: a thread's first ones are unlike the later */
#define MEMORY_MB	 2048
#define MEMORY_MAX_MB	 65536
#define MEMORY_KERNEL_MB 512
#define THREAD_KB	 64 /* stacks, task and page tables of one that is parked, and half over */
#define RING_THREADS	 16 /* as the workload has it */
#define MODEL_DEFAULT	 "l1d=32K:8,l1i=32K:8,l2=1M:8,dtlb=64:4,stlb=1536:12"

#define DIR_SZ		 512
#define PATH_SZ		 (DIR_SZ + 32)

struct bench {
	const struct wc_lab_opts *o;
	struct wc_lab *lab;
	char dir[DIR_SZ], initrd[PATH_SZ], report[PATH_SZ], symbols[PATH_SZ];
	char plugin_path[PATH_MAX];
	unsigned int memory_mb;
	char *release, *scheduler; /* of the kernel at work */
	char *error;
	size_t error_sz, done;
};

static int bench__program(struct bench *b, const char *name, char *path, size_t sz)
{
	int err = wc_path__program(name, path, sz);

	if (err)
		snprintf(b->error, b->error_sz,
			 "%s is not where wakecost is, nor installed: build or install it", name);
	return err;
}

/* The emulator's interface has changed: user/lab/plugin/qemu_api.h. */
static const char *plugin_for(const char *emulator)
{
	const char *version = strpbrk(emulator, "0123456789");
	unsigned int major = 0, minor = 0;

	if (version && sscanf(version, "%u.%u", &major, &minor) == 2 && major >= 9)
		return major == 9 && !minor ? "wakecost-lab-plugin2.so" : "wakecost-lab-plugin3.so";
	return "wakecost-lab-plugin1.so";
}

static int bench__open(struct bench *b)
{
	char init[PATH_MAX], workload[PATH_MAX];
	struct wc_cpio_file files[] = {
		{ "proc", NULL }, { "sys", NULL },	    { "tmp", NULL },
		{ "init", init }, { "workload", workload },
	};
	const char *tmp = getenv("TMPDIR");
	int err;

	err = bench__program(b, "wakecost-lab-init", init, sizeof(init));
	err = err ?: bench__program(b, "wakecost-lab-workload", workload, sizeof(workload));
	err = err ?: bench__program(b, plugin_for(b->lab->emulator), b->plugin_path, PATH_MAX);
	if (err)
		return err;
	if (!tmp || *tmp != '/' || strlen(tmp) > DIR_SZ - 32)
		tmp = "/tmp";
	snprintf(b->dir, sizeof(b->dir), "%s/wakecost-lab-XXXXXX", tmp);
	if (!mkdtemp(b->dir)) {
		err = -errno;
		*b->dir = '\0';
		snprintf(b->error, b->error_sz, "no folder in %s: %s (TMPDIR can name another)",
			 tmp, strerror(-err));
		return err;
	}
	snprintf(b->initrd, sizeof(b->initrd), "%s/initrd", b->dir);
	snprintf(b->report, sizeof(b->report), "%s/report", b->dir);
	snprintf(b->symbols, sizeof(b->symbols), "%s/symbols", b->dir);
	err = wc_cpio__write(b->initrd, files, sizeof(files) / sizeof(*files));
	if (err)
		snprintf(b->error, b->error_sz, "%s could not be written: %s", b->initrd,
			 strerror(-err));
	return err;
}

static void bench__close(struct bench *b)
{
	static const char *const left[] = { "initrd", "report",	 "symbols",
					    "serial", "console", "emulator" };
	char path[PATH_SZ];
	size_t i;

	if (!*b->dir)
		return;
	for (i = 0; i < sizeof(left) / sizeof(*left); i++) {
		snprintf(path, sizeof(path), "%s/%s", b->dir, left[i]);
		unlink(path);
	}
	rmdir(b->dir);
}

static int bench__boot(struct bench *b, const struct wc_lab_kernel *kernel, const char *args,
		       const char *plugin, uint64_t seed)
{
	const struct wc_guest g = {
		.vmlinuz = kernel->vmlinuz,
		.initrd = b->initrd,
		.args = args,
		.plugin = plugin,
		.dir = b->dir,
		.seed = seed,
		.memory_mb = b->memory_mb,
		.timeout_s = b->o->timeout_s,
	};
	char path[PATH_SZ];

	snprintf(path, sizeof(path), "%s/serial", b->dir);
	unlink(path);
	unlink(b->report);
	return wc_guest__run(&g, b->error, b->error_sz);
}

/* Where this kernel's functions are: it is booted once to say so. */
static int bench__learn(struct bench *b, const struct wc_lab_kernel *kernel)
{
	char path[PATH_SZ];
	int err = bench__boot(b, kernel, "symbols", NULL, 1);

	snprintf(path, sizeof(path), "%s/serial", b->dir);
	if (err)
		return err;
	free(b->release);
	free(b->scheduler);
	b->release = b->scheduler = NULL;
	unlink(b->symbols);
	if (rename(path, b->symbols))
		unlink(path); /* what is missing is found missing when it is read */
	return wc_report__kernel(b->symbols, &b->release, &b->scheduler, b->error, b->error_sz);
}

/* "-P parked=4000 -P background=futex-own" and "parked=4000 background=futex-own" */
static int point__words(const struct wc_cell *point, char *args, char *label, size_t sz)
{
	size_t i, at = 0, to = 0;

	*args = *label = '\0';
	for (i = 0; i < point->params.cnt && at < sz && to < sz; i++) {
		const struct wc_kv *kv = &point->params.items[i];

		if (!strcmp(kv->key, "shape"))
			continue;
		at += (size_t)snprintf(args + at, sz - at, " -P %s=%s", kv->key, kv->value);
		to += (size_t)snprintf(label + to, sz - to, "%s%s=%s", to ? " " : "", kv->key,
				       kv->value);
	}
	return at < sz && to < sz ? 0 : -E2BIG;
}

/* Each thread of a ring is to be woken, and to have been woken before. */
static uint64_t ring__threads(const struct bench *b, const struct wc_cell *point)
{
	const char *threads = wc_kvs__get(&point->params, "threads");

	if (strcmp(b->o->shape, "ring"))
		return 2;
	return threads ? strtoull(threads, NULL, 10) : RING_THREADS;
}

static int bench__read(struct bench *b, struct wc_lab_cell *cell)
{
	char path[PATH_SZ];
	int err;

	snprintf(path, sizeof(path), "%s/serial", b->dir);
	err = wc_report__workload(cell, path, b->error, b->error_sz);
	return err ?: wc_report__plugin(cell, b->report, b->error, b->error_sz);
}

static int bench__cell(struct bench *b, const struct wc_lab_kernel *kernel,
		       const struct wc_cell *point, uint64_t seed)
{
	char words[512], label[512], args[1024], plugin[3 * PATH_MAX];
	uint64_t handoffs = b->o->handoffs, warm_up = WARM_UP_CNT,
		 threads = ring__threads(b, point);
	struct wc_lab_cell *cell;
	int err = point__words(point, words, label, sizeof(words));

	if (err)
		return err;
	if (handoffs < threads)
		handoffs = threads;
	handoffs += 2 * threads; /* the first turn and the last are not counted */
	if (warm_up < threads * WARM_UP_TURNS)
		warm_up = threads * WARM_UP_TURNS;
	/* where things lie in memory must depend on the seed alone, not on how long paths are */
	snprintf(args, sizeof(args),
		 "run %d %s -P markers=1 -P policy=batch -P warmup=%llu -P handoffs=%llu%s",
		 WARM_UP_S, b->o->shape, (unsigned long long)warm_up, (unsigned long long)handoffs,
		 words);
	snprintf(plugin, sizeof(plugin), "%s,sym=%s,out=%s,%s%s%s", b->plugin_path, b->symbols,
		 b->report, MODEL_DEFAULT, b->o->model ? "," : "", b->o->model ? b->o->model : "");
	err = bench__boot(b, kernel, args, plugin, seed);
	if (err)
		return err;
	cell = wc_lab__add_cell(b->lab);
	if (!cell)
		return -ENOMEM;
	cell->kernel = strdup(kernel->name);
	cell->params = strdup(label);
	cell->release = strdup(b->release);
	cell->scheduler = strdup(b->scheduler);
	cell->seed = seed;
	return cell->kernel && cell->params && cell->release && cell->scheduler
		       ? bench__read(b, cell)
		       : -ENOMEM;
}

static void bench__tell(struct bench *b, const struct wc_lab_kernel *kernel, uint64_t seed)
{
	const struct wc_lab_opts *o = b->o;
	char label[128];

	snprintf(label, sizeof(label), "%s, seed %llu", kernel->name, (unsigned long long)seed);
	if (o->progress)
		o->progress(o->ctx, b->done++, o->kernel_cnt * o->points->cell_cnt * o->seeds,
			    label);
}

static int bench__kernel(struct bench *b, const struct wc_lab_kernel *kernel)
{
	uint64_t seed;
	size_t i;
	int err = bench__learn(b, kernel);

	for (i = 0; !err && i < b->o->points->cell_cnt; i++) {
		for (seed = 1; !err && seed <= b->o->seeds; seed++) {
			bench__tell(b, kernel, seed);
			err = bench__cell(b, kernel, &b->o->points->cells[i], seed);
		}
	}
	return err;
}

/*
 * The same for every cell, for where things lie must not depend on it: what the most threads need,
 * in steps so that a few more of them change nothing.
 */
static unsigned int bench__memory_mb(const struct bench *b)
{
	static const char *const keys[] = { "parked", "threads" };
	uint64_t most = 0, n;
	unsigned int mb = MEMORY_MB;
	size_t i, k;

	for (i = 0; i < b->o->points->cell_cnt; i++) {
		for (k = 0; k < 2; k++) {
			const char *v = wc_kvs__get(&b->o->points->cells[i].params, keys[k]);

			n = v ? strtoull(v, NULL, 10) : 0;
			most = n > most ? n : most;
		}
	}
	while (mb < MEMORY_MAX_MB && most > (mb - MEMORY_KERNEL_MB) * 1024ull / THREAD_KB)
		mb *= 2;
	return mb;
}

static int bench__describe(struct bench *b)
{
	char emulator[256], model[512];
	int err = wc_guest__emulator(emulator, sizeof(emulator));

	if (err) {
		snprintf(b->error, b->error_sz,
			 "no qemu-system-x86_64: install the package qemu-system-x86");
		return err;
	}
	snprintf(model, sizeof(model), "%s%s%s", MODEL_DEFAULT, b->o->model ? "," : "",
		 b->o->model ? b->o->model : "");
	b->lab->shape = strdup(b->o->shape);
	b->lab->emulator = strdup(emulator);
	b->lab->model = strdup(model);
	return b->lab->shape && b->lab->emulator && b->lab->model ? 0 : -ENOMEM;
}

int wc_lab__run(const struct wc_lab_opts *opts, struct wc_lab *lab, char *error, size_t error_sz)
{
	struct bench b = { .o = opts, .lab = lab, .error = error, .error_sz = error_sz };
	size_t i;
	int err;

	*error = '\0';
	b.memory_mb = bench__memory_mb(&b);
	err = bench__describe(&b);
	err = err ?: bench__open(&b);
	for (i = 0; !err && i < opts->kernel_cnt; i++)
		err = bench__kernel(&b, &opts->kernels[i]);
	bench__close(&b);
	free(b.release);
	free(b.scheduler);
	if (err && !*error)
		snprintf(error, error_sz, "%s", strerror(-err));
	return err;
}
