#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What one guest left behind (boot.sh, guest/quick): with the best sources, exact counts by run and
# by record. LAB_OUT is the folder.

bats_require_minimum_version 1.5.0
load ../lib
load vm

@test "this is the kernel that was meant, and it complained of nothing" {
	diff release ../version
	run grep -E 'WARNING:|BUG:|Oops|Call Trace|rcu.*stall|general protection' dmesg
	echo "$output"
	[ "$status" -ne 0 ]
}

@test "every stage is exact" {
	ended_with doctor-none 0
	holds doctor-none.json '.verdict == "full" and [.stages[].name] == $stages and
		all(.stages[]; .status == "exact")' .stages
}

@test "run counts every handoff, and its stages sum up" {
	ended_with run-none 0
	holds run-none.json '.cells[0] | .handoffs == $n and .handoff_ns.count == $n and
		.counters.handoff == $n and .waits_per_handoff == 1' '.cells[0] | del(.params, .stages)'
	ended_with pairs-none 0
	holds pairs-none.json '.metrics | .total.count == $n and .total.sum > 0 and
		([del(.total)[].sum] | add) == .total.sum' .metrics
}

@test "record counts every wake of a known pair" {
	ended_with made-record-none 0
	ended_with record-none 0
	pair_of record-none.json
}
