/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/unit/fixture_record.h"
#include "user/model/store.h"
#include "user/model/store_impl.h"
#include "user/output/output.h"
#include "user/output/record.h"

static char dir[64], path[128];

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/wakecost-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/record.data", dir);
	return 0;
}

static int teardown(void **state)
{
	char old[160];

	(void)state;
	snprintf(old, sizeof(old), "%s.old", path);
	unlink(path);
	unlink(old);
	return rmdir(dir);
}

static void write_ok(const struct wc_result *r, const char *to)
{
	char *err;

	if (wc_store__write(r, to, &err)) {
		print_error("%s\n", err);
		fail();
	}
}

static struct wc_result *read_ok(const char *from)
{
	struct wc_result *r;
	char *err;

	if (wc_store__read(from, &r, &err)) {
		print_error("%s\n", err);
		fail();
	}
	return r;
}

/* ---- there and back ---- */

static void same_tasks(const struct wc_profile *a, const struct wc_profile *b)
{
	assert_int_equal(a->task_cnt, b->task_cnt);
	for (size_t i = 0; i < a->task_cnt; i++) {
		const struct wc_task *x = &a->tasks[i], *y = &b->tasks[i];

		assert_int_equal(x->tid, y->tid);
		assert_int_equal(x->tgid, y->tgid);
		assert_int_equal(x->ns_tid, y->ns_tid);
		assert_string_equal(x->comm, y->comm);
		assert_string_equal(x->process, y->process);
		assert_int_equal(x->kernel_thread, y->kernel_thread);
		assert_int_equal(x->exited, y->exited);
		assert_int_equal(x->outside, y->outside);
		assert_int_equal(x->switched_in_cnt, y->switched_in_cnt);
	}
}

static void same_edges(const struct wc_profile *a, const struct wc_profile *b)
{
	assert_int_equal(a->edge_cnt, b->edge_cnt);
	for (size_t i = 0; i < a->edge_cnt; i++) {
		const struct wc_edge *x = &a->edges[i], *y = &b->edges[i];

		assert_memory_equal(x, y, offsetof(struct wc_edge, hists));
		for (unsigned int m = 0; m < WC_METRIC_CNT; m++) {
			struct wc_phist none = { { 0 } };

			if (y->hists[m])
				assert_memory_equal(x->hists[m], y->hists[m], sizeof(none));
			else if (x->hists[m])
				assert_memory_equal(x->hists[m], &none, sizeof(none));
		}
	}
}

static void same_stacks(const struct wc_profile *a, const struct wc_profile *b)
{
	assert_int_equal(a->frame_cnt, b->frame_cnt);
	for (size_t i = 0; i < a->frame_cnt; i++) {
		const struct wc_frame *x = &a->frames[i], *y = &b->frames[i];

		assert_int_equal(x->kind, y->kind);
		assert_string_equal(x->name, y->name);
		assert_string_equal(x->module, y->module);
		assert_string_equal(x->build_id, y->build_id);
		assert_string_equal(x->file, y->file);
		assert_int_equal(x->line, y->line);
		assert_true(x->addr == y->addr);
	}
	assert_int_equal(a->stack_cnt, b->stack_cnt);
	for (size_t i = 0; i < a->stack_cnt; i++) {
		const struct wc_stack *x = &a->stacks[i], *y = &b->stacks[i];

		assert_int_equal(x->user, y->user);
		assert_int_equal(x->truncated, y->truncated);
		assert_int_equal(x->frame_cnt, y->frame_cnt);
		assert_memory_equal(x->frames, y->frames, x->frame_cnt * sizeof(*x->frames));
	}
	assert_int_equal(a->chain_cnt, b->chain_cnt);
	assert_memory_equal(a->chains, b->chains, a->chain_cnt * sizeof(*a->chains));
}

static void same_profile(const struct wc_profile *a, const struct wc_profile *b)
{
	same_tasks(a, b);
	same_edges(a, b);
	same_stacks(a, b);
	assert_int_equal(a->open_cnt, b->open_cnt);
	for (size_t i = 0; i < a->open_cnt; i++) {
		assert_int_equal(a->opens[i].task, b->opens[i].task);
		assert_int_equal(a->opens[i].woken, b->opens[i].woken);
		assert_int_equal(a->opens[i].since_ns, b->opens[i].since_ns);
	}
	assert_int_equal(a->cpu_cnt, b->cpu_cnt);
	assert_memory_equal(a->cpus, b->cpus, a->cpu_cnt * sizeof(*a->cpus));
	assert_int_equal(a->event_cnt, b->event_cnt);
	assert_memory_equal(a->events, b->events, a->event_cnt * sizeof(*a->events));
	assert_memory_equal(&a->window_ns, &b->window_ns,
			    sizeof(*a) - offsetof(struct wc_profile, window_ns));
}

