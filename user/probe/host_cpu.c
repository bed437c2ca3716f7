/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPUs: how many, which, and what changes their speed. */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/probe/host_internal.h"
#include "user/probe/sys.h"

#define CPU_DIR "/sys/devices/system/cpu"

static int set_counts(struct wc_kvs *kvs)
{
	unsigned int online = wc_sys__cpu_cnt("online"), possible = wc_sys__cpu_cnt("possible");
	char list[1024];
	int err = 0;

	if (online)
		err = wc_kvs__setf(kvs, "cpus", "%u", online);
	if (!err && possible)
		err = wc_kvs__setf(kvs, "cpus_possible", "%u", possible);
	if (!err && !wc_sys__read_key("/proc/self/status", "Cpus_allowed_list", list, sizeof(list)))
		err = wc_kvs__setf(kvs, "cpus_allowed", "%u", wc_sys__count_list(list));
	return err;
}

static int set_model(struct wc_kvs *kvs)
{
	char buf[256];

	if (!wc_sys__read_key("/proc/cpuinfo", "model name", buf, sizeof(buf)) ||
	    wc_sys__read("/proc/device-tree/model", buf, sizeof(buf)) > 0)
		return wc_kvs__set(kvs, "cpu_model", buf);
	return 0;
}

static int set_smt(struct wc_kvs *kvs, struct wc_result *r)
{
	uint64_t active;
	int err;

	if (wc_sys__read_u64(CPU_DIR "/smt/active", &active))
		return 0;
	err = wc_kvs__set(kvs, "smt", active ? "on" : "off");
	if (err || !active)
		return err;
	return wc_result__warnf(r, "SMT is on, a sibling's work slows a CPU down: turn it off with "
				   "'echo off >" CPU_DIR "/smt/control', or keep siblings idle");
}

/* The governor of all CPUs, or "mixed". */
static int governor(char *buf, size_t sz)
{
	char dir[4096], one[64];
	struct dirent *e;
	int found = -ENOENT;
	DIR *d;

	d = opendir(wc_sys__path(dir, sizeof(dir), CPU_DIR));
	if (!d)
		return -errno;
	while ((e = readdir(d))) {
		if (strncmp(e->d_name, "cpu", 3) != 0 || e->d_name[3] < '0' || e->d_name[3] > '9' ||
		    wc_sys__readf(one, sizeof(one), CPU_DIR "/%s/cpufreq/scaling_governor",
				  e->d_name) < 0)
			continue;
		snprintf(buf, sz, "%s", found || !strcmp(buf, one) ? one : "mixed");
		found = 0;
	}
	closedir(d);
	return found;
}

static int set_speed(struct wc_kvs *kvs, struct wc_result *r)
{
	char gov[64];
	uint64_t val;
	int err = 0;

	if (!governor(gov, sizeof(gov))) {
		err = wc_kvs__set(kvs, "governor", gov);
		if (!err && strcmp(gov, "performance") != 0)
			err = wc_result__warnf(r,
					       "CPU frequency governor is %s, the clock rate moves "
					       "while measuring: cpupower frequency-set -g "
					       "performance",
					       gov);
	}
	if (!err && !wc_sys__read_u64(CPU_DIR "/intel_pstate/no_turbo", &val))
		err = wc_kvs__set(kvs, "turbo", val ? "off" : "on");
	else if (!err && !wc_sys__read_u64(CPU_DIR "/cpufreq/boost", &val))
		err = wc_kvs__set(kvs, "turbo", val ? "on" : "off");
	return err;
}

static int set_idle(struct wc_kvs *kvs)
{
	char driver[64], name[64], states[512] = "";
	int i, err = 0;

	if (wc_sys__read(CPU_DIR "/cpuidle/current_driver", driver, sizeof(driver)) > 0)
		err = wc_kvs__set(kvs, "idle_driver", driver);
	for (i = 0; !err && i < 16; i++) {
		size_t len = strlen(states);
		char exit_us[32];

		if (wc_sys__readf(name, sizeof(name), CPU_DIR "/cpu0/cpuidle/state%d/name", i) < 0)
			break;
		snprintf(states + len, sizeof(states) - len, "%s%s", len ? ", " : "", name);
		len = strlen(states);
		if (wc_sys__readf(exit_us, sizeof(exit_us), CPU_DIR "/cpu0/cpuidle/state%d/latency",
				  i) > 0)
			snprintf(states + len, sizeof(states) - len, " %s us", exit_us);
	}
	return err || !*states ? err : wc_kvs__set(kvs, "idle_states", states);
}

static int set_isolated(struct wc_kvs *kvs)
{
	char buf[512];
	int err = 0;

	if (wc_sys__read(CPU_DIR "/isolated", buf, sizeof(buf)) > 0)
		err = wc_kvs__set(kvs, "isolated_cpus", buf);
	if (!err && wc_sys__read(CPU_DIR "/nohz_full", buf, sizeof(buf)) > 0 &&
	    strcmp(buf, "(null)") != 0)
		err = wc_kvs__set(kvs, "nohz_full_cpus", buf);
	return err;
}

static int set_numa(struct wc_kvs *kvs, struct wc_result *r)
{
	unsigned int nodes;
	uint64_t balancing;
	char buf[256];
	int err;

	if (wc_sys__read("/sys/devices/system/node/online", buf, sizeof(buf)) < 0)
		return 0;
	nodes = wc_sys__count_list(buf);
	err = wc_kvs__setf(kvs, "numa_nodes", "%u", nodes);
	if (err || nodes < 2 || wc_sys__read_u64("/proc/sys/kernel/numa_balancing", &balancing) ||
	    !balancing)
		return err;
	return wc_result__warnf(r, "NUMA balancing moves pages and tasks while measuring: "
				   "sysctl -w kernel.numa_balancing=0");
}

/* "meltdown: PTI, spectre_v2: Retpolines"; what is not affected is left out. */
static int set_mitigations(struct wc_kvs *kvs)
{
	char dir[4096], text[512], all[1024] = "";
	struct dirent **names;
	int i, cnt;

	cnt = scandir(wc_sys__path(dir, sizeof(dir), CPU_DIR "/vulnerabilities"), &names, NULL,
		      alphasort);
	if (cnt < 0)
		return 0;
	for (i = 0; i < cnt; i++) {
		static const char kept[] = "Mitigation: ";
		size_t len = strlen(all);

		if (names[i]->d_name[0] != '.' &&
		    wc_sys__readf(text, sizeof(text), CPU_DIR "/vulnerabilities/%s",
				  names[i]->d_name) > 0 &&
		    !strncmp(text, kept, sizeof(kept) - 1)) {
			char *what = text + sizeof(kept) - 1;

			what[strcspn(what, ";,")] = '\0';
			snprintf(all + len, sizeof(all) - len, "%s%s: %s", len ? ", " : "",
				 names[i]->d_name, what);
		}
		free(names[i]);
	}
	free(names);
	return wc_kvs__set(kvs, "mitigations", *all ? all : "none in force");
}

int wc_host__describe_cpus(struct wc_kvs *kvs, struct wc_result *r)
{
	int err = set_counts(kvs);

	err = err ? err : set_model(kvs);
	err = err ? err : set_smt(kvs, r);
	err = err ? err : set_speed(kvs, r);
	err = err ? err : set_idle(kvs);
	err = err ? err : set_isolated(kvs);
	err = err ? err : set_numa(kvs, r);
	return err ? err : set_mitigations(kvs);
}
