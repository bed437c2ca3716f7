#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Servers by themselves: exact counts, clients a server must live with, limits named. No root, and no
# absolute time but a limit on all of it.

bats_require_minimum_version 1.5.0

W=${WORKLOAD:-$BATS_TEST_DIRNAME/../../.output/wakecost-workload}
WC=${WAKECOST:-$BATS_TEST_DIRNAME/../../.output/wakecost}
MODELS="per-request per-connection event-loop coroutine"

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
	run --separate-stderr timeout 120 "$W" server -P "$1"
	[ "$status" -eq 0 ] || { echo "$1: status $status: $stderr"; false; }
	echo "# $1"
}

# All that were sent, and nothing else became of any.
all_served='.requests == .sent and .requests > 0 and
	.refused + .reset + .timed_out + .bad_reply + .unsent == 0'

# The port a process listens on.
port_of() {
	local inode
	for inode in $(readlink "/proc/$1/fd/"* | sed -n 's/^socket:\[\(.*\)\]$/\1/p'); do
		awk -v inode="$inode" '$4 == "0A" && $10 == inode { sub(/.*:/, "", $2); print $2 }' /proc/net/tcp
	done | while read -r hex; do echo $((16#$hex)); done
}

@test "burst: every model serves each request once, round after round" {
	for model in $MODELS; do
		served "model=$model,pool=7,clients=53,service=3ms,rounds=3"
		so "$all_served and .requests == 53"
		so '.latency_p50 <= .latency_p90 and .latency_p90 <= .latency_p99
			and .latency_p99 <= .latency_max and .latency_p50 >= 3000000'
		so '.held_mean >= 3000000 and .held_p99 >= 3000000'
		so '.lost_clients == 0 and .garbage_seen == 0 and .connections_peak <= 53'
		jq -e '(.results | length) == 3' <<<"$output"
	done
}

@test "threads: as many as arrive and are allowed, and the process's own" {
	local at
	for model in per-request per-connection; do
		served "model=$model,pool=7,clients=53,service=3ms"
		so '.os_threads == 8 and .os_threads_peak == 8 and .threads_created == 7'
		so '.thread_create_mean > 0 and .queue_mean > 0'
		# The executor of the text: a pool of 1,000 makes 53 threads for 53 requests.
		served "model=$model,pool=1000,clients=53,service=3ms"
		so '.os_threads == 54 and .threads_created == 53'
	done
	# Only if none is idle: not for each request, as the other way does.
	served "model=per-request,pool=1000,clients=5,service=1ms,mode=closed,duration=200ms"
	so "$all_served and .threads_created == ([.requests, 1000] | min)"
	served "model=per-request,pool=1000,clients=5,service=1ms,spawn=need,mode=closed,duration=200ms"
	so "$all_served and .threads_created * 2 < .requests"
	served "model=per-connection,pool=1000,clients=5,service=1ms,spawn=need,mode=closed,duration=200ms"
	so "$all_served and .threads_created == 5"
	served "model=event-loop,clients=53,service=3ms"
	so '.os_threads == 1 and .threads_created == 0'
	for at in 1 3; do
		served "model=coroutine,carriers=$at,clients=53,service=3ms"
		so "$all_served and .os_threads == $at and .threads_created == $((at - 1))"
	done
}

# The last answers may be there before their threads have looked at the clock: a little above is none.
@test "Little's law: never above the bound, whichever way a request waits" {
	served "model=event-loop,clients=50,service=0"
	so "$all_served and .bound == null and .held_mean > 0"
	for calls in sleep one sequence parallel; do
		served "model=per-request,pool=5,clients=50,service=4ms,calls=$calls"
		so "$all_served and .efficiency > 0 and .efficiency <= 1.25"
		so '((.bound * .held_mean / 1e9) - 5 | fabs) < 0.001 and .throughput <= .burst_bound * 1.25'
		[ "$calls" != sequence ] || so '.held_mean >= 12000000'
	done
}

@test "calls: each model makes one, three in turn and three at once" {
	for model in $MODELS; do
		for calls in one sequence parallel; do
			served "model=$model,pool=20,clients=40,service=2ms,calls=$calls"
			so "$all_served and .requests == 40 and .held_mean >= 2000000"
			[ "$calls" != sequence ] || so '.held_mean >= 6000000'
		done
	done
}

@test "steady: closed and open loop answer what they send" {
	for model in $MODELS; do
		served "model=$model,pool=20,clients=20,service=2ms,mode=closed,duration=200ms"
		so "$all_served"
		# Open: as many as the rate says, whatever the machine does.
		served "model=$model,pool=20,clients=20,service=2ms,mode=open,duration=200ms,rate=500"
		so "$all_served and .requests == 100"
	done
}

@test "open loop: what finds no connection free waits, and that is in its latency" {
	# One connection and 20 ms a request: of 50 that are due in 100 ms the last waits most of a second.
	served "model=event-loop,clients=1,service=20ms,mode=open,duration=100ms,rate=500"
	so "$all_served and .requests == 50 and .latency_max >= 900000000 - 100000000"
	so '.latency_p50 > .held_mean * 5'
	# Beyond the timeout they are not sent, and that is said.
	served "model=event-loop,clients=1,service=20ms,mode=open,duration=100ms,rate=500,timeout=300ms"
	so '.unsent > 0 and .sent + .unsent == 50 and .requests + .timed_out == .sent'
}

@test "idle connections hold a thread each where a connection has one, and none elsewhere" {
	served "model=per-connection,pool=500,clients=10,idle=100,service=1ms,mode=closed,duration=100ms"
	so "$all_served and .os_threads == 111 and .connections_peak == 110"
	served "model=per-request,pool=10,clients=10,idle=100,service=1ms,mode=closed,duration=100ms"
	so "$all_served and .os_threads <= 11 and .connections_peak == 110"
	served "model=event-loop,clients=10,idle=100,service=1ms,mode=closed,duration=100ms"
	so "$all_served and .os_threads == 1 and .connections_peak == 110"
	served "model=coroutine,carriers=2,clients=10,idle=100,service=1ms,mode=closed,duration=100ms"
	so "$all_served and .os_threads == 2 and .connections_peak == 110"
}

@test "per-connection: a pool that idle connections fill serves nobody, and says so before" {
	served "model=per-connection,pool=5,clients=3,idle=5,service=1ms,mode=closed,duration=100ms,timeout=300ms"
	so '.requests == 0 and .timed_out == .sent and .timed_out >= 3'
	[[ $stderr == *"each holds a thread, of which the pool has 5"* ]]
}

@test "slow, half-open, resetting and garbage-sending clients stop nobody" {
	for model in $MODELS; do
		served "model=$model,pool=200,clients=20,service=1ms,mode=closed,duration=300ms,hostile=5,rounds=2"
		so "$all_served and .garbage_seen >= 5 and .lost_clients + .garbage_seen > 5"
	done
}

@test "a client that never stops its head is cut off, and so is one that sends no request" {
	local port pid
	coproc SERVER { exec "$W" server --control -P model=event-loop,clients=1,service=10ms,mode=closed,duration=60s; }
	pid=$SERVER_PID
	read -r -t 20 ready <&"${SERVER[0]}"
	jq -e '.event == "ready"' <<<"$ready"
	port=$(port_of "$pid")
	[ -n "$port" ]
	echo measure >&"${SERVER[1]}"
	sleep 0.2
	# Two requests in one, the second in pieces: two answers.
	exec 9<>"/dev/tcp/127.0.0.1/$port"
	printf 'GET / HTTP/1.1\r\n\r\nGET /x HT' >&9
	sleep 0.1
	printf 'TP/1.1\r\nConnection: close\r\n\r\n' >&9
	exec 8<>"/dev/tcp/127.0.0.1/$port"
	# The end comes at once, or as a reset.
	{ head -c 100000 /dev/zero | tr '\0' 'A'; } >&8 2>/dev/null || true
	timeout 10 cat <&8 >/dev/null 2>&1 || [ $? -ne 124 ]
	[ "$(timeout 60 cat <&9 | grep -c 'HTTP/1.1 200 OK')" -eq 2 ]
	kill -9 "$pid"
}

@test "8,000 connections on one loop thread" {
	[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 8200 ] || skip "RLIMIT_NOFILE is lower"
	served "model=event-loop,clients=8000,service=100ms,mode=closed,connect=before,duration=300ms"
	so "$all_served and .requests >= 8000 and .connections_peak == 8000 and .os_threads == 1"
}

@test "limits: descriptors and local ports are counted before, and named" {
	run bash -c "ulimit -Sn 200; ulimit -Hn 200; setpriv --reuid 65534 --clear-groups '$W' server -P clients=500 2>&1 ||
		'$W' server -P clients=500 2>&1"
	[ "$status" -ne 0 ] || skip "this user may raise RLIMIT_NOFILE"
	[[ $output == *"RLIMIT_NOFILE allows 200"* ]] || [[ $output == *"setpriv"* ]]
	run "$W" server -P clients=60000
	[ "$status" -eq 1 ]
	[[ $output == *"ip_local_port_range has"* ]]
	# As an event for whoever drives it.
	run --separate-stderr "$W" server --control -P clients=60000
	jq -e '.event == "error" and .limit == "ip_local_port_range"' <<<"$output"
}

@test "limits: threads are counted before, and a thread that is refused is named" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to become a user with few processes"
	run setpriv --reuid 64321 --clear-groups bash -c "ulimit -u 20; '$W' server -P pool=100,clients=100"
	[ "$status" -eq 1 ]
	[[ $output == *"threads of the server: 102 wanted, and RLIMIT_NPROC allows 20 tasks"* ]]
	# Room for all, until others have taken it: here the address space runs out of stacks.
	run bash -c "ulimit -v 600000; '$W' server -P pool=100,clients=100,thread_stack=64M"
	[ "$status" -eq 1 ]
	[[ $output == *"threads of the server: stopped after"* ]]
}

@test "parameters: of a server alone, with units, within their range" {
	run "$W" server -P parked=3
	[ "$status" -eq 2 ]
	[[ $output == *"does not apply to the shape server"* ]]
	run "$W" handoff -P pool=3
	[ "$status" -eq 2 ]
	[[ $output == *"does not apply to the shape handoff (only to: server"* ]]
	run "$W" server -P service=100
	[ "$status" -eq 2 ]
	[[ $output == *"0 to 600s, with a unit"* ]]
	run "$W" server -P scale=0.0005
	[ "$status" -eq 2 ]
	[[ $output == *"at most 3 decimals"* ]]
	run "$W" server -P model=per-conection
	[ "$status" -eq 2 ]
	[[ $output == *"did you mean 'per-connection'"* ]]
}

@test "nothing outlives the server, killed or not" {
	local mark=$BATS_TEST_TMPDIR/mark
	coproc SERVER { exec env WC_SERVER_MARK="$mark" "$W" server --control -P calls=one,clients=10; }
	read -r -t 20 _ <&"${SERVER[0]}"
	[ "$(marked "$mark" | wc -l)" -eq 3 ]
	kill -9 "$SERVER_PID"
	for _ in {1..50}; do
		[ "$(marked "$mark" | wc -l)" -gt 0 ] || return 0
		sleep 0.1
	done
	false
}

# Processes with the mark in their environment.
marked() {
	local dir
	for dir in /proc/[0-9]*; do
		tr '\0' '\n' <"$dir/environ" 2>/dev/null | grep -qx "WC_SERVER_MARK=$1" && echo "$dir"
	done || true
}

@test "run without probes: gauges in the table, in JSON, CSV, Prometheus and the recording" {
	run --separate-stderr timeout 120 "$WC" run server --no-bpf -P model=per-request,event-loop \
		-P pool=5 -P clients=20 -P service=2ms --rounds 6 --no-warmup -o w.data
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	output=$(sed '/^Measured on/,$d' <<<"$output")
	[[ $output == *"per second"* && $output == *"of bound"* && $output != *"bare"* ]]
	[ "$(awk '{ print length }' <<<"$output" | sort -n | tail -1)" -le 100 ]
	run "$WC" report w.data
	[[ $output == *"Latency of a request"* ]]
	"$WC" report -j w.data >w.json
	jq -e '.work == "request" and (.cells | length) == 2
		and all(.cells[]; .handoffs == 0 and .gauges.requests.bare_median == 20
			and .gauges.sent.bare_median == 20 and .gauges.throughput.bare_median > 0
			and (.gauges.throughput.bare_ci95 | length) == 2)
		and (.gauge_table | map(.name) | index("latency_p99"))' w.json
	jq -e '.cells[0].gauges.os_threads.bare_median == 6 and .cells[1].gauges.os_threads.bare_median == 1' w.json
	"$WC" export w.data --format csv >w.csv
	[ "$(grep -c ',throughput,1/s,' w.csv)" -eq 2 ]
	"$WC" export w.data --format prom >w.prom
	grep -q '^wakecost_work_bare_latency_p50_seconds{shape="server",model="event-loop"} 0\.' w.prom
	run ! grep -q handoff w.prom
	run "$WC" compare w.data w.data
	[ "$status" -eq 1 ]
	[[ $output == *"w.data counts requests"* ]]
	run "$WC" list params
	[[ $output == *"default 200 (server only)"* ]]
	[ "$(sqlite3 w.data "SELECT count(*) FROM gauges WHERE name = 'requests' AND value = 20")" -eq 12 ]
}
