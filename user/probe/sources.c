// SPDX-License-Identifier: BSD-2-Clause
#include "user/probe/sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const source_names[WC_SRC_CNT] = {
	[WC_SRC_TP_BTF] = "tp_btf",
	[WC_SRC_RAW_TP] = "raw_tp",
	[WC_SRC_FENTRY] = "fentry",
	[WC_SRC_KPROBE] = "kprobe",
};

#define CORE_TPS                                                                   \
	{                                                                          \
		"sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_switch" \
	}
#define CORE_SHOWN(kind) kind "/sched_waking, sched_wakeup, sched_wakeup_new, sched_switch"
#define TIMER_TPS                                                                    \
	{                                                                            \
		"hrtimer_expire_entry", "hrtimer_expire_exit", "timer_expire_entry", \
			"timer_expire_exit"                                          \
	}

const struct wc_boundary_def wc_boundaries[WC_BOUND_CNT] = {
	[WC_BOUND_CORE] = {
		.name = "wake and switch",
		.required = true,
		.candidates = {
			/* the same, where preempt_count can be read without a helper */
			{ WC_SRC_TP_BTF, CORE_SHOWN("tp_btf"),
			  { "tp_btf__waking_cast", "tp_btf__wakeup", "tp_btf__wakeup_new",
			    "tp_btf__switch" },
			  CORE_TPS, .switch_args = 4, .funcs = { "bpf_rdonly_cast" } },
			{ WC_SRC_TP_BTF, CORE_SHOWN("tp_btf"),
			  { "tp_btf__waking", "tp_btf__wakeup", "tp_btf__wakeup_new",
			    "tp_btf__switch" },
			  CORE_TPS, .switch_args = 4 },
			{ WC_SRC_TP_BTF, CORE_SHOWN("tp_btf"),
			  { "tp_btf__waking", "tp_btf__wakeup", "tp_btf__wakeup_new",
			    "tp_btf__switch_pre518" },
			  CORE_TPS, .switch_args = 3 },
			{ WC_SRC_RAW_TP, CORE_SHOWN("raw_tp"),
			  { "raw_tp__waking", "raw_tp__wakeup", "raw_tp__wakeup_new",
			    "raw_tp__switch", "raw_tp__process_exit" },
			  CORE_TPS, .switch_args = 4 },
			{ WC_SRC_RAW_TP, CORE_SHOWN("raw_tp"),
			  { "raw_tp__waking", "raw_tp__wakeup", "raw_tp__wakeup_new",
			    "raw_tp__switch_pre518", "raw_tp__process_exit" },
			  CORE_TPS, .switch_args = 3 },
		},
	},
	/* Preference is by what it tells: the functions see local wakes too. */
	[WC_BOUND_CHOSEN] = {
		.name = "CPU chosen",
		.candidates = {
			{ WC_SRC_FENTRY, "fentry/ttwu_queue_wakelist", { "fentry__chosen" },
			  .funcs = { "ttwu_queue_wakelist" } },
			{ WC_SRC_KPROBE, "kprobe/ttwu_queue_wakelist", { "kprobe__chosen" },
			  .funcs = { "ttwu_queue_wakelist" } },
			{ WC_SRC_TP_BTF, "tp_btf/csd_queue_cpu", { "tp_btf__csd_queue" },
			  { "csd_queue_cpu" }, .partial = true },
			{ WC_SRC_RAW_TP, "raw_tp/csd_queue_cpu", { "raw_tp__csd_queue" },
			  { "csd_queue_cpu" }, .partial = true },
		},
	},
	[WC_BOUND_HANDLED] = {
		.name = "handled on the other CPU",
		.candidates = {
			{ WC_SRC_TP_BTF, "tp_btf/csd_function_entry", { "tp_btf__csd_function" },
			  { "csd_function_entry" } },
			{ WC_SRC_RAW_TP, "raw_tp/csd_function_entry", { "raw_tp__csd_function" },
			  { "csd_function_entry" } },
			{ WC_SRC_FENTRY, "fentry/sched_ttwu_pending", { "fentry__handled" },
			  .funcs = { "sched_ttwu_pending" } },
			{ WC_SRC_KPROBE, "kprobe/sched_ttwu_pending", { "kprobe__handled" },
			  .funcs = { "sched_ttwu_pending" } },
		},
	},
	[WC_BOUND_ENTRY] = {
		.name = "scheduler entered",
		.candidates = {
			{ WC_SRC_TP_BTF, "tp_btf/sched_entry_tp", { "tp_btf__entry" },
			  { "sched_entry_tp" } },
			{ WC_SRC_RAW_TP, "raw_tp/sched_entry_tp", { "raw_tp__entry" },
			  { "sched_entry_tp" } },
			{ WC_SRC_FENTRY, "fentry/schedule, schedule_idle",
			  { "fentry__schedule", "fentry__schedule_idle" },
			  .funcs = { "schedule", "schedule_idle" } },
			{ WC_SRC_KPROBE, "kprobe/schedule, schedule_idle",
			  { "kprobe__schedule", "kprobe__schedule_idle" },
			  .funcs = { "schedule", "schedule_idle" } },
		},
	},
	[WC_BOUND_EXIT] = {
		.name = "back in the wakee",
		.candidates = {
			{ WC_SRC_TP_BTF, "tp_btf/sched_exit_tp", { "tp_btf__exit" },
			  { "sched_exit_tp" } },
			{ WC_SRC_RAW_TP, "raw_tp/sched_exit_tp", { "raw_tp__exit" },
			  { "sched_exit_tp" } },
			{ WC_SRC_FENTRY, "fexit/schedule", { "fexit__schedule" },
			  .funcs = { "schedule" } },
			{ WC_SRC_KPROBE, "kprobe/finish_task_switch", { "kprobe__finish_switch" },
			  .suffixed = "finish_task_switch" },
		},
	},
	[WC_BOUND_TIMERS] = {
		.name = "timer callbacks",
		.candidates = {
			{ WC_SRC_TP_BTF, "tp_btf/hrtimer_expire_*, timer_expire_*",
			  { "tp_btf__hrtimer_entry", "tp_btf__hrtimer_exit", "tp_btf__timer_entry",
			    "tp_btf__timer_exit" },
			  TIMER_TPS },
			{ WC_SRC_RAW_TP, "raw_tp/hrtimer_expire_*, timer_expire_*",
			  { "raw_tp__hrtimer_entry", "raw_tp__hrtimer_exit", "raw_tp__timer_entry",
			    "raw_tp__timer_exit" },
			  TIMER_TPS },
		},
	},
	[WC_BOUND_SYSCALLS] = {
		.name = "system calls",
		.candidates = {
			{ WC_SRC_TP_BTF, "tp_btf/sys_enter, sys_exit",
			  { "tp_btf__sys_enter", "tp_btf__sys_exit" }, { "sys_enter", "sys_exit" } },
			{ WC_SRC_RAW_TP, "raw_tp/sys_enter, sys_exit",
			  { "raw_tp__sys_enter", "raw_tp__sys_exit" }, { "sys_enter", "sys_exit" } },
		},
	},
	[WC_BOUND_FOLLOW] = {
		.name = "new processes",
		.candidates = {
			{ WC_SRC_TP_BTF, "tp_btf/task_newtask", { "tp_btf__newtask" },
			  { "task_newtask" } },
			{ WC_SRC_RAW_TP, "raw_tp/task_newtask", { "raw_tp__newtask" },
			  { "task_newtask" } },
		},
	},
	/* not attached: read once at the end */
	[WC_BOUND_TASKS] = {
		.name = "walk over tasks",
		.candidates = {
			{ WC_SRC_TP_BTF, "iter/task", { "iter__tasks" }, .iterator = true },
		},
	},
	/* read before attaching; sleeping for memory where iterators may (5.19) */
	[WC_BOUND_AHEAD] = {
		.name = "memory ahead",
		.candidates = {
			{ WC_SRC_TP_BTF, "iter.s/task", { "iter_s__prepare" }, .iterator = true },
			{ WC_SRC_TP_BTF, "iter/task", { "iter__prepare" }, .iterator = true },
		},
	},
};

