#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The workloads by themselves: exact counts, proven sleep, limits named. No root, no absolute time.

bats_require_minimum_version 1.5.0

W=${WORKLOAD:-$BATS_TEST_DIRNAME/../../.output/wakecost-workload}

setup() {
	cd "$BATS_TEST_TMPDIR"
	# A sanitizer's leak report at exit_group would be about stacks that threads still use.
	export ASAN_OPTIONS=detect_leaks=0
}

# jq_ok FILTER: true of the JSON in $output
jq_ok() {
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1"; echo "$output"; false; }
}

cpu_cnt() {
	nproc
}

# Each combination: exact count, and with settle one sleep and one wake a handoff.
exact() {
	local shape=$1 mech place waits extra=${2:-}
	for mech in futex condvar pipe eventfd epoll signal; do
		for place in same cross free; do
			[ "$place" != cross ] || [ "$(cpu_cnt)" -gt 1 ] || continue
			run --separate-stderr timeout 30 "$W" "$shape" \
				-P "mechanism=$mech,placement=$place,settle=1,handoffs=211,warmup=17$extra"
			[ "$status" -eq 0 ] || { echo "$shape $mech $place: $stderr"; false; }
			echo "# $shape $mech $place"
			# Wakees of one broadcast may meet once more at its mutex.
			[ "$shape $mech" = "herd condvar" ] && waits=">= 1" || waits="== 1"
			jq_ok ".results[0] | .handoffs == 211 and .handoff_ns.count == 211
				and .waits_per_handoff $waits and .handoff_ns.min > 0
				and (.unslept_seen | . == null or . == 0)"
		done
	done
}

@test "handoff: exact counts and one sleep a handoff, every mechanism and placement" {
	exact handoff
}

@test "handoff: each direction has its share of an odd count" {
	run --separate-stderr "$W" handoff -P handoffs=1009,settle=1
	jq_ok '.results[0].by_direction | [.[].handoffs] == [505, 504]'
	jq_ok '.results[0].context_switches.voluntary == 1009'
	jq_ok '.results[0].by_direction[0].from == .threads[0].tid'
}

@test "ring: exact counts, every mechanism and placement" {
	exact ring ,threads=7
}

@test "ring: more threads than handoffs" {
	run --separate-stderr "$W" ring -P threads=97,handoffs=13,warmup=0,settle=1
	[ "$status" -eq 0 ]
	jq_ok '.results[0] | .handoffs == 13 and .waits_per_handoff == 1'
	jq_ok '.threads_cnt == 97 and (.threads | length) == 64'
}

@test "herd: exact counts with a last turn that is not full" {
	exact herd ,threads=5
	# 42 full turns and one of 1: 43 answers beside the 211 wakes.
	jq_ok '.results[0].context_switches.voluntary == 254'
}

@test "herd: more wakees than handoffs, and a herd of one" {
	run --separate-stderr "$W" herd -P threads=31,handoffs=7,settle=1
	jq_ok '.results[0] | .handoffs == 7 and .waits_per_handoff == 1'
	run --separate-stderr "$W" herd -P threads=1,handoffs=7,settle=1
	jq_ok '.results[0] | .handoffs == 7 and .waits_per_handoff == 1'
}

@test "spin: makes progress on one CPU too, and never sleeps" {
	for place in same free; do
		run --separate-stderr timeout 30 "$W" handoff -P "mechanism=spin,handoffs=211,placement=$place"
		[ "$status" -eq 0 ]
		jq_ok '.results[0] | .handoffs == 211 and .waits_per_handoff == 0'
	done
}

@test "without settle every mechanism still makes exactly the handoffs asked for" {
	for mech in futex condvar pipe eventfd epoll signal spin; do
		for policy in batch other; do
			run --separate-stderr timeout 30 "$W" herd \
				-P "mechanism=$mech,policy=$policy,handoffs=503,threads=3,rounds=2"
			[ "$status" -eq 0 ]
			jq_ok '[.results[].handoff_ns.count] == [503, 503]'
		done
	done
}

@test "every background proves asleep" {
	for bg in pause futex-own futex-one condvar epoll pipe timed runnable coroutine process; do
		run --separate-stderr timeout 60 "$W" handoff \
			-P "background=$bg,parked=211,handoffs=101,warmup=0"
		[ "$status" -eq 0 ] || { echo "$bg: $stderr"; false; }
		echo "# $bg"
		jq_ok '.parked_actual == 211 and .parked_proven == 211'
		jq_ok ".parked_tasks == $([ $bg = coroutine ] && echo 1 || echo 211)"
	done
}

