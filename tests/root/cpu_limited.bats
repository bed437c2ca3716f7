#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# A server below a real CPU limit: stopped when it wants more, not when it does not, counted exactly
# under the probes, and its group gone again however it ends.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR" || return
	MOUNT=$(awk '$3 == "cgroup" && "," $4 "," ~ /,cpu,/ { print $2; exit }' /proc/mounts)
	MOUNT=${MOUNT:-$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)}
	[ -n "$MOUNT" ] || skip "no control groups mounted"
	run "$WORKLOAD" cpu-limited -P users=1,duration=1ms,work=0,held_work=0,query=0
	[[ $status -eq 0 || $output != *cpu_limit:* ]] || skip "$output"
	[ "$status" -eq 0 ]
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

# limited FILTER PARAMS: true of the gauges of the only round
limited() {
	run --separate-stderr timeout 120 "$WORKLOAD" cpu-limited -P "$2"
	[ "$status" -eq 0 ] || { echo "$2: $stderr"; false; }
	jq -e ".results[0].gauges | $1" <<<"$output" >/dev/null ||
		{ echo "$2: not so: $1"; jq -c '.results[0].gauges' <<<"$output"; false; }
}

all_served='.requests == .sent and .requests > 0 and .timed_out + .reset + .refused + .bad_reply == 0'

@test "wanting ten times its limit it is stopped, and gets no more than the limit" {
	# 0.1 CPU, and work for more than one: a machine so busy as to give less than a tenth is none
	for threads in kernel user; do
		limited "$all_served and .throttled_periods > 0 and .throttled_time > 0
			and .throttled_periods <= .cpu_periods and .cpu_limit_used <= 1.5
			and .transactions == .requests * 3" \
			"threads=$threads,cpu_limit=0.1,users=8,duration=1500ms,query=0,work=2ms,held_work=1ms"
	done
}

@test "wanting next to nothing it is never stopped" {
	for threads in kernel user; do
		limited "$all_served and .throttled_periods == 0 and .cpu_limit_used < 0.5" \
			"threads=$threads,cpu_limit=1,users=2,duration=500ms,query=20ms,work=0,held_work=0"
	done
}

@test "the limit is the server's alone: it is in the group, users and database are not" {
	coproc W { exec "$WORKLOAD" cpu-limited --control -P users=1,duration=100ms; }
	pid=$W_PID
	read -r line <&"${W[0]}"
	[[ $line = *'"event":"ready"'* ]]
	[ "$(groups_of "$pid")" -eq 1 ]
	grep -q "/wakecost.$pid\$" "/proc/$pid/cgroup"
	for child in $(pgrep -P "$pid"); do
		run grep "wakecost.$pid" "/proc/$child/cgroup"
		[ "$status" -ne 0 ]
	done
	echo quit >&"${W[1]}"
	gone "$pid"
}

@test "the group is gone when it is killed, interrupted, or told to end in the middle" {
	for signal in KILL INT TERM; do
		"$WORKLOAD" cpu-limited -P users=40,duration=60s >/dev/null 2>&1 &
		pid=$!
		for _ in {1..100}; do
			[ "$(groups_of "$pid")" -eq 0 ] || break
			sleep 0.05
		done
		[ "$(groups_of "$pid")" -eq 1 ]
		kill -s "$signal" "$pid"
		# A job in the background ignores INT.
		[ "$signal" != INT ] || kill -s TERM "$pid"
		wait "$pid" || true
		gone "$pid"
	done
}

@test "run: requests, transactions and periods under the probes, and what held it back" {
	need_probe
	timeout 200 "$WAKECOST" run cpu-limited -j -P threads=kernel,user -P cpu_limit=0.1 -P users=8 \
		-P duration=1s -P query=0 -P work=2ms -P held_work=1ms --rounds 2 --no-warmup \
		-o l.data >l.json 2>err || { cat err; false; }
	jq -e 'all(.cells[]; .gauges | .requests.median == .sent.median
		and (.transactions.median / .requests.median - 3 | fabs) < 1e-9
		and .throttled_periods.min > 0)' l.json
	# Threads wake each other for each request, coroutines do not.
	jq -e '.cells | map({key: .params.threads, value: .wakes_per_work}) | from_entries
		| .kernel > 1 and .kernel > .user' l.json
	jq -e 'all(.cells[].held_back_by; .rounds == 2 and (.why | length > 0)
		and (.limit | IN("cpu", "scheduling", "inconclusive")))' l.json
	run "$WAKECOST" report l.data
	[[ $output == *"What held it back"*"Stages of all wakes for a request"* ]]
}

@test "run, interrupted in the middle, leaves no group" {
	need_probe
	set -m
	"$WAKECOST" run cpu-limited -P duration=60s -P users=8 --rounds 2 >/dev/null 2>&1 &
	run_pid=$!
	set +m
	pid=
	for _ in {1..200}; do
		pid=$(pgrep -P "$run_pid" -x wakecost-worklo | head -n 1) || true
		[ -z "$pid" ] || [ "$(groups_of "$pid")" -eq 0 ] || break
		sleep 0.1
	done
	[ "$(groups_of "$pid")" -eq 1 ]
	kill -INT "$run_pid"
	wait "$run_pid" || true
	gone "$pid"
	nothing_left
}
