#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What record leaves: herds, ends, small tables, many pairs; by known workloads and exact counts.

bats_require_minimum_version 1.5.0
load ../lib
load root
load recorded

setup() {
	need_probe
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ -z "${ACTOR_PID:-}" ] || kill -KILL "$ACTOR_PID" 2>/dev/null || true
	[ -z "${TOOL:-}" ] || kill -KILL "$TOOL" 2>/dev/null || true
}

# actor_recorded OPTIONS ACT...: r.data and r.json of the time from the word to go until all is done;
# $READY and $DONE are what the actor said then.
actor_recorded() {
	local options=$1 go
	shift
	rm -f said go
	mkfifo go
	"$ACTOR" "$@" <go >said 2>actor.err 3>&- &
	ACTOR_PID=$!
	exec {go}>go
	await_lines said 1
	# shellcheck disable=SC2086 # options are words
	record_begin -p "$ACTOR_PID" $options
	echo >&"$go"
	await_lines said 2
	record_end
	echo >&"$go"
	exec {go}>&-
	wait "$ACTOR_PID"
	ACTOR_PID=
	READY=$(sed -n 1p said)
	DONE=$(sed -n 2p said)
}

holds() {
	jq -e --argjson ready "$READY" --argjson over "$DONE" "$1" r.json >/dev/null
}

# exactly OPTIONS CONDITION ACT...: recorded again only where the machine was counted coming between.
exactly() {
	local options=$1 condition=$2
	shift 2
	for _ in 1 2 3 4 5 6 7 8; do
		actor_recorded "$options" "$@" || return
		holds "$condition" && return
		[ "$RAN1" -gt 0 ] || holds '.counters.no_storage > 0 or .counters.noop > 0' || break
	done
	echo "not so: $condition"
	say_counts
	return 1
}

herd='[.rows.items[] | select(.waker.tid == $ready.main and .wakee.name == "wc-herd").wakes]'

@test "herd of 2000 on one futex: every wake in its pair and on a path, shares make 100 %" {
	need_sqlite
	exactly "--stacks all" "$herd | length == 2000 and all(. == 3)" herd n=2000 rounds=3
	[ "$(ask "SELECT sum(sampled) FROM chain")" -eq "$(jq .wakes.count r.json)" ]
	[ "$(ask "SELECT sum(weight) FROM chain")" -eq "$(jq .wakes.count r.json)" ]
	# what it takes to take the stacks is not in the paths
	[ "$(ask "SELECT sum(total_ns) FROM chain")" -lt "$(jq .wakes.total_ns r.json)" ]
	[ "$(ask "SELECT min(total_ns) FROM chain")" -gt 0 ]
	[ "$(ask "SELECT count(*) FROM chain_stage WHERE sum_ns < 0")" -eq 0 ]
	holds '([.rows.items[].share] | add) as $all | $all > 0.999 and $all < 1.001'
	holds '([.wakes.stages[].share] | add) + .wakes.unattributed_ns.share
		| . > 0.999 and . < 1.001'
	holds '.counters | .stack_full == 0 and .chain_full == 0 and .stack_failed == 0 and .no_pair == 0'
	"$WAKECOST" export --format folded --metric count --force -o r.folded r.data
	[ "$(awk '{ n += $NF } END { print n }' r.folded)" -eq "$(jq .wakes.count r.json)" ]
}

@test "the same in tables too small: what finds no place is counted, and still in the sums" {
	need_sqlite
	exactly "--stacks all --max-pairs 100 --max-stacks 16 --max-paths 64" \
		'.wakes.count >= 6000 and (.wakes.kinds | add) == .counters.completed' \
		herd n=2000 rounds=3
	[ "$(ask "SELECT count(*) FROM edge")" -eq 100 ]
	[ "$(ask "SELECT count(*) FROM chain")" -eq 64 ]
	# those of its own timer are in the table of pairs, and on no path
	[ "$(ask "SELECT sum(wakes) FROM edge_class")" -eq \
		"$(jq '.counters.completed - .lost.no_pair' r.json)" ]
	[ "$(ask "SELECT sum(sampled) FROM chain")" -eq \
		"$(jq '.wakes.count - .lost.chain_full' r.json)" ]
	"$WAKECOST" report r.data | grep -A9 '^Lost' >lost
	cat lost
	grep -q no_pair lost
	grep -q chain_full lost
}

@test "more different stacks than there is room for: counted, and shown as lost" {
	need_sqlite
	exactly "--stacks all --max-stacks 16" '.counters.stack_full > 0 and .lost.stack_full > 0' \
		storm pairs=4 n=5003
	[ "$(ask "SELECT sum(sampled) FROM chain")" -eq "$(jq .wakes.count r.json)" ]
	[ "$(ask "SELECT count(*) FROM stack")" -le 17 ] # 16, and the one that says lost
}

@test "one never slept, one slept through, one sleeps again, one died: each as what it is" {
	exactly "" '.threads
		| ([.never_slept[].tid] | index($ready.spinner) != null and index($ready.parked) == null)
		and ([.exited[].tid] == [$over.child])
		and .slept_through >= 1' ends n=11
	# censored: a lower bound, which is the window for one that slept through
	holds '.recording.window_ns as $window | [.threads.open[] | select(.state == "asleep")]
		| any(.task.tid == $ready.parked and .at_least_ns == $window)
		and any(.task.tid == $ready.once and .at_least_ns >= 200000000
			and .at_least_ns < $window)'
	# not in the figures
	holds '[.rows.items[] | select(.wakee.tid == $ready.parked)] == []
		and [.rows.items[] | select(.wakee.tid == $ready.spinner)] == []'
	# eleven, and the one to be killed
	holds '[.rows.items[] | select(.waker.tid == $ready.main and .wakee.tid == $over.child)]
		| length == 1 and .[0].wakes == 12'
	holds '[.rows.items[] | select(.waker.tid == $ready.main and .wakee.tid == $ready.once).wakes]
		== [1]'
	"$WAKECOST" report r.data >report.txt
	cat report.txt
	grep -Eq 'asleep all through, .* or more \([0-9]+\):.*wc-parked' report.txt
	grep -Eq 'asleep at the end \([0-9]+\):.*wc-once [0-9]+ \([0-9.]+ m?s or more\)' report.txt
	tr -s '\n ' '  ' <report.txt | grep -q 'never slept ([0-9]*):[^(]*wc-spinner'
	grep -q 'processes that ended meanwhile (1): ' report.txt
}

@test "a process and those below it that were there already" {
	exactly "" '[.rows.items[] | select(.waker.tid == $ready.waker and .wakee.tid == $ready.wakee).wakes]
		== [101]' pair n=101
}

@test "ten times the wakes of the same pairs: no larger, and within 20 MB" {
	local small large few
	exactly "--stacks all" '.rows.count >= 390' storm pairs=200 n=20
	small=$(stat -c %s r.data)
	few=$(jq .wakes.count r.json)
	exactly "--stacks all" '.rows.count >= 390' storm pairs=200 n=200
	large=$(stat -c %s r.data)
	[ "$(jq .wakes.count r.json)" -gt $((few * 3)) ]
	echo "$small and $large bytes; $(jq -c '[.wakes.count, .rows.count]' r.json)"
	[ "$large" -lt $((small * 4)) ]
	[ "$large" -lt 20000000 ]
	local by
	for by in pair wakee process stack; do
		"$WAKECOST" report --by "$by" r.data >/dev/null
	done
}
