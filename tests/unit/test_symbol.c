/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of real programs, built here so that the right answers are known. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#include "tests/unit/program.h"
#include "user/symbol/symbol.h"

/* Says where its functions are, and waits. */
#define SOURCE                                                                     \
	"#include <stdio.h>\n#include <unistd.h>\n"                                \
	"static int __attribute__((noinline)) local_fn(int x) { return x * 3; }\n" \
	"int __attribute__((noinline)) FN(int x) { return local_fn(x) + 1; }\n"    \
	"int main(int argc, char **argv) { (void)argv;\n"                          \
	"printf(\"0 %p %p %p\\n\", (void *)FN, (void *)local_fn, (void *)main);\n" \
	"fflush(stdout); pause(); return FN(argc); }\n"

static int setup(void **state)
{
	int err = program__open(state);

	if (!err)
		program__write("a.c", SOURCE);
	return err;
}

static struct wc_symbols *seen(pid_t tgid)
{
	struct wc_symbols *s = wc_symbols__new();

	assert_non_null(s);
	assert_int_equal(wc_symbols__snapshot(s, tgid), 0);
	return s;
}

static struct wc_symbol find(struct wc_symbols *s, pid_t tgid, uint64_t ip, bool leaf)
{
	struct wc_symbol out;

	memset(&out, 0xff, sizeof(out));
	assert_int_equal(wc_symbols__user(s, tgid, ip, leaf, &out, 1), 1);
	return out;
}

static void assert_named(struct wc_symbols *s, pid_t tgid, uint64_t ip, const char *name,
			 const char *module)
{
	struct wc_symbol out = find(s, tgid, ip, true);

	assert_string_equal(out.name, name);
	assert_string_equal(out.module, module);
}

static void functions_of_every_kind_of_program(void **state)
{
	static const char *const flags[] = {
		"-O1 -pie -fPIE",
		"-O1 -no-pie",
		"-O1 -static",
		"-O1 -Wl,-z,noseparate-code",
		"-O1 -no-pie -Wl,-z,noseparate-code",
		"-O1 -Wl,-Ttext-segment=0x10000000 -no-pie",
	};
	char cmd[256];
	struct program p;
	struct wc_symbols *s;
	struct wc_symbol out;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		snprintf(cmd, sizeof(cmd), "gcc -w -DFN=twice %s -o prog%zu a.c", flags[i], i);
		program__sh(cmd);
		snprintf(cmd, sizeof(cmd), "./prog%zu", i);
		program__start(&p, cmd);
		s = seen(p.tgid);
		assert_named(s, p.tgid, p.addrs[0], "twice", cmd + 2);
		assert_named(s, p.tgid, p.addrs[1], "local_fn", cmd + 2);
		assert_named(s, p.tgid, p.addrs[2] + 4, "main", cmd + 2);
		/* A return address right behind a function belongs to it. */
		out = find(s, p.tgid, p.addrs[0] + 1, false);
		assert_string_equal(out.name, "twice");
		assert_int_equal(out.offset, 0);
		assert_int_equal(out.kind, WC_SYMBOL_USER);
		assert_true(strlen(out.build_id) >= 16);
		/* The place in the file is the same however the program was loaded. */
		if (i == 1)
			assert_int_equal(out.addr, p.addrs[0]);
		assert_true(!strcmp(find(s, p.tgid, p.addrs[0], false).name, "local_fn"));
		wc_symbols__free(s);
		program__stop(&p);
	}
}

static void stripped_with_a_debug_file_beside_it(void **state)
{
	struct program p;
	struct wc_symbols *s;

	(void)state;
	program__sh("gcc -w -g -O1 -DFN=twice -Wl,--build-id=none -o linked a.c && "
		    "objcopy --only-keep-debug linked linked.debug && strip linked && "
		    "objcopy --add-gnu-debuglink=linked.debug linked && "
		    "mkdir .debug && mv linked.debug .debug");
	program__start(&p, "./linked");
	s = seen(p.tgid);
	assert_named(s, p.tgid, p.addrs[1], "local_fn", "linked");
	wc_symbols__free(s);
	/* One of another build is not believed. */
	program__sh("printf x >> .debug/linked.debug");
	s = seen(p.tgid);
	assert_named(s, p.tgid, p.addrs[1], "[unknown]", "linked");
	wc_symbols__free(s);
	program__stop(&p);
}