@test "a background really is there: seen from outside" {
	coproc WL { exec "$W" handoff --control -P background=futex-own,parked=307; }
	read -r -t 30 -u "${WL[0]}" output
	jq_ok '.event == "ready" and .parked_proven == 307'
	pid=$(jq .pid <<<"$output")
	# Beside them: main and the two that hand off.
	[ "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)" -eq 310 ]
	# Main may be on its way into read(); the rest sleep.
	[ "$(cat /proc/"$pid"/task/*/stat | sed 's/.*) //' | grep -c '^S')" -ge 309 ]
	if [ -r "/proc/$pid/syscall" ]; then
		[ "$(cat /proc/"$pid"/task/*/syscall | awk '$3 == "0x80"' | wc -l)" -eq 307 ]
	fi
	echo quit >&"${WL[1]}"
	wait "$pid" || true
	[ ! -e "/proc/$pid" ]
}

@test "coroutines: 100,000 on one thread" {
	run --separate-stderr timeout 60 "$W" handoff -P background=coroutine,parked=100000,handoffs=101
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	jq_ok '.parked_proven == 100000 and .parked_tasks == 1'
}

@test "chain: what is computed is what is parked, in the bucket asked for" {
	run --separate-stderr "$W" handoff -P background=futex-one,parked=101,handoffs=101
	jq -e '.futex_hash.kind == "private"' <<<"$output" || skip "no private futex hash here"
	jq_ok '.bucket == "other" and .predicted_chain.chain == [0, 0]'
	run --separate-stderr "$W" handoff -P background=futex-one,parked=101,handoffs=101,bucket=pair
	jq_ok '.bucket == "pair" and .predicted_chain.chain == [101, 101]'
	run --separate-stderr "$W" handoff -P background=futex-own,parked=101,futex_slots=2
	jq_ok '.futex_hash.slots == 2'
	run --separate-stderr "$W" handoff -P futex_slots=global
	jq_ok '.futex_hash.kind == "global" and .predicted_chain == null'
}

@test "control: ready, warm, measure, run, an unknown word, the end of input" {
	printf 'warm\nmeasure\nfrobnicate\nrun\n' >in
	run --separate-stderr timeout 30 "$W" handoff --control -P handoffs=101,warmup=11 <in
	[ "$status" -eq 0 ]
	output=$(jq -sc . <<<"$output")
	jq_ok '[.[].event] == ["ready", "warm", "result", "error", "result"]'
	jq_ok '.[3].message | test("frobnicate.*run, warm, measure or quit")'
	jq_ok '[.[] | select(.event == "result") | .handoffs] == [101, 101]'
}

@test "control: overlong and binary commands are refused, not obeyed" {
	{ head -c 5000 /dev/zero | tr '\0' 'r'; echo; printf '"\\\001\377run\n'; } >in
	run --separate-stderr timeout 30 "$W" handoff --control <in
	[ "$status" -eq 0 ]
	output=$(jq -sc . <<<"$output")
	jq_ok '[.[].event] == ["ready", "error", "error"]'
}

@test "control: nothing outlives a parent killed with -9" {
	mkfifo hold
	# The parent holds the other end of stdin open, so that only its death can end the workload.
	bash -c "exec 9<>hold; $W handoff --control -P background=process,parked=31 <hold >out & wait" &
	parent=$!
	until [ -s out ]; do sleep 0.05; done
	pid=$(jq .pid out)
	children=$(cat "/proc/$pid/task/$pid/children")
	[ "$(wc -w <<<"$children")" -eq 31 ]
	kill -9 "$parent"
	wait "$parent" || true
	for _ in $(seq 100); do
		alive=0
		for p in $pid $children; do [ ! -e "/proc/$p" ] || alive=1; done
		[ "$alive" -eq 1 ] || break
		sleep 0.05
	done
	[ "$alive" -eq 0 ]
}

@test "stamps: each thread has its slot, with the last of the ids" {
	truncate -s 4194304 stamps
	mkfifo in
	"$W" handoff --control -P handoffs=101,warmup=7 --stamp-fd 5 5<>stamps <in >out &
	exec 6>in
	echo run >&6
	until grep -q '"result"' out; do sleep 0.05; done
	# tid, reserved, call_id, call_ns, ret_id, ret_ns of every slot in use
	od -An -v -t u4 -w64 stamps | awk '$1 { print $1, $3, $7 }' | sort -n >slots
	[ "$(wc -l <slots)" -eq 2 ]
	[ "$(awk '{ print $1 }' slots | paste -sd, )" = "$(head -1 out | jq -r '[.threads[].tid] | sort | join(",")')" ]
	# No call in progress; ids 101 and 100 were the last to arrive.
	[ "$(awk '{ print $2 }' slots | sort -u)" = 0 ]
	[ "$(awk '{ print $3 }' slots | sort -n | paste -sd,)" = 100,101 ]
	exec 6>&-
	wait
	[ "$(od -An -v -t u4 -w64 stamps | awk '$1' | wc -l)" -eq 0 ]
}

