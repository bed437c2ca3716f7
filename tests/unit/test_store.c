/* SPDX-License-Identifier: BSD-2-Clause */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>

#include "tests/unit/fixture.h"
#include "user/model/store.h"
#include "user/model/store_impl.h"
#include "user/output/output.h"

static char dir[64], path[128];

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/wakecost-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/run.data", dir);
	return 0;
}

static int teardown(void **state)
{
	char name[512];
	struct dirent *e;
	DIR *d = opendir(dir);

	(void)state;
	while ((e = readdir(d))) {
		snprintf(name, sizeof(name), "%s/%s", dir, e->d_name);
		if (*e->d_name != '.' || strlen(e->d_name) > 2)
			unlink(name);
	}
	closedir(d);
	return rmdir(dir);
}

static size_t file_cnt(void)
{
	size_t cnt = 0;
	DIR *d = opendir(dir);

	while (readdir(d))
		cnt++;
	closedir(d);
	return cnt - 2;
}

static void write_ok(const struct wc_result *r)
{
	char *err;
	int result = wc_store__write(r, path, &err);

	if (result)
		print_error("%s\n", err);
	assert_int_equal(result, 0);
	assert_null(err);
}

static void write_fails(const struct wc_result *r, int want, const char *words)
{
	char *err;

	assert_int_equal(wc_store__write(r, path, &err), want);
	assert_non_null(err);
	if (!strstr(err, words))
		print_error("%s\n", err);
	assert_non_null(strstr(err, words));
	free(err);
}

static struct wc_result *read_ok(const char *from)
{
	struct wc_result *r;
	char *err;
	int result = wc_store__read(from, &r, &err);

	if (result)
		print_error("%s\n", err);
	assert_int_equal(result, 0);
	return r;
}

static void read_fails(int want, const char *words)
{
	struct wc_result *r;
	char *err;
	int result = wc_store__read(path, &r, &err);

	if (result != want)
		print_error("%d %s\n", result, err);
	assert_int_equal(result, want);
	assert_null(r);
	assert_non_null(strstr(err, words));
	free(err);
}

static void put_file(const void *bytes, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static unsigned char *get_file(const char *from, size_t *len)
{
	FILE *f = fopen(from, "r");
	unsigned char *bytes;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*len = (size_t)ftell(f);
	rewind(f);
	bytes = malloc(*len);
	assert_int_equal(fread(bytes, 1, *len, f), *len);
	fclose(f);
	return bytes;
}

/* ---- what is written is what is read ---- */

static void same_kvs(const struct wc_kvs *a, const struct wc_kvs *b)
{
	assert_int_equal(a->cnt, b->cnt);
	for (size_t i = 0; i < a->cnt; i++) {
		assert_string_equal(a->items[i].key, b->items[i].key);
		assert_string_equal(a->items[i].value, b->items[i].value);
	}
}

static void same_round(const struct wc_round *a, const struct wc_round *b)
{
	assert_int_equal(a->index, b->index);
	assert_int_equal(a->order, b->order);
	assert_int_equal(a->warmup, b->warmup);
	assert_int_equal(a->complete, b->complete);
	assert_int_equal(a->parked_cnt, b->parked_cnt);
	assert_true(a->chain_cnt == b->chain_cnt);
	assert_int_equal(a->futex_slots, b->futex_slots);
	assert_memory_equal(a->spans, b->spans, sizeof(a->spans));
	assert_memory_equal(&a->bare.handoff, &b->bare.handoff, sizeof(a->bare.handoff));
	assert_memory_equal(&a->probed.handoff, &b->probed.handoff, sizeof(a->bare.handoff));
	assert_int_equal(a->bare.cpu_ns, b->bare.cpu_ns);
	assert_int_equal(a->probed.csw_involuntary_cnt, b->probed.csw_involuntary_cnt);
	assert_int_equal(a->probed.elapsed_ns, b->probed.elapsed_ns);
	assert_memory_equal(a->other, b->other, sizeof(a->other));
	assert_memory_equal(a->counters, b->counters, sizeof(a->counters));
	assert_memory_equal(a->contexts, b->contexts, sizeof(a->contexts));
	assert_int_equal(a->pair_cnt, b->pair_cnt);
	if (a->pair_cnt)
		assert_memory_equal(a->pairs, b->pairs, a->pair_cnt * sizeof(*a->pairs));
	for (unsigned int c = 0; c < WC_CLASS_CNT; c++) {
		for (unsigned int m = 0; m < WC_METRIC_CNT; m++) {
			assert_int_equal(!a->hists[c][m], !b->hists[c][m]);
			if (a->hists[c][m])
				assert_memory_equal(a->hists[c][m], b->hists[c][m],
						    sizeof(struct wc_hist));
		}
	}
}

static void same_access(const struct wc_access *a, const struct wc_access *b)
{
	assert_int_equal(a->pattern, b->pattern);
	assert_int_equal(a->huge, b->huge);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->lines, b->lines);
	assert_true(a->ns == b->ns && a->q1 == b->q1 && a->q3 == b->q3);
}

