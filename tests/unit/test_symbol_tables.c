/* SPDX-License-Identifier: BSD-2-Clause */
/* What the symbols are made of: ranges, the kernel's table, maps, names. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/sysmacros.h>
#include <time.h>

#include "tests/unit/mock.h"
#include "user/symbol/demangle.h"
#include "user/symbol/jitmap.h"
#include "user/symbol/maps.h"
#include "user/symbol/ranges.h"
#include "user/symbol/symbol.h"

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

static int owner(const struct wc_ranges *r, uint64_t at)
{
	const struct wc_range *found = wc_ranges__find(r, at);

	return found ? (int)found->value : -1;
}

static void ranges_agree_with_a_plain_search(void **state)
{
	struct wc_ranges r = { 0 };
	uint32_t seed = 12345, round, i, at;
	int best[256];
	uint64_t best_rank[256];

	(void)state;
	for (round = 0; round < 300; round++) {
		memset(best, 0xff, sizeof(best));
		memset(best_rank, 0, sizeof(best_rank));
		for (i = 0; i < round % 40; i++) {
			uint32_t start = (seed = seed * 1103515245 + 12345) >> 16 & 0xff;
			uint32_t end = (seed = seed * 1103515245 + 12345) >> 16 & 0xff;
			uint64_t rank = (seed = seed * 1103515245 + 12345) >> 16 & 7;

			assert_int_equal(wc_ranges__add(&r, start, end, rank, i), 0);
			for (at = start; at < end; at++) {
				if (best[at] < 0 || rank >= best_rank[at]) {
					best[at] = (int)i;
					best_rank[at] = rank;
				}
			}
		}
		assert_int_equal(wc_ranges__build(&r), 0);
		for (at = 0; at < 256; at++)
			assert_int_equal(owner(&r, at), best[at]);
		wc_ranges__clear(&r);
	}
}

static void ranges_reach_to_both_ends(void **state)
{
	struct wc_ranges r = { 0 };

	(void)state;
	assert_int_equal(wc_ranges__build(&r), 0);
	assert_int_equal(owner(&r, 5), -1);
	wc_ranges__add(&r, 0, UINT64_MAX, 0, 1);
	wc_ranges__add(&r, 10, 10, 9, 2);
	wc_ranges__add(&r, 11, 10, 9, 3);
	assert_int_equal(wc_ranges__build(&r), 0);
	assert_int_equal(owner(&r, 0), 1);
	assert_int_equal(owner(&r, 10), 1);
	assert_int_equal(owner(&r, UINT64_MAX - 1), 1);
	assert_int_equal(owner(&r, UINT64_MAX), -1);
	wc_ranges__clear(&r);
}

#define KALLSYMS                                    \
	"0000000000000000 A fixed_percpu_data\n"    \
	"ffffffff81000000 T _stext\n"               \
	"ffffffff81000000 T _text\n"                \
	"ffffffff81000000 T first_fn\n"             \
	"ffffffff81000ff0 t __pfx_do_wake\n"        \
	"ffffffff81001000 t do_wake\n"              \
	"ffffffff81001100 T __sched_text_end\n"     \
	"ffffffff81001100 t __se_sys_read\n"        \
	"ffffffff81001100 T sys_read.isra.0\n"      \
	"ffffffff81001100 W sys_read\n"             \
	"ffffffff81001200 d some_data\n"            \
	"ffffffff81001300 t twin\n"                 \
	"ffffffff81001400 t twin\n"                 \
	"ffffffff81001500 t do_wake.cold\n"         \
	"garbage\nzz T x\nffffffff81001600 T\n"     \
	"ffffffff81002000 T _etext\n"               \
	"ffffffffc0000000 t mod_fn\t[my_mod]\n"     \
	"ffffffffc0000100 t mod_other\t[my_mod]\n"  \
	"ffffffffc0400000 t bpf_prog_77_x\t[bpf]\n" \
	"ffffffffc0400100 t bpf_prog_78_y\t[bpf]\n"

static void assert_kernel(struct wc_symbols *s, uint64_t ip, const char *name, const char *module,
			  uint64_t addr, uint64_t offset)
{
	struct wc_symbol out;

	assert_int_equal(wc_symbols__kernel(s, ip, &out), 0);
	assert_int_equal(out.kind, WC_SYMBOL_KERNEL);
	assert_string_equal(out.name, name);
	assert_string_equal(out.module, module);
	assert_int_equal(out.addr, addr);
	assert_int_equal(out.offset, offset);
}

static void kernel_functions_by_their_plain_names(void **state)
{
	struct wc_symbols *s;
	struct wc_symbol out;

	(void)state;
	mock__file("/proc/kallsyms", KALLSYMS);
	s = wc_symbols__new();
	assert_null(wc_symbols__kernel_trouble(s));
	assert_kernel(s, 0xffffffff81000004, "first_fn", "[kernel]", 0, 4);
	/* What stands before a function for tracing is no function. */
	assert_kernel(s, 0xffffffff81000ff8, "first_fn", "[kernel]", 0, 0xff8);
	assert_kernel(s, 0xffffffff81001000, "do_wake", "[kernel]", 0x1000, 0);
	assert_kernel(s, 0xffffffff810010ff, "do_wake", "[kernel]", 0x1000, 0xff);
	assert_kernel(s, 0xffffffff81001100, "sys_read", "[kernel]", 0x1100, 0);
	/* Data ends nothing: it is not in the way of code. */
	assert_kernel(s, 0xffffffff81001300, "twin", "[kernel]", 0x1300, 0);
	assert_kernel(s, 0xffffffff81001402, "twin", "[kernel]", 0x1400, 2);
	assert_kernel(s, 0xffffffff81001501, "do_wake.cold", "[kernel]", 0x1500, 1);
	assert_kernel(s, 0xffffffffc0000110, "mod_other", "[my_mod]", 0x100, 0x10);
	assert_kernel(s, 0xffffffffc0400101, "bpf_prog_78_y", "[bpf]", 0, 1);
	/* Behind the text, before it, and far behind a module: nobody's. */
	assert_int_equal(wc_symbols__kernel(s, 0xffffffff81002010, &out), -ENOENT);
	assert_string_equal(out.name, "[unknown]");
	assert_string_equal(out.module, "[kernel]");
	assert_int_equal(out.addr, 0);
	assert_int_equal(wc_symbols__kernel(s, 0xffffffff80ffffff, &out), -ENOENT);
	assert_int_equal(wc_symbols__kernel(s, 0xffffffffc0200000, &out), -ENOENT);
	assert_int_equal(wc_symbols__kernel(s, UINT64_MAX, &out), -ENOENT);
	wc_symbols__free(s);
}

