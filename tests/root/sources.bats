#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# With any source of events switched off: the same counts, or a clear refusal. With tables too
# small: what did not fit is counted.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_probe
}

same='.counters | .handoff + .superseded + .no_wakeup == 503'

without() {
	handed "($same) and ([.stage_table[], .boundaries[] | .probe, .source
			| strings | select(test(\"(^|[, ])($2)\"))] | length) == 0" \
		handoff handoffs=503,settle=1 --disable "$1"
}

@test "without tp_btf: exact by raw_tp" {
	without tp_btf tp_btf
	without tp_btf,fentry,kprobe 'tp_btf|fentry|fexit|kprobe'
}

@test "without raw_tp: exact by tp_btf" {
	without raw_tp raw_tp
	without raw_tp,fentry,kprobe 'raw_tp|fentry|fexit|kprobe'
}

@test "without functions: exact, from tracepoints alone" {
	without fentry fentry
	without kprobe kprobe
	without fentry,kprobe 'fentry|fexit|kprobe'
}

@test "by raw_tp: filters, kinds and single wakes as by tp_btf" {
	counted 'wakes(.ready.waker; .ready.wakee) == 101 and .counters.waking == 101
			and (.events | length) == 101' \
		--disable tp_btf --tid wakee --event-bytes 1048576 --event-every 1 \
		-- "$ACTOR" pair n=101
	counted '.classes.new == 101' --disable tp_btf --comm wc-spawn -- "$ACTOR" spawn n=101
	counted '([.pairs[].timed] | add) == 101 and .contexts.timer == 101' \
		--disable tp_btf --tid sleeper -- "$ACTOR" timer n=101 cpu=0
}

@test "a stage the table calls merged or missing has no time of its own, an exact one has" {
	local list
	for list in fentry,kprobe tp_btf,fentry,kprobe raw_tp,fentry,kprobe; do
		handed '.metrics as $m | .classes as $c | all(.stage_table[];
			if .status == "missing" then $m[.stage].count == 0
			elif .status == "exact" and .stage != "send" then $m[.stage].count > 500
			else true end)
			and (.stage_table | map(select(.shown_as == "select+enqueue")) | length) as $joined
			| if $joined == 2 then $m.enqueue.count == 0 and $m.select.count > 500
				else true end' \
			handoff handoffs=503,settle=1 --disable "$list"
	done
}

@test "neither tp_btf nor raw_tp: refused, with status 3 and the way out" {
	local list
	for list in tp_btf,raw_tp tp_btf,raw_tp,fentry,kprobe; do
		run --separate-stderr "$WAKECOST" run handoff -P handoffs=11 --disable "$list"
		echo "$output $stderr"
		[ "$status" -eq 3 ]
		[ -z "$output" ]
		[[ $stderr == *"wakecost doctor"* ]]
	done
}

@test "a source that does not exist is a usage error" {
	run --separate-stderr "$WAKECOST" run handoff --disable tp_btf,ftrace
	[ "$status" -eq 2 ]
	[[ $stderr == *ftrace* ]]
}

@test "pair table full: pairs and no_pair make all that was counted" {
	handed '([.pairs[].wakes] | add) + .counters.no_pair == .counters.completed
		and .counters.no_pair > 0 and (.pairs | length) == 8
		and .counters.handoff + .counters.superseded + .counters.no_wakeup == 1009
		and .metrics.total.count == .counters.handoff' \
		ring threads=64,handoffs=1009,settle=1 --pair-max 8
}

@test "pair table full, in a run: said under the table and in the JSON" {
	run --separate-stderr "$WAKECOST" run ring -P threads=64 -P handoffs=1009 \
		--rounds 1 --no-warmup --pair-max 8
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *no_pair*"pair table full"* ]]
	"$WAKECOST" run ring -P threads=64 -P handoffs=1009 --rounds 1 --no-warmup --pair-max 8 -j |
		jq -e '.lost.no_pair > 0'
}

@test "ring buffer full: single wakes kept and not kept make all" {
	counted '(.events | length) + .counters.no_event == .counters.completed
		and .counters.completed == 503 and .counters.no_event > 0 and (.events | length) > 0' \
		--tid wakee --event-bytes 4096 --event-every 1 -- "$ACTOR" pair n=503
	counted '.counters.no_event == 0 and (.events | length) == (503 / 7 | floor)' \
		--tid wakee --event-bytes 1048576 --event-every 7 -- "$ACTOR" pair n=503
}
