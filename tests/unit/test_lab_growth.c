// SPDX-License-Identifier: BSD-2-Clause
/* Growth of a lab's cells told apart, its points beside times, its file read again, its pictures. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "user/lab/read.h"
#include "user/model/lab_growth.h"
#include "user/model/lab_points.h"
#include "user/output/lab.h"
#include "user/util/file.h"

static void add_row(struct wc_lab_cell *cell, const char *stage, const char *function,
		    uint64_t insns, uint64_t l1d)
{
	struct wc_lab_row *row = wc_lab_cell__add_row(cell);

	assert_non_null(row);
	row->stage = strdup(stage);
	row->function = strdup(function);
	row->counts[WC_LAB_INSNS] = insns;
	row->counts[WC_LAB_L1D] = l1d;
}

static struct wc_lab_cell *add_cell(struct wc_lab *lab, const char *kernel, const char *scheduler,
				    const char *params, uint64_t seed)
{
	struct wc_lab_cell *cell = wc_lab__add_cell(lab);

	assert_non_null(cell);
	cell->kernel = strdup(kernel);
	cell->scheduler = strdup(scheduler);
	cell->release = strdup("6.1.0-test");
	cell->params = strdup(params);
	cell->seed = seed;
	cell->handoffs = 10;
	cell->waits_per_handoff = 1;
	return cell;
}

/* A chain that grows by 200 instructions and 3 lines, and 20 lines on a path that is the same. */
static struct wc_lab *made(void)
{
	struct wc_lab *lab = wc_lab__new();
	struct wc_lab_cell *c;

	lab->shape = strdup("handoff");
	lab->emulator = strdup("QEMU emulator version 7.2");
	lab->model = strdup("l1d=32K:8");
	c = add_cell(lab, "6.1", "CFS", "background=futex-own parked=0", 1);
	add_row(c, "find", "futex_wake", 800, 0);
	add_row(c, "pick", "schedule", 9200, 0);
	c = add_cell(lab, "6.1", "CFS", "background=futex-own parked=4000", 1);
	add_row(c, "find", "futex_wake", 2700, 20);
	add_row(c, "pick", "schedule", 9210, 100);
	add_row(c, "pick", "seldom", 20, 0);
	c = add_cell(lab, "6.1", "CFS", "background=futex-own parked=4000", 2);
	add_row(c, "find", "futex_wake", 2900, 40);
	add_row(c, "pick", "schedule", 9190, 300);
	return lab;
}

static bool near(double a, double b)
{
	return a - b < 1e-9 && b - a < 1e-9;
}

static void two_growths_are_told_apart(void **state)
{
	struct wc_lab *lab = made();
	struct wc_lab_growth g;

	(void)state;
	assert_int_equal(wc_lab_growth__of(lab, &lab->cells[1], &lab->cells[0], &g), 0);
	assert_int_equal(g.cnt, 3);
	assert_true(near(g.base[WC_LAB_INSNS], 1000));
	assert_true(near(g.now[WC_LAB_INSNS], 1201)); /* mean of the seeds: 1193 and 1209 */
	assert_true(near(g.now_min, 1193));
	assert_true(near(g.now_max, 1209));
	assert_true(near(g.path[WC_LAB_INSNS], 200));
	assert_true(near(g.path[WC_LAB_L1D], 3));
	assert_true(near(g.same[WC_LAB_INSNS], 1)); /* a row of one seed only counts half */
	assert_true(near(g.same[WC_LAB_L1D], 20));
	/* 400 for 20 lines and 230 for the path: the heaviest is that of the lines */
	assert_string_equal(g.items[0].function, "futex_wake");
	assert_true(g.items[0].path);
	assert_false(g.items[1].path);
	assert_int_equal(wc_lab_growth__kind(&g), WC_LAB_BOTH);
	wc_lab_growth__free(&g);
	/* against itself nothing grows */
	assert_int_equal(wc_lab_growth__of(lab, &lab->cells[0], &lab->cells[0], &g), 0);
	assert_int_equal(wc_lab_growth__kind(&g), WC_LAB_NEITHER);
	assert_true(near(g.path[WC_LAB_INSNS], 0) && near(g.same[WC_LAB_L1D], 0));
	wc_lab_growth__free(&g);
	wc_lab__free(lab);
}

static void said_in_words(void **state)
{
	struct wc_lab *lab = made();
	char *text = wc_lab__say(lab, &lab->cells[1]);

	(void)state;
	assert_non_null(strstr(text,
			       "6.1 (CFS), 4,000 parked, each on its own futex against nobody "
			       "parked: a longer path and more misses: +201 instructions"));
	assert_non_null(strstr(text, "200 of them in futex_wake (find), the only function"));
	assert_non_null(strstr(text, "same instructions: L1d +20.0"));
	free(text);
	wc_lab__free(lab);
}