static void same_result(const struct wc_result *a, const struct wc_result *b)
{
	assert_string_equal(a->schema, b->schema);
	assert_string_equal(a->tool_version, b->tool_version);
	assert_string_equal(a->command_line, b->command_line);
	assert_string_equal(a->shape, b->shape);
	assert_true(a->seed == b->seed);
	assert_int_equal(a->started_s, b->started_s);
	assert_int_equal(a->rounds_wanted, b->rounds_wanted);
	assert_int_equal(a->interrupted, b->interrupted);
	same_kvs(&a->params, &b->params);
	same_kvs(&a->host, &b->host);
	same_kvs(&a->counters, &b->counters);
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		assert_int_equal(a->stages[i].status, b->stages[i].status);
		assert_string_equal(a->stages[i].shown_as, b->stages[i].shown_as);
		assert_string_equal(a->stages[i].probe, b->stages[i].probe);
		assert_string_equal(a->stages[i].why, b->stages[i].why);
	}
	assert_int_equal(a->access_cnt, b->access_cnt);
	for (size_t i = 0; i < a->access_cnt; i++)
		same_access(&a->accesses[i], &b->accesses[i]);
	assert_int_equal(a->warning_cnt, b->warning_cnt);
	for (size_t i = 0; i < a->warning_cnt; i++)
		assert_string_equal(a->warnings[i], b->warnings[i]);
	assert_int_equal(a->cell_cnt, b->cell_cnt);
	for (size_t i = 0; i < a->cell_cnt; i++) {
		same_kvs(&a->cells[i].params, &b->cells[i].params);
		assert_int_equal(a->cells[i].round_cnt, b->cells[i].round_cnt);
		for (size_t k = 0; k < a->cells[i].round_cnt; k++)
			same_round(&a->cells[i].rounds[k], &b->cells[i].rounds[k]);
	}
}

static void there_and_back(void **state)
{
	struct wc_result *r = fix_result(), *back;

	(void)state;
	fix_counters(r);
	r->interrupted = true;
	*wc_result__add_access(r) =
		(struct wc_access){ WC_ACCESS_BYTES, true, 4096, 64, 1.5, 1, 2 };
	*wc_result__add_access(r) = (struct wc_access){ WC_ACCESS_PAGES, false, 8192, 2, 3, 2, 4 };
	write_ok(r);
	assert_int_equal(file_cnt(), 1);
	back = read_ok(path);
	same_result(r, back);
	wc_result__free(back);
	wc_result__free(r);
}