static void there_and_back(void **state)
{
	struct wc_result *r = rec_result(), *back;

	(void)state;
	r->profile->chains[2].edge = WC_NONE;
	r->profile->clock_offset_ns = (uint64_t)-5; /* a clock set before the machine was on */
	write_ok(r, path);
	back = read_ok(path);
	assert_string_equal(back->schema, "wakecost.record/1");
	assert_non_null(back->profile);
	same_profile(r->profile, back->profile);
	wc_result__free(back);
	wc_result__free(r);
}

/* Recordings of this version stay readable: this file is never made anew. */
static void a_recording_of_old(void **state)
{
	const char *mode = getenv("WAKECOST_GOLDEN");
	struct wc_result *r = rec_result(), *back;

	(void)state;
	if (mode && !strcmp(mode, "write-recording"))
		write_ok(r, "tests/golden/v2.wakecost");
	back = read_ok("tests/golden/v2.wakecost");
	same_profile(r->profile, back->profile);
	wc_result__free(back);
	wc_result__free(r);
}

static void a_run_has_no_profile(void **state)
{
	struct wc_result *r = fix_result(), *back;

	(void)state;
	write_ok(r, path);
	back = read_ok(path);
	assert_null(back->profile);
	wc_result__free(back);
	back = read_ok("tests/golden/v1.wakecost");
	assert_null(back->profile);
	wc_result__free(back);
	wc_result__free(r);
}

/* What the reader would refuse is cut by the writer. */
static void names_and_stacks_without_end(void **state)
{
	struct wc_result *r = rec_result(), *back;
	uint32_t frames[5000] = { 0 }, stack;
	struct wc_task *t = &r->profile->tasks[0];

	(void)state;
	free(t->process);
	t->process = malloc(100001);
	memset(t->process, 'x', 100000);
	t->process[100000] = '\0';
	stack = wc_profile__stack(r->profile, frames, 5000, true, false);
	write_ok(r, path);
	back = read_ok(path);
	assert_int_equal(strlen(back->profile->tasks[0].process), 65536);
	assert_int_equal(back->profile->stacks[stack].frame_cnt, 4096);
	assert_true(back->profile->stacks[stack].truncated);
	wc_result__free(back);
	wc_result__free(r);
}

/* ---- packing ---- */

static void packed_histograms(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} bad[] = {
		{ "\x00", 1 },			       /* no run */
		{ "\x00\x00", 2 },		       /* a run of none */
		{ "\x00\x01", 2 },		       /* its count is missing */
		{ "\x00\x01\x00", 3 },		       /* a count of none */
		{ "\x00\x02\x05", 3 },		       /* one of two */
		{ "\x80\x02\x01\x05", 4 },	       /* begins behind the last slot */
		{ "\xff\x01\x02\x05\x05", 5 },	       /* ends there */
		{ "\x00\x01\x80\x80\x80\x80\x10", 7 }, /* more than 32 bits */
		{ "\x00\x01\xff\xff\xff\xff\xff\x01", 8 },
		{ "\x00\x01\x85", 3 }, /* goes on and does not */
	};
	struct wc_phist h = { { 0 } }, back;
	unsigned char bytes[WC_STORE_PHIST_MAX];
	size_t len;

	(void)state;
	h.slots[0] = 1;
	h.slots[1] = UINT32_MAX;
	h.slots[255] = 300;
	len = wc_store__encode_phist(&h, bytes);
	assert_int_equal(len, 2 + 1 + 5 + 3 + 2);
	assert_int_equal(wc_store__decode_phist(bytes, len, &back), 0);
	assert_memory_equal(&h, &back, sizeof(h));
	for (unsigned int i = 0; i < WC_PHIST_SLOT_CNT; i++)
		h.slots[i] = UINT32_MAX;
	len = wc_store__encode_phist(&h, bytes);
	assert_in_range(len, 1, sizeof(bytes));
	assert_int_equal(wc_store__decode_phist(bytes, len, &back), 0);
	assert_memory_equal(&h, &back, sizeof(h));
	for (unsigned int i = 0; i < WC_PHIST_SLOT_CNT; i += 2)
		h.slots[i] = 0;
	len = wc_store__encode_phist(&h, bytes);
	assert_in_range(len, 1, sizeof(bytes));
	assert_int_equal(wc_store__decode_phist(bytes, len, &back), 0);
	assert_memory_equal(&h, &back, sizeof(h));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(wc_store__decode_phist((const unsigned char *)bad[i].bytes,
							bad[i].len, &back),
				 -EBADMSG);
}

