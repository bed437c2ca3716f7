#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# compare, from made-up recordings with a change of known size.

# shellcheck disable=SC2154 # stderr is set by run --separate-stderr
# shellcheck disable=SC2016 # what bash -c expands

load ../lib
bats_require_minimum_version 1.5.0

setup_file() {
	local made=$WAKECOST_OUT/tests/helpers/made_up

	make -s -C "$ROOT" O="$WAKECOST_OUT" "$made"
	cd "$BATS_FILE_TMPDIR" || return
	"$made" run base.data 1 0
	"$made" run same.data 2 0
	"$made" run slow.data 3 10
	"$made" run fast.data 4 -10
	"$made" run few.data 5 10 3
	"$made" jvm jvm.data >/dev/null
	"$made" db db.data >/dev/null
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

@test "the same twice: no difference, status 0 also with --fail-on" {
	run "$WAKECOST" compare base.data same.data --fail-on regression
	[ "$status" -eq 0 ]
	[ "$(grep -c 'no difference found$' <<<"$output")" -eq 4 ]
	[[ $output != *slower* || $output == *"Called faster or slower"* ]]
	[[ $output == *"Noise floor: BASE against itself"* ]]
}

@test "a tenth slower: found, placed in its stage, status 4 when asked for" {
	run --separate-stderr "$WAKECOST" compare base.data slow.data
	[ "$status" -eq 0 ]
	grep -qE '^4000 +p50 +2\.00 us +2\.[12][0-9] us +\+(9|10)\.[0-9]+ \[.*\] +slower$' <<<"$output"
	grep -qE '^4000 +find .* slower$' <<<"$output"
	grep -qE '^0 +p50 .* no difference found$' <<<"$output"
	run --separate-stderr "$WAKECOST" compare --fail-on regression base.data slow.data
	[ "$status" -eq 4 ]
	[[ $stderr == *"regression: 3 figures slower" ]]
}

@test "a tenth faster is no regression; diff is another word" {
	run --separate-stderr "$WAKECOST" diff --fail-on regression base.data fast.data
	[ "$status" -eq 0 ]
	grep -qE '^4000 +p50 .* faster$' <<<"$output"
}

@test "the threshold decides what is a change" {
	run "$WAKECOST" compare --threshold 30% --fail-on regression base.data slow.data
	[ "$status" -eq 0 ]
	for bad in -1 x 5x nan '' 1001; do
		run --separate-stderr "$WAKECOST" compare --threshold "$bad" base.data slow.data
		[ "$status" -eq 2 ]
		[[ $stderr == *"--threshold takes a percentage"* ]]
	done
}

@test "too few rounds: inconclusive, how many would do, and a warning that this is no pass" {
	run --separate-stderr "$WAKECOST" compare --fail-on regression few.data slow.data
	[ "$status" -eq 0 ]
	[[ $output == *"inconclusive (needs >= 5"* ]]
	[[ $output == *"Noise floor: not known, with fewer than 4 rounds"* ]]
	[[ $stderr == *"8 figures inconclusive"* ]]
}

@test "JSON says the same" {
	"$WAKECOST" compare -j base.data slow.data >out
	jq -e '.schema == "wakecost.compare/1" and .kind == "run"' out
	[ "$(jq -c .verdicts out)" = '{"slower":3,"faster":0,"no_difference":5,"inconclusive":0}' ]
	jq -e '.cells[] | select(.params.parked == 4000).changes[] |
		select(.of == "find") | .verdict == "slower" and .change_percent > 19 and
		.ci95_percent[0] > 15 and .ci95_percent[1] < 25 and .base_rounds == 7' out
}

@test "-s sorts and -n limits what is shown, not what is judged" {
	run --separate-stderr "$WAKECOST" compare -s change -n 1 --fail-on regression \
		base.data slow.data
	[ "$status" -eq 4 ]
	[ "$(grep -cE '^4000 +p(50|99) ' <<<"$output")" -eq 2 ]
	[ "$(grep -cE '^0 +p50 ' <<<"$output")" -eq 0 ]
	[[ $output == *"1 more cell, judged but not shown"* ]]
	run --separate-stderr "$WAKECOST" compare -s cell -n 1 --fail-on regression \
		base.data slow.data
	[ "$status" -eq 4 ]
	[ "$(grep -cE '^0 +p50 ' <<<"$output")" -eq 1 ]
}

@test "-v shows every stage, the noise and the p" {
	run --separate-stderr "$WAKECOST" compare -v base.data slow.data
	[ "$(grep -cE '^(0|4000) +(find|wait) ' <<<"$output")" -eq 4 ]
	[[ $output == *"noise, %"*"p (Holm)"* ]]
}

@test "nothing in common: each side listed, status 1" {
	run --separate-stderr "$WAKECOST" compare base.data "$ROOT/tests/golden/v1.wakecost"
	[ "$status" -eq 1 ]
	[[ $output == *"Only in BASE: 2 cells"*"Only in NEW: 4 cells"* ]]
	[[ $stderr == *"no cell is in both recordings"* ]]
}

@test "another machine is said first" {
	cp same.data other.data
	sqlite3 other.data "UPDATE host SET value = '6.1.0' WHERE key = 'kernel'"
	run --separate-stderr "$WAKECOST" compare base.data other.data
	[ "$status" -eq 0 ]
	grep -qE '^kernel +6\.18\.0 +6\.1\.0$' <<<"$output"
	[ "$("$WAKECOST" compare -j base.data other.data | jq -c .host_differences)" = \
		'[{"key":"kernel","base":"6.18.0","new":"6.1.0"}]' ]
	run "$WAKECOST" compare base.data same.data
	[[ $output != *"not the same machine"* ]]
}

@test "recordings of programs: pairs by name, none dropped, no verdict" {
	run --separate-stderr "$WAKECOST" compare jvm.data db.data
	[ "$status" -eq 0 ]
	grep -qE '^ +5000 +- .* gone .* ping -> pong$' <<<"$output"
	grep -qE '^ +- +5100 .* new .* \[softirq\] -> postgres$' <<<"$output"
	[[ $output == *"no rounds"* ]]
	[[ $output != *slower* && $output != *faster* ]]
	"$WAKECOST" compare -j jvm.data jvm.data >out
	jq -e '.pairs | length == 8 and all(.change_percent == 0)' out
	jq -e '.wakes.stages | map(.base_ns) | add' out
}

@test "recordings of programs: no --fail-on; a flame graph on request" {
	run --separate-stderr "$WAKECOST" compare --fail-on regression jvm.data db.data
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == *"needs rounds"* ]]
	"$WAKECOST" compare --flame change.svg jvm.data db.data >/dev/null
	grep -q '</svg>' change.svg
	run --separate-stderr "$WAKECOST" compare --flame jvm.data jvm.data db.data
	[ "$status" -eq 1 ]
	[[ $stderr == *"jvm.data is already there"* ]]
	run --separate-stderr "$WAKECOST" compare --flame x.svg base.data slow.data
	[ "$status" -eq 2 ]
	[ ! -e x.svg ]
}

@test "unlike kinds, and what is no recording" {
	run --separate-stderr "$WAKECOST" compare base.data jvm.data
	[ "$status" -eq 1 ]
	[[ $stderr == *'base.data is of `wakecost run` and jvm.data of `wakecost record`'* ]]
	run --separate-stderr "$WAKECOST" compare base.data none.data
	[ "$status" -eq 1 ]
	[[ $stderr == *"none.data"* ]]
	run --separate-stderr "$WAKECOST" compare base.data
	[ "$status" -eq 2 ]
	[[ $stderr == *"two recordings"* ]]
}

@test "80 columns, colour only when asked for, a full disk is an error" {
	run --separate-stderr "$WAKECOST" compare base.data slow.data
	[ "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' <<<"$output")" -le 80 ]
	[[ $output != *$'\033'* ]]
	run --separate-stderr "$WAKECOST" compare --color=always base.data slow.data
	[[ $output == *$'\033[1m'* ]]
	run --separate-stderr bash -c '"$1" compare base.data slow.data >/dev/full' - "$WAKECOST"
	[ "$status" -eq 1 ]
	[[ $stderr == *"No space left"* ]]
}
