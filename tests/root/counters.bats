#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Counters read at the boundaries of wakes. Software events, which every machine has, go through the
# same code as those of a CPU.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_root
	[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel shows no BTF"
	OUT=$BATS_TEST_TMPDIR/out.json
}

run_counted() {
	timeout 100 "$WAKECOST" run handoff -P handoffs=2003 -P warmup=100 --seed 3 "$@" -j >"$OUT"
	jq -c '.cells[] | .params.fault_pages, (.counted[] | [.counter, .stage, .mean, .count])' "$OUT"
}

said() {
	jq -e "
		def of(\$cell; \$counter; \$stage): .cells[\$cell].counted[]
			| select(.counter == \$counter and .stage == \$stage);
		$1" "$OUT" >/dev/null || { echo "not true: $1"; return 1; }
}

@test "a switch in each switch, and in no stage that has none" {
	run_counted --counters context-switches,page-faults --rounds 2
	said '.counter_table | keys == ["context-switches", "page-faults"]'
	said 'of(0; "context-switches"; "switch") | .mean == 1 and .count > 500'
	said '[.cells[0].counted[] | select(.counter == "context-switches"
		and (.stage | IN("find", "select+enqueue", "pick", "return", "user"))) | .mean]
		| all(. == 0)'
	# as many times through as handoffs that slept, less those that did not stay on one CPU
	said '([.cells[0].classes[]] | add) as $slept
		| [.cells[0].counted[] | select(.stage | IN("select+enqueue", "switch")) | .count]
			| all(. <= $slept + 50 and . > 0.5 * $slept)'
}

@test "page faults made between handoffs are counted in the user part, and nowhere but where others run" {
	run_counted --counters page-faults -P fault_pages=0,20 --rounds 2
	# 20 a handoff; threads that were preempted on the way are left out
	said '.cells[1] as $c | of(1; "page-faults"; "user") as $u
		| $u.mean * $u.count > 0.5 * 20 * $c.handoffs and $u.mean * $u.count < 1.05 * 20 * $c.handoffs'
	said '[.cells[] | .counted[] | select(.stage | IN("find", "select+enqueue", "pick", "switch",
		"return")) | .mean] | all(. < 0.5)'
	said '[.cells[0].counted[] | select(.stage == "user").mean] | all(. < 0.5)'
}

@test "a clock of the CPU grows in every stage" {
	run_counted --counters cpu-clock --rounds 1
	said '[.cells[0].counted[] | select(.count > 0) | .mean > 0 and .mean < 1e9] | all'
	said '[.cells[0].counted[] | select(.count > 0)] | length == 7'
}

@test "a counter that cannot be had is said, and nothing measured" {
	run --separate-stderr "$WAKECOST" run handoff --counters cyclops -r 1
	[ "$status" -eq 2 ]
	[[ $stderr == *page-faults* ]]
	run --separate-stderr "$WAKECOST" run handoff --counters cycles -P handoffs=503 -r 1 -j
	[ "$status" -eq 0 ] || { [ "$status" -eq 3 ] && [[ $stderr == *"counter cycles cannot be had"* ]]; }
}

@test "what was counted comes back from the recording" {
	timeout 100 "$WAKECOST" run handoff -P handoffs=2003 -r 1 --counters page-faults -P fault_pages=3 \
		-o "$BATS_TEST_TMPDIR/w.data" -j >"$OUT"
	"$WAKECOST" report "$BATS_TEST_TMPDIR/w.data" -j >"$BATS_TEST_TMPDIR/again.json"
	diff <(jq -S '.cells[].counted' "$OUT") <(jq -S '.cells[].counted' "$BATS_TEST_TMPDIR/again.json")
	"$WAKECOST" report "$BATS_TEST_TMPDIR/w.data" | grep -q '^page-faults'
}

@test "without --counters nothing is counted" {
	run_counted --rounds 1
	jq -e '.counter_table == {} and .cells[0].counted == []' "$OUT"
}