static void packed_lists(void **state)
{
	static const char *const bad[] = { "",	    "[",    "]",    "[1",  "[1,]",  "[,1]",
					   "[1 ]",  "[-1]", "[10]", "[]x", "[1;2]", "[99999999999]",
					   "[1,,2]" };
	uint32_t items[] = { 7, 0, 9 }, *back, cnt;
	char *text = wc_store__encode_list(items, 3);

	(void)state;
	assert_string_equal(text, "[7,0,9]");
	assert_int_equal(wc_store__decode_list(text, 10, &back, &cnt), 0);
	assert_int_equal(cnt, 3);
	assert_memory_equal(items, back, sizeof(items));
	free(back);
	free(text);
	assert_int_equal(wc_store__decode_list("[]", 0, &back, &cnt), 0);
	assert_int_equal(cnt, 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(wc_store__decode_list(bad[i], 10, &back, &cnt), -EBADMSG);
		assert_null(back);
	}
}

/* ---- strangers' files ---- */

/* A query without end in the place of a table. */
static const char endless_task[] =
	"DROP TABLE task; CREATE VIEW task AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL"
	" SELECT i + 1 FROM n) SELECT i AS id, 1 AS tid, 1 AS tgid, 1 AS ns_tid, 'x' AS comm,"
	" 'x' AS process, 0 AS kernel_thread, 0 AS exited, 0 AS outside, 0 AS switched_in FROM n";

static void rows_that_lie(void **state)
{
	static const char *const lies[] = {
		"DROP TABLE event",
		"INSERT INTO profile SELECT * FROM profile",
		"UPDATE profile SET window_ns = -1",
		"UPDATE profile SET stack_every = 4294967296",
		"UPDATE task SET id = 99 WHERE id = 3",
		"UPDATE task SET tid = 'x'",
		"UPDATE task SET exited = 2",
		"DELETE FROM task WHERE id = 9",
		"UPDATE edge SET waker = 10 WHERE id = 0",
		"UPDATE edge SET waker = -1 WHERE id = 0",
		"UPDATE edge SET wakee = 4294967295",
		"UPDATE edge SET context = 5",
		"DELETE FROM edge WHERE id = 7",
		"UPDATE edge_class SET edge = 8 WHERE edge = 1",
		"UPDATE edge_class SET wakes = 1.5",
		"UPDATE edge_stage SET metric = 9 WHERE metric = 8",
		"UPDATE edge_stage SET slots = 'text' WHERE slots IS NOT NULL",
		"UPDATE edge_stage SET slots = x''",
		"UPDATE edge_stage SET slots = x'00ff'",
		"UPDATE edge_stage SET slots = zeroblob(100000)",
		"UPDATE frame SET kind = 5",
		"UPDATE frame SET line = -1",
		"DELETE FROM frame WHERE id = 0",
		"UPDATE stack SET frames = '[0,1,1000000]'",
		"UPDATE stack SET frames = '[0,1'",
		"UPDATE stack SET frames = printf('[%.70000c]', '0')",
		"UPDATE stack SET user = 7",
		"UPDATE chain SET wakee_user = 100 WHERE id = 0",
		"UPDATE chain SET edge = 8 WHERE id = 0",
		"UPDATE chain SET weight = -5",
		"UPDATE chain_stage SET stage = 8 WHERE stage = 7",
		"UPDATE chain_stage SET chain = 3 WHERE chain = 2",
		"UPDATE open_end SET task = 10",
		"UPDATE open_end SET woken = 3",
		"UPDATE cpu_stage SET cpu = 1 WHERE cpu = 0",
		"UPDATE cpu SET cpu = 4294967296 WHERE cpu = 2",
		"UPDATE event SET class = 7",
		"UPDATE event SET waker_tid = -1",
		"UPDATE event SET switch = 'soon'",
		endless_task,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct wc_result *r = rec_result(), *back;
		sqlite3 *db;
		char *err;

		unlink(path);
		write_ok(r, path);
		wc_result__free(r);
		assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
		if (sqlite3_exec(db, lies[i], NULL, NULL, NULL) != SQLITE_OK) {
			print_error("%s: %s\n", lies[i], sqlite3_errmsg(db));
			fail();
		}
		assert_true(sqlite3_total_changes(db) > 0 || strstr(lies[i], "DROP"));
		sqlite3_close(db);
		if (!wc_store__read(path, &back, &err))
			print_error("believed: %s\n", lies[i]);
		assert_null(back);
		assert_non_null(strstr(err, "is damaged"));
		free(err);
	}
}

