# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# For the root tests: load ../lib; load root

PROBE=$WAKECOST_OUT/tests/root/probe
ACTOR=$WAKECOST_OUT/tests/root/actor
WORKLOAD=$WAKECOST_OUT/wakecost-workload
export PROBE ACTOR WORKLOAD

# For the conditions: wakes($waker; $wakee) and handoffs($waker; $wakee) by thread id.
# shellcheck disable=SC2016
JQ_DEFS='
	. as $root
	| def between($a; $b): [$root.pairs[] | select(.waker == $a and .wakee == $b)];
	def wakes($a; $b): between($a; $b) | map(.wakes) | add // 0;
	def handoffs($a; $b): between($a; $b) | map(.handoffs) | add // 0;
	def sum: [.[]] | add // 0;
	def lost: $root.counters
		| .no_storage + .no_wakeup + .superseded + .clock_backwards + .other_cpu;
'

need_probe() {
	need_root
	[ -x "$PROBE" ] || skip "needs make check-root: no $PROBE"
	[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel shows no BTF"
}

# counted CONDITION PROBE_ARG...: what the probes counted fulfils it, exactly. Measured again only
# where the machine came between, and was counted doing so: process 1 ran (there are kernels that run
# no BPF while it is current), the kernel had no memory for a record, or a balancer held a sleeper.
counted() {
	local condition=$1 try
	shift
	OUT=$BATS_TEST_TMPDIR/counted.json
	for try in 1 2 3 4 5 6 7 8 9 10; do
		timeout 60 "$PROBE" "$@" >"$OUT" || return
		jq -e "$JQ_DEFS $condition" "$OUT" >/dev/null && return
		jq -e '.process1_ran > 0 or .counters.no_storage > 0 or .counters.noop > 0' "$OUT" \
			>/dev/null || break
	done
	echo "probe $* (try $try): not true: $condition"
	jq -c '{done, process1_ran, tracepoint, classes, other, contexts},
		(.counters | with_entries(select(.value > 0))),
		(.pairs[] | {waker, waker_comm, context, wakee, wakee_comm, wakes, timed, handoffs})' \
		"$OUT" | head -16
	return 1
}

# handed CONDITION SHAPE PARAMS [PROBE_ARG...]: the same, of the stamped workload.
handed() {
	local condition=$1 shape=$2 params=$3
	shift 3
	counted "$condition" --handoffs --tgid pid --go measure "$@" -- \
		"$WORKLOAD" "$shape" --control --stamp-fd=@stamps -P "$params"
}

# So many threads more, or the test is skipped.
need_room() {
	local tasks
	tasks=$(sed -E 's|.*/([0-9]+) .*|\1|' /proc/loadavg)
	[ $((tasks + $1 + 500)) -lt "$(cat /proc/sys/kernel/pid_max)" ] || skip "too few free pids"
}

# Two CPUs to place threads on, or the test is skipped: sets CPU_A and CPU_B.
need_two_cpus() {
	local allowed
	allowed=$(taskset -cp $$ | sed 's/.*: //')
	mapfile -t cpus < <(tr ',' '\n' <<<"$allowed" |
		awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
	[ "${#cpus[@]}" -ge 2 ] || skip "needs two CPUs"
	CPU_A=${cpus[0]}
	CPU_B=${cpus[1]}
	export CPU_A CPU_B
}

# Programs of ours in the kernel that no process holds; others may be measuring at the same time.
orphans() {
	local held
	command -v bpftool >/dev/null || return 0
	# shellcheck disable=SC2046 # one path a process
	held=$(grep -hs '^prog_id:' /dev/null $(pgrep -f 'wakecost|/tests/' |
		sed 's|.*|/proc/&/fdinfo/*|') | awk '{ print $2 }')
	bpftool prog show | awk -F'[: ]+' '/ name (tp_btf|raw_tp|self)__/ { print $1 }' |
		grep -vxF "${held:-none}" || true
}

# Workloads started by this test: they have its mark in their environment.
strays() {
	local pid
	for pid in $(pgrep -x wakecost-worklo); do
		tr '\0' '\n' <"/proc/$pid/environ" | grep -qx "WC_TEST_MARK=$WC_TEST_MARK" && echo "$pid"
	done 2>/dev/null || true
}

WC_TEST_MARK=$$.$RANDOM
export WC_TEST_MARK

# No process of the workload is left, and no program of ours in the kernel.
nothing_left() {
	local i left
	for i in {1..50}; do
		left=$(strays; orphans)
		[ -z "$left" ] && return
		sleep 0.2
	done
	echo "left after $((i / 5)) s: $left"
	return 1
}
