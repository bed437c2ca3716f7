// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "user/util/file.h"

static char dir[64];

static int enter_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/wakecost-file.XXXXXX");
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int leave_dir(void **state)
{
	DIR *d = opendir(".");
	struct dirent *e;

	(void)state;
	while ((e = readdir(d)))
		remove(e->d_name);
	closedir(d);
	return chdir("/") || rmdir(dir);
}

static void put(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0640);

	assert_true(fd >= 0);
	assert_int_equal(wc_file__write_all(fd, text, strlen(text)), 0);
	close(fd);
}

static void has(const char *name, const char *text)
{
	char buf[64];

	assert_true(wc_file__read(name, buf, sizeof(buf)) >= 0);
	assert_string_equal(buf, text);
}

static unsigned int entries(void)
{
	DIR *d = opendir(".");
	struct dirent *e;
	unsigned int cnt = 0;

	while ((e = readdir(d)))
		cnt += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return cnt;
}

/* Ours: begins with "our". */
static bool is_ours(int fd, void *ctx)
{
	char magic[3];

	++*(int *)ctx;
	return read(fd, magic, 3) == 3 && memcmp(magic, "our", 3) == 0;
}

static int asked;
static const struct wc_outfile_opts ours = { .is_ours = is_ours, .ctx = &asked, .keep_old = true };

static int write_out(const char *path, const struct wc_outfile_opts *opts, const char *text)
{
	struct wc_outfile *o;
	int err = wc_outfile__open(path, opts, &o);

	if (err) {
		assert_null(o);
		return err;
	}
	err = wc_file__write_all(wc_outfile__fd(o), text, strlen(text));
	if (!err)
		err = wc_outfile__commit(o);
	wc_outfile__discard(o);
	return err;
}

static void reads(void **state)
{
	char buf[8];
	uint64_t v = 77;

	(void)state;
	put("a", "one  \ntwo");
	assert_int_equal(wc_file__read("a", buf, sizeof(buf)), -EFBIG);
	assert_string_equal(buf, "one  \nt");
	assert_int_equal(wc_file__read_line("a", buf, sizeof(buf)), 3);
	assert_string_equal(buf, "one");
	put("b", "1234567");
	assert_int_equal(wc_file__read("b", buf, sizeof(buf)), 7);
	put("b", "12345678");
	assert_int_equal(wc_file__read_line("b", buf, sizeof(buf)), -EFBIG);
	assert_int_equal(wc_file__read("none", buf, sizeof(buf)), -ENOENT);
	assert_string_equal(buf, "");
	put("n", "16000\n");
	assert_int_equal(wc_file__read_u64("n", &v), 0);
	assert_int_equal(v, 16000);
	put("n", "max\n");
	assert_int_equal(wc_file__read_u64("n", &v), -EINVAL);
	put("n", "-1\n");
	assert_int_equal(wc_file__read_u64("n", &v), -EINVAL);
	assert_int_equal(v, 16000);
}

static void slurps(void **state)
{
	size_t len, sizes[] = { 0, 1, 4095, 4096, 4097, 100000 }, i;
	char *big = malloc(100001), *got;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(big, 'x', sizes[i]);
		big[sizes[i]] = '\0';
		put("big", big);
		got = wc_file__slurp("big", sizes[i], &len);
		assert_non_null(got);
		assert_int_equal(len, sizes[i]);
		assert_string_equal(got, big);
		free(got);
		if (sizes[i]) {
			assert_null(wc_file__slurp("big", sizes[i] - 1, &len));
			assert_int_equal(errno, EFBIG);
		}
	}
	free(big);
	got = wc_file__slurp("/proc/self/status", 1 << 20, NULL);
	assert_non_null(got);
	assert_non_null(strstr(got, "Threads:"));
	free(got);
}

static void new_output(void **state)
{
	struct stat st;
	mode_t mask = umask(027);

	(void)state;
	assert_int_equal(write_out("x", &ours, "our 1"), 0);
	umask(mask);
	has("x", "our 1");
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(entries(), 1);
}