/* Whatever a file holds, reading ends in something that can be printed, or in an error. */
static void no_file_can_crash_the_reader(void **state)
{
	const struct wc_report_opts stacks = { .by = WC_BY_STACK, .wide = true };
	const struct wc_report_opts pairs = { .fold_names = true };
	struct wc_result *r = rec_result();
	unsigned int seed = 30, read = 0, refused = 0;
	FILE *null = fopen("/dev/null", "w"), *f;
	unsigned char *good, *bad;
	struct stat st;

	(void)state;
	write_ok(r, path);
	wc_result__free(r);
	f = fopen(path, "r");
	assert_int_equal(fstat(fileno(f), &st), 0);
	good = malloc((size_t)st.st_size);
	bad = malloc((size_t)st.st_size);
	assert_int_equal(fread(good, 1, (size_t)st.st_size, f), st.st_size);
	fclose(f);
	for (unsigned int i = 0; i < 400; i++) {
		char *err;

		memcpy(bad, good, (size_t)st.st_size);
		for (unsigned int k = 0; k < 1u << i % 7; k++)
			bad[100 + (size_t)rand_r(&seed) % (size_t)(st.st_size - 100)] ^=
				(unsigned char)(1 << rand_r(&seed) % 8);
		f = fopen(path, "w");
		assert_int_equal(fwrite(bad, 1, (size_t)st.st_size, f), st.st_size);
		fclose(f);
		if (wc_store__read(path, &r, &err)) {
			free(err);
			refused++;
			continue;
		}
		read++;
		if (r->profile) {
			assert_int_equal(wc_out_record_table(null, r, &stacks), 0);
			assert_int_equal(wc_out_record_table(null, r, &pairs), 0);
		}
		assert_int_equal(wc_out_json(null, r), 0);
		assert_int_equal(wc_out_csv(null, r), 0);
		wc_result__free(r);
	}
	fclose(null);
	free(good);
	free(bad);
	assert_true(refused > 40);
	assert_true(read > 40);
}

/* ---- size ---- */

#define BIG_PAIRS  32768
#define BIG_HISTS  4096 /* of them have quantiles */
#define BIG_STACKS 16384

/* Three octaves wide, as a stage's times are: some 25 slots, counts of one to three digits. */
static void fill_hist(struct wc_phist *h, unsigned int *seed)
{
	unsigned int middle = 40 + (unsigned int)rand_r(seed) % 80;

	for (unsigned int i = 0; i < 25; i++)
		h->slots[middle + i] = 1 + (unsigned int)rand_r(seed) % (i < 12 ? 500 : 40);
}

static void fill_pairs(struct wc_profile *p, unsigned int *seed)
{
	for (unsigned int i = 0; i < BIG_PAIRS; i++) {
		struct wc_edge *e;

		rec_task(p, 1000 + i, 1000, "pool-1-thread-1", "java");
		e = wc_profile__add_edge(p);
		e->waker = i;
		e->wakee = i ? i - 1 : 0;
		e->wakes[WC_CLASS_DELAYED] = 100000 + i;
		e->total = e->blocked = (struct wc_sum){ 100000 + i, 345678901 + i };
		for (unsigned int m = 0; m < WC_METRIC_CNT; m++) {
			if (i < BIG_HISTS) {
				e->hists[m] = calloc(1, sizeof(*e->hists[m]));
				fill_hist(e->hists[m], seed);
			}
			if (m < WC_STAGE_CNT)
				e->stages[m] = (struct wc_sum){ 100000 + i, 45678901 + i };
		}
	}
}