static void hidden_kernel_addresses_are_said(void **state)
{
	struct wc_symbols *s;
	struct wc_symbol out;

	(void)state;
	mock__file("/proc/kallsyms", "0000000000000000 T _stext\n0000000000000000 T do_wake\n");
	mock__file("/proc/sys/kernel/kptr_restrict", "2\n");
	s = wc_symbols__new();
	assert_non_null(wc_symbols__kernel_trouble(s));
	if (geteuid() == 0)
		assert_non_null(strstr(wc_symbols__kernel_trouble(s),
				       "sudo sysctl kernel.kptr_restrict=1"));
	assert_int_equal(wc_symbols__kernel(s, 0xffffffff81000000, &out), -ENOENT);
	assert_string_equal(out.name, "[unknown]");
	wc_symbols__free(s);
	mock__remove("/proc/kallsyms");
	s = wc_symbols__new();
	assert_non_null(strstr(wc_symbols__kernel_trouble(s), "No such file"));
	wc_symbols__free(s);
}

static void the_running_kernel(void **state)
{
	struct wc_symbols *s;
	struct wc_symbol out;
	char line[256], *end;
	uint64_t ip = 0;
	FILE *f = fopen("/proc/kallsyms", "r");

	(void)state;
	while (f && fgets(line, sizeof(line), f)) {
		if (strstr(line, " try_to_wake_up\n"))
			ip = strtoull(line, &end, 16);
	}
	if (f)
		fclose(f);
	if (!ip) {
		print_message("kernel addresses are hidden\n");
		skip();
	}
	unsetenv("WAKECOST_SYSROOT");
	s = wc_symbols__new();
	assert_null(wc_symbols__kernel_trouble(s));
	assert_int_equal(wc_symbols__kernel(s, ip + 5, &out), 0);
	assert_string_equal(out.name, "try_to_wake_up");
	assert_int_equal(out.offset, 5);
	/* No address of this boot. */
	assert_true(out.addr < 1u << 30);
	assert_true(strlen(out.build_id) == 0 || strlen(out.build_id) == 40);
	wc_symbols__free(s);
}

