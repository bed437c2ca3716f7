#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The parts make the whole: stages and handoff, slept and not, the probes' clock and the workload's.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_probe
}

run_cells() {
	OUT=$BATS_TEST_TMPDIR/run.json
	timeout 200 "$WAKECOST" run "$@" -P warmup=50 --seed 7 -j >"$OUT"
	jq -c '.cells[] | [.params.mechanism, .params.placement, .params.background,
		.params.policy, .handoffs, .handoff_ns.count, .handoff_ns.mean,
		.all_handoff_ns.mean, .unslept, .unattributed_ns, .lost]' "$OUT"
}

# For every cell, whatever the workload was.
sound='
	def near($a; $b; $part): ($a - $b | fabs) <= $part * $b + 1;
	all(.cells[];
		(.stages | map(.mean_ns) | add) as $stages
		| near($stages + .unattributed_ns.mean; .handoff_ns.mean; 0.03)
		and (.unattributed_ns.share | fabs) < 0.05
		and ([.classes[]] | add) == .handoff_ns.count + .classes.timed
		and .counters.handoff == .handoff_ns.count + .classes.timed
		and .handoffs == .handoff_ns.count + .classes.timed + .unslept.count
		and .unslept.excess_count == 0
		and .all_handoff_ns.count == .handoffs
		and .counters.clock_backwards == 0)
'

@test "stages and unattributed make the mean handoff; slept and unslept make all" {
	run_cells handoff -P mechanism=futex,pipe -P placement=same,cross \
		-P background=none,futex-own -P parked=400 -P handoffs=503 --rounds 2
	jq -e "$sound and (.cells | length) == 8 and all(.cells[]; .handoffs == 2 * 503)" "$OUT"
}

@test "the same under other policies, in a ring and in a herd" {
	run_cells handoff -P policy=other,fifo -P handoffs=2003 --rounds 1 --no-warmup
	jq -e "$sound" "$OUT"
	run_cells ring -P mechanism=eventfd -P threads=2,61 -P handoffs=2003 --rounds 1 --no-warmup
	jq -e "$sound" "$OUT"
	run_cells herd -P threads=7 -P handoffs=2002 --rounds 1 --no-warmup
	jq -e "$sound" "$OUT"
}

# Every handoff sleeps, so the probes and the workload time the same ones, each by its own means.
@test "settled: the probes' mean is the workload's, within 3 %" {
	run_cells handoff -P mechanism=futex,eventfd,signal -P settle=1 -P handoffs=1009 --rounds 2
	jq -e "$sound"' and all(.cells[]; (.lost | add) as $lost
		| .handoff_ns.count + $lost >= .handoffs
		and ($lost > 0 or near(.handoff_ns.mean; .all_handoff_ns.mean; 0.03)))' "$OUT"
}

@test "the measure of measuring stands beside every cell" {
	run_cells handoff -P handoffs=1009 --rounds 2
	jq -e 'all(.cells[]; .bare_handoff_ns.count == 2 * 1009 and .bare_handoff_ns.p50 > 0
		and (.probe_cost_ns.median | type) == "number")' "$OUT"
}
