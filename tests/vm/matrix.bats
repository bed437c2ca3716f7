#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What one guest left behind (boot.sh, guest/matrix): every source of every boundary, with the
# counts of a workload whose counts are known. LAB_OUT is the folder, LAB_KERNEL the series.

bats_require_minimum_version 1.5.0
load ../lib

HANDOFFS=997
# the two directions: one of them wakes first
DIRECTIONS='[498,499]'
STAGES='["find","select","send","enqueue","wait","pick","switch","return"]'
# what can be asked of the sources, but for the one that leaves nothing
WAYS=(none tp_btf fentry "fentry,kprobe" "tp_btf,fentry")

setup() {
	[ -n "${LAB_OUT:-}" ] || skip "run by make lab"
	cd "$LAB_OUT"
}

# A JSON file and what must hold of it; both are shown when it does not.
holds() {
	jq -e --argjson n $HANDOFFS --argjson stages "$STAGES" "$2" "$1" >/dev/null || {
		echo "$1: $2"
		jq -c "${3:-.}" "$1"
		return 1
	}
}

ended_with() {
	[ "$(cat "$1.rc")" = "$2" ] || {
		echo "$1 ended with $(cat "$1.rc"), not $2"
		cat "$1.err"
		return 1
	}
}

# stage_probe WAY STAGE PROBE: exact, and from there.
stage_probe() {
	holds "doctor-$1.json" ".stages[] | select(.name == \"$2\")
		| .status == \"exact\" and (.probe | startswith(\"$3\"))" .stages
}

merged() {
	holds "doctor-$1.json" ".stages[] | select(.name == \"$2\") | .status == \"merged\"" .stages
}

@test "this is the kernel that was meant" {
	diff release ../version
}

@test "the kernel complained of nothing" {
	run grep -E 'WARNING:|BUG:|Oops|Call Trace|rcu.*stall|general protection' dmesg
	echo "$output"
	[ "$status" -ne 0 ]
}

@test "with all sources every stage is exact, from functions where there is no tracepoint" {
	ended_with doctor-none 0
	holds doctor-none.json '.verdict == "full" and [.stages[].name] == $stages'
	holds doctor-none.json 'all(.stages[]; .status == "exact")' .stages
	stage_probe none select fentry/ttwu_queue_wakelist
	stage_probe none wait "fentry/schedule, schedule_idle"
	stage_probe none switch fexit/schedule
}

@test "send comes from the tracepoint where there is one, else from the function" {
	if [ "$LAB_KERNEL" = 6.1 ]; then
		stage_probe none send fentry/sched_ttwu_pending
		stage_probe fentry send kprobe/sched_ttwu_pending
		merged fentry,kprobe send
	else
		stage_probe none send tp_btf/csd_function_entry
		stage_probe tp_btf send raw_tp/csd_function_entry
		stage_probe fentry,kprobe send tp_btf/csd_function_entry
	fi
}

@test "without fentry the same stages come from kprobes" {
	for way in fentry tp_btf,fentry; do
		ended_with doctor-$way 0
		holds doctor-$way.json 'all(.stages[]; .status == "exact")' .stages
		stage_probe $way select kprobe/ttwu_queue_wakelist
		stage_probe $way wait "kprobe/schedule, schedule_idle"
		stage_probe $way switch kprobe/finish_task_switch
	done
}

@test "without tp_btf the functions remain" {
	ended_with doctor-tp_btf 0
	stage_probe tp_btf select fentry/ttwu_queue_wakelist
	stage_probe tp_btf switch fexit/schedule
	holds doctor-tp_btf.json 'all(.stages[]; .probe | startswith("tp_btf") | not)' .stages
}

@test "without functions stages merge, and say why" {
	ended_with doctor-fentry,kprobe 1
	for stage in select enqueue wait pick switch return; do
		merged fentry,kprobe $stage
	done
	holds doctor-fentry,kprobe.json '.verdict == "degraded" and
		all(.stages[]; .status == "exact" or .why != "")' .stages
}

@test "without tp_btf and raw_tp it refuses, and says so once" {
	ended_with doctor-raw_tp,tp_btf 2
	holds doctor-raw_tp,tp_btf.json '.verdict == "unable" and (.error | length > 0)'
	ended_with run-raw_tp,tp_btf 3
	[ ! -s run-raw_tp,tp_btf.json ]
	[ "$(wc -l <run-raw_tp,tp_btf.err)" -eq 1 ]
	grep -q "switched off by --disable" run-raw_tp,tp_btf.err
}

