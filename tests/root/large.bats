#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# As many as promised, and a clear word where the machine has a limit below that.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_probe
}

# one round KEY=VALUE...: a short cell with the probes
one_round() {
	local args=()
	for kv in "$@"; do
		args+=(-P "$kv")
	done
	run --separate-stderr timeout 200 "$WAKECOST" run handoff "${args[@]}" -P warmup=10 \
		-P handoffs=101 -P placement=same --rounds 1 --no-warmup -j
	echo "$stderr"
	jq -c '.cells[] | [.params, .rounds, .counters]' <<<"$output"
}

@test "100,000 parked coroutines" {
	one_round background=coroutine parked=100000 stack=16K
	[ "$status" -eq 0 ]
	jq -e '.cells == [.cells[] | select(.rounds == 1 and .params.parked_actual == 100000
		and .handoffs == 101 and .counters.task_seen < 10)]' <<<"$output"
}

@test "30,000 parked threads" {
	one_round background=pause parked=30000 stack=16K
	if [ "$status" -ne 0 ]; then
		# others fill the machine: which limit that is, is an answer too
		[[ $stderr =~ (pid_max|threads-max|pids\.max|max_map_count|RLIMIT_NPROC|memory) ]]
		skip "this machine does not let so many: $stderr"
	fi
	jq -e '.cells[0] | .rounds == 1 and .params.parked_actual == 30000 and .handoffs == 101
		and .counters.task_seen < 10' <<<"$output"
}

@test "a thread refused by the pids cgroup: the limit is named, nothing is left" {
	local dir base
	base=$(awk '$3 == "cgroup" && $4 ~ /(^|,)pids(,|$)/ { print $2; exit }' /proc/mounts)
	[ -n "$base" ] || base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$base" ] || skip "no cgroup mounted"
	dir=$base/wakecost-test.$$
	mkdir "$dir" 2>/dev/null || skip "no cgroup can be made"
	if ! echo 200 >"$dir/pids.max"; then
		rmdir "$dir"
		skip "no pids controller"
	fi
	run --separate-stderr bash -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' - "$dir" \
		timeout 60 "$WAKECOST" run handoff -P background=pause -P parked=1000 --rounds 1 --no-warmup
	echo "$status $output $stderr"
	for _ in {1..20}; do
		rmdir "$dir" 2>/dev/null && break
		sleep 0.1
	done
	[ "$status" -eq 1 ]
	[[ $stderr == *pids.max* ]]
	[[ $stderr == *200* ]]
	[ ! -d "$dir" ]
	nothing_left
}
