/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <bpf/btf.h>

#include "tests/unit/mock.h"
#include "user/probe/host_internal.h"
#include "user/probe/sys.h"

#define CPU "/sys/devices/system/cpu"

/* A kernel's types as far as the scheduler's name goes; members end with NULL. */
static void write_btf(const char *const *members)
{
	struct btf *btf = btf__new_empty();
	const void *raw;
	char full[256];
	__u32 size;
	int id;
	FILE *f;

	id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	assert_true(btf__add_struct(btf, "sched_entity", 64) > 0);
	for (; *members; members++)
		assert_int_equal(btf__add_field(btf, *members, id, 0, 0), 0);
	raw = btf__raw_data(btf, &size);
	mock__file("/sys/kernel/btf/vmlinux", "");
	snprintf(full, sizeof(full), "%s/sys/kernel/btf/vmlinux", mock_root);
	f = fopen(full, "w");
	assert_int_equal(fwrite(raw, size, 1, f), 1);
	fclose(f);
	btf__free(btf);
}

static int setup(void **state)
{
	(void)state;
	return mock__open();
}

static int teardown(void **state)
{
	(void)state;
	return mock__close();
}

static void scheduler_is_named_by_its_types(void **state)
{
	static const char *const cfs[] = { "vruntime", NULL };
	static const char *const eevdf[] = { "vruntime", "vlag", NULL };
	static const char *const delayed[] = { "vruntime", "vlag", "sched_delayed", NULL };
	char buf[128];

	(void)state;
	/* The version says otherwise each time, and must not be believed. */
	mock__file("/proc/sys/kernel/osrelease", "6.12.1\n");
	write_btf(cfs);
	assert_string_equal(wc_host__scheduler(buf, sizeof(buf)), "CFS");
	mock__file("/proc/sys/kernel/osrelease", "5.15.0\n");
	write_btf(eevdf);
	assert_string_equal(wc_host__scheduler(buf, sizeof(buf)), "EEVDF");
	write_btf(delayed);
	assert_string_equal(wc_host__scheduler(buf, sizeof(buf)), "EEVDF, delayed dequeue");
	mock__file("/sys/kernel/debug/sched/features", "PLACE_LAG NO_DELAY_DEQUEUE\n");
	assert_string_equal(wc_host__scheduler(buf, sizeof(buf)), "EEVDF, delayed dequeue off");
}

static void scheduler_without_types(void **state)
{
	char buf[128];

	(void)state;
	mock__file("/proc/sys/kernel/osrelease", "6.5.0-x\n");
	assert_string_equal(wc_host__scheduler(buf, sizeof(buf)), "CFS (going by the version)");
	mock__file("/proc/sys/kernel/osrelease", "6.6.0-x\n");
	assert_string_equal(wc_host__scheduler(buf, sizeof(buf)), "EEVDF (going by the version)");
	mock__file("/proc/kallsyms", "0 t pick_eevdf_x\n0 t pick_eevdf\n");
	mock__file("/proc/sys/kernel/osrelease", "6.1.0\n");
	assert_string_equal(wc_host__scheduler(buf, sizeof(buf)), "EEVDF");
}

static void sched_ext_has_the_first_word(void **state)
{
	static const char *const delayed[] = { "vlag", "sched_delayed", NULL };
	char buf[128];

	(void)state;
	write_btf(delayed);
	mock__file("/sys/kernel/sched_ext/state", "enabled\n");
	mock__file("/sys/kernel/sched_ext/root/ops", "scx_rusty\n");
	assert_string_equal(wc_host__scheduler(buf, sizeof(buf)), "sched_ext (scx_rusty)");
	mock__file("/sys/kernel/sched_ext/state", "disabled\n");
	assert_string_equal(wc_host__scheduler(buf, sizeof(buf)), "EEVDF, delayed dequeue");
}

static void steal_is_a_share_of_all_time(void **state)
{
	(void)state;
	assert_int_equal(wc_host__steal_permille(NULL, "cpu  50 0 0 0 0 0 0 50 7 7\n"), 500);
	assert_int_equal(wc_host__steal_permille("cpu 100 0 0 100 0 0 0 10 0 0",
						 "cpu 150 0 0 140 0 0 0 20 0 0"),
			 100);
	assert_int_equal(wc_host__steal_permille("cpu 1 1 1 1 1 1 1 1", "cpu 1 1 1 1 1 1 1 1"),
			 -ENODATA);
	assert_int_equal(wc_host__steal_permille("cpu 9 1 1 1 1 1 1 1", "cpu 1 1 1 1 1 1 1 1"),
			 -ENODATA);
	assert_int_equal(wc_host__steal_permille(NULL, "intr 5"), -EINVAL);
}

static bool warned(const struct wc_result *r, const char *word)
{
	size_t i;

	for (i = 0; i < r->warning_cnt; i++)
		if (strstr(r->warnings[i], word))
			return true;
	return false;
}

