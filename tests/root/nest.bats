#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# cgroup_depth: groups are made, entered, and gone again, however the workload ends.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_root
	MOUNT=$(awk '$3 == "cgroup" && "," $4 "," ~ /,cpu,/ { print $2; exit }' /proc/mounts)
	MOUNT=${MOUNT:-$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)}
	[ -n "$MOUNT" ] || skip "no control groups mounted"
	run "$WORKLOAD" handoff -P cgroup_depth=1,handoffs=11,warmup=0
	[[ $output != *cgroup_depth:* ]] || skip "$output"
}

groups_of() {
	find "$MOUNT" -type d -path "*/wakecost.$1*" 2>/dev/null | wc -l
}

gone() {
	for _ in {1..100}; do
		[ "$(groups_of "$1")" -eq 0 ] && return
		sleep 0.1
	done
	return 1
}

start() {
	coproc W { exec "$WORKLOAD" handoff --control -P cgroup_depth=3,"$1"; }
	pid=$W_PID
	read -r line <&"${W[0]}"
	[[ $line = *'"event":"ready"'* ]]
	[ "$(groups_of "$pid")" -eq 3 ]
	grep -q "wakecost.$pid/d/d" "/proc/$pid/cgroup"
}

@test "three groups deep, and none left when it ends by itself" {
	start handoffs=101
	echo quit >&"${W[1]}"
	gone "$pid"
}

@test "none left when it is killed, with 500 threads or 50 processes" {
	for background in background=pause,parked=500 background=process,parked=50; do
		start "$background"
		kill -9 "$pid"
		gone "$pid"
	done
}

@test "a handoff three groups deep is measured, and its processes are let go" {
	out=$BATS_TEST_TMPDIR/run.json
	timeout 60 "$WAKECOST" run handoff -P cgroup_depth=0,3 -P handoffs=503 --rounds 1 -j >"$out"
	jq -e '[.cells[].params.cgroup_depth] == [0, 3]
		and all(.cells[]; .handoffs == 503)' "$out"
}
