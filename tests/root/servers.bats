#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Servers under the probes: requests are counted exactly, and the wakes are those of the server's
# process and of no other. A few may be missed where process 1 runs in between (root.bash).

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_probe
	cd "$BATS_TEST_TMPDIR" || return
}

# served CONDITION PARAM...: of the first cell of three rounds of 53 requests; in the condition $r is 159
served() {
	local condition=$1 args=()
	shift
	for param in "$@"; do args+=(-P "$param"); done
	timeout 120 "$WAKECOST" run server -j -P clients=53 -P service=3ms "${args[@]}" --rounds 3 \
		--no-warmup -o s.data >s.json 2>err || { cat err; return 1; }
	jq -e --argjson r 159 ".cells[0] | $condition" s.json >/dev/null && return
	echo "$*: not so: $condition"
	jq -c '.cells[0] | {gauges: (.gauges | map_values(.median)), wakes_per_work, timed_wakes_per_work,
		classes, counters: (.counters | with_entries(select(.value > 0)))}' s.json
	return 1
}

# Every request answered, probes attached and not; and no wake lost.
all='(.gauges | .requests.min == 53 and .requests.max == 53 and .sent.median == 53
	and .requests.bare_median == 53 and .sent.bare_median == 53)
	and ([.lost[]] | add) <= 9 and .handoffs == 0'

# Wakes and sleeps are two counts of one thing, taken by the probes and by the kernel.
agree='((.wakes_per_work + .timed_wakes_per_work) as $w
	| .gauges.context_switches_voluntary.median as $s | $w > $s * 0.6 and $w < $s * 1.4)'

@test "a thread a request: each of its sleeps is a timer's end, each thread is seen" {
	served "$all and $agree and .counters.task_seen == 24 and .classes.timed <= \$r
		and .classes.timed >= \$r - 9 and .classes.new <= 21 and .classes.new >= 18
		and .wakes_per_work > 0" model=per-request pool=7
}

@test "a thread a connection: likewise" {
	served "$all and $agree and .counters.task_seen == 24 and .classes.timed <= \$r
		and .classes.timed >= \$r - 9 and .wakes_per_work > 0" model=per-connection pool=7
}

@test "calls: what a stub answers wakes the thread that waits for it" {
	served "$all and $agree and .classes.timed == 0 and .wakes_per_work >= 0.9" \
		model=per-request pool=7 calls=one
}

@test "a loop is one task: clients and stub are none of the server's wakes" {
	served "$all and .counters.task_seen == 3 and .wakes_per_work > 0 and .wakes_per_work <= 4" \
		model=event-loop calls=one
}

@test "coroutines are none of the kernel's tasks: their carriers are" {
	served "$all and .counters.task_seen == 6 and .wakes_per_work > 0" model=coroutine carriers=2
}

@test "stages of these wakes add up, and the recording says the same" {
	served "$all and ([.stages[].mean_ns] | add) as \$sum | .wake_ns.mean as \$mean
		| (\$sum + .unattributed_ns.mean - \$mean | fabs) <= 8 and \$mean > 0" \
		model=per-request pool=7
	"$WAKECOST" report -j s.data >again.json
	jq -e --slurpfile a again.json '(. | del(.run)) == ($a[0] | del(.run))' s.json
	run "$WAKECOST" report s.data
	[[ $output == *"Wakes of its process for a request"* && $output == *"bare"* ]]
	[[ $output != *handoff* ]]
	run "$WAKECOST" report --by class s.data
	[ "$status" -eq 0 ]
	[[ $output == *"timed"* ]]
}

@test "a cell that a limit stops is left out with its reason, and the others stand" {
	run --separate-stderr timeout 120 "$WAKECOST" run server -j -P clients=53,60000 -P service=1ms \
		-P model=event-loop --rounds 2 --no-warmup
	[ "$status" -eq 0 ]
	jq -e '.cells[0].rounds == 2 and .cells[1].rounds == 0
		and any(.warnings[]; test("ip_local_port_range"))' <<<"$output"
	nothing_left
}