static void debug_file_by_build_id(void **state)
{
	struct program p;
	struct wc_symbols *s;
	struct wc_symbol out;

	(void)state;
	if (geteuid() || access("/usr/lib/debug", W_OK)) {
		print_message("needs root and /usr/lib/debug\n");
		skip();
	}
	/* An id nobody else has. */
	program__sh("id=77c057$(od -An -N9 -tx1 /dev/urandom | tr -d ' \\n'); "
		    "echo $id >id; gcc -w -g -O1 -DFN=twice -Wl,--build-id=0x$id -o byid a.c && "
		    "mkdir -p /usr/lib/debug/.build-id/77 && "
		    "objcopy --only-keep-debug byid /usr/lib/debug/.build-id/77/${id#77}.debug && "
		    "strip byid");
	program__start(&p, "./byid");
	s = seen(p.tgid);
	out = find(s, p.tgid, p.addrs[1], true);
	program__sh("id=$(cat id); rm /usr/lib/debug/.build-id/77/${id#77}.debug; "
		    "rmdir --ignore-fail-on-non-empty /usr/lib/debug/.build-id/77");
	assert_string_equal(out.name, "local_fn");
	assert_memory_equal(out.build_id, "77c057", 6);
	wc_symbols__free(s);
	program__stop(&p);
}

static void stripped_keeps_exported_names_alone(void **state)
{
	struct program p;
	struct wc_symbols *s;
	struct wc_symbol out;

	(void)state;
	program__sh("gcc -w -O1 -DFN=twice -rdynamic -o bare a.c && strip bare");
	program__start(&p, "./bare");
	s = seen(p.tgid);
	assert_named(s, p.tgid, p.addrs[0], "twice", "bare");
	out = find(s, p.tgid, p.addrs[1], true);
	assert_string_equal(out.name, "[unknown]");
	assert_string_equal(out.module, "bare");
	/* Where it is in the file. */
	assert_true(out.addr && out.addr < 0x100000);
	assert_int_equal(out.addr & 0xfff, p.addrs[1] & 0xfff);
	wc_symbols__free(s);
	program__stop(&p);
}

static void mini_debug_information(void **state)
{
	struct program p;
	struct wc_symbols *s;

	(void)state;
	if (program__try("command -v xz && command -v objcopy")) {
		print_message("needs xz and objcopy\n");
		skip();
	}
	program__sh("gcc -w -O1 -DFN=twice -rdynamic -o mini a.c && "
		    "objcopy --only-keep-debug mini m && strip --keep-symbol=local_fn m; "
		    "xz m && strip mini && objcopy --add-section .gnu_debugdata=m.xz mini");
	program__start(&p, "./mini");
	s = seen(p.tgid);
	assert_named(s, p.tgid, p.addrs[1], "local_fn", "mini");
	assert_named(s, p.tgid, p.addrs[0], "twice", "mini");
	wc_symbols__free(s);
	program__stop(&p);
}

static void deleted_and_replaced_files_are_those_mapped(void **state)
{
	struct program p;
	struct wc_symbols *s, *late;

	(void)state;
	program__sh("gcc -w -O1 -DFN=old_fn -o prog a.c");
	program__start(&p, "./prog");
	s = seen(p.tgid);
	program__sh("gcc -w -O2 -DFN=new_fn -include stdlib.h -o other a.c && mv other prog");
	/* Seen before it was replaced, and after. */
	late = seen(p.tgid);
	assert_named(s, p.tgid, p.addrs[0], "old_fn", "prog");
	assert_named(late, p.tgid, p.addrs[0], "old_fn", "prog");
	wc_symbols__free(late);
	program__sh("rm prog");
	late = seen(p.tgid);
	assert_named(late, p.tgid, p.addrs[0], "old_fn", "prog");
	wc_symbols__free(late);
	wc_symbols__free(s);
	program__stop(&p);
}

