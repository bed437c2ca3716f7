#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# wakecost lab with a made-up emulator: what it says when something is wrong, that nothing is left
# then, and what it shows of counts that are known.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir fake
	PATH=$PWD/fake:$PATH
	: >vmlinuz
	mkdir temporary
	export TMPDIR=$PWD/temporary
}

# emulator SCRIPT: has $console, $serial and $report, and $args of the kernel; a whole guest is
# symbols or counts, below.
emulator() {
	cat >fake/qemu-system-x86_64 <<-'EOF'
		#!/bin/bash
		[ "$1" != --version ] || { echo "QEMU emulator version 7.2.0 (made up)"; exit; }
		echo x >>boots
		args=$*
		for word in "$@"; do
			case $word in
			file:*/console) console=${word#file:} ;;
			file:*/serial) serial=${word#file:} ;;
			*,out=*) report=${word#*,out=}; report=${report%%,*} ;;
			esac
		done
		symbols() {
			printf 'lab: release 6.1.0-made-up\nffffffff81000000 T pick_next_task_fair\n' >"$serial"
			echo 'lab: status 0' >>"$serial"
		}
		counts() {
			echo '{"params":{"handoffs":104},"threads_cnt":2,"waits_per_handoff":1.0}' >"$serial"
			echo 'lab: status 0' >>"$serial"
			more=0
			[[ $args != *parked=4000* ]] || more=20000
			printf 'find futex_wake %d 4000 %d 0 0 0 0\n' $((9000 + more)) $((more / 100)) >"$report"
			printf 'pick schedule 91000 4000 100 0 0 0 0\nend\n' >>"$report"
		}
	EOF
	echo "$1" >>fake/qemu-system-x86_64
	chmod +x fake/qemu-system-x86_64
}

whole='case $args in *"-- symbols"*) symbols ;; *) counts ;; esac'

count() {
	run --separate-stderr timeout -k 5 120 "$WAKECOST" lab handoff --vmlinuz vmlinuz --seeds 1 \
		-q -o counts.json "$@"
	echo "$output $stderr"
}

# No file, no folder, no process.
nothing_left() {
	[ ! -e counts.json ]
	[ -z "$(ls -A temporary)" ]
	[ ! -e pid ] || run ! kill -0 "$(cat pid)"
}

@test "without an emulator: the package is named" {
	mkdir bare
	ln -s "$(command -v sh)" bare/
	PATH=$PWD/bare run "$WAKECOST" lab --vmlinuz vmlinuz -q -o counts.json
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"install the package qemu-system-x86"* ]]
	[ ! -e counts.json ]
}

@test "a kernel that is not there: how to have it" {
	run "$WAKECOST" lab --kernel 9.9
	[ "$status" -ne 0 ]
	[[ $output == *"no kernel 9.9"*"make lab"*"--vmlinuz"* ]]
}

@test "a guest that hangs is ended" {
	emulator 'echo $$ >pid; exec sleep 300'
	count --timeout 1s
	[ "$status" -eq 1 ]
	[[ $stderr == *"did not end within 1 s"*"--timeout"* ]]
	nothing_left
}

@test "a guest that goes round in circles is ended by the time it used" {
	emulator 'echo $$ >pid; while :; do :; done'
	count --timeout 1s
	[ "$status" -eq 1 ]
	[[ $stderr == *"did not end within 1 s"* ]]
	nothing_left
}

@test "a guest that waits for its turn is left to go on" {
	# 2 s by the clock, some of them used: as on a machine with others to run
	emulator 'end=$(($(date +%s) + 3))
		while [ $(date +%s) -lt $end ]; do for i in {1..20000}; do :; done; sleep 0.3; done
		'"$whole"
	count --timeout 2s
	[ "$status" -eq 0 ]
}

@test "a guest that oopses: the line that says so" {
	emulator 'echo "[ 1.0] BUG: unable to handle page fault" >"$console"; exec sleep 300'
	count --timeout 1s
	[ "$status" -eq 1 ]
	[[ $stderr == *"the guest's kernel failed: BUG: unable to handle page fault"* ]]
	nothing_left
}

@test "an emulator that fails: what it said" {
	emulator 'echo "cannot set up guest memory: no" >&2; exit 1'
	count
	[ "$status" -eq 1 ]
	[[ $stderr == *"cannot set up guest memory: no"* ]]
	nothing_left
}

@test "a guest that sends nothing, or half of its counts" {
	emulator ':'
	count
	[ "$status" -eq 1 ]
	[[ $stderr == *"did not send"* ]]
	nothing_left
	emulator 'case $args in *"-- symbols"*) symbols ;; *) counts; sed -i "/^end/d" "$report" ;; esac'
	count
	[ "$status" -eq 1 ]
	[[ $stderr == *"counts did not come"* ]]
	nothing_left
}

@test "the second of two cells fails: not half a result" {
	emulator 'case $args in *"-- symbols"*) symbols ;; *parked=4000*) exit 9 ;; *) counts ;; esac'
	count -P background=futex-own -P parked=0,4000
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	nothing_left
}