/* Recordings of the first version stay readable: this file is never made anew. */
static void a_recording_of_old(void **state)
{
	const char *mode = getenv("WAKECOST_GOLDEN");
	struct wc_result *r = fix_result(), *back;

	(void)state;
	if (mode && !strcmp(mode, "write-recording")) {
		strcpy(path, "tests/golden/v1.wakecost");
		write_ok(r);
	}
	back = read_ok("tests/golden/v1.wakecost");
	same_result(r, back);
	wc_result__free(back);
	wc_result__free(r);
}

static void nothing_comes_back_as_nothing(void **state)
{
	struct wc_result *r = wc_result__new(), *back;

	(void)state;
	write_ok(r);
	back = read_ok(path);
	assert_int_equal(back->cell_cnt, 0);
	assert_string_equal(back->stages[0].why, "");
	wc_result__free(back);
	wc_result__free(r);
}

static void slots_as_text(void **state)
{
	static const char *const bad[] = {
		"",
		"{",
		"{}x",
		"[]",
		"{\"1\":0}",
		"{\"1\":1,}",
		"{\"1\":1 }",
		"{\"2\":1,\"1\":1}",
		"{\"1\":-1}",
		"{\"1024\":1}",
		"{\"1\":1,\"1\":1}",
		"{,\"1\":1}",
		"{\"1\":9223372036854775808}",
		"{\"1\":9000000000000000000,\"2\":9000000000000000000}"
	};
	struct wc_hist h = { .count = 3 }, back;
	char *text;

	(void)state;
	h.slots[0] = 1;
	h.slots[1023] = 2;
	text = wc_store__encode_slots(&h);
	assert_string_equal(text, "{\"0\":1,\"1023\":2}");
	back.sum = 0;
	assert_int_equal(wc_store__decode_slots(text, &back), 0);
	assert_memory_equal(&h, &back, sizeof(h));
	free(text);
	assert_int_equal(wc_store__decode_slots("{}", &back), 0);
	assert_int_equal(back.count, 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(wc_store__decode_slots(bad[i], &back), -EBADMSG);
}

/* ---- replacing ---- */

static void the_previous_one_is_kept(void **state)
{
	struct wc_result *r = fix_result(), *old;
	char old_path[160];

	(void)state;
	write_ok(r);
	r->started_s++;
	write_ok(r);
	r->started_s++;
	write_ok(r);
	assert_int_equal(file_cnt(), 2);
	snprintf(old_path, sizeof(old_path), "%s.old", path);
	old = read_ok(old_path);
	assert_int_equal(old->started_s, r->started_s - 1);
	wc_result__free(old);
	wc_result__free(r);
}

static void what_is_not_ours_is_left_alone(void **state)
{
	static const char diary[] = "Dear diary,";
	struct wc_result *r = fix_result();
	unsigned char *bytes;
	size_t len;

	(void)state;
	put_file(diary, sizeof(diary));
	write_fails(r, -EEXIST, "is not a wakecost recording: not replaced");
	bytes = get_file(path, &len);
	assert_int_equal(len, sizeof(diary));
	assert_memory_equal(bytes, diary, len);
	assert_int_equal(file_cnt(), 1);
	free(bytes);
	/* a link is not followed, whatever it points to */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("elsewhere", path), 0);
	write_fails(r, -ELOOP, "symbolic link");
	/* another program's database is not ours either */
	assert_int_equal(unlink(path), 0);
	write_ok(r);
	bytes = get_file(path, &len);
	bytes[68] ^= 1;
	put_file(bytes, len);
	free(bytes);
	write_fails(r, -EEXIST, "not a wakecost recording");
	/* an empty file (mktemp) is */
	put_file("", 0);
	write_ok(r);
	wc_result__free(r);
}

