// SPDX-License-Identifier: BSD-2-Clause
#include "user/probe/pmu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READ_MISS(cache)                                                  \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_MISS << 16)
#define SW(name) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##name
#define HW(name) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##name

/* What a name counts is the kernel's choice for each CPU; as far as it is known it stands here. */
static const struct counter {
	const char *name;
	__u32 type;
	__u64 config;
	const char *meaning, *amd, *intel;
} counters[] = {
	{ "cycles", HW(CPU_CYCLES), "core cycles, not halted", NULL, NULL },
	{ "instructions", HW(INSTRUCTIONS), "instructions retired", NULL, NULL },
	{ "branch-misses", HW(BRANCH_MISSES), "branches mispredicted, retired", NULL, NULL },
	{ "cache-misses", HW(CACHE_MISSES), "the kernel's generic cache miss",
	  "L2 misses (from family 17h on)", "last-level cache misses" },
	{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, READ_MISS(L1D), "loads that miss the L1d",
	  "L2 accesses for L1d misses (from family 17h on)", "lines brought into the L1d" },
	{ "LLC-load-misses", PERF_TYPE_HW_CACHE, READ_MISS(LL), "loads that miss the last cache",
	  "not mapped by the kernel (from family 17h on)", "loads served from beyond the L3" },
	{ "dTLB-load-misses", PERF_TYPE_HW_CACHE, READ_MISS(DTLB), "loads that miss the TLB",
	  "misses of both levels, page walks (from family 17h on)",
	  "loads that cause a page walk" },
	{ "cpu-clock", SW(CPU_CLOCK), "ns the CPU was there, by the kernel's clock", NULL, NULL },
	{ "task-clock", SW(TASK_CLOCK), "ns counted, by the kernel's clock", NULL, NULL },
	{ "page-faults", SW(PAGE_FAULTS), "page faults", NULL, NULL },
	{ "minor-faults", SW(PAGE_FAULTS_MIN), "page faults without reading anything in", NULL,
	  NULL },
	{ "context-switches", SW(CONTEXT_SWITCHES), "context switches", NULL, NULL },
	{ "cpu-migrations", SW(CPU_MIGRATIONS), "tasks that moved to this CPU", NULL, NULL },
};

#define COUNTER_CNT (sizeof(counters) / sizeof(counters[0]))

static const struct counter *find(const char *name)
{
	for (size_t i = 0; i < COUNTER_CNT; i++)
		if (!strcmp(counters[i].name, name))
			return &counters[i];
	return NULL;
}

/* "AuthenticAMD" */
static void read_vendor(char vendor[16])
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];

	vendor[0] = '\0';
	while (f && !vendor[0] && fgets(line, sizeof(line), f))
		if (sscanf(line, "vendor_id : %15s", vendor) != 1)
			vendor[0] = '\0';
	if (f)
		fclose(f);
}

static int add(struct wc_kvs *out, const struct counter *c, const char *vendor)
{
	const char *own = !strcmp(vendor, "AuthenticAMD")   ? c->amd
			  : !strcmp(vendor, "GenuineIntel") ? c->intel
							    : NULL;

	if (own)
		return wc_kvs__setf(out, c->name, "%s; on this CPU: %s", c->meaning, own);
	if (c->amd)
		return wc_kvs__setf(out, c->name, "%s, as the kernel maps it on this CPU",
				    c->meaning);
	return wc_kvs__set(out, c->name, c->meaning);
}

static int refuse(char *error, size_t sz, const char *word)
{
	size_t n =
		(size_t)snprintf(error, sz, "--counters: there is no counter \"%s\", but:", word);

	for (size_t i = 0; i < COUNTER_CNT && n < sz; i++)
		n += (size_t)snprintf(error + n, sz - n, "%s %s", i ? "," : "", counters[i].name);
	return -EINVAL;
}

int wc_pmu__parse(const char *list, struct wc_kvs *out, char *error, size_t error_sz)
{
	char *copy = strdup(list), *save = NULL, *word, vendor[16];
	int err = copy ? 0 : -ENOMEM;

	error[0] = '\0';
	read_vendor(vendor);
	for (word = copy ? strtok_r(copy, ",", &save) : NULL; !err && word;
	     word = strtok_r(NULL, ",", &save)) {
		const struct counter *c = find(word);

		err = c ? add(out, c, vendor) : refuse(error, error_sz, word);
	}
	free(copy);
	if (!err && (!out->cnt || out->cnt > WC_PMU_MAX)) {
		snprintf(error, error_sz, "--counters wants one to %d names, not \"%s\"",
			 WC_PMU_MAX, list);
		err = -EINVAL;
	}
	return err;
}

int wc_pmu__open(const char *name, unsigned int cpu)
{
	const struct counter *c = find(name);
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int fd;

	if (!c)
		return -EINVAL;
	attr.type = c->type;
	attr.config = c->config;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

const char *wc_pmu__why(int err)
{
	switch (err) {
	case -EPERM:
	case -EACCES:
		return "opening it is refused: run as root, or sysctl -w "
		       "kernel.perf_event_paranoid=-1";
	case -ENOENT:
	case -EOPNOTSUPP:
		return "the CPU, or the hypervisor, gives none: measure on bare metal, or count "
		       "software events (page-faults, context-switches)";
	default:
		return strerror(-err);
	}
}