@test "stamps: a short file and a closed descriptor are errors, not a SIGBUS" {
	truncate -s 4096 short
	run "$W" handoff --stamp-fd 5 5<>short
	[ "$status" -eq 1 ]
	[[ $output == *"make it 4194304"* ]]
	run "$W" handoff --stamp-fd 77
	[ "$status" -eq 1 ]
	[[ $output == *"--stamp-fd 77"* ]]
}

usage() {
	local want=$1
	shift
	run timeout 20 "$W" "$@"
	echo "# $* -> $output"
	[ "$status" -eq 2 ]
	[[ $output == *"$want"* ]]
}

@test "usage errors name the key, the nearest match and where to look" {
	usage "did you mean 'parked'?" handoff -P parkd=1
	usage "--list" handoff -P parkd=1
	usage "did you mean 'futex-own'?" handoff -P background=futex-ow
	usage "did you mean 'handoff'?" hadoff
	usage "threads does not apply to the shape handoff" handoff -P threads=3
	usage "at least 2" ring -P threads=1
	usage "not a power of two" handoff -P futex_slots=24
	usage "which shape" --control
	usage "unknown option --frob" handoff --frob
	usage "-P needs a value" handoff -P
	usage "expected key=value" handoff -P parked
	usage "expected key=value" handoff -P =3
	usage "expected key=value" handoff -P parked=1,
	usage "unexpected argument" handoff ring
	usage "--stamp-fd" handoff --stamp-fd -1
	usage "stack" handoff -P stack=16384,stack_touch=4
}

@test "numbers: strict" {
	for bad in -1 +1 1x 0x10 1e3 "" " 1" 1.5 18446744073709551616 100001; do
		usage "parked: bad value" handoff -P "parked=$bad"
	done
	usage "handoffs: bad value" handoff -P handoffs=0
	usage "stack: bad value" handoff -P stack=64KB
	usage "stack: bad value" handoff -P stack=99999999999G
	usage "settle: bad value" handoff -P settle=2
	run --separate-stderr "$W" handoff -P stack=1M,handoffs=11
	jq_ok '.params.stack == 1048576'
}

@test "list: text, and JSON with every default among what is allowed" {
	run "$W" --list
	[ "$status" -eq 0 ]
	[[ $output == *futex-own* ]]
	run "$W" --list -j
	jq_ok '.schema == "wakecost.workload-list/1" and (.mechanisms | length) == 8'
	jq_ok '(.backgrounds | length) == 11 and (.shapes | length) == 9'
	jq_ok '[.params[] | select(.type == "enum") | .default as $d | .values | index($d) != null] | all'
	jq_ok '[.params[] | select(.type == "int" and (.default | type) == "number") |
		.default >= .min and .default <= .max] | all'
	run "$W" --help
	[ "$status" -eq 0 ]
	run "$W" --version
	[ "$status" -eq 0 ]
}

# As somebody whom RLIMIT_NPROC binds.
@test "limits: RLIMIT_NPROC is named" {
	if [ "$(id -u)" -eq 0 ]; then
		command -v setpriv >/dev/null || skip "root is exempt, and there is no setpriv"
		cp "$W" ./wl && chmod 755 wl . .. 2>/dev/null
		as="setpriv --reuid=54321 --regid=54321 --clear-groups --inh-caps=-all --bounding-set=-all"
		$as ./wl --version >/dev/null 2>&1 || skip "the other user cannot run it here"
	else
		as= && cp "$W" ./wl
	fi
	run bash -c "ulimit -u 40; exec $as ./wl handoff -P background=pause,parked=2000"
	[ "$status" -eq 1 ]
	[[ $output == *RLIMIT_NPROC*"ulimit -u"* ]]
}

@test "limits: RLIMIT_AS is named, on stderr and as an event" {
	[ -z "${SANITIZED:-}" ] || skip "a sanitizer needs its address space"
	run --separate-stderr bash -c "ulimit -v 600000; exec '$W' handoff --control \
		-P background=pause,parked=20000 </dev/null"
	[ "$status" -eq 1 ]
	jq_ok '.event == "error" and .limit == "RLIMIT_AS" and (.message | test("ulimit -v"))'
	[[ $stderr == *RLIMIT_AS* ]]
}

