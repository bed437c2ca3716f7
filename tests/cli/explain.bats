#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# What explain leaves, shown again: no root, no probes. The recording is made up (make golden).

# shellcheck disable=SC2154 # stderr is set by run --separate-stderr

load ../lib
bats_require_minimum_version 1.5.0

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	data=$ROOT/tests/golden/explain.wakecost
}

@test "report draws the conclusion of a recording of explain again" {
	"$WAKECOST" report "$data" >out
	head -1 out | grep -q '^\* With 30,000 parked (futex-own) a handoff takes '
	grep -q 'selection, which waiter' out
	grep -q '^Checks$' out
	grep -q '^again: sudo wakecost explain -r 6 --seed 1$' out
}

@test "report -j of a recording of explain is its document" {
	"$WAKECOST" report -j "$data" >out
	[ "$(jq -r .schema out)" = wakecost.explain/1 ]
	[ "$(jq '.levels | length' out)" -eq 5 ]
	[ "$(jq .rounds out)" -eq 6 ]
	[ "$(jq '.slope.knee' out)" = null ]
}

@test "report --html draws a page, whole, and says so" {
	run --separate-stderr "$WAKECOST" report --html page.html "$data"
	[ "$status" -eq 0 ]
	[[ $stderr = *page.html* ]]
	[[ $output = *"Checks"* ]]
	grep -q '^<!-- wakecost explain page' page.html
	tail -1 page.html | grep -q '</html>$'
	"$WAKECOST" report -q --html page.html "$data" >/dev/null # replaces its own
	"$WAKECOST" report --html - "$data" >other.html
	cmp page.html other.html
}

@test "report --html leaves what is not its own alone" {
	echo mine >page.html
	run "$WAKECOST" report --html page.html "$data"
	[ "$status" -eq 1 ]
	[[ $output = *"already there"* ]]
	[ "$(cat page.html)" = mine ]
}

@test "report refuses what a recording of explain has not" {
	for option in --by=pair --sort=p50 --limit=3 --fold-names; do
		run "$WAKECOST" report "$option" "$data"
		[ "$status" -eq 2 ]
	done
	run "$WAKECOST" report --html page.html "$ROOT/tests/golden/v1.wakecost"
	[ "$status" -eq 2 ]
	[ ! -e page.html ]
}

@test "explain draws pages of the experiment alone" {
	run "$WAKECOST" explain --html page.html -- true
	[ "$status" -eq 2 ]
}

@test "compare --book puts a recording of explain beside the book" {
	"$WAKECOST" compare --book "$data" >out
	grep -q '^4,000 threads parked  *48,800 ns  *21.45  *[0-9,]* ns  *[0-9.]* \[' out
	grep -q 'Apple M1, macOS 26.5' out
	grep -q 'scheduler: EEVDF' out
	grep -q '^with: sudo wakecost ceiling$' out
	[ "$(wc -L <out)" -lt 90 ]
	"$WAKECOST" compare --book -j "$data" >out
	[ "$(jq '.rows | length' out)" -eq 10 ]
	[ "$(jq -r '.rows[] | select(.id == "ceiling") | .measure_with' out)" = "sudo wakecost ceiling" ]
}

@test "compare --book wants one recording, and of explain" {
	run "$WAKECOST" compare --book "$data" "$data"
	[ "$status" -eq 2 ]
	run "$WAKECOST" compare --book "$ROOT/tests/golden/v1.wakecost"
	[ "$status" -eq 1 ]
	[[ $output = *"wakecost explain -o FILE"* ]]
}

@test "scripts/results.sh writes a page in which every number has its command" {
	"$ROOT/scripts/results.sh" page "$data" >results.md
	grep -q '^| \.\. which waiter | [0-9]* \[[0-9]*,[0-9]*\] | `wakecost report -j explain.wakecost \\| jq ' results.md
	[ "$(grep -c '^| ' results.md)" -eq "$(($(grep -c '^| .*`wakecost report -j' results.md) + 1))" ]
	grep -q '^\$ wakecost compare --book explain.wakecost$' results.md
	run "$ROOT/scripts/results.sh" page "$ROOT/tests/golden/v1.wakecost"
	[ "$status" -eq 1 ]
	run "$ROOT/scripts/results.sh" measure here no-such-part
	[ "$status" -eq 2 ]
}

@test "scripts/results.sh puts the parts that were measured on one page" {
	mkdir parts
	cp "$data" parts/explain.wakecost
	cp "$data" parts/one-pair.wakecost
	printf '$ sudo wakecost explain -- java\nsomething\n' >parts/java-4000.txt
	"$ROOT/scripts/results.sh" page parts >results.md
	[ "$(grep -c '^# ' results.md)" -eq 1 ]
	grep -q "^## All on one futex, in the pair's bucket$" results.md
	grep -q '^## A JVM' results.md
	run ! grep -q '^## How many threads' results.md
	run ! grep -q '^## With futex slots raised' results.md
}
