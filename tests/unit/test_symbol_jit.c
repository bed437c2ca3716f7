/* SPDX-License-Identifier: BSD-2-Clause */
/* Code made at run time, and processes in namespaces of their own. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "tests/unit/program.h"
#include "user/symbol/symbol.h"

/* Maps a page to run, says where, and waits. With an argument it writes the map itself. */
#define JIT_SOURCE                                                                    \
	"#include <stdio.h>\n#include <sys/mman.h>\n#include <unistd.h>\n"            \
	"int main(int argc, char **argv) { char path[64]; FILE *f;\n"                 \
	"void *p = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,\n"               \
	"	MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"                                     \
	"if (argc > 1) { sprintf(path, \"/tmp/perf-%d.map\", getpid());\n"            \
	"	f = fopen(path, \"w\"); fprintf(f, \"%lx 100 %s\\n\", (long)p, argv[1]);\n" \
	"	fclose(f); }\n"                                                             \
	"printf(\"%d %p %p\\n\", argc > 2 ? 0 : getpid(), p, (void *)main);\n"        \
	"fflush(stdout); pause(); }\n"

static int setup(void **state)
{
	int err = program__open(state);

	if (err)
		return err;
	program__write("jit.c", JIT_SOURCE);
	program__sh("gcc -w -o jit jit.c");
	return 0;
}

static struct wc_symbol find(struct wc_symbols *s, pid_t tgid, uint64_t ip)
{
	struct wc_symbol out;

	assert_int_equal(wc_symbols__user(s, tgid, ip, true, &out, 1), 1);
	return out;
}

static void map_path(char *path, size_t sz, pid_t pid)
{
	snprintf(path, sz, "/tmp/perf-%d.map", pid);
}

static void write_map(pid_t pid, const char *fmt, uint64_t addr)
{
	char path[64];
	FILE *f;

	map_path(path, sizeof(path), pid);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%" PRIx64 " 100 %s\n", addr, fmt);
	fclose(f);
}

static void remove_map(pid_t pid)
{
	char path[64];

	map_path(path, sizeof(path), pid);
	unlink(path);
}

static void a_map_may_appear_late_even_after_death(void **state)
{
	struct wc_symbols *s = wc_symbols__new();
	struct wc_symbol out;
	struct program p;
	uint64_t ip;
	pid_t pid;

	(void)state;
	program__start(&p, "./jit");
	pid = p.tgid;
	ip = p.addrs[0];
	assert_int_equal(wc_symbols__snapshot(s, pid), 0);
	out = find(s, pid, ip + 3);
	assert_string_equal(out.name, "[unknown]");
	assert_string_equal(out.module, "[anon]");
	assert_int_equal(out.addr, ip + 3);
	assert_int_equal(wc_symbols__look_again(s, pid), -ENOENT);
	write_map(pid, "early_fn", ip);
	assert_int_equal(wc_symbols__look_again(s, pid), 0);
	out = find(s, pid, ip + 3);
	assert_string_equal(out.name, "early_fn");
	assert_string_equal(out.module, "[jit]");
	assert_int_equal(out.kind, WC_SYMBOL_JIT);
	assert_int_equal(out.addr, ip);
	assert_int_equal(out.offset, 3);
	program__stop(&p);
	write_map(pid, "late_fn", ip);
	assert_int_equal(wc_symbols__look_again(s, pid), 0);
	assert_string_equal(find(s, pid, ip).name, "late_fn");
	remove_map(pid);
	/* What was held when it was there is still good. */
	assert_int_equal(wc_symbols__look_again(s, pid), 0);
	assert_string_equal(find(s, pid, ip).name, "late_fn");
	wc_symbols__free(s);
}

static void assert_refused(struct program *p)
{
	struct wc_symbols *s = wc_symbols__new();
	const char *const *warnings;
	size_t cnt;

	assert_int_equal(wc_symbols__snapshot(s, p->tgid), 0);
	assert_string_equal(find(s, p->tgid, p->addrs[0]).name, "[unknown]");
	assert_int_equal(wc_symbols__look_again(s, p->tgid), -EPERM);
	warnings = wc_symbols__warnings(s, &cnt);
	assert_int_equal(cnt, 1);
	assert_non_null(strstr(warnings[0], "is not used"));
	wc_symbols__free(s);
}

static void a_map_of_somebody_else_is_refused(void **state)
{
	struct wc_symbols *s = wc_symbols__new();
	struct program p;
	char path[64];

	(void)state;
	if (geteuid()) {
		print_message("needs root\n");
		wc_symbols__free(s);
		skip();
	}
	program__start(&p, "./jit");
	map_path(path, sizeof(path), p.tgid);
	write_map(p.tgid, "evil", p.addrs[0]);
	assert_int_equal(chown(path, 4242, 4242), 0);
	assert_refused(&p);
	/* A link, or a pipe that would never end, whoever owns it. */
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_refused(&p);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_refused(&p);
	unlink(path);
	program__stop(&p);
	/* Its own user's is good. */
	program__sh("chmod 755 . && chmod 755 jit");
	program__start(&p, "setpriv --reuid 4242 --regid 4242 --clear-groups ./jit own_fn");
	assert_int_equal(wc_symbols__snapshot(s, p.tgid), 0);
	assert_string_equal(find(s, p.tgid, p.addrs[0]).name, "own_fn");
	remove_map(p.tgid);
	program__stop(&p);
	wc_symbols__free(s);
}

/* In a pid namespace the process has another number than we see: find it among all. */
static pid_t child_of(pid_t pid)
{
	char path[64];
	int child = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%d", &child) != 1)
		child = 0;
	if (f)
		fclose(f);
	return child;
}