@test "limits: RLIMIT_NOFILE is named" {
	as=
	if [ "$(id -u)" -eq 0 ]; then
		command -v setpriv >/dev/null || skip "root may raise it, and there is no setpriv"
		as="setpriv --bounding-set=-all --inh-caps=-all"
		# Root keeps nothing over its limits without the capability.
		$as true 2>/dev/null || skip "capabilities cannot be dropped here"
	fi
	run bash -c "ulimit -n 128; exec $as '$W' handoff -P background=pipe,parked=500"
	[ "$status" -eq 1 ]
	[[ $output == *RLIMIT_NOFILE*"ulimit -Hn"* ]]
}

@test "limits: pids.max of the cgroup is named" {
	local dir
	for dir in /sys/fs/cgroup/pids /sys/fs/cgroup/unified /sys/fs/cgroup; do
		[ -w "$dir/cgroup.procs" ] || continue
		mkdir "$dir/wl.$$" 2>/dev/null || continue
		[ -e "$dir/wl.$$/pids.max" ] && break
		rmdir "$dir/wl.$$"
	done
	[ -e "$dir/wl.$$/pids.max" ] || skip "no pids cgroup can be made here"
	run bash -c "echo 50 >$dir/wl.$$/pids.max; echo \$\$ >$dir/wl.$$/cgroup.procs
		exec '$W' handoff -P background=process,parked=200"
	rmdir "$dir/wl.$$"
	[ "$status" -eq 1 ]
	[[ $output == *"wl.$$"*pids.max* ]]
}

@test "limits: vm.max_map_count is named" {
	[ "$(cat /proc/sys/vm/max_map_count)" -le 65530 ] || skip "max_map_count has been raised here"
	[ -z "${SANITIZED:-}" ] || skip "a sanitizer needs mappings of its own"
	run timeout 60 "$W" handoff -P background=coroutine,parked=40000,guard=1
	[ "$status" -eq 1 ]
	[[ $output == *max_map_count*sysctl* ]]
}

@test "limits: policy=fifo without rights says which" {
	as=
	if [ "$(id -u)" -eq 0 ]; then
		command -v setpriv >/dev/null || skip "root has the right, and there is no setpriv"
		as="setpriv --bounding-set=-all --inh-caps=-all"
		$as true 2>/dev/null || skip "capabilities cannot be dropped here"
	fi
	run bash -c "ulimit -r 0; exec $as '$W' handoff -P policy=fifo"
	[ "$status" -eq 1 ]
	[[ $output == *RLIMIT_RTPRIO* ]]
}

@test "placement: cross on one CPU is an error that says so" {
	command -v taskset >/dev/null || skip "no taskset"
	run taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" "$W" handoff -P placement=cross
	[ "$status" -eq 1 ]
	[[ $output == *"needs two CPUs"* ]]
	run "$W" handoff -P cpu=4097
	[ "$status" -eq 1 ]
	[[ $output == *"CPU 4097"* ]]
}

@test "a reader that is gone and a full disk end it with an error" {
	[ -e /dev/full ] || skip "no /dev/full"
	run bash -c "'$W' handoff -P handoffs=11 >/dev/full"
	[ "$status" -eq 1 ]
	[[ $output == *"cannot write"* ]]
	run bash -c "'$W' --list >/dev/full"
	[ "$status" -eq 1 ]
}

@test "chase: an access costs more the larger the working set, and is no handoff" {
	run --separate-stderr "$W" chase -P reach=4M
	[ "$status" -eq 0 ]
	jq -e '.schema == "wakecost.chase/1" and .reach_bytes == 4194304
		and ([.points[] | select(.pattern == "bytes" and (.huge_pages | not))] | length) == 9
		and all(.points[]; .ns > 0 and .ns_q1 <= .ns and .ns <= .ns_q3)
		and all(.points[] | select(.pattern == "pages"); .lines * 4096 == .bytes)' <<<"$output"
	run "$W" chase -P parked=3
	[ "$status" -eq 2 ]
	run "$W" chase --control
	[ "$status" -eq 2 ]
	run "$W" handoff -P reach=4M
	[ "$status" -eq 2 ]
}

@test "stack_walk fits the stack or is refused" {
	run "$W" ring -P threads=5,stack_walk=8,handoffs=203,warmup=0
	[ "$status" -eq 0 ]
	run "$W" ring -P stack_walk=16
	[ "$status" -eq 2 ]
	[[ $output = *"larger stack"* ]]
	run "$W" ring -P threads=5,stack_walk=16,stack=128K,handoffs=203,warmup=0
	[ "$status" -eq 0 ]
}
