#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Where a wakee last ran, where it was put and where it ran are three facts.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_probe
	need_two_cpus
}

single=(--event-bytes 1048576 --event-every 1)

@test "asleep on one CPU, allowed only another: prev, chosen and ran differ as they must" {
	# the wakee is moved to and fro; realtime, so that it leaves its queue when it sleeps
	counted "[.events[] | [.prev, .chosen, .ran]] as \$e | (\$e | length) == 101
		and ([\$e[] | select(. == [$CPU_A, $CPU_B, $CPU_B])] | length) == 51
		and ([\$e[] | select(. == [$CPU_B, $CPU_A, $CPU_A])] | length) == 50
		and all(.events[]; .waker_cpu == $CPU_A and .context == \"task\")
		and .counters.same_cpu == 0 and .counters.waker_cpu == 50" \
		--tid wakee "${single[@]}" -- "$ACTOR" pair n=101 fifo=1 \
		"waker_cpu=$CPU_A" "wakee_cpu=$CPU_A" "from=$CPU_A" "to=$CPU_B"
	jq -e '.ready as $r | all(.events[]; .waker == $r.waker and .wakee == $r.wakee)' "$OUT"
}

@test "left where it is: prev, chosen and ran are one CPU, the waker's the other" {
	counted "all(.events[]; .prev == $CPU_B and .chosen == $CPU_B and .ran == $CPU_B
			and .waker_cpu == $CPU_A) and (.events | length) == 101
		and .counters.same_cpu == 101 and .counters.waker_cpu == 0" \
		--tid wakee "${single[@]}" -- "$ACTOR" pair n=101 \
		"waker_cpu=$CPU_A" "wakee_cpu=$CPU_B"
}

@test "remote: enqueued by the other CPU, with the stage send, and no other wake has one" {
	for _ in 1 2 3 4 5; do
		counted '[.events[] | select(.class == "remote")] as $remote
			| .classes.remote == ($remote | length)
			and .send_by_class.remote + .counters.no_chosen == .classes.remote
			and .send_by_class.local == 0 and .send_by_class.delayed == 0
			and all($remote[]; .chosen != .waker_cpu
				and .at.chosen >= .at.waking and .at.handled >= .at.chosen
				and .at.wakeup >= .at.handled)' \
			--tid wakee "${single[@]}" -- "$ACTOR" pair n=211 fifo=1 \
			"waker_cpu=$CPU_A" "wakee_cpu=$CPU_B"
		jq -e '[.stage_table[] | select(.stage == "send").status] == ["exact"]' "$OUT" ||
			skip "this kernel does not show send"
		jq -e '.classes.remote > 0' "$OUT" >/dev/null && return
	done
	skip "the other CPU was never idle when its thread was woken"
}

@test "the boundaries of a single wake are in order" {
	counted '(.events | length) == 211 and all(.events[].at;
			.waking <= .wakeup and .wakeup <= .switch and .entry <= .switch
			and (.exit == 0 or .switch <= .exit))' \
		--tid wakee "${single[@]}" -- "$ACTOR" pair n=211
}
