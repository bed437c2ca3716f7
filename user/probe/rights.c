/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/probe/rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/probe/sys.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

/* Programs and maps were charged to RLIMIT_MEMLOCK until 5.11. */
#define MEMLOCK_WANTED_BYTES (64ull << 20)

bool wc_rights__has_cap(int cap)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (syscall(SYS_capget, &head, data))
		return false;
	return data[cap / 32].effective & (1u << (cap % 32));
}

bool wc_rights__may_trace(void)
{
	return wc_rights__has_cap(CAP_SYS_ADMIN) ||
	       (wc_rights__has_cap(CAP_BPF) && wc_rights__has_cap(CAP_PERFMON));
}

static int check_caps(struct wc_checkup *c)
{
	static const char as_root[] = "run as root: sudo wakecost doctor";
	static const struct {
		int cap;
		bool admin_suffices; /* CAP_SYS_ADMIN grants the same */
		enum wc_mark without;
		const char *name, *why, *todo;
	} caps[] = {
		{ CAP_BPF, true, WC_MARK_MISSING, "CAP_BPF", "needed to load probes", as_root },
		{ CAP_PERFMON, true, WC_MARK_MISSING, "CAP_PERFMON", "needed to trace the kernel",
		  as_root },
		{ CAP_SYS_ADMIN, false, WC_MARK_DEGRADED, "CAP_SYS_ADMIN",
		  "without it other processes' BPF objects cannot be seen", as_root },
		{ CAP_SYS_PTRACE, false, WC_MARK_DEGRADED, "CAP_SYS_PTRACE",
		  "without it frames of other users' programs have no names", as_root },
		{ CAP_SYS_NICE, false, WC_MARK_DEGRADED, "CAP_SYS_NICE",
		  "without it policy=fifo cannot be measured", as_root },
		{ CAP_SYS_RESOURCE, false, WC_MARK_DEGRADED, "CAP_SYS_RESOURCE",
		  "without it hard limits on descriptors and processes stay as they are",
		  "raise them where this process was started: ulimit -Hn, ulimit -Hu" },
	};
	size_t i;
	int err = 0;

	for (i = 0; !err && i < sizeof(caps) / sizeof(*caps); i++) {
		bool held = wc_rights__has_cap(caps[i].cap);
		bool covered = !held && caps[i].admin_suffices && wc_rights__has_cap(CAP_SYS_ADMIN);

		if (held || covered)
			err = wc_checkup__add(c, WC_SEC_RIGHTS, WC_MARK_OK, caps[i].name,
					      held ? "held" : "not held, CAP_SYS_ADMIN is", "", "");
		else
			err = wc_checkup__add(c, WC_SEC_RIGHTS, caps[i].without, caps[i].name,
					      "not held", caps[i].why, caps[i].todo);
	}
	return err;
}

static int check_lockdown(struct wc_checkup *c)
{
	char mode[64];
	int err = wc_sys__read_bracketed("/sys/kernel/security/lockdown", mode, sizeof(mode));

	if (err == -ENOENT)
		return wc_checkup__add(c, WC_SEC_RIGHTS, WC_MARK_UNKNOWN, "lockdown", "not shown",
				       "securityfs is not mounted, or no lockdown here",
				       "mount -t securityfs none /sys/kernel/security");
	if (err)
		return wc_checkup__add(c, WC_SEC_RIGHTS, WC_MARK_UNKNOWN, "lockdown",
				       strerror(-err), "", "run as root");
	if (!strcmp(mode, "confidentiality"))
		return wc_checkup__add(c, WC_SEC_RIGHTS, WC_MARK_DEGRADED, "lockdown", mode,
				       "kernel memory may be read through typed pointers only, and "
				       "there are no kprobes",
				       "boot with lockdown=integrity or without Secure Boot");
	return wc_checkup__add(c, WC_SEC_RIGHTS, WC_MARK_OK, "lockdown", mode, "", "");
}

static int check_sysctls(struct wc_checkup *c)
{
	bool may = wc_rights__may_trace();
	char value[64];
	int err = 0;

	if (wc_sys__read("/proc/sys/kernel/perf_event_paranoid", value, sizeof(value)) >= 0)
		err = wc_checkup__add(c, WC_SEC_RIGHTS, may ? WC_MARK_OK : WC_MARK_DEGRADED,
				      "perf_event_paranoid", value,
				      may ? "" : "binds a process without CAP_PERFMON",
				      may ? "" : "sysctl -w kernel.perf_event_paranoid=-1");
	if (!err &&
	    wc_sys__read("/proc/sys/kernel/unprivileged_bpf_disabled", value, sizeof(value)) >= 0)
		err = wc_checkup__add(c, WC_SEC_RIGHTS, WC_MARK_NOTE, "unprivileged_bpf", value,
				      "tracing needs CAP_BPF and CAP_PERFMON either way", "");
	if (!err && wc_sys__read("/proc/sys/kernel/kptr_restrict", value, sizeof(value)) >= 0) {
		bool hidden = *value == '2' || (*value == '1' && !wc_rights__has_cap(CAP_SYSLOG)) ||
			      (*value == '0' && !may);

		err = wc_checkup__add(c, WC_SEC_RIGHTS, hidden ? WC_MARK_DEGRADED : WC_MARK_OK,
				      "kptr_restrict", value,
				      hidden ? "kernel frames have no names" : "",
				      !hidden	      ? ""
				      : *value == '2' ? "sysctl -w kernel.kptr_restrict=1"
						      : "run as root");
	}
	return err;
}

static int check_memlock(struct wc_checkup *c)
{
	struct rlimit lim;
	char value[64];

	if (getrlimit(RLIMIT_MEMLOCK, &lim))
		return 0;
	if (lim.rlim_cur == RLIM_INFINITY)
		snprintf(value, sizeof(value), "unlimited");
	else
		snprintf(value, sizeof(value), "%llu KiB", (unsigned long long)lim.rlim_cur >> 10);
	if (lim.rlim_cur >= MEMLOCK_WANTED_BYTES || lim.rlim_max >= MEMLOCK_WANTED_BYTES ||
	    wc_rights__has_cap(CAP_SYS_RESOURCE))
		return wc_checkup__add(c, WC_SEC_RIGHTS, WC_MARK_OK, "RLIMIT_MEMLOCK", value, "",
				       "");
	return wc_checkup__add(c, WC_SEC_RIGHTS, WC_MARK_NOTE, "RLIMIT_MEMLOCK", value,
			       "only kernels before 5.11 charge probes to it", "");
}

int wc_rights__check(struct wc_checkup *c)
{
	int err = check_caps(c);

	err = err ? err : check_lockdown(c);
	err = err ? err : check_sysctls(c);
	return err ? err : check_memlock(c);
}
