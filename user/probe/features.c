/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/probe/features.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "user/probe/features_internal.h"
#include "user/probe/rights.h"
#include "user/probe/sys.h"

static const struct {
	const char *name;
	const char *used_for;
	const char *config; /* build option without which there is none */
	enum wc_mark without;
} kinds[WC_TRIAL_CNT] = {
	[WC_TRIAL_TP_BTF] = { "tp_btf", "every stage", "CONFIG_DEBUG_INFO_BTF", WC_MARK_DEGRADED },
	[WC_TRIAL_RAW_TP] = { "raw_tp", "every stage where tp_btf fails", "CONFIG_BPF_EVENTS",
			      WC_MARK_DEGRADED },
	[WC_TRIAL_FENTRY] = { "fentry", "telling select from enqueue", "CONFIG_FUNCTION_TRACER",
			      WC_MARK_DEGRADED },
	[WC_TRIAL_FEXIT] = { "fexit", "telling select from enqueue", "CONFIG_FUNCTION_TRACER",
			     WC_MARK_DEGRADED },
	[WC_TRIAL_KPROBE] = { "kprobe", "stages where fentry fails", "CONFIG_KPROBES",
			      WC_MARK_DEGRADED },
	[WC_TRIAL_KPROBE_MULTI] = { "kprobe.multi", "many functions at once", "CONFIG_FPROBE",
				    WC_MARK_NOTE },
	[WC_TRIAL_ITER_TASK] = { "iter/task", "tasks that slept before the start",
				 "CONFIG_BPF_EVENTS", WC_MARK_NOTE },
	[WC_TRIAL_TASK_STORAGE] = { "task storage", "what belongs to a wakee", "CONFIG_BPF_SYSCALL",
				    WC_MARK_MISSING },
	[WC_TRIAL_RINGBUF] = { "ring buffer", "single wakes", "CONFIG_BPF_SYSCALL",
			       WC_MARK_DEGRADED },
	[WC_TRIAL_MMAP_ARRAY] = { "mapped array", "stamps of the workload", "CONFIG_BPF_SYSCALL",
				  WC_MARK_MISSING },
};

static bool is_map(enum wc_trial_kind kind)
{
	return kind >= WC_TRIAL_TASK_STORAGE;
}

const char *wc_features__explain(char *buf, size_t sz, enum wc_trial_kind kind, struct wc_trial t,
				 bool may_trace)
{
	const char *config = kinds[kind].config;
	const char *verb = is_map(kind)		      ? "creating it"
			   : t.step == WC_STEP_ATTACH ? "attaching it"
						      : "loading it";

	if (t.step == WC_STEP_TYPES)
		snprintf(buf, sz, "the kernel's types (BTF) %s",
			 t.err == -ENOENT ? "do not name what it needs, or are not there"
					  : "cannot be read");
	else if (wc_kconfig__is_known() && !wc_kconfig__is_set(config))
		snprintf(buf, sz, "this kernel is built without %s (%s: %s)", config, verb,
			 strerror(-t.err));
	else if ((t.err == -EPERM || t.err == -EACCES) && !may_trace)
		snprintf(buf, sz, "%s needs CAP_BPF and CAP_PERFMON", verb);
	else if (t.err == -EPERM || t.err == -EACCES)
		snprintf(buf, sz,
			 "%s is refused (%s) with CAP_BPF and CAP_PERFMON held: this machine's "
			 "policy, not a lack of rights",
			 verb, t.err == -EPERM ? "EPERM" : "EACCES");
	else if (t.err == -EINVAL || t.err == -ESRCH || t.err == -ENOENT)
		snprintf(buf, sz, "this kernel does not know it (%s: %s)", verb, strerror(-t.err));
	else if (t.err == -EOPNOTSUPP || t.err == -524 /* ENOTSUPP, the kernel's own */)
		snprintf(buf, sz, "not supported on this architecture or build");
	else if (t.err == -EBUSY)
		snprintf(buf, sz, "another tracer holds the place it needs");
	else if (t.err == -ENOMEM)
		snprintf(buf, sz, "no memory, or RLIMIT_MEMLOCK is too small");
	else
		snprintf(buf, sz, "%s: %s", verb, strerror(-t.err));
	return buf;
}

const char *wc_features__todo(enum wc_trial_kind kind, struct wc_trial t, bool may_trace)
{
	if (t.step == WC_STEP_TYPES)
		return "boot a kernel with CONFIG_DEBUG_INFO_BTF=y (distributions' are)";
	if (wc_kconfig__is_known() && !wc_kconfig__is_set(kinds[kind].config))
		return "boot a kernel with it; the stages concerned are merged until then";
	if (t.err == -EPERM || t.err == -EACCES)
		return may_trace ? "ask who runs this machine to allow it, or measure on another"
				 : "run as root: sudo wakecost doctor";
	if (t.err == -ENOMEM)
		return "ulimit -l unlimited";
	if (t.err == -EBUSY)
		return "stop the other tracer: bpftool link list";
	return "";
}

static int check_kind(struct wc_checkup *c, enum wc_trial_kind kind, const struct wc_kbtf *kbtf,
		      bool may_trace)
{
	struct wc_trial t = wc_trial__run(kind, kbtf);
	char value[128], why[256];

	if (!t.err) {
		snprintf(value, sizeof(value), "%s; for %s",
			 is_map(kind) ? "can be made" : "loads and attaches", kinds[kind].used_for);
		return wc_checkup__add(c, WC_SEC_PROBES, WC_MARK_OK, kinds[kind].name, value, "",
				       "");
	}
	snprintf(value, sizeof(value), "no; would serve %s", kinds[kind].used_for);
	return wc_checkup__add(
		c, WC_SEC_PROBES, kinds[kind].without, kinds[kind].name, value,
		wc_features__explain(why, sizeof(why), kind, t, may_trace),
		kinds[kind].without == WC_MARK_NOTE ? "" : wc_features__todo(kind, t, may_trace));
}

int wc_features__check(struct wc_checkup *c)
{
	bool may_trace = wc_rights__may_trace();
	struct wc_kbtf *kbtf;
	unsigned int kind;
	int btf_err, err = 0;

	btf_err = wc_kbtf__open(&kbtf);
	for (kind = 0; !err && kind < WC_TRIAL_CNT; kind++)
		err = check_kind(c, kind, kbtf, may_trace);
	if (!err)
		err = wc_features__check_kernel(c, kbtf, btf_err);
	wc_kbtf__free(kbtf);
	return err ? err : wc_features__check_pmu(c);
}