const char *wc_source__name(enum wc_source src)
{
	return (unsigned int)src < WC_SRC_CNT ? source_names[src] : NULL;
}

int wc_source__parse_list(const char *list, unsigned int *mask)
{
	unsigned int i, bits = 0;

	while (*list) {
		size_t len = strcspn(list, ",");

		for (i = 0; i < WC_SRC_CNT; i++) {
			if (strlen(source_names[i]) == len && !strncmp(list, source_names[i], len))
				break;
		}
		if (i == WC_SRC_CNT)
			return -EINVAL;
		bits |= 1u << i;
		list += len;
		if (*list == ',' && !*++list)
			return -EINVAL;
	}
	*mask = bits;
	return 0;
}

/* Is sym "name" or "name.isra.0", "name.constprop.1", "name.isra.0.constprop.0"? */
static bool symbol_matches(const char *sym, size_t len, const char *name)
{
	size_t n = strlen(name);

	if (len < n || strncmp(sym, name, n))
		return false;
	while (n < len) {
		static const char *const suffixes[] = { ".isra.", ".constprop." };
		size_t i, digits;

		for (i = 0; i < 2; i++) {
			size_t sl = strlen(suffixes[i]);

			if (len - n > sl && !strncmp(sym + n, suffixes[i], sl)) {
				n += sl;
				break;
			}
		}
		if (i == 2)
			return false;
		for (digits = 0; n < len && sym[n] >= '0' && sym[n] <= '9'; n++)
			digits++;
		if (!digits)
			return false;
	}
	return true;
}

int wc_symbol__resolve(const char *list, const char *name, char *out, size_t sz)
{
	const char *line = list;
	bool found = false;

	/* "address type name [module]" */
	for (; *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : "") {
		const char *p = strchr(line, ' ');
		size_t len;

		if (!p || (p[1] != 't' && p[1] != 'T') || p[2] != ' ')
			continue;
		len = strcspn(p + 3, " \t\n");
		if (!symbol_matches(p + 3, len, name) || len >= sz)
			continue;
		if (found && len >= strlen(out)) /* the plain name wins */
			continue;
		memcpy(out, p + 3, len);
		out[len] = '\0';
		found = true;
	}
	return found ? 0 : -ENOENT;
}