static void maps_of_other_namespaces(void **state)
{
	struct wc_symbols *s = wc_symbols__new();
	struct program p;
	pid_t pid;
	uint64_t jit, text;

	(void)state;
	if (geteuid() || program__try("unshare -mpf true")) {
		print_message("needs root and unshare\n");
		wc_symbols__free(s);
		skip();
	}
	/* Its /tmp and its own program are in mounts that go with it. */
	program__write("in.sh", "mount --make-rprivate /\nmkdir -p mnt\nmount -t tmpfs none mnt\n"
				"cp jit mnt/hidden\ncd mnt\nmount -t tmpfs none /tmp\n"
				"exec ./hidden inner_fn x\n");
	program__start(&p, "unshare -mpf --kill-child sh in.sh");
	pid = child_of(p.pid);
	assert_true(pid > 0);
	jit = p.addrs[0];
	text = p.addrs[1];
	assert_int_equal(wc_symbols__snapshot(s, pid), 0);
	program__stop(&p);
	assert_string_equal(find(s, pid, text).name, "main");
	assert_string_equal(find(s, pid, text).module, "hidden");
	assert_string_equal(find(s, pid, jit).name, "inner_fn");
	assert_int_equal(wc_symbols__look_again(s, pid), 0);
	wc_symbols__free(s);
}

/* The bind mount puts another file where ours finds the path. */
static void files_of_other_mount_namespaces(void **state)
{
	struct wc_symbols *s = wc_symbols__new();
	struct program p;

	(void)state;
	if (geteuid() || program__try("unshare -m true")) {
		print_message("needs root and unshare\n");
		wc_symbols__free(s);
		skip();
	}
	program__write("one.c",
		       "#include <stdio.h>\n#include <unistd.h>\nint FN(void) { return 1; }\n"
		       "int main(void) { printf(\"0 %p\\n\", (void *)FN); fflush(stdout);"
		       "pause(); }\n");
	program__sh(
		"gcc -w -DFN=outer_fn -o outer one.c && gcc -w -O2 -DFN=inner_fn -o other one.c");
	program__start(&p, "unshare -m sh -c 'mount --bind other outer && exec ./outer'");
	assert_int_equal(wc_symbols__snapshot(s, p.tgid), 0);
	assert_string_equal(find(s, p.tgid, p.addrs[0]).name, "inner_fn");
	program__stop(&p);
	wc_symbols__free(s);
}

static const char java_source[] =
	"public class Spin { static volatile long sum;\n"
	"static long hotMethod(long n) { long s = 0; for (long i = 0; i < n; i++) s += i ^ n;"
	" return s; }\n"
	"public static void main(String[] a) throws Exception {\n"
	"for (int i = 0; i < 30000; i++) sum += hotMethod(200);\n"
	"System.out.println(ProcessHandle.current().pid() + \" 0\"); System.out.flush();\n"
	"System.in.read(); } }\n";

/* The first line of the map with that text: the address it begins with. */
static uint64_t address_in_map(pid_t pid, const char *text)
{
	char path[64], line[1024];
	uint64_t at = 0;
	FILE *f;

	map_path(path, sizeof(path), pid);
	f = fopen(path, "r");
	while (f && !at && fgets(line, sizeof(line), f)) {
		if (strstr(line, text))
			at = strtoull(line, NULL, 16);
	}
	if (f)
		fclose(f);
	return at;
}

static void java_methods(void **state)
{
	struct wc_symbols *s = wc_symbols__new();
	struct program p;
	char cmd[128];
	uint64_t at;
	pid_t pid;

	(void)state;
	if (program__try("for c in java javac jcmd; do command -v $c || exit 1; done; "
			 "java -XX:+UnlockDiagnosticVMOptions -XX:+PrintFlagsFinal -version | "
			 "grep -q DumpPerfMapAtExit")) {
		print_message("needs a JDK of 17 or later\n");
		wc_symbols__free(s);
		skip();
	}
	program__write("Spin.java", java_source);
	program__sh("javac Spin.java && mkfifo stop");
	program__start(&p,
		       "java -Xshare:auto -XX:+PreserveFramePointer -XX:TieredStopAtLevel=1 "
		       "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -cp . Spin <>stop");
	pid = p.tgid;
	assert_int_equal(wc_symbols__snapshot(s, pid), 0);
	snprintf(cmd, sizeof(cmd), "jcmd %d Compiler.perfmap", pid);
	program__sh(cmd);
	at = address_in_map(pid, "Spin.hotMethod");
	if (!at)
		at = address_in_map(pid, "hotMethod");
	assert_true(at);
	assert_non_null(strstr(find(s, pid, at + 4).name, "hotMethod"));
	assert_int_equal(find(s, pid, at + 4).kind, WC_SYMBOL_JIT);
	remove_map(pid);
	/* Again, at its exit. */
	program__sh("echo >stop");
	waitpid(p.pid, NULL, 0);
	p.pid = 0;
	at = address_in_map(pid, "hotMethod");
	assert_true(at);
	assert_int_equal(wc_symbols__look_again(s, pid), 0);
	assert_non_null(strstr(find(s, pid, at).name, "hotMethod"));
	remove_map(pid);
	program__stop(&p);
	wc_symbols__free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_may_appear_late_even_after_death),
		cmocka_unit_test(a_map_of_somebody_else_is_refused),
		cmocka_unit_test(maps_of_other_namespaces),
		cmocka_unit_test(files_of_other_mount_namespaces),
		cmocka_unit_test(java_methods),
	};

	return cmocka_run_group_tests(tests, setup, program__close);
}
