#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The server with a database, without its CPU limit: exact counts, and what is refused. No root, and
# no absolute time but a limit on all of it.

bats_require_minimum_version 1.5.0

W=${WORKLOAD:-$BATS_TEST_DIRNAME/../../.output/wakecost-workload}

setup() {
	cd "$BATS_TEST_TMPDIR"
	export ASAN_OPTIONS=detect_leaks=0
}

# so FILTER: true of the gauges of every round in $output
so() {
	jq -e "all(.results[].gauges; $1)" <<<"$output" >/dev/null ||
		{ echo "not so: $1"; jq -c '.results[].gauges' <<<"$output"; false; }
}

served() {
	run --separate-stderr timeout 120 "$W" cpu-limited -P "cpu_limit=0,$1"
	[ "$status" -eq 0 ] || { echo "$1: status $status: $stderr"; false; }
	echo "# $1"
}

small="users=13,connections=2,query=2ms,work=0,held_work=0,duration=300ms"
all_served='.requests == .sent and .requests >= 13 and
	.refused + .reset + .timed_out + .bad_reply == 0'

@test "every request is served, with so many transactions and no more" {
	for threads in threads=kernel threads=user threads=user,carriers=2; do
		for k in 1 3; do
			served "$small,$threads,transactions=$k,rounds=2"
			so "$all_served and .transactions == .requests * $k"
			so '.database_time_mean >= 2000000 and .transaction_rate > .throughput * 0.99'
			jq -e '(.results | length) == 2' <<<"$output"
		done
	done
}

@test "few connections: somebody waits, none is held by two, Little's law" {
	for threads in kernel user; do
		served "$small,threads=$threads"
		so '.waiters_peak > 0 and .waiters_peak <= 11 and .waiters_mean <= .waiters_peak'
		so '.waited_share > 0 and .waited_share <= 1 and .connection_wait_mean > 0'
		so '.connections_busy > 0 and .connections_busy <= 1'
		# The bound is of 2 connections, each held so long, three times a request.
		so '(.connection_bound * .connection_held_mean * 3 / 2e9 - 1 | fabs) < 1e-3'
		so '.throughput <= .connection_bound * 1.1 and .database_bound >= .connection_bound'
		so '.connection_held_max >= .connection_held_mean and .connection_held_mean >= 2000000'
	done
}

@test "as many connections as users: nobody waits" {
	for threads in kernel user; do
		served "$small,connections=13,threads=$threads"
		so '.waiters_peak == 0 and .waited_share == 0 and .connection_wait_mean == 0'
	done
}

@test "threads: one a user and the process's own, or the carriers alone" {
	# A thread that has answered may not be idle yet when the next request comes.
	served "$small,connections=13,threads=kernel,pool=26"
	so '.os_threads_peak >= 2 and .os_threads_peak <= 27'
	served "$small,threads=kernel,pool=3"
	so "$all_served and .os_threads_peak == 4"
	jq -e '.warnings | map(select(test("3 threads for 13 users"))) | length == 1' <<<"$output"
	served "$small,threads=user"
	so '.os_threads_peak == 1 and .threads_created == 0'
	served "$small,threads=user,carriers=3"
	so '.os_threads_peak == 3'
}

@test "a slow upstream holds a kernel thread a user, and no thread of the coroutines" {
	local slow="users=17,transactions=0,work=0,upstream=400ms,duration=100ms"
	# One request each: all of them wait at once, and none comes back.
	served "$slow,threads=kernel"
	so "$all_served"' and .requests == 17 and .os_threads_peak == 18 and .latency_p50 >= 400000000'
	so 'has("transactions") or has("waiters_peak") | not'
	served "$slow,threads=user"
	so "$all_served"' and .os_threads_peak == 1 and .latency_p50 >= 400000000'
}

@test "CPU time: of the request at least its work, of the database its own" {
	local busy="users=2,connections=2,query=0,duration=200ms,work=1ms,held_work=1ms,query_work=2ms"
	for threads in kernel user; do
		served "$busy,threads=$threads"
		so '.cpu >= 4000000 and .cpu_beside < .cpu and .cpu_beside >= 0'
		so '.database_cpu >= 2000000'
	done
	# No limit, no figures of one.
	so 'has("cpu_limit_used") or has("throttled_periods") | not'
}

@test "users who give up are counted, and what they left behind hinders no later round" {
	for threads in threads=kernel threads=user threads=user,carriers=2; do
		served "users=10,connections=1,query=10ms,work=0,held_work=0,timeout=50ms,duration=300ms,rounds=2,$threads"
		so '.timed_out > 0 and .requests + .timed_out + .reset + .refused + .bad_reply == .sent'
		so '.transactions >= .requests * 3 and .waiters_peak > 0'
	done
}

@test "scale shortens every time" {
	served "users=3,connections=1,duration=2s,query=20ms,work=0,held_work=0,scale=0.1"
	so "$all_served"' and .database_time_mean >= 2000000 and .database_time_mean < 20000000'
}

@test "what cannot be is refused before anything starts" {
	run -2 "$W" cpu-limited -P cpu_limit=0,transactions=0,work=0
	[[ $output == *"does nothing"* ]]
	run -2 "$W" cpu-limited -P cpu_limit=0.001,cpu_period=100ms
	[[ $output == *"cpu_limit: 100 us a period"*"larger cpu_limit"* ]]
	run -2 "$W" cpu-limited -P threads=green
	[[ $output == *"threads: bad value 'green'"* ]]
	run -2 "$W" cpu-limited -P model=coroutine
	[[ $output == *"does not apply"* ]]
}

@test "without the right to a limit it says so, and what to do" {
	[ "$(id -u)" -eq 0 ] || run "$W" cpu-limited -P duration=1ms
	[ "$(id -u)" -ne 0 ] || run setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$W" cpu-limited -P duration=1ms
	# Whoever may make groups below its own has it.
	[ "$status" -ne 0 ] || skip "this user may set a CPU limit"
	[ "$status" -eq 1 ]
	[[ $output == *cpu_limit:*cgroup*"or use cpu_limit=0"* ]]
}
