// SPDX-License-Identifier: BSD-2-Clause
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "user/util/arena.h"
#include "user/util/gz.h"
#include "user/util/strtab.h"

static void strings_are_kept_once(void **state)
{
	struct wc_strtab t = { 0 };
	char name[16];

	(void)state;
	assert_int_equal(wc_strtab__add(&t, ""), 0);
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < 5000; i++) {
			snprintf(name, sizeof(name), "name %u", i);
			assert_int_equal(wc_strtab__add(&t, name), i + 1);
		}
	}
	assert_int_equal(t.cnt, 5001);
	assert_string_equal(t.items[0], "");
	assert_string_equal(t.items[5000], "name 4999");
	wc_strtab__free(&t);
	assert_int_equal(wc_strtab__add(&t, "anew"), 0);
	wc_strtab__free(&t);
}

static void an_arena_gives_zeroed_room_apart(void **state)
{
	struct wc_arena a = { 0 };
	unsigned char *seen[2000];

	(void)state;
	for (size_t i = 0; i < 2000; i++) {
		size_t sz = i == 1000 ? 1 << 20 : i % 300;

		seen[i] = wc_arena__alloc(&a, sz);
		assert_non_null(seen[i]);
		assert_int_equal((size_t)seen[i] % _Alignof(max_align_t), 0);
		for (size_t k = 0; k < sz; k++)
			assert_int_equal(seen[i][k], 0);
		memset(seen[i], (int)(i % 251), sz);
	}
	for (size_t i = 0; i < 2000; i++)
		for (size_t k = 0; i != 1000 && k < i % 300; k++)
			assert_int_equal(seen[i][k], i % 251);
	assert_null(wc_arena__alloc(&a, (size_t)-1));
	wc_arena__free(&a);
	assert_null(a.blocks);
}

static void what_is_compressed_reads_back(void **state)
{
	char path[] = "/tmp/wakecost-test-gz-XXXXXX", *back;
	unsigned char plain[100000], *packed, *again;
	size_t len, again_len;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (unsigned char)(i * i >> 7);
	assert_int_equal(wc_gz__compress(plain, sizeof(plain), (void **)&packed, &len), 0);
	assert_true(len < sizeof(plain) && packed[0] == 0x1f && packed[1] == 0x8b);
	assert_int_equal(wc_gz__compress(plain, sizeof(plain), (void **)&again, &again_len), 0);
	assert_int_equal(len, again_len);
	assert_memory_equal(packed, again, len);
	assert_int_equal(write(fd, packed, len), len);
	close(fd);
	assert_int_equal(wc_gz__read_file(path, 1 << 20, &back), sizeof(plain));
	assert_memory_equal(back, plain, sizeof(plain));
	unlink(path);
	free(back);
	free(again);
	free(packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_kept_once),
		cmocka_unit_test(an_arena_gives_zeroed_room_apart),
		cmocka_unit_test(what_is_compressed_reads_back),
	};

	return cmocka_run_group_tests_name("strtab", tests, NULL, NULL);
}