static struct wc_jitmap read_map(struct wc_pool *pool, const char *text)
{
	struct wc_jitmap m = { 0 };
	FILE *f = tmpfile();

	assert_non_null(f);
	fputs(text, f);
	fflush(f);
	assert_int_equal(wc_jitmap__read(&m, pool, fileno(f)), 0);
	fclose(f);
	return m;
}

static void code_maps_are_read_as_written(void **state)
{
	struct wc_pool *pool = wc_pool__new();
	struct wc_jitmap m = read_map(pool, "1000 100 first\n"
					    "0x2000 0x10 Lcom/example/Main;::run(I)V\n"
					    "\n-5 10 minus\nnonsense\n3000\n3000 x y\n3000 10\n"
					    "3000 10 \n99999999999999999999 1 big\n"
					    "ffffffffffffff00 fff wraps\n4000 0 empty\n"
					    "1080 10 inside it\r\n"
					    "5000 20 \xff;\x01 odd\n"
					    "1000 40 second\n"
					    "6000 10 cut");

	(void)state;
	assert_string_equal(wc_jitmap__find(&m, 0x1000)->name, "second");
	assert_string_equal(wc_jitmap__find(&m, 0x1040)->name, "first");
	assert_string_equal(wc_jitmap__find(&m, 0x1080)->name, "inside it");
	assert_string_equal(wc_jitmap__find(&m, 0x1090)->name, "first");
	assert_string_equal(wc_jitmap__find(&m, 0x200f)->name, "Lcom/example/Main;::run(I)V");
	assert_string_equal(wc_jitmap__find(&m, 0x5000)->name, "\xff;\x01 odd");
	assert_string_equal(wc_jitmap__find(&m, 0x6000)->name, "cut");
	assert_null(wc_jitmap__find(&m, 0x2010));
	assert_null(wc_jitmap__find(&m, 0x3000));
	assert_null(wc_jitmap__find(&m, 0x4000));
	assert_null(wc_jitmap__find(&m, UINT64_MAX - 5));
	assert_int_equal(m.cnt, 6);
	wc_jitmap__clear(&m);
	wc_pool__free(pool);
}

static void code_maps_grow_and_are_rewritten(void **state)
{
	struct wc_pool *pool = wc_pool__new();
	struct wc_jitmap m = { 0 };
	FILE *f = tmpfile();

	(void)state;
	fputs("1000 10 a\n2000 10 b", f);
	fflush(f);
	assert_int_equal(wc_jitmap__read(&m, pool, fileno(f)), 0);
	assert_int_equal(wc_jitmap__read(&m, pool, fileno(f)), 0);
	fputs("etter\n3000 10 c\n", f);
	fflush(f);
	assert_int_equal(wc_jitmap__read(&m, pool, fileno(f)), 0);
	assert_string_equal(wc_jitmap__find(&m, 0x1000)->name, "a");
	assert_string_equal(wc_jitmap__find(&m, 0x2000)->name, "better");
	assert_string_equal(wc_jitmap__find(&m, 0x3000)->name, "c");
	/* The first line was read once, the unfinished one each time. */
	assert_int_equal(m.cnt, 5);
	assert_int_equal(ftruncate(fileno(f), 0), 0);
	rewind(f);
	fputs("1000 10 anew\n", f);
	fflush(f);
	assert_int_equal(wc_jitmap__read(&m, pool, fileno(f)), 0);
	assert_string_equal(wc_jitmap__find(&m, 0x1000)->name, "anew");
	assert_string_equal(wc_jitmap__find(&m, 0x3000)->name, "c");
	fclose(f);
	wc_jitmap__clear(&m);
	wc_pool__free(pool);
}

