#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What make lab says when something is wrong: with a made-up emulator, no kernel is started.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir fake
	PATH=$PWD/fake:$PATH
}

# emulator SCRIPT: it finds the two serial files as $console and $serial.
emulator() {
	cat >fake/qemu-system-x86_64 <<-EOF
		#!/bin/bash
		for word in "\$@"; do
			case \$word in
			file:*/console) console=\${word#file:} ;;
			file:*/serial) serial=\${word#file:} ;;
			esac
		done
		$1
	EOF
	chmod +x fake/qemu-system-x86_64
}

boot() {
	run "$ROOT/tests/vm/boot.sh" vmlinuz initrd out matrix 1 "${1:-20}"
	echo "$output"
}

@test "a guest that hangs is ended, and nothing of it is left" {
	emulator 'echo $$ >pid; echo "last words" >$console; exec sleep 300'
	boot 1
	[ "$status" -eq 1 ]
	[[ $output == *"no end within 1 s"*"last words"* ]]
	run ! kill -0 "$(cat pid)"
}

@test "a guest that oopses: the line that says so" {
	emulator 'echo "[ 1.0] BUG: unable to handle page fault" >$console'
	boot
	[ "$status" -eq 1 ]
	[[ $output == *"the guest's kernel failed: BUG: unable to handle page fault"* ]]
}

@test "a guest that sends nothing, or half" {
	emulator 'echo hello >$console; : >$serial'
	boot
	[ "$status" -eq 1 ]
	[[ $output == *"did not come through"* ]]
	emulator 'echo hello >$console; echo x >a; tar -cz a | base64 | head -c 30 >$serial'
	boot
	[ "$status" -eq 1 ]
	[[ $output == *"did not come through"* ]]
}

@test "an emulator that fails" {
	emulator 'exit 3'
	boot
	[ "$status" -eq 1 ]
	[[ $output == *"qemu ended with status 3"* ]]
}

@test "what the guest left is unpacked" {
	emulator 'echo hello >$console; echo 42 >answer
		tar -cz answer | base64 | sed "s/$/\r/" >$serial'
	boot
	[ "$status" -eq 0 ]
	[ "$(cat out/answer)" = 42 ]
}

@test "interrupted: the emulator goes too" {
	emulator 'echo $$ >pid; exec sleep 300'
	"$ROOT/tests/vm/boot.sh" vmlinuz initrd out matrix 1 60 &
	until [ -s pid ]; do sleep 0.1; done
	kill -TERM $!
	wait $! || status=$?
	[ "$status" -eq 130 ]
	for _ in {1..50}; do
		kill -0 "$(cat pid)" 2>/dev/null || return 0
		sleep 0.1
	done
	false
}

@test "a missing package is named" {
	mkdir bare
	for tool in bash dirname realpath uname; do
		ln -s "$(command -v $tool)" bare/
	done
	PATH=$PWD/bare run "$ROOT/tests/vm/lab.sh"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"install the package qemu-system-x86"* ]]
}

@test "the quick half goes on without what is missing, and says what" {
	mkdir bare
	for tool in bash dirname realpath uname; do
		ln -s "$(command -v $tool)" bare/
	done
	PATH=$PWD/bare run "$ROOT/tests/vm/lab.sh" quick
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == "lab: skipped: "*"install the package qemu-system-x86"* ]]
}

@test "a program that the kernel refuses is never taken for expected" {
	mkdir -p 9.9/matrix
	printf 'run tp_btf__switch 9000\nrecord tp_btf__switch refused\n' >9.9/matrix/verifier.txt
	: >9.9/matrix/verifier.err
	LAB_GOLDEN=write LAB_KERNEL=9.9 LAB_OUT=$PWD/9.9/matrix run bats --filter verifier \
		"$ROOT/tests/vm/matrix.bats"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"not ok 1 "*"not ok 2 "* ]]
	[ ! -e "$ROOT/tests/vm/verifier-9.9.txt" ]
}

@test "too little disk is said before anything is fetched" {
	emulator 'exit 1'
	command -v busybox >/dev/null && ! ldd "$(command -v busybox)" || skip "needs busybox-static"
	command -v cpio >/dev/null && command -v lz4 >/dev/null || skip "needs cpio and lz4"
	printf '#!/bin/sh\necho Filesystem\necho /dev/x 900 888 12 99%% /\n' >fake/df
	chmod +x fake/df
	WAKECOST_OUT=$PWD/made run "$ROOT/tests/vm/lab.sh"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"12 MB free, 700 needed"* ]]
	[ -z "$(ls -A made/lab)" ]
}
