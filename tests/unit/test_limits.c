/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/unit/mock.h"
#include "user/probe/cgroup.h"
#include "user/probe/limits.h"

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

static const struct wc_limit *find(const struct wc_checkup *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->limit_cnt; i++)
		if (!strcmp(c->limits[i].name, name))
			return &c->limits[i];
	return NULL;
}

static void fill(void)
{
	mock__file("/proc/loadavg", "0.00 0.00 0.00 1/500 9\n");
	mock__file("/proc/sys/kernel/threads-max", "100000\n");
	mock__file("/proc/sys/kernel/pid_max", "32768\n");
	mock__file("/proc/sys/vm/max_map_count", "65530\n");
	mock__file("/proc/self/maps", "a\nb\n");
	mock__file("/proc/meminfo", "MemTotal: 9 kB\nMemAvailable:   36000000 kB\n");
	mock__file("/proc/self/cgroup", "8:pids:/x/y\n0::/u/v\n");
	mock__file("/proc/self/mountinfo", "1 0 0:1 / /cg/pids rw - cgroup cgroup rw,pids\n"
					   "2 0 0:2 / /cg2 rw shared:1 - cgroup2 cgroup2 rw\n");
}

static void room_is_what_is_left(void **state)
{
	(void)state;
	assert_int_equal(wc_limits__room(100, 40, 2), 30);
	assert_int_equal(wc_limits__room(100, 99, 2), 0);
	assert_int_equal(wc_limits__room(10, 40, 1), 0);
	assert_true(wc_limits__room(UINT64_MAX, 40, 1) == UINT64_MAX);
}

static void machine_limits_and_the_first(void **state)
{
	struct wc_checkup *c = wc_checkup__new();

	(void)state;
	fill();
	assert_int_equal(wc_limits__check(c, 16000), 0);
	assert_int_equal(find(c, "kernel.threads-max")->room, 99500);
	assert_int_equal(find(c, "kernel.pid_max")->room, 32768 - 500 - 300);
	assert_int_equal(find(c, "vm.max_map_count")->room, (65530 - 2) / 2);
	assert_int_equal(find(c, "memory available")->room, 1000000);
	assert_string_equal(wc_checkup__first_limit(c, false)->name, "kernel.pid_max");
	assert_int_equal(c->findings[c->finding_cnt - 1].mark, WC_MARK_OK);
	wc_checkup__free(c);

	c = wc_checkup__new();
	assert_int_equal(wc_limits__check(c, 40000), 0);
	assert_int_equal(c->findings[c->finding_cnt - 1].mark, WC_MARK_DEGRADED);
	assert_non_null(strstr(c->findings[c->finding_cnt - 1].todo, "kernel.pid_max=4194304"));
	wc_checkup__free(c);
}

static void every_ancestor_group_counts(void **state)
{
	struct wc_checkup *c = wc_checkup__new();

	(void)state;
	fill();
	mock__file("/cg/pids/x/y/pids.max", "max\n");
	mock__file("/cg/pids/x/pids.max", "4915\n");
	mock__file("/cg/pids/x/pids.current", "15\n");
	mock__file("/cg2/u/v/memory.max", "36864000\n");
	mock__file("/cg2/u/v/memory.current", "0\n");
	mock__file("/cg2/u/pids.max", "700\n");
	mock__file("/cg2/u/pids.current", "100\n");
	assert_int_equal(wc_limits__check(c, 1), 0);
	assert_null(find(c, "pids.max of /cg/pids/x/y"));
	assert_int_equal(find(c, "pids.max of /cg/pids/x")->room, 4900);
	assert_int_equal(find(c, "pids.max of /cg2/u")->room, 600);
	assert_int_equal(find(c, "memory.max of /cg2/u/v")->room, 1000);
	assert_string_equal(wc_checkup__first_limit(c, false)->name, "pids.max of /cg2/u");
	wc_checkup__free(c);
}

static int note(void *ctx, const char *dir, bool is_v2)
{
	char *seen = ctx;
	size_t len = strlen(seen);

	snprintf(seen + len, 256 - len, "%s%s ", dir, is_v2 ? "(v2)" : "");
	return 0;
}

static void groups_in_a_container(void **state)
{
	char seen[256] = "";

	(void)state;
	/* The mount begins at the container's own group, whose path is still told from the top. */
	mock__file("/proc/self/cgroup", "0::/docker/1/app\n");
	mock__file("/proc/self/mountinfo", "2 0 0:2 /docker/1 /cg rw - cgroup2 cgroup2 rw\n");
	mock__file("/cg/app/cgroup.procs", "");
	wc_cgroup__each("pids", note, seen);
	assert_string_equal(seen, "/cg/app(v2) /cg(v2) ");
	/* In a namespace the path may lead outside: only the mount is seen. */
	mock__file("/proc/self/cgroup", "0::/../x\n");
	*seen = '\0';
	wc_cgroup__each("pids", note, seen);
	assert_string_equal(seen, "/cg(v2) ");
}

static void nothing_readable_is_said(void **state)
{
	struct wc_checkup *c = wc_checkup__new();
	const struct wc_limit *first;

	(void)state;
	assert_int_equal(wc_limits__check(c, 1), 0);
	first = wc_checkup__first_limit(c, false);
	if (!first)
		assert_int_equal(c->findings[0].mark, WC_MARK_UNKNOWN);
	else /* only what getrlimit() says can be left */
		assert_int_equal(strncmp(first->name, "RLIMIT_", 7), 0);
	wc_checkup__free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(room_is_what_is_left),
		cmocka_unit_test_setup_teardown(machine_limits_and_the_first, setup, teardown),
		cmocka_unit_test_setup_teardown(every_ancestor_group_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(groups_in_a_container, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_readable_is_said, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
