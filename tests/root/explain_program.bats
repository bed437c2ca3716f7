#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# explain of programs whose cause is known: walks, run queues, nothing; and the preloaded library.
# Ratios, never absolute times.

bats_require_minimum_version 1.5.0
load ../lib
load root

SLOTS_LIB=$WAKECOST_OUT/libwakecost-slots.so
ARCH_PRCTL=$(case $(uname -m) in x86_64) echo 157 ;; *) echo 167 ;; esac)

setup() {
	need_root
	[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel shows no BTF"
}

teardown() {
	local pid
	for pid in "${PIDS[@]}"; do
		kill -KILL "$pid" 2>/dev/null || true
	done
	wait 2>/dev/null || true
}

said() {
	jq -e "$1" <<<"$output" >/dev/null || {
		echo "not so: $1"
		echo "$output" | jq -c 'del(.host, .stage_table)' || echo "$output"
		echo "${stderr:-}"
		false
	}
}

# Slots of a process, as it says itself: perl calls prctl(PR_FUTEX_HASH, GET_SLOTS).
ask_slots="printf qq(%d\n), syscall($ARCH_PRCTL, 78, 2, 0, 0, 0)"

need_slots() {
	[ "$(perl -e "printf '%d', syscall($ARCH_PRCTL, 78, 1, 64, 0, 0)")" = 0 ] ||
		skip "this kernel gives processes no futex slots (Linux 6.17)"
}

# A pair that hands off until it is killed, beside parked ones; waits until they are there.
start_pair() {
	"$WORKLOAD" handoff -P "handoffs=1000000,rounds=10000,placement=same,$1" >/dev/null &
	PIDS+=($!)
	PAIR=$!
	local i
	for i in {1..600}; do
		[ "$(find "/proc/$PAIR/task" -mindepth 1 -maxdepth 1 | wc -l)" -ge "$(($2 + 3))" ] && break
		sleep 0.1
	done
	sleep 0.5
}

@test "16000 on futexes of their own: the walk, its length as computed, and by which rule" {
	need_slots
	need_room 16000
	start_pair background=futex-own,parked=16000 16000
	run --separate-stderr "$WAKECOST" explain -p "$PAIR" -d 2s -j
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	# others on the machine may make the pair wait now and then: the sum is not asked
	said '.typical == "finding the waiter" and .program.pid == '"$PAIR"
	said '.threads | .slots_basis == "rule" and .before.count == 16003
		and ([.before, .after] | all(.by_sleep["private futex"] | . >= 16000 and . <= 16002))'
	said '.threads | (.after.mean_chain * .futex_slots - 16000) | fabs <= 2'
	said '(.parts | map(.share) | add) as $all | $all > 0.999 and $all < 1.001'
	said '.verdicts | join(" ") | test("PR_FUTEX_HASH_SET_SLOTS, 4096") and test("--what-if futex-slots=4096")'
}

@test "as many in pause(): not the walk" {
	need_slots
	need_room 16000
	start_pair background=pause,parked=16000 16000
	run --separate-stderr "$WAKECOST" explain -p "$PAIR" -d 2s -j
	said '.threads.after | .count == 16003 and .by_sleep.other >= 16000 and .mean_chain < 1'
	said '.typical != null and .typical != "finding the waiter"'
}

@test "two that never stop on the pair's CPU: the run queue" {
	local cpu
	start_pair parked=0 0
	cpu=$(taskset -cp "$(find "/proc/$PAIR/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n | tail -1)" | sed 's/.*: //')
	taskset -c "$cpu" sh -c 'while :; do :; done' &
	PIDS+=($!)
	taskset -c "$cpu" sh -c 'while :; do :; done' &
	PIDS+=($!)
	run --separate-stderr "$WAKECOST" explain -p "$PAIR" -d 2s -j
	said '.dominant == "run-queue wait" and .stands_out and (.verdicts[1] | test("more are runnable"))'
}

@test "one that is never woken, and one that is not there" {
	sleep 1000 &
	PIDS+=($!)
	run --separate-stderr "$WAKECOST" explain -p "${PIDS[0]}" -d 200ms -j
	[ "$status" -eq 0 ]
	said '.dominant == null and .wakes.count == 0 and (.verdicts[0] | test("No thread of it was woken"))'
	run --separate-stderr "$WAKECOST" explain -p 999999999 -d 200ms
	[ "$status" -eq 1 ]
	[[ $stderr == *"no process 999999999"* ]]
}

@test "a command: its output is not in ours, it is ended, and its children count" {
	run --separate-stderr "$WAKECOST" explain --delay 300ms -d 500ms -j -- sh -c \
		"echo from the command; '$WORKLOAD' handoff -P handoffs=1000000,rounds=1000 >/dev/null; :"
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	[[ $stderr == *"from the command"* ]]
	said '.schema == "wakecost.explain-program/1" and .wakes.count > 100
		and .program.name == "wakecost-worklo" and .threads.before.count == 3'
	run pgrep -f "$WORKLOAD handoff -P handoffs=1000000,rounds=1000"
	[ "$status" -eq 1 ]
}

@test "a command that starts slowly is waited for, until its threads are steady" {
	need_room 1500
	# one thread after the other for some seconds, and only then all of them
	run --separate-stderr "$WAKECOST" explain -d 500ms -j -- sh -c \
		"for i in 1 2 3 4 5 6 7; do sleep 1000 & sleep 0.7; done; exec '$WORKLOAD' handoff \
			-P background=pause,parked=1009,handoffs=1000000,rounds=1000 >/dev/null"
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	said '.threads.before.count == 1011 + 1 and .wakes.count > 100'
	run pgrep -f "$WORKLOAD handoff -P background=pause,parked=1009"
	[ "$status" -eq 1 ]
}

@test "a command that ends too early, that is not there, and that may not run" {
	run --separate-stderr "$WAKECOST" explain --delay 1s -- true
	[ "$status" -eq 1 ]
	[[ $stderr == *"ended before the window"* ]]
	run -127 --separate-stderr "$WAKECOST" explain -- /no/such/program
	run -126 --separate-stderr "$WAKECOST" explain -- /etc/passwd
}

@test "options that do not go together" {
	local args
	for args in "-p 1 --quick" "-p 1 -- true" "--what-if futex-slots=16" "-d 1s" "-p 1 -r 3" \
		"-p x" "--what-if futex-slots=3000 -- true" "--what-if slots=16 -- true"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$WAKECOST" explain $args
		[ "$status" -eq 2 ] || { echo "$args: $status"; false; }
		[ -n "$stderr" ]
	done
}

@test "a recording of the window can be read again" {
	start_pair parked=0 0
	run --separate-stderr "$WAKECOST" explain -p "$PAIR" -d 500ms -j -o "$BATS_TEST_TMPDIR/w.data"
	local wakes
	wakes=$(jq .wakes.count <<<"$output")
	run --separate-stderr "$WAKECOST" report "$BATS_TEST_TMPDIR/w.data" -j
	said '.schema == "wakecost.record/1" and .wakes.count == '"$wakes"
}

@test "what if: more slots take the walk away, and the program says it had them" {
	need_slots
	need_room 8000
	run --separate-stderr "$WAKECOST" explain --delay 3s -d 1s --what-if futex-slots=4096 -j -- \
		"$WORKLOAD" handoff \
		-P background=futex-own,parked=8000,placement=same,handoffs=1000000,rounds=10000
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	said '.what_if | .futex_slots == 4096 and .slots_with == 4096 and .rounds == 1
		and .with.find_p50.ns * 3 < .without.find_p50.ns
		and .with.wakes.per_second > .without.wakes.per_second'
	[ -z "$(ls /tmp/wakecost-slots-* 2>/dev/null)" ]
}

# ---- the library ----

preloaded() {
	LD_PRELOAD=$SLOTS_LIB WAKECOST_FUTEX_SLOTS=$1 "${@:2}"
}

@test "preload: set, in children forked and executed as well, and silent" {
	need_slots
	run --separate-stderr preloaded 512 perl -e "$ask_slots"
	[ "$output" = 512 ]
	[ -z "$stderr" ]
	run --separate-stderr preloaded 512 perl -e "if (!fork) { $ask_slots; exit } wait; $ask_slots"
	[ "$output" = $'512\n512' ]
	run --separate-stderr preloaded 512 sh -c "exec perl -e '$ask_slots'"
	[ "$output" = 512 ]
	run --separate-stderr env LD_PRELOAD="$SLOTS_LIB" perl -e "$ask_slots"
	[ "$output" = 0 ]
}

@test "preload: stays when threads come later" {
	need_slots
	run --separate-stderr preloaded 1024 python3 -c "
import threading, ctypes
hold = threading.Event()
threads = [threading.Thread(target=hold.wait) for i in range(23)]
for t in threads: t.start()
print(ctypes.CDLL(None).prctl(78, 2, 0, 0, 0))
hold.set()"
	[ "$output" = 1024 ]
	[ -z "$stderr" ]
}

@test "preload: says that it failed, and the program goes on" {
	need_slots
	run --separate-stderr preloaded 3000 perl -e 'print "going on"; exit 7'
	[ "$status" -eq 7 ]
	[ "$output" = "going on" ]
	[[ $stderr == *"refuses the futex slots"* ]]
}

@test "preload: reports what was set, and what it was at the end" {
	need_slots
	local file=$BATS_TEST_TMPDIR/report
	: >"$file"
	WAKECOST_FUTEX_REPORT=$file preloaded 256 perl -e 'print "$$ 256\n" x 2' >"$BATS_TEST_TMPDIR/want"
	diff -u "$BATS_TEST_TMPDIR/want" "$file"
}

# ---- Java ----

need_java() {
	command -v javac >/dev/null || skip "no JDK (javac)"
	command -v java >/dev/null || skip "no Java"
	javac -d "$BATS_FILE_TMPDIR" "$ROOT/tests/root/java/Parked.java" ||
		skip "this JDK cannot compile"
	CPU=$(taskset -cp $$ | sed 's/.*[ ,-]//')
}

java_parked() {
	JAVA=(taskset -c "$CPU" java -Xss256k -cp "$BATS_FILE_TMPDIR" Parked "$1")
}

# Seconds until they are all parked, here and now.
java_seconds() {
	local i
	"${JAVA[@]}" >"$BATS_TEST_TMPDIR/ready" &
	PIDS+=($!)
	for i in {1..240}; do
		sleep 0.5
		! grep -q ready "$BATS_TEST_TMPDIR/ready" || break
	done
	kill "${PIDS[-1]}"
	wait "${PIDS[-1]}" || true
	SECONDS_READY=$((i / 2 + 1))
}

@test "java: parked platform threads by LockSupport, and slots that bring 16,000 back" {
	need_slots
	need_java
	need_room 17000
	java_parked 0
	run --separate-stderr "$WAKECOST" explain --delay 4s -d 2s -j -- "${JAVA[@]}"
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	local base own
	base=$(jq .wakes.p50_ns <<<"$output")
	echo "0 parked: wake p50 $base ns; $(grep own_handoff <<<"$stderr")"

	java_parked 16000
	java_seconds
	run --separate-stderr "$WAKECOST" explain --delay "$((2 * SECONDS_READY + 2))s" -d 2s --what-if futex-slots=4096 -j -- \
		"${JAVA[@]}"
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	own=$(grep own_handoff <<<"$stderr")
	echo "16,000 parked: $(jq -c '.what_if | del(.verdict)' <<<"$output"); $own"
	said '.typical == "finding the waiter" and .threads.after.by_sleep["private futex"] > 12000'
	said '.what_if | .slots_with == 4096 and (.slots_without == null or .slots_without < 4096)'
	# nine tenths of what came with them go
	said ".what_if | .without.wake_p50.ns > 3 * $base
		and (.without.wake_p50.ns - .with.wake_p50.ns) > 0.9 * (.without.wake_p50.ns - $base)"
	said '.what_if | .with.wakes.per_second > 2 * .without.wakes.per_second'
}