@test "every way counts every handoff, and loses none" {
	for way in "${WAYS[@]}"; do
		ended_with "run-$way" 0
		holds "run-$way.json" '.cells[0] | .handoffs == $n and .handoff_ns.count == $n and
			.counters.handoff == $n and .waits_per_handoff == 1' \
			'.cells[0] | del(.params, .stages)'
		# entry is not seen of a preemption inside the kernel, where it comes from schedule();
		# recursion is of all tasks' events: an interrupt's timer inside another's callback
		holds "run-$way.json" '.cells[0].lost | .recursion <= 10 and
			(del(.no_entry, .recursion) | add == 0)' '.cells[0].lost'
	done
}

@test "the stages shown are those doctor promised" {
	for way in "${WAYS[@]}"; do
		jq -c '[.stages[] | [.name, .status, .shown_as]]' "doctor-$way.json" >promised
		jq -c '[.stage_table[] | [.stage, .status, .shown_as]]' "run-$way.json" >shown
		diff promised shown
	done
}

@test "each exact stage is seen in every handoff that has it" {
	for way in none fentry tp_btf tp_btf,fentry; do
		holds "run-$way.json" '.cells[0] as $c | [$c.stages[] | {(.name): .count}] | add
			| .find == $n and .enqueue == $n and .wait == $n and .switch == $n
			and .return == $n and .select == $n - $c.classes.delayed and .send == 0
			and .pick + $c.lost.no_entry == $n and $c.lost.no_entry <= 10' '.cells[0].stages'
	done
}

@test "the stages' sum is the whole, to the nanosecond" {
	for file in pairs-none pairs-tp_btf pairs-fentry pairs-fentry,kprobe pairs-tp_btf,fentry \
		cross-none cross-fentry cross-fentry,kprobe; do
		ended_with $file 0
		holds $file.json '.metrics | .total.count == $n and .total.sum > 0 and
			([del(.total)[].sum] | add) == .total.sum' .metrics
	done
}

@test "each direction has its half, exactly" {
	for file in pairs-none pairs-tp_btf pairs-fentry pairs-fentry,kprobe pairs-tp_btf,fentry \
		cross-none cross-fentry cross-fentry,kprobe; do
		holds $file.json "[.pairs[].handoffs | select(. > 0)] | sort == $DIRECTIONS" \
			'[.pairs[] | [.waker, .wakee, .handoffs, .wakes]]'
	done
}

@test "kinds of wake are this kernel's: delayed dequeue in 6.12, never in 6.1" {
	for way in "${WAYS[@]}"; do
		if [ "$LAB_KERNEL" = 6.1 ]; then
			holds "run-$way.json" '.cells[0].classes
				| .local == $n and .delayed == 0' '.cells[0].classes'
		else
			holds "run-$way.json" '.cells[0].classes
				| .local + .delayed == $n and .delayed > $n / 2' '.cells[0].classes'
		fi
	done
}

@test "between CPUs wakes are remote, and the sending is timed" {
	[ "$(cat cpus)" -gt 1 ] || skip "this guest had one CPU"
	for file in cross-none cross-fentry cross-fentry,kprobe; do
		holds $file.json '.classes | .remote > $n * 0.9 and .local + .remote + .raced +
			.delayed == $n' .classes
		if [ "$LAB_KERNEL" != 6.1 ] || [ $file != cross-fentry,kprobe ]; then
			holds $file.json '.metrics.send.count >= .classes.remote' .metrics
		fi
	done
}

@test "the verifier walks no program more than a fifth further than before" {
	[ ! -s verifier.err ]
	known=$ROOT/tests/vm/verifier-$LAB_KERNEL.txt
	if [ "${LAB_GOLDEN:-}" = write ]; then
		cp verifier.txt "$known"
	fi
	[ -s "$known" ] || skip "nothing is known of this kernel"
	run awk '
		FILENAME == ARGV[1] { before[$1 " " $2] = $3; next }
		!(($1 " " $2) in before) { print "# new, not held to anything yet: " $0; next }
		before[$1 " " $2] == "refused" { next }
		$3 == "refused" { print $1, $2 " was accepted, is refused"; bad = 1; next }
		$3 > before[$1 " " $2] * 1.2 {
			print $1, $2 ": " before[$1 " " $2] " instructions before, " $3 " now"; bad = 1
		}
		END { exit bad }' "$known" verifier.txt
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^run [a-z_]* [0-9]' verifier.txt)" -gt 20 ]
}
