/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the CPUs are somebody else's, and how much of them was taken away. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "user/probe/host_internal.h"
#include "user/probe/sys.h"

#define STEAL_WINDOW_NS 200000000L

struct known {
	const char *sign, *name;
};

static const char *known_name(const struct known *known, size_t cnt, const char *text)
{
	size_t i;

	for (i = 0; i < cnt; i++)
		if (strstr(text, known[i].sign))
			return known[i].name;
	return NULL;
}

/* The signature a hypervisor answers on its CPUID leaf. */
static const char *by_cpuid(void)
{
#if defined(__x86_64__) || defined(__i386__)
	static const struct known signs[] = {
		{ "KVMKVMKVM", "KVM" },	       { "Linux KVM Hv", "KVM" },
		{ "Microsoft Hv", "Hyper-V" }, { "VMwareVMware", "VMware" },
		{ "XenVMMXenVMM", "Xen" },     { "TCGTCGTCGTCG", "QEMU TCG" },
		{ "bhyve bhyve", "bhyve" },    { "VBoxVBoxVBox", "VirtualBox" },
	};
	unsigned int eax, regs[3];
	char text[sizeof(regs) + 1] = "";

	if (wc_sys__is_mock())
		return NULL;
	__cpuid(0x40000000, eax, regs[0], regs[1], regs[2]);
	(void)eax;
	memcpy(text, regs, sizeof(regs));
	return known_name(signs, sizeof(signs) / sizeof(*signs), text);
#else
	return NULL;
#endif
}

/* The machine monitor, where firmware tables name it. */
static const char *by_firmware(void)
{
	static const struct known makers[] = {
		{ "FIRECK", "Firecracker" },
		{ "Amazon EC2", "Amazon EC2" },
		{ "Google", "Google Cloud" },
		{ "BOCHS", "QEMU" },
		{ "QEMU", "QEMU" },
		{ "VMware", "VMware" },
		{ "VirtualBox", "VirtualBox" },
		{ "CLOUDH", "Cloud Hypervisor" },
	};
	static const char *const files[] = { "/sys/class/dmi/id/sys_vendor",
					     "/sys/class/dmi/id/product_name" };
	char text[256];
	const char *name;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		if (wc_sys__read(files[i], text, sizeof(text)) < 0)
			continue;
		name = known_name(makers, sizeof(makers) / sizeof(*makers), text);
		if (name)
			return name;
	}
	/* The table's maker stands at byte 10, six letters. */
	if (wc_sys__read("/sys/firmware/acpi/tables/FACP", text, sizeof(text)) < 16)
		return NULL;
	text[16] = '\0';
	return known_name(makers, sizeof(makers) / sizeof(*makers), text + 10);
}

/* "Firecracker (hypervisor KVM)"; false: not virtualised, as far as this machine tells. */
static bool hypervisor(char *buf, size_t sz)
{
	char flags[4096], type[64];
	const char *kind = NULL, *maker;
	bool flag;

	flag = !wc_sys__read_key("/proc/cpuinfo", "flags", flags, sizeof(flags)) &&
	       strstr(flags, " hypervisor");
	if (wc_sys__read("/sys/hypervisor/type", type, sizeof(type)) > 0)
		kind = type;
	else if (wc_sys__read("/proc/device-tree/hypervisor/compatible", type, sizeof(type)) > 0)
		kind = type;
	else if (flag)
		kind = by_cpuid();
	maker = flag || kind ? by_firmware() : NULL;
	if (!flag && !kind)
		return false;
	if (kind && maker && strcmp(kind, maker) != 0)
		snprintf(buf, sz, "%s (hypervisor %s)", maker, kind);
	else
		snprintf(buf, sz, "%s", kind ? kind : maker ? maker : "yes");
	return true;
}

int wc_host__steal_permille(const char *from, const char *to)
{
	static const char fmt[] = "cpu %llu %llu %llu %llu %llu %llu %llu %llu";
	unsigned long long a[8] = { 0 }, b[8], total = 0;
	int i;

	if (sscanf(to, fmt, &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &b[6], &b[7]) != 8)
		return -EINVAL;
	if (from && sscanf(from, fmt, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &a[6], &a[7]) != 8)
		return -EINVAL;
	for (i = 0; i < 8; i++) {
		if (b[i] < a[i]) /* idle may be corrected backwards */
			return -ENODATA;
		total += b[i] - a[i];
	}
	return total ? (int)((b[7] - a[7]) * 1000 / total) : -ENODATA;
}

static int set_steal(struct wc_kvs *kvs, struct wc_result *r)
{
	const struct timespec window = { .tv_nsec = STEAL_WINDOW_NS };
	char from[256], to[256];
	int now, boot, err;

	if (wc_sys__read("/proc/stat", from, sizeof(from)) < 0)
		return 0;
	boot = wc_host__steal_permille(NULL, from);
	if (boot < 0)
		return 0;
	nanosleep(&window, NULL);
	if (wc_sys__read("/proc/stat", to, sizeof(to)) < 0)
		return 0;
	now = wc_host__steal_permille(from, to);
	if (now < 0)
		err = wc_kvs__setf(kvs, "steal", "%d.%d %% since boot", boot / 10, boot % 10);
	else
		err = wc_kvs__setf(kvs, "steal", "%d.%d %% now, %d.%d %% since boot", now / 10,
				   now % 10, boot / 10, boot % 10);
	if (err || (now <= 10 && boot <= 10))
		return err;
	return wc_result__warnf(r,
				"%d.%d %% of CPU time was stolen by the host: measure on a quieter "
				"or dedicated machine, and take more rounds",
				(now > 10 ? now : boot) / 10, (now > 10 ? now : boot) % 10);
}

int wc_host__describe_virt(struct wc_kvs *kvs, struct wc_result *r)
{
	char name[128];
	int err = 0;

	if (hypervisor(name, sizeof(name))) {
		err = wc_kvs__set(kvs, "virtualised", name);
		if (!err)
			err = wc_result__warnf(
				r,
				"this is a virtual machine (%s), waking another CPU "
				"includes its hypervisor: compare only with the same "
				"kind of machine, or measure on bare metal",
				name);
	} else if (!wc_sys__read_key("/proc/cpuinfo", "flags", name, sizeof(name))) {
		/* Only where the CPU has a flag for it is its absence an answer. */
		err = wc_kvs__set(kvs, "virtualised", "no");
	}
	return err ? err : set_steal(kvs, r);
}