static void a_full_disk_loses_nothing(void **state)
{
	struct wc_result *r = fix_result(), *back;
	struct rlimit was, small = { 4096, 4096 };
	char *err;
	int result;

	(void)state;
	write_ok(r);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	small.rlim_max = was.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	r->started_s++;
	result = wc_store__write(r, path, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(result, -EFBIG);
	assert_non_null(strstr(err, "cannot write"));
	free(err);
	assert_int_equal(file_cnt(), 1);
	back = read_ok(path);
	assert_int_equal(back->started_s, r->started_s - 1);
	wc_result__free(back);
	wc_result__free(r);
}

/* ---- reading strangers' files ---- */

static void not_a_recording(void **state)
{
	(void)state;
	read_fails(-ENOENT, "cannot read");
	put_file("", 0);
	read_fails(-EMEDIUMTYPE, "is not a wakecost recording");
	put_file("hello", 5);
	read_fails(-EMEDIUMTYPE, "is not a wakecost recording");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	read_fails(-EMEDIUMTYPE, "is not a wakecost recording");
	assert_int_equal(unlink(path), 0);
	strcpy(path, dir);
	read_fails(-EISDIR, "cannot read");
}

static void a_newer_one(void **state)
{
	struct wc_result *r = fix_result();
	unsigned char *bytes;
	size_t len;

	(void)state;
	write_ok(r);
	bytes = get_file(path, &len);
	bytes[63] = WC_STORE_VERSION + 1;
	put_file(bytes, len);
	read_fails(-EPROTONOSUPPORT, "newer wakecost (format 3, this one reads up to 2)");
	free(bytes);
	wc_result__free(r);
}

/* A recording with one statement more. */
static void write_with(const char *sql)
{
	struct wc_result *r = fix_result();
	sqlite3 *db;

	unlink(path);
	write_ok(r);
	wc_result__free(r);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
		print_error("%s: %s\n", sql, sqlite3_errmsg(db));
		fail();
	}
	sqlite3_close(db);
}

/* A query without end in the place of a table. */
static const char endless_host[] =
	"DROP TABLE host; CREATE VIEW host AS WITH RECURSIVE n(pos, key, value) AS"
	" (SELECT 1, 'a', 'b' UNION ALL SELECT pos + 1, key, value FROM n) SELECT * FROM n";

static void rows_that_lie(void **state)
{
	static const char *const lies[] = {
		"DROP TABLE round",
		"DELETE FROM cell WHERE id = 1",
		"DELETE FROM pair WHERE id = 3",
		"UPDATE cell SET id = 9 WHERE id = 3",
		"UPDATE round SET cell = 4 WHERE id = 0",
		"UPDATE round SET cell = -1 WHERE id = 0",
		"UPDATE round SET warmup = 2",
		"UPDATE round SET parked = 'many'",
		"UPDATE round SET idx = 4294967296",
		"UPDATE round SET id = 100 WHERE id = 31",
		"UPDATE phase SET round = 77 WHERE round = 1",
		"UPDATE phase SET handoffs = 1.5",
		"UPDATE phase SET sum_ns = -1",
		"UPDATE hist SET class = 7 WHERE class = 6",
		"UPDATE hist SET metric = 9 WHERE metric = 8",
		"UPDATE hist SET count = count + 1",
		"UPDATE hist SET slots = NULL WHERE 0; UPDATE hist SET slots = x'7b7d'",
		"UPDATE hist SET slots = '{\"5\":'",
		"UPDATE hist SET slots = printf('%.70000c', 'x')",
		"UPDATE round_counter SET counter = 999 WHERE counter = 0",
		"UPDATE pair SET waker_context = 5",
		"UPDATE pair_class SET pair = 1000000 WHERE pair = 1",
		"UPDATE pair_stage SET stage = 8",
		"UPDATE stage SET status = 'fine' WHERE id = 1",
		"UPDATE stage SET id = 8 WHERE id = 7",
		"UPDATE meta SET value = '-1' WHERE key = 'seed'",
		"UPDATE meta SET value = '99999999999999999999' WHERE key = 'seed'",
		"UPDATE meta SET value = '4294967296' WHERE key = 'rounds_wanted'",
		"UPDATE meta SET value = x'00' WHERE key = 'shape'",
		endless_host,
		"DROP TABLE warning; CREATE VIRTUAL TABLE warning USING fts5(pos, text)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		write_with(lies[i]);
		read_fails(-EBADMSG, "is damaged");
	}
}

