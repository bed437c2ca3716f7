/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/probe/host_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "user/probe/sys.h"

static int osrelease(char *buf, size_t sz)
{
	struct utsname uts;

	if (wc_sys__read("/proc/sys/kernel/osrelease", buf, sz) >= 0)
		return 0;
	if (uname(&uts))
		return -errno;
	snprintf(buf, sz, "%s", uts.release);
	return 0;
}

/* Names of functions are readable without rights, only their addresses are not. */
static bool has_symbol(const char *name)
{
	char full[4096], *line = NULL;
	size_t cap = 0;
	bool found = false;
	FILE *f;

	f = fopen(wc_sys__path(full, sizeof(full), "/proc/kallsyms"), "re");
	if (!f)
		return false;
	while (!found && getline(&line, &cap, f) > 0) {
		char sym[256];

		found = sscanf(line, "%*s %*s %255s", sym) == 1 && !strcmp(sym, name);
	}
	free(line);
	fclose(f);
	return found;
}

static bool sched_ext_name(char *buf, size_t sz)
{
	char state[64], ops[128];

	if (wc_sys__read("/sys/kernel/sched_ext/state", state, sizeof(state)) < 0 ||
	    strcmp(state, "enabled") != 0)
		return false;
	if (wc_sys__read("/sys/kernel/sched_ext/root/ops", ops, sizeof(ops)) < 0)
		snprintf(ops, sizeof(ops), "unnamed");
	snprintf(buf, sz, "sched_ext (%s)", ops);
	return true;
}

static const char *fair_by_version(void)
{
	unsigned int major, minor;
	char rel[128];

	if (osrelease(rel, sizeof(rel)) || sscanf(rel, "%u.%u", &major, &minor) != 2)
		return "unknown";
	return major > 6 || (major == 6 && minor >= 6) ? "EEVDF (going by the version)"
						       : "CFS (going by the version)";
}

const char *wc_host__scheduler(char *buf, size_t sz)
{
	char features[2048];
	struct wc_kbtf *kbtf;
	const char *name;

	if (sched_ext_name(buf, sz))
		return buf;
	wc_kbtf__open(&kbtf);
	if (!kbtf || !wc_kbtf__has_struct(kbtf, "sched_entity"))
		name = has_symbol("pick_eevdf") ? "EEVDF" : fair_by_version();
	else if (!wc_kbtf__has_member(kbtf, "sched_entity", "vlag"))
		name = "CFS";
	else if (!wc_kbtf__has_member(kbtf, "sched_entity", "sched_delayed"))
		name = "EEVDF";
	else if (wc_sys__read("/sys/kernel/debug/sched/features", features, sizeof(features)) > 0 &&
		 strstr(features, "NO_DELAY_DEQUEUE"))
		name = "EEVDF, delayed dequeue off";
	else
		name = "EEVDF, delayed dequeue";
	wc_kbtf__free(kbtf);
	snprintf(buf, sz, "%s", name);
	return buf;
}

static int preemption_by_build(char *buf, size_t sz)
{
	static const struct {
		const char *key, *name;
	} models[] = {
		{ "CONFIG_PREEMPT_NONE", "none" },
		{ "CONFIG_PREEMPT_VOLUNTARY", "voluntary" },
		{ "CONFIG_PREEMPT_LAZY", "lazy" },
		{ "CONFIG_PREEMPT", "full" },
	};
	bool dynamic = wc_kconfig__is_set("CONFIG_PREEMPT_DYNAMIC");
	char chosen[32];
	size_t i;

	if (dynamic && !wc_sys__cmdline("preempt=", chosen, sizeof(chosen))) {
		snprintf(buf, sz, "%s (kernel command line)", chosen);
		return 0;
	}
	for (i = 0; i < sizeof(models) / sizeof(*models); i++) {
		if (!wc_kconfig__is_set(models[i].key))
			continue;
		snprintf(buf, sz, "%s (%s)", models[i].name,
			 dynamic ? "build default, switchable" : "build");
		return 0;
	}
	return -ENOENT;
}

