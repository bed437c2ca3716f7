// SPDX-License-Identifier: BSD-2-Clause
/* What the lab reads and makes without an emulator: archives, reports, means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "user/lab/cpio.h"
#include "user/lab/report.h"
#include "user/model/lab.h"
#include "user/util/file.h"

static char dir[] = "/tmp/wc-lab-test-XXXXXX";
static char path[64];

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/file", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int read_report(struct wc_lab *lab, const char *text)
{
	struct wc_lab_cell *cell = wc_lab__add_cell(lab);
	char why[256] = "";
	int err;

	cell->kernel = strdup("6.1");
	cell->params = strdup("");
	write_file(text);
	err = wc_report__plugin(cell, path, why, sizeof(why));
	assert_int_equal(err != 0, *why != '\0');
	return err;
}

static void report_is_read(void **state)
{
	struct wc_lab *lab = wc_lab__new();

	(void)state;
	assert_int_equal(read_report(lab, "find futex_wake 860 100 7 6 5 4 3\n"
					  "find futex_hash 140 50 0 0 0 0 0\n"
					  "pick schedule 1000 1 1 1 1 1 1\nend\n"),
			 0);
	lab->cells[0].handoffs = 10;
	assert_int_equal(lab->cells[0].row_cnt, 3);
	assert_true(wc_lab_cell__per_handoff(lab->cells, NULL, NULL, WC_LAB_INSNS) == 200);
	assert_true(wc_lab_cell__per_handoff(lab->cells, "find", NULL, WC_LAB_INSNS) == 100);
	assert_true(wc_lab_cell__per_handoff(lab->cells, "find", "futex_wake", WC_LAB_STLB) == 0.3);
	assert_true(wc_lab_cell__per_handoff(lab->cells, "wait", NULL, WC_LAB_INSNS) == 0);
	wc_lab__free(lab);
}

static void half_a_report_is_none(void **state)
{
	static const char *const bad[] = {
		"",
		"end\n",
		"find futex_wake 860 100 7 6 5 4 3\n",
		"find futex_wake 860 100 7 6 5 4\nend\n",
		"find futex_wake 860 100 7 6 5 4 x\nend\n",
	};
	struct wc_lab *lab = wc_lab__new();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_not_equal(read_report(lab, bad[i]), 0);
	wc_lab__free(lab);
}

static void seeds_are_averaged(void **state)
{
	struct wc_lab *lab = wc_lab__new();

	(void)state;
	assert_int_equal(read_report(lab, "find a 100 0 0 0 0 0 0\nend\n"), 0);
	assert_int_equal(read_report(lab, "find a 300 0 0 0 0 0 0\nend\n"), 0);
	assert_int_equal(read_report(lab, "find a 900 0 0 0 0 0 0\nend\n"), 0);
	lab->cells[0].handoffs = lab->cells[1].handoffs = lab->cells[2].handoffs = 1;
	free(lab->cells[2].params);
	lab->cells[2].params = strdup("parked=1");
	assert_true(wc_lab__mean(lab, &lab->cells[1], "find", "a", WC_LAB_INSNS) == 200);
	assert_true(wc_lab__mean(lab, &lab->cells[2], "find", "a", WC_LAB_INSNS) == 900);
	assert_true(wc_lab__is_first(lab, &lab->cells[0]));
	assert_false(wc_lab__is_first(lab, &lab->cells[1]));
	assert_true(wc_lab__is_first(lab, &lab->cells[2]));
	assert_ptr_equal(wc_lab__baseline(lab, &lab->cells[2]), &lab->cells[0]);
	wc_lab__free(lab);
}

static void check_workload(const char *text, int ok, const char *said)
{
	struct wc_lab_cell cell = { 0 };
	char why[256] = "";

	write_file(text);
	assert_int_equal(!wc_report__workload(&cell, path, why, sizeof(why)), ok);
	if (ok)
		assert_int_equal(cell.handoffs, 997);
	else
		assert_non_null(strstr(why, said));
}

static void workload_speaks(void **state)
{
	(void)state;
	check_workload("{\"params\":{\"handoffs\":1001},\"threads_cnt\":2,\"results\":[{"
		       "\"waits_per_handoff\":1.0000}]}\nlab: status 0\n",
		       1, "");
	check_workload("{\"params\":{\"handoffs\":4},\"threads_cnt\":2,"
		       "\"waits_per_handoff\":1}\nlab: status 0\n",
		       0, "too seldom");
	check_workload("wakecost-workload: parked: no such\nlab: status 2\n", 0, "no such");
	check_workload("{\"params\":{\"handoffs\":997}", 0, "no result");
	check_workload("{\"params\":{\"handoffs\":997}}\nlab: status 0\n", 0, "not understood");
}

static void archives_are_the_same_bytes(void **state)
{
	const struct wc_cpio_file files[] = { { "proc", NULL }, { "init", "/proc/self/exe" } };
	size_t first_len, len;
	char *first, *again;

	(void)state;
	assert_int_equal(wc_cpio__write(path, files, 2), 0);
	first = wc_file__slurp(path, 256u << 20, &first_len);
	assert_int_equal(wc_cpio__write(path, files, 2), 0);
	again = wc_file__slurp(path, 256u << 20, &len);
	assert_int_equal(len, first_len);
	assert_memory_equal(first, again, len);
	assert_memory_equal(first, "070701", 6);
	assert_int_equal(len % 4, 0);
	free(first);
	free(again);
}

static void archive_of_what_is_not_there(void **state)
{
	const struct wc_cpio_file files[] = { { "init", "/nonexistent" } };

	(void)state;
	assert_int_not_equal(wc_cpio__write(path, files, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(report_is_read),
		cmocka_unit_test(half_a_report_is_none),
		cmocka_unit_test(seeds_are_averaged),
		cmocka_unit_test(workload_speaks),
		cmocka_unit_test(archives_are_the_same_bytes),
		cmocka_unit_test(archive_of_what_is_not_there),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
