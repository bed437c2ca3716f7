/* SPDX-License-Identifier: BSD-2-Clause */
/* Files made to break whoever reads them: wrong, or none, may be the answer; never a crash. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>

#include "tests/unit/program.h"
#include "user/symbol/apart.h"
#include "user/symbol/image.h"

static unsigned char *original;
static size_t original_sz;
static uint32_t seed = 20240607;

static uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static int setup(void **state)
{
	char path[512];
	FILE *f;
	int err = program__open(state);

	if (err)
		return err;
	program__write("v.c", "static inline __attribute__((always_inline)) int in(int x)\n"
			      "{ volatile int a = x; return a * 2; }\n"
			      "int one(int x) { return in(x) + in(x + 1); }\n"
			      "int two(int x) { return in(x) - one(x); }\n"
			      "int main(int argc, char **argv) { return two(argc); }\n");
	program__sh("gcc -w -O1 -g -o v v.c && cp v m && strip -g m && xz m && "
		    "objcopy --add-section .gnu_debugdata=m.xz v");
	snprintf(path, sizeof(path), "%s/v", program_dir);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	original = malloc(1 << 20);
	original_sz = fread(original, 1, 1 << 20, f);
	return fclose(f);
}

static int teardown(void **state)
{
	free(original);
	return program__close(state);
}

/* Reads it in every way there is. Number of addresses that had a name. */
static unsigned int read_everything(const unsigned char *bytes, size_t sz)
{
	struct wc_pool *pool = wc_pool__new();
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct wc_image *image;
	struct wc_line lines[8];
	struct wc_apart *l;
	unsigned int named = 0;
	uint64_t at, vaddr;

	assert_int_equal(write(fd, bytes, sz), sz);
	image = wc_image__new(pool, fd, NULL, 0, -1, "", "v");
	assert_non_null(image);
	assert_int_equal(wc_image__load(image), 0);
	l = wc_image__lines(image);
	for (at = 0; at < 0x3000; at += 37) {
		if (wc_image__vaddr(image, at, &vaddr) && wc_image__function(image, vaddr))
			named++;
		if (l)
			assert_true(wc_apart__find(l, pool, at, lines, 8) >= 0);
	}
	wc_image__free(image);
	wc_pool__free(pool);
	return named;
}

static void the_whole_file_is_read(void **state)
{
	(void)state;
	assert_true(read_everything(original, original_sz) > 3);
}

static void cut_short_anywhere(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 150; i++)
		read_everything(original, i < 70 ? i : next_random() % original_sz);
}

static void with_flipped_bits(void **state)
{
	unsigned char *copy = malloc(original_sz);
	size_t i, n, cnt;

	(void)state;
	for (i = 0; i < 400; i++) {
		memcpy(copy, original, original_sz);
		cnt = 1 + next_random() % 24;
		for (n = 0; n < cnt; n++) {
			size_t where = next_random() % original_sz;

			/* Headers decide the most. */
			if (next_random() % 3 == 0)
				where = next_random() % 1024;
			else if (next_random() % 3 == 0)
				where = original_sz - 1 - next_random() % 4096;
			copy[where] ^= (unsigned char)(1u << next_random() % 8);
			if (next_random() % 4 == 0)
				copy[where] = 0xff;
		}
		read_everything(copy, original_sz);
	}
	free(copy);
}

static void no_elf_file_at_all(void **state)
{
	static const unsigned char text[] = "#!/bin/sh\necho hello\n";

	(void)state;
	assert_int_equal(read_everything(text, sizeof(text)), 0);
	assert_int_equal(read_everything((const unsigned char *)"!<arch>\n", 8), 0);
	assert_int_equal(read_everything((const unsigned char *)"", 0), 0);
}

/* Files cut short while they are being read: a mapping of them would be the end of us. */
static void cut_short_while_read(void **state)
{
	struct wc_pool *pool = wc_pool__new();
	int fd = memfd_create("elf", MFD_CLOEXEC), own = dup(fd);
	struct wc_image *image;
	struct wc_line lines[8];
	struct wc_apart *l;

	(void)state;
	assert_int_equal(write(fd, original, original_sz), original_sz);
	image = wc_image__new(pool, fd, NULL, 0, -1, "", "v");
	l = wc_image__lines(image);
	assert_non_null(l);
	assert_int_equal(ftruncate(own, 100), 0);
	assert_int_equal(wc_image__load(image), 0);
	assert_true(wc_apart__find(l, pool, 0x1140, lines, 8) >= 0);
	close(own);
	wc_image__free(image);
	wc_pool__free(pool);
}

/* CPU seconds to read a program of that many functions and to look that many addresses up. */
static double seconds_for(unsigned int functions, unsigned int lookups)
{
	struct wc_pool *pool = wc_pool__new();
	char cmd[256], path[256];
	struct wc_image *image;
	struct timespec a, b;
	unsigned int i, named = 0;
	uint64_t vaddr, text = 0;
	int fd;

	snprintf(cmd, sizeof(cmd),
		 "for i in $(seq %u); do printf '.globl fn_%%d\\n.type fn_%%d,@function\\nfn_%%d: "
		 "nop\\nnop\\nnop\\nnop\\n.size fn_%%d,.-fn_%%d\\n' $i $i $i $i $i; done >many.s",
		 functions);
	program__sh(cmd);
	program__sh("gcc -shared -Wl,-z,noexecstack -o many.so many.s");
	snprintf(path, sizeof(path), "%s/many.so", program_dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	image = wc_image__new(pool, fd, NULL, 0, -1, "", "many.so");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	assert_int_equal(wc_image__load(image), 0);
	for (i = 0; i < image->segment_cnt && !image->segments[i].exec; i++)
		text++;
	text = image->segments[text].offset;
	for (i = 0; i < lookups; i++) {
		if (wc_image__vaddr(image, text + i % (functions * 4), &vaddr) &&
		    wc_image__function(image, vaddr))
			named++;
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	assert_true(named > lookups / 2);
	wc_image__free(image);
	wc_pool__free(pool);
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

static void lookups_do_not_get_slower(void **state)
{
	double small = seconds_for(1000, 100000), large = seconds_for(10000, 1000000);

	(void)state;
	/* 100 if every lookup went through all functions. */
	assert_true(large < 30 * small + 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_file_is_read),
		cmocka_unit_test(cut_short_anywhere),
		cmocka_unit_test(with_flipped_bits),
		cmocka_unit_test(no_elf_file_at_all),
		cmocka_unit_test(cut_short_while_read),
		cmocka_unit_test(lookups_do_not_get_slower),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
