#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# flame and export --format folded, from the recordings in tests/golden: no root, no probes.

load ../lib
bats_require_minimum_version 1.5.0

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	cp "$ROOT/tests/golden/v2.wakecost" my.data
}

total() {
	grep -oE ' data-total="[0-9]+"' "$1" | tr -dc 0-9
}

@test "flame leaves an SVG beside the recording, and says where" {
	run --separate-stderr "$WAKECOST" flame my.data
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$stderr" = "wakecost: my.svg: open it in a web browser" ]
	xmllint --noout my.svg
	[ "$(ls -A)" = "$(printf 'my.data\nmy.svg')" ]
	"$WAKECOST" flame my.data -o - | cmp - my.svg
}

@test "flame replaces its own pictures and nothing else" {
	"$WAKECOST" flame my.data
	"$WAKECOST" flame my.data --view stage
	grep -q 'by waker and stage' my.svg
	echo '<svg>mine</svg>' >my.svg
	run --separate-stderr "$WAKECOST" flame my.data
	[ "$status" -eq 1 ]
	[[ $stderr == *"my.svg is already there"*"give another name" ]]
	[ "$(cat my.svg)" = '<svg>mine</svg>' ]
	ln -s elsewhere link.svg
	run --separate-stderr "$WAKECOST" flame my.data -o link.svg
	[ "$status" -eq 1 ]
	[[ $stderr == *"symbolic link"* ]]
	[ ! -e elsewhere ]
}

@test "every view and metric is as wide as its folded lines add up to" {
	for view in chain wakee waker stage; do
		for metric in cost blocked count wait; do
			"$WAKECOST" flame my.data -o - --view $view --metric $metric >a.svg
			"$WAKECOST" export --format folded my.data --view $view --metric $metric >a.folded
			[ "$(total a.svg)" -eq "$(awk '{ s += $NF } END { printf "%d", s }' a.folded)" ]
		done
	done
}

@test "a recording of run has nothing to draw, and says what has" {
	cp "$ROOT/tests/golden/v1.wakecost" run.data
	for command in 'flame' 'export --format folded'; do
		# shellcheck disable=SC2086
		run --separate-stderr "$WAKECOST" $command run.data
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[[ $stderr == *"run.data"*"wakecost record"* ]]
	done
	[ ! -e run.svg ]
	run --separate-stderr "$WAKECOST" flame my.data --diff run.data
	[ "$status" -eq 1 ]
	[[ $stderr == *"run.data"*"wakecost record"* ]]
}

@test "flame --diff prints its factor; what belongs to it needs it" {
	"$WAKECOST" flame my.data --diff my.data -o - >d.svg
	grep -q 'before scaled to the same number of wakes: x 1 = ' d.svg
	[ "$(grep -cE 'class="f (more|less|new|gone)' d.svg)" -eq 0 ]
	"$WAKECOST" flame my.data --diff my.data --per none -o - | grep -q 'scaled by nothing'
	for option in --self '--per wake' '--min-delta 1'; do
		# shellcheck disable=SC2086
		run --separate-stderr "$WAKECOST" flame my.data $option
		[ "$status" -eq 2 ]
		[[ $stderr == *"--diff"* ]]
	done
}

@test "percentages are read strictly" {
	for pct in 0 -1 51 nan inf 1x '' %; do
		run "$WAKECOST" flame my.data --min-width "$pct"
		[ "$status" -eq 2 ]
	done
	"$WAKECOST" flame my.data -o - --min-width 20% | grep -q ' hidden: frames below 20 %'
}

@test "a full disk is an error" {
	run --separate-stderr bash -c '"$1" flame my.data -o - >/dev/full' - "$WAKECOST"
	[ "$status" -eq 1 ]
	[[ $stderr == *"No space left"* ]]
}