static void dead_processes_are_still_known(void **state)
{
	struct wc_symbol out;
	struct program p;
	struct wc_symbols *s;
	uint64_t started, ip;
	pid_t tgid;

	(void)state;
	program__sh("gcc -w -O1 -DFN=twice -o mortal a.c");
	program__start(&p, "./mortal");
	s = seen(p.tgid);
	started = wc_symbols__started(s, p.tgid);
	assert_true(started);
	tgid = p.tgid;
	ip = p.addrs[1];
	program__stop(&p);
	program__sh("rm mortal");
	assert_int_equal(wc_symbols__snapshot(s, tgid), -ESRCH);
	assert_named(s, tgid, ip, "local_fn", "mortal");
	assert_int_equal(wc_symbols__user_of(s, tgid, started, ip, true, &out, 1), 1);
	assert_string_equal(out.name, "local_fn");
	/* Another of the same number, not seen. */
	assert_int_equal(wc_symbols__user_of(s, tgid, started + 1, ip, true, &out, 1), 1);
	assert_string_equal(out.name, "[unknown]");
	assert_string_equal(out.module, "");
	assert_int_equal(out.addr, ip);
	wc_symbols__free(s);
}

static void libraries_loaded_later_are_added(void **state)
{
	struct program p;
	struct wc_symbols *s;
	uint64_t first, late;

	(void)state;
	program__write("lib.c", "int late_fn(int x) { return x + 2; }\n");
	program__write("host.c",
		       "#include <dlfcn.h>\n#include <stdio.h>\n#include <unistd.h>\n"
		       "int main(void) { void *l; char c;\n"
		       "printf(\"0 %p\\n\", (void *)main); fflush(stdout); read(0, &c, 1);\n"
		       "l = dlopen(\"./lib.so\", RTLD_NOW);\n"
		       "printf(\"%p\\n\", dlsym(l, \"late_fn\")); fflush(stdout); pause(); }\n");
	program__sh("gcc -w -shared -fPIC -o lib.so lib.c && gcc -w -o host host.c -ldl && "
		    "mkfifo go");
	program__start(&p, "./host <>go");
	first = p.addrs[0];
	s = seen(p.tgid);
	program__sh("echo >go");
	assert_int_equal(fscanf(p.out, "%" SCNx64, &late), 1);
	assert_named(s, p.tgid, late, "[unknown]", "");
	assert_int_equal(wc_symbols__snapshot(s, p.tgid), 0);
	assert_named(s, p.tgid, late, "late_fn", "lib.so");
	assert_named(s, p.tgid, first, "main", "host");
	wc_symbols__free(s);
	program__stop(&p);
}

static void names_may_hold_any_byte(void **state)
{
	static const char name[] = "p;\n \xff\xc3\xa9\"'<&";
	struct program p;
	struct wc_symbols *s;

	(void)state;
	program__sh("gcc -w -O1 -DFN=twice -o plain a.c && "
		    "mv plain \"$(printf 'p;\\n \\377\\303\\251\"'\"'\"'<&')\"");
	program__start(&p, "./p\\;*");
	s = seen(p.tgid);
	assert_named(s, p.tgid, p.addrs[0], "twice", name);
	wc_symbols__free(s);
	program__stop(&p);
}

static void cplusplus_names_are_demangled(void **state)
{
	struct program p;
	struct wc_symbols *s;

	(void)state;
	if (program__try("command -v g++")) {
		print_message("needs g++\n");
		skip();
	}
	program__write("b.cc",
		       "#include <cstdio>\n#include <unistd.h>\n"
		       "namespace ns { struct S { __attribute__((noinline)) int f(int x) "
		       "{ asm(\"\"); return x; } }; \n"
		       "__attribute__((noinline)) int g(int x, char *) { asm(\"\"); return x; } }\n"
		       "int main() { ns::S s; int (*g)(int, char *) = ns::g; "
		       "printf(\"0 %p\\n\", (void *)g); "
		       "fflush(stdout); pause(); return s.f(1); }\n");
	program__sh("g++ -w -O1 -o cpp b.cc");
	program__start(&p, "./cpp");
	s = seen(p.tgid);
	assert_named(s, p.tgid, p.addrs[0], "ns::g(int, char*)", "cpp");
	wc_symbols__free(s);
	program__stop(&p);
}

