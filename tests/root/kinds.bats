#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What is a wake, of which kind, and what is none: known workloads, exact counts.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_probe
}

@test "101 sleeps by the clock beside a busy thread: 101 timed wakes, none by the busy one" {
	counted '.ready as $r | .done.slept == 101
		and ([.pairs[] | select(.wakee == $r.sleeper and .context == "timer") | .timed] | add)
			== 101
		and wakes($r.main; $r.sleeper) == 1
		and all(.pairs[]; .waker != $r.busy)
		and all(.pairs[] | select(.timed > 0); .context == "timer" and .waker == 0)' \
		--tgid main -- "$ACTOR" timer n=101 cpu=0
}

@test "two hogs on one CPU: preempted, and never woken" {
	counted '.counters.waking == 0 and .counters.noop == 0 and .pairs == []
		and (.classes | sum) == 0 and .counters.preempted > 0' \
		--tid a --tid b -- "$ACTOR" hogs cpu=0 ms=200
	# on a CPU since before the window: no wake, at most one censored one each
	jq -e '.counters.censored_start <= 2' "$OUT"
}

@test "101 threads made: 101 wakes of the kind new, by their maker" {
	counted '.classes.new == 101
		and ([.pairs[] | select(.new > 0)] | length == 101 and all(.new == 1 and .wakes == 1))
		and ([.pairs[] | select(.new > 0).waker] | unique | length) == 1' \
		--comm wc-spawn -- "$ACTOR" spawn n=101
}

@test "1009 calls to wake a thread that never sleeps: no wake, no stage, as many as the kernel says" {
	counted '.counters.waking == 0 and .counters.completed == 0 and .metrics.total.count == 0
		and .counters.noop == .tracepoint.inner and .tracepoint.inner == 0' \
		--tid awake --count 'comm == "wc-awake"' -- "$ACTOR" awake n=1009
}

@test "asleep since before the window: woken in it, one wake; not woken, nothing" {
	counted '.counters.waking == 1 and .counters.completed == 1
		and .counters.censored_start == 0 and wakes(.ready.main; .ready.woken) == 1' \
		--tid woken -- "$ACTOR" window
	counted '.counters.waking == 0 and .counters.completed == 0
		and .counters.censored_start == 0 and .pairs == []' \
		--tid asleep -- "$ACTOR" window
}

@test "the probed process's own wake: by the prober, once" {
	counted 'wakes(.self; .ready.main) == 1' --tid main -- "$ACTOR" window
}

@test "storm: begun + not a wake = the kernel's own count; begun = followed + lost" {
	local condition='
		.counters.waking + .counters.noop + .counters.no_storage == .tracepoint.inner
		and .tracepoint.inner == .tracepoint.outer and .tracepoint.inner > 10000
		and .counters.waking == .counters.completed + .counters.superseded
			+ .counters.no_wakeup + .counters.clock_backwards + .counters.other_cpu
		and ([.pairs[].wakes] | add) == .counters.completed
		and (.classes | sum) == .counters.completed
		and (.contexts | sum) == .counters.waking
		and all(.pairs[]; .wakee_comm == "wc-storm")'
	counted "$condition" --comm wc-storm --count 'comm == "wc-storm"' -- "$ACTOR" storm
}

# All tasks of the machine: what happens between the first probe and the first count is in one of
# them only, so the kernel's count is taken twice, around the probes and inside.
@test "storm, all tasks: between the kernel's count inside the window and around it" {
	counted '(.counters | .waking + .noop + .no_storage + .recursion) as $seen
		| $seen >= .tracepoint.inner + .tracepoint.inner_new
		and $seen <= .tracepoint.outer + .tracepoint.outer_new
		and .counters.waking >= .counters.completed + .counters.superseded
			+ .counters.no_wakeup + .counters.clock_backwards' \
		--count 'pid > 0' -- "$ACTOR" storm n=5003
}

@test "no pair has the idle task in it, and no stage is longer than the window" {
	counted 'all(.pairs[]; .wakee > 0)
		and (.metrics.total.sum / (.metrics.total.count + 1)) < 60000000000' \
		-- "$ACTOR" storm n=503
}