@test "interrupted: the emulator goes too" {
	emulator 'echo $$ >pid; exec sleep 300'
	"$WAKECOST" lab --vmlinuz vmlinuz --seeds 1 -q -o counts.json &
	until [ -s pid ]; do sleep 0.1; done
	kill -TERM $!
	wait $! || status=$?
	[ "$status" -eq 130 ]
	nothing_left
}

@test "what cannot be written is said before anything is counted" {
	emulator "$whole"
	count -o nowhere/counts.json
	[ "$status" -eq 1 ]
	[[ $stderr == *"nowhere/counts.json"* ]]
	echo "mine" >page.html
	count --html page.html
	[ "$status" -eq 1 ]
	[[ $stderr == *"page.html is already there"* ]]
	[ "$(cat page.html)" = mine ]
	[ ! -e boots ]
	nothing_left
}

@test "a disk that is full: said, and no half file" {
	need_root
	emulator "$whole"
	mkdir small
	mount -t tmpfs -o size=4k none small || skip "no tmpfs can be mounted"
	count -o small/counts.json --html small/page.html -P background=futex-own -P parked=0,4000
	left=$(ls -A small)
	umount small
	[ "$status" -eq 1 ]
	[[ $stderr == *"No space left"* ]]
	[ "$left" = counts.json ] || [ -z "$left" ]
}

@test "no room for what a guest needs: said, and nothing left" {
	need_root
	emulator "$whole"
	mkdir small
	mount -t tmpfs -o size=16k none small || skip "no tmpfs can be mounted"
	TMPDIR=$PWD/small count
	left=$(ls -A small)
	umount small
	[ "$status" -eq 1 ]
	[[ $stderr == *"No space left"* ]]
	[ -z "$left" ]
	nothing_left
}

@test "known counts, in the table and in the file" {
	emulator "$whole"
	count -P background=futex-own -P parked=0,4000
	[ "$status" -eq 0 ]
	[ "$(wc -l <boots)" -eq 3 ]
	[[ $output == *"vmlinuz (CFS), background=futex-own parked=4000"* ]]
	# 200 instructions and 2 lines more in each of 100 handoffs
	[[ $output =~ futex_wake\ +find\ +\+200\.0\ +\+2\.00 ]]
	[[ $output =~ path\ is\ the\ same\)\ +\+0\.0\ +\+0\.00 ]]
	jq -e '.cells | map([.release, .scheduler, .handoffs]) ==
		[["6.1.0-made-up", "CFS", 100], ["6.1.0-made-up", "CFS", 100]]' counts.json
	jq -e '[.cells[].per_handoff.instructions] == [1000, 1200]' counts.json
	# read again: the same table, the same file
	run --separate-stderr "$WAKECOST" lab -i counts.json -o again.json -q
	[ "$status" -eq 0 ]
	[[ $output =~ futex_wake\ +find\ +\+200\.0\ +\+2\.00 ]]
	cmp counts.json again.json
}

@test "page, flame graphs and the book, of what was counted" {
	emulator "$whole"
	count -P background=futex-own -P parked=0,4000
	"$WAKECOST" lab -i counts.json -q --html page.html >table
	grep -q "vmlinuz (CFS), 4,000 parked, each on its own futex against nobody parked: a longer path" \
		page.html
	grep -q "200 of them in futex_wake (find), the only function whose path grew" page.html
	"$WAKECOST" lab -i counts.json -q --flame now.svg >table
	grep -q "1200.0 instructions a handoff" now.svg
	"$WAKECOST" lab -i counts.json -q -P parked=0 --metric l1d --flame base.svg >table
	grep -q "1.0 L1d misses a handoff" base.svg
	"$WAKECOST" lab -i counts.json -q --diff --flame change.svg >table
	grep -q 'data-d="x3".*futex_wake\|futex_wake.*+222 %' change.svg
	xmllint --noout now.svg base.svg change.svg
	"$WAKECOST" compare --book counts.json >book
	grep -qE "4,000 parked, each on its own futex +21.45 +1.200 +\+2.0" book
	grep -q "no times" book
	"$WAKECOST" compare --book -j counts.json |
		jq -e '.rows[1] | .kernels[0].instructions_ratio == 1.2 and .host_time_ratio == null'
}

@test "files that are not the lab's, and options that do not go together" {
	echo '{"schema":"other"}' >other.json
	run "$WAKECOST" lab -i other.json
	[ "$status" -eq 1 ]
	[[ $output == *"was not left by"* ]]
	run "$WAKECOST" lab -i /nonexistent
	[ "$status" -eq 1 ]
	for wrong in "-i other.json handoff" "--beside x" "--diff" "--metric l1d" \
		"-i other.json -i other.json -j"; do
		# shellcheck disable=SC2086 # words
		run "$WAKECOST" lab $wrong
		[ "$status" -eq 2 ]
	done
}
