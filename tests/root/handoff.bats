#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Handoffs in prime numbers, each from a proven sleep: exactly so many, with the right waker and
# wakee.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_probe
}

# Every handoff is one wake with both stamps, in its own direction, and nothing else is one. What
# was not followed to its end is counted, and there is none of it while process 1 does not run.
exact='
	(.counters | .superseded + .no_wakeup) as $lost | .done.handoffs as $n
	| .counters.handoff + $lost == $n and $lost <= .process1_ran and lost == $lost
	and all(.done.by_direction[]; .handoffs - handoffs(.from; .to) | . >= 0 and . <= $lost)
	and all(.done.by_direction[]; wakes(.from; .to) + $lost >= .handoffs)
	and ([.pairs[].handoffs] | add) == .counters.handoff
	and (.classes | sum) == .counters.handoff and .metrics.total.count == .counters.handoff
	and .metrics.find.count == .counters.handoff
	and .metrics.return.count == .counters.handoff
'

every_placement() {
	local placement
	for placement in same cross free; do
		handed "$exact" handoff "mechanism=$1,placement=$placement,handoffs=503,settle=1"
	done
}

@test "futex: 252 wakes one way, 251 the other, on one CPU, on two, and free" {
	every_placement futex
	jq -e '.done.by_direction | map(.handoffs) == [252, 251]' "$OUT"
}

@test "condvar" {
	every_placement condvar
}

@test "pipe" {
	every_placement pipe
}

@test "eventfd" {
	every_placement eventfd
}

@test "epoll" {
	every_placement epoll
}

@test "signal" {
	every_placement signal
}

@test "spin: no handoff sleeps, so none is a wake" {
	handed '.counters.handoff == 0 and (.classes | sum) == 0 and .done.handoffs == 1009' \
		handoff mechanism=spin,handoffs=1009
}

@test "policies other and fifo: as many" {
	handed "$exact" handoff policy=other,handoffs=503,settle=1
	handed "$exact" handoff policy=fifo,placement=free,handoffs=503,settle=1
}

@test "beside 500 parked threads none of them wakes or is woken" {
	handed "$exact and (.done.by_direction as \$d | [.ready.pid, \$d[].to] as \$known
		| all(.pairs[].wakee; . as \$w | \$known | index(\$w)))" \
		handoff background=futex-own,parked=500,handoffs=503,settle=1
}

@test "ring of 7: handoff k goes from thread k to k + 1, modulo 7" {
	handed '[.ready.threads[].tid] as $t | .counters.handoff == 503
		and all(range(7); . as $i
			| handoffs($t[$i]; $t[($i + 1) % 7]) == ((502 - $i) / 7 | floor) + 1)
		and ([.pairs[].handoffs] | add) == 503' \
		ring threads=7,handoffs=503,settle=1
}

@test "herd of 7, woken 71 times: by one call, or by seven" {
	local mechanism
	for mechanism in futex eventfd signal; do
		handed '[.ready.threads[].tid] as $t | .counters.handoff == 497
			and all(range(1; 8); . as $i | handoffs($t[0]; $t[$i]) == 71)
			and ([.pairs[].handoffs] | add) == 497' \
			herd "mechanism=$mechanism,threads=7,handoffs=497,settle=1"
	done
}

@test "unsettled: what slept is a wake in its direction, the rest is not, and no more than all" {
	local mechanism
	for mechanism in futex pipe; do
		handed '(.classes | sum) as $slept | .counters.handoff == $slept
			and $slept <= .done.handoffs and $slept > 0
			and ([.pairs[].handoffs] | add) == $slept
			and .metrics.total.count == $slept' \
			handoff "mechanism=$mechanism,policy=other,handoffs=10007"
	done
}

@test "in a nested pid namespace: the same counts" {
	unshare -p -f --mount-proc true || skip "no pid namespaces here"
	PROBE_REAL=$PROBE
	cat >"$BATS_TEST_TMPDIR/probe" <<-EOS
		#!/bin/sh
		exec unshare -p -f --mount-proc "$PROBE_REAL" "\$@"
	EOS
	chmod +x "$BATS_TEST_TMPDIR/probe"
	PROBE=$BATS_TEST_TMPDIR/probe
	# there its own ids are not the kernel's; the pairs have the kernel's
	handed '.done.handoffs == 503 and .counters.handoff == 503 and (.classes | sum) == 503
		and ([.pairs[].handoffs | select(. > 0)] | sort) == [251, 252]' \
		handoff handoffs=503,settle=1
}