static void nothing_until_commit(void **state)
{
	struct wc_outfile *o;

	(void)state;
	assert_int_equal(wc_outfile__open("x", &ours, &o), 0);
	assert_int_equal(access("x", F_OK), -1);
	assert_int_equal(access(wc_outfile__temp_path(o), F_OK), 0);
	assert_int_equal(entries(), 1);
	wc_outfile__discard(o);
	assert_int_equal(entries(), 0);
}

static void previous_becomes_old(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(write_out("x", &ours, "our 1"), 0);
	assert_int_equal(chmod("x", 0604), 0);
	assert_int_equal(write_out("x", &ours, "our 2"), 0);
	assert_int_equal(write_out("x", &ours, "our 3"), 0);
	has("x", "our 3");
	has("x.old", "our 2");
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0604);
	assert_int_equal(entries(), 2);
}

static void foreign_files_stay(void **state)
{
	struct wc_outfile_opts never = { 0 };

	(void)state;
	put("x", "theirs");
	assert_int_equal(write_out("x", &ours, "our"), -EEXIST);
	assert_int_equal(write_out("x", &never, "our"), -EEXIST);
	assert_int_equal(write_out("x", NULL, "our"), -EEXIST);
	has("x", "theirs");
	put("y", "our 1");
	put("y.old", "theirs");
	assert_int_equal(write_out("y", &ours, "our 2"), -EEXIST);
	has("y", "our 1");
	has("y.old", "theirs");
	assert_int_equal(symlink("x", "link"), 0);
	assert_int_equal(write_out("link", &ours, "our"), -ELOOP);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(write_out("fifo", &ours, "our"), -EEXIST);
	assert_int_equal(entries(), 5);
}

static void bad_places(void **state)
{
	(void)state;
	assert_int_equal(write_out("none/x", &ours, "our"), -ENOENT);
	assert_int_equal(write_out("sub/", &ours, "our"), -EISDIR);
	assert_int_equal(write_out("..", &ours, "our"), -EISDIR);
	assert_int_equal(write_out("", &ours, "our"), -EISDIR);
	put("file", "our");
	assert_int_equal(write_out("file/x", &ours, "our"), -ENOTDIR);
}

static void changed_meanwhile(void **state)
{
	struct wc_outfile *o;

	(void)state;
	assert_int_equal(wc_outfile__open("x", &ours, &o), 0);
	put("x", "theirs");
	assert_int_equal(wc_outfile__commit(o), -EEXIST);
	wc_outfile__discard(o);
	has("x", "theirs");
	assert_int_equal(entries(), 1);

	assert_int_equal(wc_outfile__open("y", &ours, &o), 0);
	assert_int_equal(unlink(wc_outfile__temp_path(o)), 0);
	put(wc_outfile__temp_path(o), "somebody's");
	assert_int_equal(wc_outfile__commit(o), -ESTALE);
	wc_outfile__discard(o);
	assert_int_equal(access("y", F_OK), -1);
	assert_int_equal(entries(), 2);
}

static void owner_under_sudo(void **state)
{
	struct stat st;

	(void)state;
	if (geteuid() != 0)
		skip();
	setenv("SUDO_UID", "12345", 1);
	setenv("SUDO_GID", "23456", 1);
	assert_int_equal(write_out("x", &ours, "our 1"), 0);
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_uid, 12345);
	assert_int_equal(st.st_gid, 23456);
	/* A file that is replaced keeps its owner, whoever calls. */
	setenv("SUDO_UID", "777", 1);
	assert_int_equal(write_out("x", &ours, "our 2"), 0);
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_uid, 12345);
	setenv("SUDO_UID", "-1", 1);
	assert_int_equal(write_out("z", &ours, "our 2"), 0);
	assert_int_equal(stat("z", &st), 0);
	assert_int_equal(st.st_uid, 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(slurps, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(new_output, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(nothing_until_commit, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(previous_becomes_old, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(foreign_files_stay, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(bad_places, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(changed_meanwhile, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(owner_under_sudo, enter_dir, leave_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