static void points_stand_beside_what_was_published(void **state)
{
	struct wc_lab *lab = made();
	struct wc_lab_point *points;
	char words[128];
	size_t cnt;

	(void)state;
	assert_int_equal(wc_lab_points__of(lab, NULL, &points, &cnt), 0);
	assert_int_equal(cnt, 4); /* two of the lab, and virtual threads, which no kernel sees */
	assert_true(near(points[0].book_ratio, 1));
	assert_true(points[1].book_ratio > 21 && points[1].book_ratio < 22);
	assert_null(points[2].params);
	assert_int_equal(points[1].host.n, 0);
	free(points);
	assert_string_equal(
		wc_lab__words(lab, "background=pause parked=16000", words, sizeof(words)),
		"16,000 parked in pause()");
	assert_false(wc_lab__is_largest(lab, &lab->cells[0]));
	assert_true(wc_lab__is_largest(lab, &lab->cells[1]));
	/* nothing published, and no plain words, for what has something else besides */
	assert_string_equal(wc_lab__words(lab, "parked=4000 gap_ns=7", words, sizeof(words)),
			    "parked=4000 gap_ns=7");
	wc_lab__free(lab);
}

static char dir[] = "/tmp/wc-lab-growth-XXXXXX";
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

static char *json_of(const struct wc_lab *lab)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_int_equal(wc_out_lab_json(f, lab), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void write_file(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void a_file_is_read_as_it_was_written(void **state)
{
	struct wc_lab *lab = made(), *again;
	char *before = json_of(lab), *after, why[256];

	(void)state;
	write_file(before, strlen(before));
	assert_true(wc_lab__is_file(path));
	assert_int_equal(wc_lab__read(path, &again, why, sizeof(why)), 0);
	after = json_of(again);
	assert_string_equal(before, after);
	free(before);
	free(after);
	wc_lab__free(lab);
	wc_lab__free(again);
}

/* Cut anywhere, or with a byte turned: read or refused with a sentence, never more. */
static void damaged_files_are_refused(void **state)
{
	struct wc_lab *lab = made(), *again;
	char *text = json_of(lab), why[256];
	size_t len = strlen(text), i;

	(void)state;
	for (i = 0; i < len - 2; i += 7) {
		write_file(text, i);
		*why = '\0';
		assert_int_not_equal(wc_lab__read(path, &again, why, sizeof(why)), 0);
		assert_true(*why != '\0');
	}
	for (i = 0; i < len; i += 5) {
		char was = text[i];

		text[i] = '9';
		write_file(text, len);
		if (!wc_lab__read(path, &again, why, sizeof(why)))
			wc_lab__free(again);
		text[i] = was;
	}
	write_file("[]", 2);
	assert_false(wc_lab__is_file(path));
	assert_int_not_equal(wc_lab__read(path, &again, why, sizeof(why)), 0);
	free(text);
	wc_lab__free(lab);
}

static void flame_is_by_the_handoff(void **state)
{
	struct wc_lab *lab = made();
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_int_equal(
		wc_out_lab_flame(f, lab, &lab->cells[1], &lab->cells[0], WC_LAB_INSNS, false), 0);
	assert_int_equal(fclose(f), 0);
	assert_non_null(strstr(text, "Change in instructions of a handoff"));
	/* all handoffs of both seeds, and what they are divided by */
	assert_non_null(strstr(text, "data-total=\"24020\""));
	assert_non_null(strstr(text, "data-per=\"20\""));
	assert_non_null(strstr(text, "data-base=\"20000\""));
	assert_non_null(strstr(text, "1201.0 instructions a handoff"));
	assert_non_null(strstr(text, "counted in an emulated machine: no time"));
	free(text);
	f = open_memstream(&text, &len);
	assert_int_equal(wc_out_lab_flame(f, lab, &lab->cells[1], NULL, WC_LAB_STLB, false),
			 -ENODATA);
	fclose(f);
	free(text);
	wc_lab__free(lab);
}

/* Names of kernels and functions come from files of anybody. */
static void page_holds_no_foreign_markup(void **state)
{
	struct wc_lab *lab = made();
	const struct wc_lab *labs[] = { lab };
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	free(lab->cells[1].rows[0].function);
	lab->cells[1].rows[0].function = strdup("<script>alert(1)</script>");
	free(lab->emulator);
	lab->emulator = strdup("<b>\"&");
	assert_int_equal(wc_out_lab_html(f, labs, 1, NULL), 0);
	assert_int_equal(fclose(f), 0);
	assert_null(strstr(text, "<script>alert"));
	assert_null(strstr(text, "<b>"));
	assert_non_null(strstr(text, "id=\"growth-1\""));
	assert_non_null(strstr(text, "data:image/svg+xml;base64,"));
	assert_non_null(strstr(text, WC_LAB_HTML_MAGIC));
	free(text);
	wc_lab__free(lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_growths_are_told_apart),
		cmocka_unit_test(said_in_words),
		cmocka_unit_test(points_stand_beside_what_was_published),
		cmocka_unit_test(a_file_is_read_as_it_was_written),
		cmocka_unit_test(damaged_files_are_refused),
		cmocka_unit_test(flame_is_by_the_handoff),
		cmocka_unit_test(page_holds_no_foreign_markup),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