/* 40 frames deep, of 4,000 functions. */
static void fill_stacks(struct wc_profile *p, unsigned int *seed)
{
	uint32_t frames[40];
	char name[96];

	for (unsigned int i = 0; i < 4000; i++) {
		struct wc_frame f = { .kind = WC_FRAME_USER,
				      .name = name,
				      .module = "libjvm.so",
				      .build_id = "0123456789abcdef0123456789abcdef01234567",
				      .file = "src/hotspot/share/runtime/thread.cpp",
				      .line = i,
				      .addr = 0x12340000 + i * 16 };

		snprintf(name, sizeof(name), "java.util.concurrent.locks.LockSupport.park%u", i);
		wc_profile__frame(p, &f);
	}
	for (unsigned int i = 0; i < BIG_STACKS; i++) {
		struct wc_chain *c;

		for (unsigned int k = 0; k < 40; k++)
			frames[k] = (uint32_t)rand_r(seed) % 4000;
		wc_profile__stack(p, frames, 40, i & 1, false);
		c = wc_profile__add_chain(p);
		*c = (struct wc_chain){ .edge = i * 2 % BIG_PAIRS,
					.weight = 640,
					.sampled_cnt = 10,
					.total_ns = 12345678,
					.blocked_ns = 123456789 };
		c->waker_user = i | 1;
		c->wakee_user = i ^ 3;
		c->waker_kernel = c->wakee_kernel = i & ~1u;
		for (unsigned int k = 0; k < WC_STAGE_CNT; k++)
			c->stage_ns[k] = 1234567 + i;
	}
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void full_tables_stay_small(void **state)
{
	struct wc_result *r = rec_result(), *back;
	unsigned int seed = 7;
	struct stat st;
	double began;

	(void)state;
	wc_profile__free(r->profile);
	r->profile = wc_profile__new();
	r->profile->window_ns = 60000000000ull;
	r->profile->stack_every = 64;
	fill_pairs(r->profile, &seed);
	fill_stacks(r->profile, &seed);
	write_ok(r, path);
	wc_result__free(r);
	assert_int_equal(stat(path, &st), 0);
	began = seconds();
	back = read_ok(path);
	print_message("%.1f MB, read in %.2f s of CPU\n", (double)st.st_size / 1e6,
		      seconds() - began);
	assert_int_equal(back->profile->chain_cnt, BIG_STACKS);
	assert_in_range(st.st_size, 1, 20000000);
	wc_result__free(back);
}

/* A minute of 500 000 wakes a second, one in 64 kept. */
#define BIG_EVENTS 468750

static void single_wakes_are_not_in_the_way(void **state)
{
	struct wc_result *r = rec_result(), *back;
	struct wc_event e = r->profile->events[0];
	double began;
	char *err;

	(void)state;
	r->profile->events = reallocarray(r->profile->events, BIG_EVENTS, sizeof(e));
	assert_non_null(r->profile->events);
	for (unsigned int i = 0; i < BIG_EVENTS; i++) {
		r->profile->events[i] = e;
		for (unsigned int b = 0; b < WC_BND_CNT; b++)
			e.at_ns[b] += e.at_ns[b] ? 128000 : 0;
	}
	r->profile->event_cnt = BIG_EVENTS;
	write_ok(r, path);
	began = seconds();
	assert_int_equal(wc_store__read_sums(path, &back, &err), 0);
	print_message("sums beside %u single wakes: read in %.2f s of CPU\n", BIG_EVENTS,
		      seconds() - began);
	assert_int_equal(back->profile->event_cnt, 0);
	same_tasks(r->profile, back->profile);
	same_edges(r->profile, back->profile);
	wc_result__free(back);
	back = read_ok(path);
	assert_int_equal(back->profile->event_cnt, BIG_EVENTS);
	assert_memory_equal(&back->profile->events[BIG_EVENTS - 1],
			    &r->profile->events[BIG_EVENTS - 1], sizeof(e));
	wc_result__free(back);
	wc_result__free(r);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(there_and_back),
		cmocka_unit_test(a_recording_of_old),
		TEST(a_run_has_no_profile),
		TEST(names_and_stacks_without_end),
		cmocka_unit_test(packed_histograms),
		cmocka_unit_test(packed_lists),
		TEST(rows_that_lie),
		TEST(no_file_can_crash_the_reader),
		TEST(full_tables_stay_small),
		TEST(single_wakes_are_not_in_the_way),
	};

	return cmocka_run_group_tests_name("store of profiles", tests, NULL, NULL);
}