/* Lines matter here: they are asserted below. */
static const char inlines_source[] =
	"#include <stdio.h>\n#include <unistd.h>\n"				  /* 1, 2 */
	"volatile int sink; char where[1];\n"					  /* 3 */
	"static inline __attribute__((always_inline)) void *inner(int x)\n"	  /* 4 */
	"{ void *at; sink = x;\n"						  /* 5 */
	"asm volatile(\"lea 0(%%rip), %0\" : \"=r\"(at)); sink++; return at; }\n" /* 6 */
	"static inline __attribute__((always_inline)) void *middle(int x)\n"	  /* 7 */
	"{ sink = x;\n"								  /* 8 */
	"return inner(x + sink); }\n"						  /* 9 */
	"__attribute__((noinline)) void *outer(int x)\n"			  /* 10 */
	"{ void *p = middle(x);\n"						  /* 11 */
	"sink = 5; return p; }\n"						  /* 12 */
	"int main(void) { printf(\"0 %p %p\\n\", outer(3), (void *)outer);\n"
	"fflush(stdout); pause(); }\n";

static void assert_inlined(struct wc_symbols *s, const struct program *p)
{
	struct wc_symbol out[8];

	assert_int_equal(wc_symbols__user(s, p->tgid, p->addrs[0], false, out, 8), 3);
	assert_string_equal(out[0].name, "inner");
	assert_int_equal(out[0].kind, WC_SYMBOL_INLINED);
	assert_int_equal(out[0].line, 6);
	assert_non_null(strstr(out[0].file, "inl.c"));
	assert_string_equal(out[1].name, "middle");
	assert_int_equal(out[1].kind, WC_SYMBOL_INLINED);
	assert_int_equal(out[1].line, 9);
	assert_string_equal(out[2].name, "outer");
	assert_int_equal(out[2].kind, WC_SYMBOL_USER);
	assert_int_equal(out[2].line, 11);
	/* Without room the outer ones are kept: they are in the stack for sure. */
	assert_int_equal(wc_symbols__user(s, p->tgid, p->addrs[0], false, out, 2), 2);
	assert_string_equal(out[0].name, "middle");
	assert_string_equal(out[1].name, "outer");
}

static void inlined_functions_and_lines(void **state)
{
#ifdef __x86_64__
	static const char *const builds[] = {
		"gcc -w -O2 -g -o inl inl.c",
		"gcc -w -O2 -g -gdwarf-4 -o inl inl.c",
		"gcc -w -O2 -g -gz -o inl inl.c",
		("gcc -w -O2 -g -o inl inl.c && objcopy --only-keep-debug inl inl.debug && "
		 "strip inl && objcopy --add-gnu-debuglink=inl.debug inl"),
		"clang -w -O2 -g -o inl inl.c",
		"gcc -w -O2 -g -gsplit-dwarf -o inl inl.c",
	};
	struct wc_symbol out[8];
	struct program p;
	struct wc_symbols *s;
	size_t i;

	(void)state;
	program__write("inl.c", inlines_source);
	for (i = 0; i < sizeof(builds) / sizeof(*builds); i++) {
		program__sh("rm -f inl inl.debug");
		program__sh(builds[i]);
		program__start(&p, "./inl");
		s = seen(p.tgid);
		assert_int_equal(wc_symbols__user(s, p.tgid, p.addrs[0], false, out, 8), 1);
		assert_string_equal(out[0].name, "outer");
		assert_string_equal(out[0].file, "");
		assert_int_equal(out[0].line, 0);
		wc_symbols__set_inlines(s, true);
		assert_inlined(s, &p);
		wc_symbols__free(s);
		program__stop(&p);
	}
#else
	(void)state;
	skip();
#endif
}

static void vdso_is_read_from_the_process(void **state)
{
	uint64_t base = getauxval(AT_SYSINFO_EHDR);
	struct wc_symbols *s = seen(getpid());
	void *lib = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD), *fn;

	(void)state;
	if (!base || !lib || !(fn = dlsym(lib, "__vdso_clock_gettime"))) {
		print_message("no vdso here\n");
		wc_symbols__free(s);
		skip();
	}
	assert_named(s, getpid(), (uint64_t)fn, "clock_gettime", "[vdso]");
	wc_symbols__free(s);
}

