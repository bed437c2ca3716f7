#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Causes that are known, because they were put there, in real workloads: what is said of them is the
# truth, or that nothing can be said. Sizes are ratios, within wide margins.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_root
	[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel shows no BTF"
	OUT=$BATS_TEST_TMPDIR/out.json
}

# explained ARG...: one experiment, as small as its verdict allows.
explained() {
	timeout 400 "$WAKECOST" explain --quick -r 6 --seed 11 -P warmup=100 \
		-P handoffs=2000 "$@" -j >"$OUT"
	jq -c '.verdicts[], (.levels[-1] | .growth, (.causes[] | [.cause, .effect.ns]))' "$OUT"
}

said() {
	jq -e "$1" "$OUT" >/dev/null || { echo "not true: $1"; return 1; }
}

# No verdict, or one that no cause stands out in; or this cause.
only_cause() {
	said '.verdicts[0] | test("^Inconclusive") or test("No cause stands out")
		or (test("^With") and test("'"$1"'"))'
	said 'all(.verdicts[]; test("mere existence of [0-9,]+ tasks costs a handoff") | not)'
}

# None, or so little that a machine this busy may have made it.
little_growth() {
	said '. as $root | .verdicts[0] | test("^No growth|^Inconclusive")
		or ($root.levels[-1].growth.ns < 0.3 * $root.base.ns)'
}

need_private_hash() {
	"$WORKLOAD" handoff -P handoffs=11,warmup=0,futex_slots=16 >/dev/null 2>&1 ||
		skip "this kernel has no private futex hash"
}

@test "5,000 ns put into find and 3,000 into return: found there, and nowhere else" {
	timeout 200 "$WAKECOST" run handoff -P mechanism=futex-busy -P find_ns=0,5000 \
		-P return_ns=0,3000 -P handoffs=1009 -P warmup=100 --rounds 5 --seed 11 -j >"$OUT"
	jq -c '.cells[] | [.params.find_ns, .params.return_ns, .handoff_ns.p50,
		(.stages[] | select(.name == "find" or .name == "return") | [.name, .p50_ns])]' "$OUT"
	# by stage: the difference of two cells, over what was put in
	said '
		def p50($c; $s): .cells[$c].stages[] | select(.name == $s).p50_ns;
		def more($c; $s): p50($c; $s) - p50(0; $s);
		def near($want): . > 0.7 * $want and . < 1.5 * $want;
		(more(1; "return") | near(3000)) and (more(1; "find") < 1000)
		and (more(2; "find") | near(5000)) and (more(2; "return") < 1000)
		and (more(3; "find") | near(5000)) and (more(3; "return") | near(3000))
		and ((.cells[3].handoff_ns.p50 - .cells[0].handoff_ns.p50) | near(8000))'
	said '.growth.stage == "find"'
}

@test "a chain of known length: which waiter, and nothing else, in size as computed" {
	need_private_hash
	need_room 4100
	explained --parked 0,4000
	only_cause 'which waiter'
	# the pair's bucket is not chosen: about a 16th of them is ahead of it
	said '.levels[-1].predicted_chain > 100'
	# a wrong size would be one that the waiters ahead could not have made
	said 'if .verdicts[0] | test("^With")
		then .slope.ns_per_task > 0.2 * .predicted_slope
			and .slope.ns_per_task < 5 * .predicted_slope
		else true end'
	# and the ring, whose wakees are cold, beside it
	said '.contrasts[] | select(.role == "ring")
		| .growth.ns > 0 and .stages.find.ns < 0.6 * .growth.ns
		and (.worth.memory == null or .worth.memory > 0)'
}

@test "slots raised for the whole run: whatever is said, it is not which waiter" {
	need_private_hash
	need_room 4100
	explained --parked 0,4000 -P futex_slots=4096
	said '.verdicts[0] | test("which waiter") | not'
	little_growth
}

@test "nothing put in: no growth, or nothing that matters" {
	need_room 2100
	explained --background pause --parked 0,2000
	little_growth
}
