/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of unwind tables, against readelf's reading of the same files; broken ones; real stacks. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <sys/prctl.h>

#include "tests/unit/program.h"
#include "user/experiment/walk.h"
#include "user/symbol/unwind.h"

#define COLUMNS_MAX 24
#define CIES_MAX    4096
#define LINE_BYTES  256

/* Functions with frames of every kind that a compiler makes. */
#define SOURCE                                                                              \
	"#include <alloca.h>\n#include <string.h>\nextern void use(void *);\n"              \
	"int leaf(int x) { return x * 3; }\n"                                               \
	"int saves(int a, int b) { use(&a); use(&b); return a + b; }\n"                     \
	"int big(void) { char b[100000]; memset(b, 1, sizeof(b)); use(b); return b[7]; }\n" \
	"int dynamic(int n) { char *p = alloca(n); use(p); return p[0]; }\n"                \
	"int many(int a, int b, int c, int d, int e, int f, int g, int h)\n"                \
	"{ if (a) { use(&b); if (c) return d; use(&e); } use(&f); return g + h + a; }\n"    \
	"int __attribute__((optimize(\"no-omit-frame-pointer\"))) framed(int x)\n"          \
	"{ use(&x); return x; }\n"                                                          \
	"struct s { char b[64]; } __attribute__((aligned(64)));\n"                          \
	"int aligned(void) { struct s s; use(&s); return s.b[3]; }\n"

static int setup(void **state)
{
	int err = program__open(state);

	if (err)
		return err;
	program__write("t.c", SOURCE);
	program__sh("gcc -w -O2 -fomit-frame-pointer -fPIC -shared -o t.so t.c");
	return 0;
}

/* What readelf says, a line at a time. */
struct reading {
	struct wc_cfi *cfi;
	struct wc_cfi_from from;
	char columns[COLUMNS_MAX][8];
	unsigned int column_cnt;
	/* of the CIEs so far */
	uint64_t cies[CIES_MAX];
	char rows[CIES_MAX][LINE_BYTES]; /* as written; they hold for FDEs that have none */
	char heads[CIES_MAX][LINE_BYTES];
	bool is_signal[CIES_MAX];
	unsigned int cie_cnt;
	/* of the description that is being read */
	bool in_fde, has_rows;
	unsigned int cie;
	uint64_t start, end;
	uint64_t row_at;
	char row[LINE_BYTES];
	unsigned int checked, with_row, ends;
};

static void read_columns(struct reading *r, const char *line)
{
	char copy[LINE_BYTES], *at = copy, *word;

	snprintf(copy, sizeof(copy), "%s", line);
	r->column_cnt = 0;
	while ((word = strsep(&at, " \n"))) {
		if (*word && r->column_cnt < COLUMNS_MAX)
			snprintf(r->columns[r->column_cnt++], sizeof(r->columns[0]), "%s", word);
	}
}

static const char *cell(const struct reading *r, const char *row, const char *column, char *out,
			size_t sz)
{
	char copy[LINE_BYTES], *at = copy, *word;
	unsigned int i = 0;

	snprintf(copy, sizeof(copy), "%s", row);
	while ((word = strsep(&at, " \n"))) {
		if (!*word || *word == '(') /* "r10 (r10)" is one */
			continue;
		if (i < r->column_cnt && !strcmp(r->columns[i], column)) {
			snprintf(out, sz, "%s", word);
			return out;
		}
		i++;
	}
	snprintf(out, sz, "u");
	return out;
}

static bool expected(const struct reading *r, const char *row, struct wc_row *out)
{
	char cfa[32], bp[32], ra[32];
	int bp_off = 0, off = 0;

	cell(r, row, "CFA", cfa, sizeof(cfa));
	cell(r, row, "rbp", bp, sizeof(bp));
	cell(r, row, "ra", ra, sizeof(ra));
	*out = (struct wc_row){ .kind = WC_ROW_END };
	if (r->is_signal[r->cie])
		return false;
	if (!strcmp(ra, "u"))
		return true;
	if (strcmp(ra, "c-8") != 0 ||
	    (strcmp(bp, "u") != 0 && strcmp(bp, "s") != 0 && sscanf(bp, "c-%d", &bp_off) != 1))
		return false;
	if (sscanf(cfa, "rsp+%d", &off) == 1)
		out->kind = WC_ROW_SP;
	else if (sscanf(cfa, "rbp+%d", &off) == 1)
		out->kind = off == 16 && bp_off == 16 ? WC_ROW_FP : WC_ROW_BP;
	else
		return false;
	out->cfa_off = off;
	out->bp_off = -bp_off;
	return off <= 1 << 20;
}