static void own_library_functions(void **state)
{
	struct wc_symbols *s = seen(getpid());
	void *fn = dlsym(RTLD_DEFAULT, "insque");
	struct wc_symbol out;

	(void)state;
	out = find(s, getpid(), (uint64_t)fn, true);
	assert_string_equal(out.name, "insque");
	assert_string_equal(out.module, "libc.so.6");
	/* Nothing changed: nothing is read, and nothing is lost. */
	assert_int_equal(wc_symbols__snapshot(s, getpid()), 0);
	assert_named(s, getpid(), (uint64_t)fn, "insque", "libc.so.6");
	wc_symbols__free(s);
}

static void a_leader_that_ended_is_no_end(void **state)
{
	struct program p;
	struct wc_symbols *s;

	(void)state;
	program__write("t.c",
		       "#include <pthread.h>\n#include <stdio.h>\n#include <unistd.h>\n"
		       "void *run(void *a) { usleep(100000); printf(\"0 %p\\n\", (void *)run);"
		       "fflush(stdout); pause(); return a; }\n"
		       "int main(void) { pthread_t t; pthread_create(&t, 0, run, 0);"
		       "pthread_exit(0); }\n");
	program__sh("gcc -w -pthread -o t t.c");
	program__start(&p, "./t");
	s = seen(p.tgid);
	assert_named(s, p.tgid, p.addrs[0], "run", "t");
	wc_symbols__free(s);
	program__stop(&p);
}

static void few_open_files_suffice(void **state)
{
	void *fn = dlsym(RTLD_DEFAULT, "insque");
	struct rlimit before, few;
	struct wc_symbols *s;
	struct program p;

	(void)state;
	program__sh("gcc -w -O1 -DFN=twice -o one a.c");
	program__start(&p, "./one");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 2;
	/* Room for one only, and then enough to work with. */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	s = wc_symbols__new();
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(wc_symbols__snapshot(s, getpid()), 0);
	assert_int_equal(wc_symbols__snapshot(s, p.tgid), 0);
	assert_named(s, getpid(), (uint64_t)fn, "insque", "libc.so.6");
	assert_named(s, p.tgid, p.addrs[1], "local_fn", "one");
	wc_symbols__free(s);
	program__stop(&p);
}

static void nonsense_is_answered(void **state)
{
	struct wc_symbols *s = wc_symbols__new();
	struct wc_symbol out;
	size_t cnt;

	(void)state;
	assert_int_equal(wc_symbols__snapshot(s, 0), -EINVAL);
	assert_int_equal(wc_symbols__snapshot(s, -3), -EINVAL);
	assert_int_equal(wc_symbols__snapshot(s, 0x7fffffff), -ESRCH);
	assert_int_equal(wc_symbols__look_again(s, 4711), -ESRCH);
	assert_int_equal(wc_symbols__user(s, getpid(), 0, false, &out, 0), -EINVAL);
	assert_int_equal(wc_symbols__snapshot(s, getpid()), 0);
	assert_string_equal(find(s, getpid(), 0, false).name, "[unknown]");
	assert_string_equal(find(s, getpid(), UINT64_MAX, true).name, "[unknown]");
	wc_symbols__warnings(s, &cnt);
	assert_int_equal(cnt, 0);
	wc_symbols__free(s);
	wc_symbols__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_every_kind_of_program),
		cmocka_unit_test(stripped_with_a_debug_file_beside_it),
		cmocka_unit_test(debug_file_by_build_id),
		cmocka_unit_test(stripped_keeps_exported_names_alone),
		cmocka_unit_test(mini_debug_information),
		cmocka_unit_test(deleted_and_replaced_files_are_those_mapped),
		cmocka_unit_test(dead_processes_are_still_known),
		cmocka_unit_test(libraries_loaded_later_are_added),
		cmocka_unit_test(names_may_hold_any_byte),
		cmocka_unit_test(cplusplus_names_are_demangled),
		cmocka_unit_test(inlined_functions_and_lines),
		cmocka_unit_test(vdso_is_read_from_the_process),
		cmocka_unit_test(own_library_functions),
		cmocka_unit_test(a_leader_that_ended_is_no_end),
		cmocka_unit_test(few_open_files_suffice),
		cmocka_unit_test(nonsense_is_answered),
	};

	return cmocka_run_group_tests(tests, setup, program__close);
}
