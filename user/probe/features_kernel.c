/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel's types and settings say, without loading anything. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "user/probe/features_internal.h"
#include "user/probe/host_internal.h"
#include "user/probe/sys.h"

static int check_btf(struct wc_checkup *c, int btf_err)
{
	char path[4096];

	wc_kbtf__path(path, sizeof(path));
	if (!btf_err)
		return wc_checkup__add(c, WC_SEC_KERNEL, WC_MARK_OK, "BTF", path, "", "");
	return wc_checkup__add(
		c, WC_SEC_KERNEL, WC_MARK_MISSING, "BTF", path,
		btf_err == -ENOENT ? "this kernel shows no types of its own" : strerror(-btf_err),
		btf_err == -ENOENT ? "boot a kernel with CONFIG_DEBUG_INFO_BTF=y (distributions' "
				     "are)"
				   : "make the file readable, or run as root");
}

static int check_tracepoints(struct wc_checkup *c, const struct wc_kbtf *kbtf)
{
	static const struct {
		const char *name;
		enum wc_mark without;
		const char *gives, *why;
	} tps[] = {
		{ "sched_waking", WC_MARK_MISSING, "where a wake begins",
		  "nothing can be measured" },
		{ "sched_wakeup", WC_MARK_MISSING, "enqueue | wait", "nothing can be measured" },
		{ "sched_wakeup_new", WC_MARK_DEGRADED, "first runs",
		  "new tasks are not told apart" },
		{ "sched_switch", WC_MARK_MISSING, "pick | switch", "nothing can be measured" },
		{ "sched_entry_tp", WC_MARK_NOTE, "wait | pick",
		  "kernels before 6.15 have none; fentry of schedule stands in where allowed" },
		{ "sched_exit_tp", WC_MARK_NOTE, "switch | return",
		  "kernels before 6.15 have none; fexit of schedule stands in where allowed" },
		{ "sched_migrate_task", WC_MARK_DEGRADED, "the CPU chosen", "" },
		{ "csd_queue_cpu", WC_MARK_NOTE, "select | send",
		  "kernels before 6.5 have none; function probes stand in where allowed" },
		{ "csd_function_entry", WC_MARK_NOTE, "send | enqueue",
		  "kernels before 6.5 have none; function probes stand in where allowed" },
		{ "sys_enter", WC_MARK_NOTE, "find, of programs that do not stamp", "" },
		{ "sys_exit", WC_MARK_NOTE, "return, of programs that do not stamp", "" },
	};
	char value[128];
	size_t i;
	int err = 0, args;

	for (i = 0; !err && i < sizeof(tps) / sizeof(*tps); i++) {
		args = wc_kbtf__tp_arg_cnt(kbtf, tps[i].name);
		if (args < 0) {
			err = wc_checkup__add(c, WC_SEC_KERNEL, tps[i].without, tps[i].name,
					      "no such tracepoint", tps[i].why, "");
			continue;
		}
		snprintf(value, sizeof(value), "%d argument%s; %s", args, args == 1 ? "" : "s",
			 tps[i].gives);
		err = wc_checkup__add(c, WC_SEC_KERNEL, WC_MARK_OK, tps[i].name, value, "", "");
	}
	return err;
}

static int check_settings(struct wc_checkup *c)
{
	char value[256];
	uint64_t on;
	int err = 0;

	err = wc_checkup__add(c, WC_SEC_KERNEL, WC_MARK_NOTE, "scheduler",
			      wc_host__scheduler(value, sizeof(value)), "", "");
	if (!err && !wc_host__preemption(value, sizeof(value))) {
		bool rt = !strncmp(value, "PREEMPT_RT", 10);

		err = wc_checkup__add(c, WC_SEC_KERNEL, rt ? WC_MARK_DEGRADED : WC_MARK_NOTE,
				      "preemption", value,
				      rt ? "wakers of sleeping locks are not always seen" : "", "");
	}
	if (!err && !wc_sys__read_u64("/proc/sys/net/core/bpf_jit_enable", &on))
		err = wc_checkup__add(c, WC_SEC_KERNEL, on ? WC_MARK_OK : WC_MARK_DEGRADED,
				      "BPF JIT", on ? "on" : "off",
				      on ? "" : "probes are interpreted, several times slower",
				      on ? "" : "sysctl -w net.core.bpf_jit_enable=1");
	if (!err && !wc_sys__read_u64("/proc/sys/kernel/bpf_stats_enabled", &on))
		err = wc_checkup__add(c, WC_SEC_KERNEL, on ? WC_MARK_DEGRADED : WC_MARK_OK,
				      "bpf_stats_enabled", on ? "on" : "off",
				      on ? "two clock reads more for every probe" : "",
				      on ? "sysctl -w kernel.bpf_stats_enabled=0" : "");
	return err;
}

int wc_features__check_kernel(struct wc_checkup *c, const struct wc_kbtf *kbtf, int btf_err)
{
	int err = check_btf(c, btf_err);

	if (!err && kbtf)
		err = check_tracepoints(c, kbtf);
	return err ? err : check_settings(c);
}
