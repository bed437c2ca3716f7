#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What one guest left behind (boot.sh, guest/matrix): every source of every boundary, with the
# counts of a workload whose counts are known. LAB_OUT is the folder, LAB_KERNEL the series.

bats_require_minimum_version 1.5.0
load ../lib
load vm

# what can be asked of the sources, but for the one that leaves nothing
WAYS=(none tp_btf fentry "fentry,kprobe" "tp_btf,fentry")

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

@test "record: every way sees every wake of a known pair, and loses none" {
	for way in "${WAYS[@]}"; do
		ended_with "made-record-$way" 0
		ended_with "record-$way" 0
		pair_of "record-$way.json"
		# the command's exec is waited for by ptrace, which leaves it to nobody to be seen
		holds "record-$way.json" '.lost | .recursion <= 10 and .no_entry <= 10 and
			.no_exit <= 2 and (del(.no_entry, .no_exit, .recursion) | add == 0)' .lost
	done
}

@test "record: its stages are those doctor promised, each seen in every wake, and they sum up" {
	for way in "${WAYS[@]}"; do
		# find and return are of system calls here, of the workload's own stamps in run
		jq -c '[.stages[] | [.name, .status, .shown_as]][1:-1]' "doctor-$way.json" >promised
		jq -c '[.stage_table[] | [.stage, .status, .shown_as]][1:-1]' "record-$way.json" >shown
		diff promised shown
		holds "record-$way.json" '.wakes | ([.stages[].share] | add) + .unattributed_ns.share
			| . > 0.999 and . < 1.001' .wakes
	done
	for way in none fentry tp_btf tp_btf,fentry; do
		holds "record-$way.json" '.wakes as $w | [$w.stages[] | {(.name): .count}] | add
			| .enqueue == $w.count and .wait == $w.count and .switch == $w.count
			and .pick <= $w.count and .pick >= $w.count - 10
			and .find >= $n and .return >= $n and .find <= $w.count and .return <= $w.count
			and .select == $w.count - $w.kinds.delayed' .wakes
	done
	holds "record-fentry,kprobe.json" '.wakes as $w | [$w.stages[] | {(.name): .count}] | add
		| .["switch+return"] >= $n and .["wait+pick"] == $w.count' .wakes
}

@test "record: between CPUs as many, and the sending is timed" {
	[ "$(cat cpus)" -gt 1 ] || skip "this guest had one CPU"
	for file in crossed-none crossed-fentry crossed-fentry,kprobe; do
		ended_with $file 0
		pair_of $file.json
		holds $file.json '.wakes.kinds.remote > $n * 0.9' .wakes.kinds
	done
}

@test "record: stacks of both sides name the kernel's functions" {
	# without fentry and kprobes there is no moment in the wakee to take its stack
	for way in none tp_btf fentry tp_btf,fentry; do
		ended_with "stacks-record-$way" 0
		awk -v n="$HANDOFFS" '/pipe_write_\[w\]/ && /pipe_read/ { seen += $NF }
			END { exit !(seen >= n) }' "stacks-record-$way.json" || {
			head "stacks-record-$way.json"
			false
		}
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

@test "the verifier takes every program that this kernel has a place for" {
	[ ! -s verifier.err ]
	run ! grep refused verifier.txt
	[ "$(grep -c '^run [a-z_0-9]* [0-9]' verifier.txt)" -gt 20 ]
	[ "$(grep -c '^record [a-z_0-9]* [0-9]' verifier.txt)" -gt 20 ]
}

@test "the verifier walks no program more than a fifth further than before" {
	known=$ROOT/tests/vm/verifier-$LAB_KERNEL.txt
	if [ "${LAB_GOLDEN:-}" = write ]; then
		run ! grep refused verifier.txt
		cp verifier.txt "$known"
	fi
	[ -s "$known" ] || skip "nothing is known of this kernel"
	run awk '
		FILENAME == ARGV[1] { before[$1 " " $2] = $3; next }
		!(($1 " " $2) in before) { print "# new, not held to anything yet: " $0; next }
		before[$1 " " $2] == "absent" { next }
		$3 == "absent" || $3 == "refused" { print $1, $2 " loaded, is " $3; bad = 1; next }
		$3 > before[$1 " " $2] * 1.2 {
			print $1, $2 ": " before[$1 " " $2] " instructions before, " $3 " now"; bad = 1
		}
		END { exit bad }' "$known" verifier.txt
	echo "$output"
	[ "$status" -eq 0 ]
}