static void fill_machine(void)
{
	mock__file("/proc/sys/kernel/osrelease", "6.1.0-test\n");
	mock__file("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian\n");
	mock__file("/proc/cmdline", "quiet preempt=full -- preempt=none\n");
	mock__file("/proc/loadavg", "3.00 1.00 1.00 2/300 900\n");
	mock__file("/proc/stat", "cpu 900 0 0 0 0 0 0 100 0 0\ncpu0 1\n");
	mock__file("/proc/cpuinfo", "model name\t: Test CPU\nflags\t\t: fpu hypervisor sse\n");
	mock__file("/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0,2\n");
	mock__file("/proc/self/cgroup", "3:cpu,cpuacct:/a/b\n0::/u\n");
	mock__file("/proc/self/mountinfo", "1 0 0:1 / /cg rw - cgroup cgroup rw,cpu,cpuacct\n"
					   "2 0 0:2 / /cg2 rw - cgroup2 cgroup2 rw\n");
	mock__file("/cg/a/cpu.cfs_quota_us", "150000\n");
	mock__file("/cg/a/cpu.cfs_period_us", "100000\n");
	mock__file("/cg/a/b/cpu.cfs_quota_us", "-1\n");
	mock__file("/cg/a/b/cpu.cfs_period_us", "100000\n");
	mock__file("/cg2/u/cpu.max", "max 100000\n");
	mock__file(CPU "/online", "0-3\n");
	mock__file(CPU "/possible", "0-7\n");
	mock__file(CPU "/smt/active", "1\n");
	mock__file(CPU "/cpu0/cpufreq/scaling_governor", "powersave\n");
	mock__file(CPU "/cpu1/cpufreq/scaling_governor", "performance\n");
	mock__file(CPU "/intel_pstate/no_turbo", "1\n");
	mock__file(CPU "/vulnerabilities/meltdown", "Mitigation: PTI; more\n");
	mock__file(CPU "/vulnerabilities/l1tf", "Not affected\n");
	mock__file("/sys/devices/system/node/online", "0-1\n");
	mock__file("/proc/sys/kernel/numa_balancing", "1\n");
	mock__file("/proc/sys/net/core/bpf_jit_enable", "0\n");
	mock__file("/sys/class/dmi/id/sys_vendor", "QEMU\n");
	mock__file("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	mock__file("/boot/config-6.1.0-test",
		   "CONFIG_PREEMPT_DYNAMIC=y\nCONFIG_PREEMPT_VOLUNTARY=y\nCONFIG_HZ=250\n"
		   "CONFIG_HZ_250=y\nCONFIG_KASAN=y\n");
}

#define assert_fact(r, key, value)                                        \
	do {                                                              \
		assert_non_null(wc_kvs__get(&(r)->host, key));            \
		assert_string_equal(wc_kvs__get(&(r)->host, key), value); \
	} while (0)

static void every_fact_and_every_doubt(void **state)
{
	struct wc_result *r = wc_result__new();
	size_t i;

	(void)state;
	fill_machine();
	assert_int_equal(wc_host__describe(&r->host, r), 0);
	assert_fact(r, "kernel", "6.1.0-test");
	assert_fact(r, "preemption", "full (kernel command line)");
	assert_fact(r, "hz", "250");
	assert_fact(r, "lockdown", "integrity");
	assert_fact(r, "cpus", "4");
	assert_fact(r, "cpus_possible", "8");
	assert_fact(r, "cpus_allowed", "2");
	assert_fact(r, "cpu_model", "Test CPU");
	assert_fact(r, "governor", "mixed");
	assert_fact(r, "turbo", "off");
	assert_fact(r, "mitigations", "meltdown: PTI");
	assert_fact(r, "virtualised", "QEMU");
	assert_fact(r, "steal", "10.0 % since boot");
	assert_fact(r, "load", "3.00");
	assert_fact(r, "cpu_quota", "1.50 CPUs (/cg/a)");
	assert_true(warned(r, "governor"));
	assert_true(warned(r, "SMT"));
	assert_true(warned(r, "virtual machine"));
	assert_true(warned(r, "stolen"));
	assert_true(warned(r, "load average"));
	assert_true(warned(r, "NUMA"));
	assert_true(warned(r, "JIT"));
	assert_true(warned(r, "quota"));
	assert_true(warned(r, "CONFIG_KASAN"));
	/* Each says what to do: after a colon. */
	for (i = 0; i < r->warning_cnt; i++)
		assert_non_null(strchr(r->warnings[i], ':'));
	wc_result__free(r);
}

static void what_cannot_be_read_is_left_out(void **state)
{
	static const char *const unreadable[] = { "cpus",    "governor",  "smt",	"turbo",
						  "steal",   "load",	  "psi",	"thp",
						  "bpf_jit", "cpu_quota", "virtualised" };
	struct wc_result *r = wc_result__new();
	size_t i;

	(void)state;
	assert_int_equal(wc_host__describe(&r->host, r), 0);
	for (i = 0; i < sizeof(unreadable) / sizeof(*unreadable); i++)
		assert_null(wc_kvs__get(&r->host, unreadable[i]));
	wc_result__free(r);
}

static void lists_of_cpus(void **state)
{
	(void)state;
	assert_int_equal(wc_sys__count_list("0-3,8,10-11"), 7);
	assert_int_equal(wc_sys__count_list("0"), 1);
	assert_int_equal(wc_sys__count_list(""), 0);
	assert_int_equal(wc_sys__count_list("5-3"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* first: the build's options are read once, at the first question */
		cmocka_unit_test_setup_teardown(every_fact_and_every_doubt, setup, teardown),
		cmocka_unit_test_setup_teardown(scheduler_is_named_by_its_types, setup, teardown),
		cmocka_unit_test_setup_teardown(scheduler_without_types, setup, teardown),
		cmocka_unit_test_setup_teardown(sched_ext_has_the_first_word, setup, teardown),
		cmocka_unit_test_setup_teardown(what_cannot_be_read_is_left_out, setup, teardown),
		cmocka_unit_test(steal_is_a_share_of_all_time),
		cmocka_unit_test(lists_of_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
