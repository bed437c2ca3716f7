#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The check of named kernel types passes on this kernel, and fails on planted faults.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel shows no BTF"
	cd "$ROOT" || return
	export O=$WAKECOST_OUT
}

# planted BODY EXPRESSION: an object that names kernel types of its own.
planted() {
	cat >"$BATS_TEST_TMPDIR/x.bpf.c" <<-EOF2
		typedef unsigned int u32;
		#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
		$1
		#pragma clang attribute pop
		__attribute__((section("raw_tp"), used)) int prog(void *ctx)
		{
			$2
		}
	EOF2
	clang -target bpf -mcpu=v3 -g -O2 -c "$BATS_TEST_TMPDIR/x.bpf.c" -o "$BATS_TEST_TMPDIR/x.o"
	scripts/check-vmlinux.sh >/dev/null # builds the checker
	run "$WAKECOST_OUT/check_vmlinux" "$BATS_TEST_TMPDIR/x.o" /sys/kernel/btf/vmlinux
	echo "$output"
}

@test "every type the probes name is in this kernel" {
	run scripts/check-vmlinux.sh
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"all there"* ]]
}

@test "and in the kernels of the lab, as saved" {
	run scripts/check-vmlinux.sh tests/vm/btf/*.btf
	echo "$output"
	echo "a new field: make lab LAB=btf LAB_GOLDEN=write"
	[ "$status" -eq 0 ]
	set -- tests/vm/btf/*.btf
	[ "$(grep -c "all there" <<<"$output")" -eq $# ]
	[[ $output == *6.1.btf*6.12.btf* ]]
}

@test "a true member passes" {
	planted 'struct task_struct { int pid; };' 'return ((struct task_struct *)ctx)->pid;'
	[ "$status" -eq 0 ]
}

@test "a member that is not there is named" {
	planted 'struct task_struct { int pid, no_such; };' 'return ((struct task_struct *)ctx)->pid;'
	[ "$status" -eq 1 ]
	[[ $output == *"task_struct.no_such is missing"* ]]
}

@test "a member of another kind is named" {
	planted 'struct task_struct { int pid; int *tgid; };' \
		'return ((struct task_struct *)ctx)->pid;'
	[ "$status" -eq 1 ]
	[[ $output == *"task_struct.tgid is of another kind"* ]]
}

@test "a struct that is not there is named" {
	planted 'struct no_such_struct { int pid; };' 'return ((struct no_such_struct *)ctx)->pid;'
	[ "$status" -eq 1 ]
	[[ $output == *"struct no_such_struct is missing"* ]]
}

@test "one flavour of a pair suffices, none does not" {
	planted 'struct task_struct___v9 { int pid; }; struct task_struct___pre9 { int no_such; };' \
		'return ((struct task_struct___v9 *)ctx)->pid + ((struct task_struct___pre9 *)ctx)->no_such;'
	[ "$status" -eq 0 ]
	planted 'struct task_struct___v9 { int nor_this; }; struct task_struct___pre9 { int no_such; };' \
		'return ((struct task_struct___v9 *)ctx)->nor_this + ((struct task_struct___pre9 *)ctx)->no_such;'
	[ "$status" -eq 1 ]
	[[ $output == *"neither task_struct___v9"*"nor task_struct___pre9"* ]]
}

@test "an object that names nothing is no success" {
	planted '' 'return 0;'
	[ "$status" -eq 2 ]
}