int wc_host__preemption(char *buf, size_t sz)
{
	char model[64], version[256];
	uint64_t rt = 0;

	if (!wc_sys__read_u64("/sys/kernel/realtime", &rt) && rt) {
		snprintf(buf, sz, "PREEMPT_RT");
		return 0;
	}
	if (!wc_sys__read_bracketed("/sys/kernel/debug/sched/preempt", model, sizeof(model))) {
		snprintf(buf, sz, "%s (dynamic)", model);
		return 0;
	}
	if (!preemption_by_build(buf, sz))
		return 0;
	if (wc_sys__read("/proc/sys/kernel/version", version, sizeof(version)) < 0)
		return -ENOENT;
	if (strstr(version, "PREEMPT_RT"))
		snprintf(buf, sz, "PREEMPT_RT");
	else if (strstr(version, "PREEMPT_DYNAMIC"))
		snprintf(buf, sz, "dynamic, which model unknown");
	else
		snprintf(buf, sz, "%s", strstr(version, "PREEMPT") ? "full" : "none or voluntary");
	return 0;
}

static int warn_debug_kernel(struct wc_result *r)
{
	static const char *const slow[] = {
		"CONFIG_KASAN",		 "CONFIG_KCSAN",     "CONFIG_KMSAN",
		"CONFIG_PROVE_LOCKING",	 "CONFIG_LOCK_STAT", "CONFIG_DEBUG_OBJECTS",
		"CONFIG_DEBUG_KMEMLEAK",
	};
	char found[256] = "";
	size_t i;

	for (i = 0; i < sizeof(slow) / sizeof(*slow); i++) {
		size_t len = strlen(found);

		if (wc_kconfig__is_set(slow[i]))
			snprintf(found + len, sizeof(found) - len, "%s%s", len ? ", " : "",
				 slow[i]);
	}
	if (!*found)
		return 0;
	return wc_result__warnf(r,
				"this is a debug kernel (%s), its wakes are slower than a "
				"production kernel's: measure on a kernel built without them",
				found);
}

int wc_host__describe_kernel(struct wc_kvs *kvs, struct wc_result *r)
{
	char buf[256];
	struct utsname uts;
	uint64_t jit;
	int err = 0;

	if (!osrelease(buf, sizeof(buf)))
		err = wc_kvs__set(kvs, "kernel", buf);
	if (!err && !uname(&uts))
		err = wc_kvs__set(kvs, "arch", uts.machine);
	if (!err)
		err = wc_kvs__set(kvs, "scheduler", wc_host__scheduler(buf, sizeof(buf)));
	if (!err && !wc_host__preemption(buf, sizeof(buf)))
		err = wc_kvs__set(kvs, "preemption", buf);
	if (!err && !wc_kconfig__get("CONFIG_HZ", buf, sizeof(buf)))
		err = wc_kvs__set(kvs, "hz", buf);
	if (!err && !wc_sys__read_bracketed("/sys/kernel/security/lockdown", buf, sizeof(buf)))
		err = wc_kvs__set(kvs, "lockdown", buf);
	if (!err && !wc_sys__read_u64("/proc/sys/net/core/bpf_jit_enable", &jit)) {
		err = wc_kvs__set(kvs, "bpf_jit", jit ? "on" : "off");
		if (!err && !jit)
			err = wc_result__warnf(r, "the BPF JIT is off, probes cost several times "
						  "more: sysctl -w net.core.bpf_jit_enable=1");
	}
	return err ? err : warn_debug_kernel(r);
}

int wc_host__describe(struct wc_kvs *kvs, struct wc_result *r)
{
	int err = wc_host__describe_kernel(kvs, r);

	err = err ? err : wc_host__describe_cpus(kvs, r);
	err = err ? err : wc_host__describe_virt(kvs, r);
	err = err ? err : wc_host__describe_load(kvs, r);
	return err ? err : wc_host__describe_clock(kvs, r);
}