static void lines_of_maps(void **state)
{
	char file[] =
		"7f00-7f10 r-xp 00002000 fe:01 77                 /tmp/a b\\012c;\xff (deleted)";
	char anon[] = "7f00-7f10 rwxp 00000000 00:00 0 ";
	char vdso[] = "7ffd0000-7ffd2000 r-xp 00000000 00:00 0   [vdso]";
	char data[] = "7f00-7f10 rw-p 00000000 00:00 0   [heap]";
	char *bad[] = { strdup(""), strdup("x"), strdup("7f10-7f00 r-xp 0 0:0 0"),
			strdup("7f00-7f10 r-xp 0") };
	struct wc_map m;
	size_t i;

	(void)state;
	assert_true(wc_map__parse(file, &m));
	assert_int_equal(m.start, 0x7f00);
	assert_int_equal(m.end, 0x7f10);
	assert_int_equal(m.offset, 0x2000);
	assert_int_equal(m.inode, 77);
	assert_int_equal(m.dev, makedev(0xfe, 1));
	assert_true(m.exec && m.deleted);
	assert_string_equal(m.path, "/tmp/a b\nc;\xff");
	assert_string_equal(wc_map__module(&m), "a b\nc;\xff");
	assert_true(wc_map__parse(anon, &m));
	assert_string_equal(m.path, "");
	assert_string_equal(wc_map__module(&m), "[anon]");
	assert_true(wc_map__parse(vdso, &m));
	assert_string_equal(wc_map__module(&m), "[vdso]");
	assert_true(wc_map__parse(data, &m));
	assert_false(m.exec);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_false(wc_map__parse(bad[i], &m));
		free(bad[i]);
	}
}

static void assert_demangled(const char *name, const char *expected)
{
	char *shown = wc_demangle(name);

	if (expected) {
		assert_non_null(shown);
		assert_string_equal(shown, expected);
	} else {
		assert_null(shown);
	}
	free(shown);
}

static void names_are_demangled(void **state)
{
	char *shown = wc_demangle("_Z1fv");

	(void)state;
	assert_demangled("main", NULL);
	assert_demangled("_Znonsense", NULL);
	assert_demangled("_RNvC3foo3bar", NULL);
	if (!shown) {
		print_message("no libstdc++ here\n");
		skip();
	}
	free(shown);
	assert_demangled("_ZN2ns1S1fEi", "ns::S::f(int)");
	assert_demangled("_ZN2ns1S1fEi.isra.0", "ns::S::f(int) [clone .isra.0]");
	assert_demangled("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
			 "core::fmt::Write::write_fmt");
	assert_demangled("_ZN61_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..fmt..Debug$GT$3fmt17h"
			 "0123456789abcdefE",
			 "<alloc::vec::Vec<T> as core::fmt::Debug>::fmt");
	/* Hash and escapes of C++ itself stay. */
	assert_demangled("_ZN1a17h0123456789abcdeZE", "a::h0123456789abcdeZ");
	assert_demangled("_ZN3foo17h0123456789abcdefE", "foo");
}

static double seconds_for(unsigned int lines, unsigned int lookups)
{
	struct wc_pool *pool = wc_pool__new();
	struct wc_jitmap m = { 0 };
	FILE *f = tmpfile();
	struct timespec a, b;
	unsigned int i;

	for (i = 0; i < lines; i++)
		fprintf(f, "%x %x method_%u\n", 0x10000 + i * 64, i % 7 ? 64 : 4096, i);
	fflush(f);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	assert_int_equal(wc_jitmap__read(&m, pool, fileno(f)), 0);
	for (i = 0; i < lookups; i++)
		assert_non_null(wc_jitmap__find(&m, 0x10000 + i % lines * 64));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	fclose(f);
	wc_jitmap__clear(&m);
	wc_pool__free(pool);
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

static void ten_times_the_map_is_about_ten_times_the_work(void **state)
{
	double small = seconds_for(10000, 10000), large = seconds_for(100000, 100000);

	(void)state;
	/* 100 if it were quadratic; overlaps included. */
	assert_true(large < 40 * small + 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_agree_with_a_plain_search),
		cmocka_unit_test(ranges_reach_to_both_ends),
		cmocka_unit_test_setup_teardown(kernel_functions_by_their_plain_names, setup,
						teardown),
		cmocka_unit_test_setup_teardown(hidden_kernel_addresses_are_said, setup, teardown),
		cmocka_unit_test_setup_teardown(the_running_kernel, setup, teardown),
		cmocka_unit_test(code_maps_are_read_as_written),
		cmocka_unit_test(code_maps_grow_and_are_rewritten),
		cmocka_unit_test(lines_of_maps),
		cmocka_unit_test(names_are_demangled),
		cmocka_unit_test(ten_times_the_map_is_about_ten_times_the_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
