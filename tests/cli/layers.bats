#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The check of layers finds each kind of violation when one is planted.

load ../lib

setup() {
	# A few files of each layer: the check of the whole tree takes seconds.
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree"/user/{cli,experiment,output,symbol} "$tree/workloads"
	cd "$ROOT"
	cp --parents bpf/*.h vmlinux/*.h user/main.c user/util/{log,text,progress}.[ch] \
		user/util/exit.h user/cli/opts.h user/cli/cmd.h user/cli/version.h \
		user/model/result.h user/probe/session.h tests/unit/capture.h "$tree"
}

check() {
	run "$ROOT/scripts/check-layers.sh" "$tree"
}

# planted FILE LINE REASON: the line, put into the file, is reported with the reason.
planted() {
	printf '%s\n' "$2" >>"$tree/$1"
	check
	echo "$output"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ ${lines[0]} == "$1:"* ]]
	[[ ${lines[0]} == *"$3"* ]]
}

@test "the tree as it is passes" {
	run scripts/check-layers.sh
	echo "$output"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "a clean copy passes" {
	check
	echo "$output"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "an empty tree does not pass" {
	tree=$BATS_TEST_TMPDIR/empty
	mkdir "$tree"
	check
	[ "$status" -eq 1 ]
}

@test "upwards: model includes probe" {
	planted user/model/x.c '#include "user/probe/session.h"' 'user/model must not include user/probe/session.h'
}

@test "upwards: util includes model" {
	planted user/util/log.c '#include "user/model/result.h"' 'user/util must not include'
}

@test "upwards by a path of dots" {
	planted user/util/log.c '#include "../model/result.h"' 'user/util must not include user/model/result.h'
}

@test "sideways: output includes probe" {
	planted user/output/x.c '#include "user/probe/session.h"' 'user/output must not include'
}

@test "sideways: symbol includes model" {
	planted user/symbol/x.c '#include "user/model/result.h"' 'user/symbol must not include'
}

@test "upwards: probe includes cli" {
	planted user/probe/x.c '#include "user/cli/cmd.h"' 'user/probe must not include'
}

@test "a folder of user in no layer" {
	mkdir "$tree/user/misc"
	planted user/misc/x.c '#include "user/util/log.h"' 'user/misc is in no layer'
}

@test "model may not have the stamps" {
	planted user/model/x.c '#include "bpf/stamp.h"' 'user/model must not include bpf/stamp.h'
}

@test "workloads include user" {
	planted workloads/x.c '#include "user/util/log.h"' 'workloads must not include'
}

@test "workloads include more of bpf than the stamps" {
	planted workloads/x.c '#include "bpf/wakecost.h"' 'workloads must not include'
}

@test "bpf includes user" {
	planted bpf/x.bpf.h '#include "user/util/log.h"' 'bpf must not include'
}

@test "tests are included" {
	planted user/util/log.c '#include "tests/unit/capture.h"' 'user/util must not include tests/unit/capture.h'
}

@test "an include behind a comment and odd spacing" {
	planted user/util/log.c ' /* why */ #  include  "user/model/result.h"' 'user/util must not include'
}

@test "an include inside a comment is none" {
	printf '%s\n' '/* not this:' '#include "user/model/result.h"' '*/' >>"$tree/user/util/log.c"
	check
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a header that does not exist" {
	planted user/util/log.c '#include "user/util/nowhere.h"' 'no file of this tree'
}

@test "an include by macro" {
	planted user/util/log.c '#include WHICH' 'names no file'
}

@test "libbpf outside the probes" {
	planted user/output/x.c '#include <bpf/libbpf.h>' 'belongs to user/probe/'
}

@test "btf outside the probes" {
	planted user/cli/x.c '#include <bpf/btf.h>' 'belongs to user/probe/'
}

@test "a skeleton outside the probes" {
	planted user/experiment/x.c '#include "wakecost.skel.h"' 'belongs to user/probe/'
}

@test "sqlite outside the model" {
	planted user/output/x.c '#include <sqlite3.h>' 'belongs to user/model/'
}

@test "jansson outside the outputs" {
	planted user/model/x.c '#include <jansson.h>' 'belongs to user/output/'
}

@test "jansson in another file of experiment" {
	planted user/experiment/x.c '#include <jansson.h>' 'belongs to user/output/'
}

@test "elfutils outside symbol" {
	planted user/probe/x.c '#include <elfutils/libdw.h>' 'belongs to user/symbol/'
	rm "$tree/user/probe/x.c"
	planted user/probe/y.c '#include <gelf.h>' 'belongs to user/symbol/'
}

@test "printing outside output and cli" {
	planted user/model/x.c 'static void f(void) { printf("x"); }' 'prints to stdout'
	rm "$tree/user/model/x.c"
	planted user/experiment/x.c 'static void f(void) { fputs("x", stdout); }' 'prints to stdout'
}

@test "snprintf and words in strings are no printing" {
	printf '%s\n' 'static const char x[] = "printf(stdout)";' \
		'void f(char *b) { snprintf(b, 1, "%s", x); }' >"$tree/user/model/x.c"
	check
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "stderr outside the log" {
	planted user/cli/x.c 'static void f(void) { fputs("x", stderr); }' 'writes to stderr'
}

@test "a file of 801 lines" {
	yes '' | head -n 801 >"$tree/user/model/x.c"
	check
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"user/model/x.c: 801 lines"* ]]
	yes '' | head -n 800 >"$tree/user/model/x.c"
	check
	[ "$status" -eq 0 ]
}