static void check_at(struct reading *r, uint64_t pc, const char *row)
{
	struct wc_row want, got;
	bool has = expected(r, row, &want);
	int err = wc_cfi__row(r->cfi, &r->from, pc, &got);

	r->checked++;
	r->with_row += has;
	r->ends += has && want.kind == WC_ROW_END;
	if (err != (has ? 0 : -ENOENT))
		fail_msg("%" PRIx64 ": %d for %s", pc, err, row);
	if (has &&
	    (got.kind != want.kind || (want.kind != WC_ROW_END &&
				       (got.cfa_off != want.cfa_off || got.bp_off != want.bp_off))))
		fail_msg("%" PRIx64 ": %d %d %d for %s", pc, got.kind, got.cfa_off, got.bp_off,
			 row);
}

/* The row before this address, from its first byte to its last. */
static void check_row(struct reading *r, uint64_t until)
{
	if (!r->in_fde || !r->row[0] || until <= r->row_at)
		return;
	check_at(r, r->row_at, r->row);
	check_at(r, until - 1, r->row);
}

static void end_description(struct reading *r)
{
	if (r->in_fde && !r->has_rows && r->end > r->start) {
		read_columns(r, r->heads[r->cie]);
		snprintf(r->row, sizeof(r->row), "%s", r->rows[r->cie]);
		r->row_at = r->start;
	}
	check_row(r, r->end);
	r->in_fde = r->has_rows = false;
	r->row[0] = '\0';
}

static void begin_description(struct reading *r, const char *line)
{
	uint64_t offset, length, id, cie;
	char augmentation[32];

	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64 " CIE \"%31[^\"]", &offset, &length,
		   &id, augmentation) == 4) {
		assert_true(r->cie_cnt < CIES_MAX);
		r->cie = r->cie_cnt;
		r->cies[r->cie_cnt] = offset;
		r->is_signal[r->cie_cnt++] = strchr(augmentation, 'S') != NULL;
	} else if (sscanf(line,
			  "%" SCNx64 " %" SCNx64 " %" SCNx64 " FDE cie=%" SCNx64 " pc=%" SCNx64
			  "..%" SCNx64,
			  &offset, &length, &id, &cie, &r->start, &r->end) == 6) {
		for (r->cie = 0; r->cie < r->cie_cnt && r->cies[r->cie] != cie; r->cie++)
			;
		assert_true(r->cie < r->cie_cnt);
		r->in_fde = true;
	}
}

static void read_line(struct reading *r, const char *line)
{
	uint64_t pc;
	char cfa[32];

	if (strstr(line, " CIE \"") || strstr(line, " FDE cie=") ||
	    strstr(line, "ZERO terminator")) {
		end_description(r);
		begin_description(r, line);
	} else if (strstr(line, "LOC ")) {
		read_columns(r, line);
		if (!r->in_fde && r->cie < CIES_MAX)
			snprintf(r->heads[r->cie], sizeof(r->heads[0]), "%s", line);
	} else if (sscanf(line, "%16" SCNx64 " %31s", &pc, cfa) == 2) {
		if (!r->in_fde) {
			snprintf(r->rows[r->cie], sizeof(r->rows[0]), "%s", line);
			return;
		}
		check_row(r, pc);
		r->has_rows = true;
		r->row_at = pc;
		snprintf(r->row, sizeof(r->row), "%s", line);
	}
}

/* All rows of a file; *r is left for its counts. */
static void compare(struct reading *r, const char *path)
{
	char cmd[512], line[LINE_BYTES];
	FILE *f;

	memset(r, 0, sizeof(*r));
	r->from.fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(r->from.fd >= 0);
	r->cfi = wc_cfi__new(&r->from);
	assert_non_null(r->cfi);
	snprintf(cmd, sizeof(cmd),
		 "readelf --debug-dump=no-follow-links --debug-dump=frames-interp %s", path);
	f = popen(cmd, "r"); /* NOLINT(cert-env33-c,bugprone-command-processor) */
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, ".debug_frame section"))
			break;
		read_line(r, line);
	}
	end_description(r);
	pclose(f);
	wc_cfi__free(r->cfi);
	close(r->from.fd);
}