static void too_much_of_a_thing(void **state)
{
	(void)state;
	write_with("WITH RECURSIVE n(i) AS (SELECT 5000 UNION ALL SELECT i + 1 FROM n"
		   " WHERE i < 12000) INSERT INTO host SELECT i, 'k' || i, 'v' FROM n");
	read_fails(-E2BIG, "more than wakecost would write");
	write_with("WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n"
		   " WHERE i < 5000) INSERT INTO cell_param SELECT 0, i, 'k' || i, 'v' FROM n");
	read_fails(-E2BIG, "more than wakecost would write");
	write_with("WITH RECURSIVE n(i) AS (SELECT 32 UNION ALL SELECT i + 1 FROM n"
		   " WHERE i < 20000) INSERT INTO round SELECT i, 0, 0, 0, 0, 0, 0, 0, 0 FROM n");
	read_fails(-E2BIG, "more than wakecost would write");
}

static void additions_are_let_pass(void **state)
{
	struct wc_result *r = fix_result(), *back;

	(void)state;
	write_with("CREATE TABLE mine(note TEXT); INSERT INTO mine VALUES('x');"
		   "INSERT INTO meta VALUES('colour', 'green')");
	back = read_ok(path);
	same_result(r, back);
	wc_result__free(back);
	wc_result__free(r);
}

/*
 * Whatever a file holds, reading ends in a result that can be printed or in an error. Bytes and
 * lengths come from a fixed seed: a failure can be had again.
 */
static void no_file_can_crash_the_reader(void **state)
{
	const struct wc_table_opts opts = { .wide = true, .by = WC_TABLE_BY_PAIR };
	struct wc_result *r = fix_result();
	unsigned char *good, *bad;
	unsigned int seed = 20, read = 0, refused = 0;
	FILE *null = fopen("/dev/null", "w");
	size_t len;

	(void)state;
	r->cell_cnt = 1; /* small: the more of it is structure */
	write_ok(r);
	r->cell_cnt = 4;
	wc_result__free(r);
	good = get_file(path, &len);
	bad = malloc(len);
	for (unsigned int i = 0; i < 400; i++) {
		size_t cut = i % 4 ? len : (size_t)rand_r(&seed) % len;
		unsigned int flips = i % 4 ? 1u << (i % 9) : 0;
		char *err;

		memcpy(bad, good, len);
		for (unsigned int k = 0; k < flips; k++)
			bad[(size_t)rand_r(&seed) % (i % 2 ? len : 8192)] ^=
				(unsigned char)(1 << rand_r(&seed) % 8);
		put_file(bad, cut);
		if (wc_store__read(path, &r, &err)) {
			assert_null(r);
			assert_non_null(err);
			free(err);
			refused++;
			continue;
		}
		read++;
		assert_int_equal(wc_out_table(null, r, &opts), 0);
		assert_int_equal(wc_out_json(null, r), 0);
		wc_result__free(r);
	}
	fclose(null);
	free(good);
	free(bad);
	assert_true(refused > 100); /* cut ones at the least */
	assert_true(read > 10);	    /* else nothing but the check of pages was tried */
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(there_and_back),
		TEST(a_recording_of_old),
		TEST(nothing_comes_back_as_nothing),
		cmocka_unit_test(slots_as_text),
		TEST(the_previous_one_is_kept),
		TEST(what_is_not_ours_is_left_alone),
		TEST(a_full_disk_loses_nothing),
		TEST(not_a_recording),
		TEST(a_newer_one),
		TEST(rows_that_lie),
		TEST(too_much_of_a_thing),
		TEST(additions_are_let_pass),
		TEST(no_file_can_crash_the_reader),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
