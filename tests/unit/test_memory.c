/* SPDX-License-Identifier: BSD-2-Clause */
/* Levels from the points of a chase, and growth counted in accesses. */
#include <math.h>

#include "tests/unit/fixture.h"
#include "user/model/memory.h"

#define KIB 1024ull
#define MIB (1024 * KIB)

static void add(struct wc_result *r, unsigned int pattern, bool huge, uint64_t bytes, double ns)
{
	struct wc_access *a = wc_result__add_access(r);

	assert_non_null(a);
	*a = (struct wc_access){ .pattern = pattern,
				 .huge = huge,
				 .bytes = bytes,
				 .lines = bytes / (pattern == WC_ACCESS_PAGES ? 4096 : 64),
				 .ns = ns,
				 .q1 = ns - 0.5,
				 .q3 = ns + 0.5 };
}

/* L1 48 KiB, L2 1 MiB, L3 32 MiB; a page of no TLB 40 ns, or 10 on huge pages. */
static struct wc_result *machine(bool huge)
{
	struct wc_result *r = wc_result__new();
	uint64_t bytes;

	assert_non_null(r);
	assert_int_equal(wc_kvs__set(&r->host, WC_HOST_CACHE_L1, "49152"), 0);
	assert_int_equal(wc_kvs__set(&r->host, WC_HOST_CACHE_L2, "1048576"), 0);
	assert_int_equal(wc_kvs__set(&r->host, WC_HOST_CACHE_LAST, "33554432"), 0);
	for (bytes = 16 * KIB; bytes <= 128 * MIB; bytes *= 2) {
		double ns = bytes <= 32 * KIB ? 1 : bytes <= MIB ? 4 : bytes <= 16 * MIB ? 15 : 90;

		add(r, WC_ACCESS_BYTES, false, bytes, ns + (bytes > MIB ? 5 : 0));
		if (huge)
			add(r, WC_ACCESS_BYTES, true, bytes, ns);
		if (bytes < 256 * KIB)
			continue;
		add(r, WC_ACCESS_PAGES, false, bytes, bytes <= 8 * MIB ? ns : 44);
		if (huge)
			add(r, WC_ACCESS_PAGES, true, bytes, bytes <= 8 * MIB ? 1 : 14);
	}
	return r;
}

static void levels_are_read_off(void **state)
{
	struct wc_result *r = machine(true);
	struct wc_memory m;

	(void)state;
	assert_true(wc_memory__of(r, &m));
	assert_true(m.levels[WC_MEM_L1].ns == 1 && m.levels[WC_MEM_L1].bytes == 32 * KIB);
	assert_true(m.levels[WC_MEM_L2].ns == 4 && m.levels[WC_MEM_L2].bytes == 512 * KIB);
	assert_true(m.levels[WC_MEM_LAST].ns == 15 && m.levels[WC_MEM_LAST].huge);
	assert_true(m.levels[WC_MEM_MEMORY].ns == 90 && m.levels[WC_MEM_MEMORY].bytes == 128 * MIB);
	assert_true(m.levels[WC_MEM_WALK].ns == 40); /* 8,192 lines: 4 ns side by side */
	assert_true(m.walk_huge_ns == 10);
	assert_false(m.memory_may_be_cached);
	wc_result__free(r);
}

static void without_huge_pages(void **state)
{
	struct wc_result *r = machine(false);
	struct wc_memory m;

	(void)state;
	assert_true(wc_memory__of(r, &m));
	assert_true(m.levels[WC_MEM_MEMORY].ns == 95 && !m.levels[WC_MEM_MEMORY].huge);
	assert_true(isnan(m.walk_huge_ns));
	wc_result__free(r);
}

static void worth_is_over_the_l1(void **state)
{
	struct wc_result *r = machine(true);
	struct wc_memory m;

	(void)state;
	assert_true(wc_memory__of(r, &m));
	assert_true(wc_memory__worth(&m, WC_MEM_MEMORY, 890) == 10);
	assert_true(wc_memory__worth(&m, WC_MEM_LAST, 140) == 10);
	assert_true(wc_memory__worth(&m, WC_MEM_WALK, 400) == 10);
	wc_result__free(r);
}

static void what_is_not_known_is_not_made_up(void **state)
{
	struct wc_result *r = machine(true), *none = wc_result__new();
	struct wc_memory m;

	(void)state;
	wc_kvs__free(&r->host);
	assert_true(wc_memory__of(r, &m)); /* no cache is reported: only the largest is known */
	assert_true(m.levels[WC_MEM_MEMORY].known);
	assert_false(m.levels[WC_MEM_L1].known || m.levels[WC_MEM_L2].known ||
		     m.levels[WC_MEM_LAST].known || m.levels[WC_MEM_WALK].known);
	assert_true(isnan(wc_memory__worth(&m, WC_MEM_MEMORY, 890)));
	assert_int_equal(wc_kvs__set(&r->host, WC_HOST_CACHE_LAST, "532676608"), 0);
	assert_true(wc_memory__of(r, &m));
	assert_true(m.memory_may_be_cached);
	assert_non_null(none);
	assert_false(wc_memory__of(none, &m));
	wc_result__free(none);
	wc_result__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_are_read_off),
		cmocka_unit_test(without_huge_pages),
		cmocka_unit_test(worth_is_over_the_l1),
		cmocka_unit_test(what_is_not_known_is_not_made_up),
	};

	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