static void rows_are_those_that_readelf_reads(void **state)
{
	static struct reading r;
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/t.so", program_dir);
	compare(&r, path);
	assert_in_range(r.with_row, 40, 1000);
	assert_true(r.with_row < r.checked); /* its PLT needs an expression */
}

static void rows_of_the_c_library(void **state)
{
	static struct reading r;
	Dl_info info;

	(void)state;
	/* one that no sanitizer puts itself before */
	assert_true(dladdr((void *)(uintptr_t)gnu_get_libc_version, &info));
	compare(&r, info.dli_fname);
	assert_true(r.with_row > 10000);
	assert_true(r.ends >= 2); /* where threads begin */
}

static unsigned char *read_whole(const char *name, size_t *sz)
{
	unsigned char *bytes = malloc(1 << 20);
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", program_dir, name);
	f = fopen(path, "r");
	assert_non_null(f);
	*sz = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

/* Exactly as long as it claims to be, so that reading past it is noticed. */
static unsigned int ask_all(const unsigned char *bytes, size_t sz)
{
	unsigned char *own = malloc(sz ? sz : 1);
	struct wc_cfi_from from = { -1, own, sz };
	unsigned int found = 0;
	struct wc_cfi *cfi;
	struct wc_row row;
	uint64_t vaddr;

	memcpy(own, bytes, sz);
	cfi = wc_cfi__new(&from);
	for (vaddr = 0x1000; cfi && vaddr < 0x1400; vaddr += 5) {
		if (wc_cfi__row(cfi, &from, vaddr, &row))
			continue;
		found++;
		assert_in_range(row.kind, WC_ROW_FP, WC_ROW_END);
		assert_in_range(row.cfa_off + (1 << 20), 0, 2 << 20);
		assert_true(row.cfa_off % 8 == 0 && row.bp_off % 8 == 0 && row.bp_off <= 0 &&
			    row.bp_off / 8 >= INT16_MIN);
	}
	wc_cfi__free(cfi);
	free(own);
	return found;
}

static void broken_files_give_wrong_rows_or_none(void **state)
{
	size_t sz, i, at, hdr;
	unsigned char *good = read_whole("t.so", &sz), *bad = malloc(sz);
	uint32_t seed = 20250301;
	unsigned int whole = ask_all(good, sz), differ = 0, n;

	(void)state;
	assert_true(whole > 50);
	/* the table begins with these four bytes, and what it leads to follows */
	hdr = (size_t)((unsigned char *)memmem(good, sz, "\1\x1b\3;", 4) - good);
	assert_true(hdr < sz);
	for (i = 0; i < 20000; i++) {
		memcpy(bad, good, sz);
		for (n = 0; n <= i % 4; n++) {
			seed = seed * 1664525 + 1013904223;
			at = i % 5 ? hdr + (seed >> 8) % 1200 : (seed >> 8) % 700;
			bad[at] = (unsigned char)(seed >> 24 ^ seed >> 5);
		}
		differ += ask_all(bad, i % 7 ? sz : hdr + (seed >> 8) % 1200) != whole;
	}
	assert_in_range(differ, 2000, 19999);
	free(good);
	free(bad);
}

/* A stack made up in our own memory. */
static void a_walk_by_rows(void **state)
{
	static uint64_t mem[4096] __attribute__((aligned(4096)));
	const uint64_t base = (uint64_t)(uintptr_t)mem;
	struct wc_walk w = { .tgid = getpid(), .ip = 1, .sp = base, .bp = 42 };

	(void)state;
	mem[2] = 1001; /* 24 bytes, bp not saved */
	assert_true(wc_walk__step(&w, &(struct wc_row){ WC_ROW_SP, 24, 0 }));
	assert_int_equal(w.ip, 1001);
	assert_int_equal(w.sp, base + 24);
	assert_int_equal(w.bp, 42);
	mem[3 + 2000] = base + 8 * 3000; /* 16 KiB, bp somewhere in it */
	mem[3 + 2047] = 1002;
	mem[3000] = 7; /* by the frame pointer */
	mem[3001] = 1003;
	assert_true(wc_walk__step(&w, &(struct wc_row){ WC_ROW_SP, 8 * 2048, 8 * (2000 - 2048) }));
	assert_int_equal(w.ip, 1002);
	assert_int_equal(w.bp, base + 8 * 3000);
	assert_true(wc_walk__step(&w, &(struct wc_row){ WC_ROW_FP, 16, -16 }));
	assert_int_equal(w.ip, 1003);
	assert_int_equal(w.sp, base + 8 * 3002);
	assert_int_equal(w.bp, 7);
	/* not aligned; downwards; nothing there; the end */
	assert_false(wc_walk__step(&w, &(struct wc_row){ WC_ROW_FP, 16, -16 }));
	w.bp = base;
	assert_false(wc_walk__step(&w, &(struct wc_row){ WC_ROW_FP, 16, -16 }));
	w.sp = 4096;
	assert_false(wc_walk__step(&w, &(struct wc_row){ WC_ROW_SP, 16, -16 }));
	w.sp = base;
	assert_false(wc_walk__step(&w, &(struct wc_row){ WC_ROW_END, 0, 0 }));
}

#define PROGRAM                                                                      \
	"#include <stdio.h>\n#include <unistd.h>\n#include <sys/mman.h>\n"           \
	"int __attribute__((noinline)) fn(int x) { pause(); return x + 1; }\n"       \
	"int main(int argc, char **argv) { void *m = mmap(0, 4096, 7, 34, -1, 0);\n" \
	"printf(\"0 %p %p\\n\", (void *)fn, m); fflush(stdout); return fn(argc) + 1; }\n"

static void rows_of_a_process(void **state)
{
	struct program p;
	struct wc_symbols *s = wc_symbols__new();
	struct wc_row row;

	(void)state;
	program__write("p.c", PROGRAM);
	program__sh("gcc -w -O2 -fomit-frame-pointer -fcf-protection=none -o p p.c");
	program__start(&p, "./p");
	assert_int_equal(wc_symbols__row(s, p.tgid, p.addrs[0], true, &row), -ENOENT);
	assert_int_equal(wc_symbols__snapshot(s, p.tgid), 0);
	assert_int_equal(wc_symbols__row(s, p.tgid, p.addrs[0], true, &row), 0);
	assert_int_equal(row.kind, WC_ROW_SP);
	assert_int_equal(row.cfa_off, 8);
	/* as a return address it is the end of what stands before, which has another frame or none */
	assert_true(wc_symbols__row(s, p.tgid, p.addrs[0], false, &row) || row.cfa_off != 8 ||
		    row.kind != WC_ROW_SP);
	assert_int_equal(wc_symbols__row(s, p.tgid, p.addrs[1] + 16, true, &row), -ENODATA);
	assert_int_equal(wc_symbols__row(s, p.tgid, 64, true, &row), -ENOENT);
	program__stop(&p);
	wc_symbols__free(s);
}

static void where_the_stack_starts(void **state)
{
	uint64_t own = wc_symbols__stack_start(getpid()), lo = 0, hi = 0;
	char line[512];
	FILE *f = fopen("/proc/self/maps", "r");

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, "[stack]"))
			assert_int_equal(sscanf(line, "%" SCNx64 "-%" SCNx64, &lo, &hi), 2);
	}
	fclose(f);
	assert_true(own >= lo && own < hi);
	prctl(PR_SET_NAME, "a) S 1 (2 3");
	assert_int_equal(wc_symbols__stack_start(getpid()), own);
	prctl(PR_SET_NAME, "test_cfi");
	assert_int_equal(wc_symbols__stack_start(0x7ffffffe), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_those_that_readelf_reads),
		cmocka_unit_test(rows_of_the_c_library),
		cmocka_unit_test(broken_files_give_wrong_rows_or_none),
		cmocka_unit_test(a_walk_by_rows),
		cmocka_unit_test(rows_of_a_process),
		cmocka_unit_test(where_the_stack_starts),
	};

	return cmocka_run_group_tests(tests, setup, program__close);
}
