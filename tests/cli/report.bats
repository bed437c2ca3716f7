#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# report and export, from the recordings in tests/golden: no root, no probes.

# shellcheck disable=SC2154 # stderr is set by run --separate-stderr
# shellcheck disable=SC2016 # what bash -c expands

load ../lib
bats_require_minimum_version 1.5.0

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	golden=$ROOT/tests/golden
	data=$golden/v1.wakecost
	record=$golden/v2.wakecost
}

@test "report prints what run printed" {
	"$WAKECOST" report "$data" >out
	diff "$golden/run.txt" out
	"$WAKECOST" report -i "$data" >out
	diff "$golden/run.txt" out
	cp "$data" wakecost.data
	"$WAKECOST" report >out
	diff "$golden/run.txt" out
}

@test "report leaves the recording and its folder as they are" {
	cp "$data" run.data
	chmod 444 run.data
	"$WAKECOST" report run.data >/dev/null
	"$WAKECOST" export --format json run.data >/dev/null
	cmp "$data" run.data
	[ "$(ls)" = run.data ]
}

@test "report --by class and --by pair add their tables" {
	"$WAKECOST" report -v --by class "$data" 2>/dev/null >out
	diff "$golden/run_wide.txt" out
	"$WAKECOST" report --by pair -n 1 "$data" >out
	diff "$golden/run_pairs.txt" out
}

@test "report -s sorts, -n limits" {
	run "$WAKECOST" report -s p50 -n 1 "$data"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^futex  *futex-own ' <<<"$output")" -eq 3 ]
	[ "$(grep -c '^futex  *none ' <<<"$output")" -eq 0 ]
}

@test "report -j is the document of export --format json" {
	"$WAKECOST" report -j "$data" >a
	"$WAKECOST" export --format json "$data" >b
	cmp a b
	diff "$golden/run.json" a
}

@test "a terminal is coloured only when asked for" {
	run "$WAKECOST" report "$data"
	[[ $output != *$'\033'* ]]
	run "$WAKECOST" report --color=always "$data"
	[[ $output == *$'\033[1m'* ]]
	run env NO_COLOR=1 "$WAKECOST" report "$data"
	[[ $output != *$'\033'* ]]
}

@test "what is not a recording: status 1, one line that says so" {
	echo hello >not.data
	sqlite3 other.data 'CREATE TABLE t(x)'
	: >empty.data
	mkfifo fifo.data
	for file in not.data other.data empty.data fifo.data; do
		run --separate-stderr "$WAKECOST" report "$file"
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[ "$stderr" = "wakecost: error: $file is not a wakecost recording" ]
	done
	run --separate-stderr "$WAKECOST" report
	[ "$status" -eq 1 ]
	[[ $stderr == *"cannot read wakecost.data: No such file"* ]]
}

@test "newer, damaged and cut recordings: status 1, and what to do" {
	cp "$data" new.data
	sqlite3 new.data 'PRAGMA user_version = 99'
	run --separate-stderr "$WAKECOST" report new.data
	[ "$status" -eq 1 ]
	[[ $stderr == *"format 99"*"update wakecost" ]]
	head -c 50000 "$data" >cut.data
	run --separate-stderr "$WAKECOST" report cut.data
	[ "$status" -eq 1 ]
	[[ $stderr == *"is damaged"*"record again"* ]]
	cp "$data" lie.data
	sqlite3 lie.data 'UPDATE hist SET count = 1'
	run --separate-stderr "$WAKECOST" export --format csv lie.data
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ $stderr == *"is damaged (table hist)"* ]]
}

@test "export knows its formats" {
	for format in json csv prom; do
		"$WAKECOST" export --format "$format" "$data" >out
		diff "$golden/run.$format" out
		"$WAKECOST" export --format "$format" "$data" -o "run.$format"
		cmp out "run.$format"
	done
	[ "$(find . -type f | wc -l)" -eq 4 ]
}

@test "export without a format, or with another: status 2, and which there are" {
	run --separate-stderr "$WAKECOST" export "$data"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == *json*csv*prom* ]]
	run --separate-stderr "$WAKECOST" export --format yaml "$data"
	[ "$status" -eq 2 ]
	[[ $stderr == *json*csv*prom* ]]
}

@test "export replaces a file only with --force" {
	echo mine >out.prom
	run --separate-stderr "$WAKECOST" export --format prom "$data" -o out.prom
	[ "$status" -eq 1 ]
	[[ $stderr == *"already there"*"--force" ]]
	[ "$(cat out.prom)" = mine ]
	"$WAKECOST" export --format prom --force "$data" -o out.prom
	diff "$golden/run.prom" out.prom
	[ "$(ls -A)" = out.prom ]
}

@test "a full disk is an error" {
	run --separate-stderr bash -c '"$1" report "$2" >/dev/full' - "$WAKECOST" "$data"
	[ "$status" -eq 1 ]
	[[ $stderr == *"No space left"* ]]
	run --separate-stderr bash -c '"$1" export --format csv "$2" >/dev/full' - "$WAKECOST" "$data"
	[ "$status" -eq 1 ]
}

# blocks LANGUAGE FILE: the fenced blocks of that language, each into NAME.N
blocks() {
	awk -v lang="$1" '$0 == "```" lang { n++; on = 1; next } /^```$/ { on = 0 }
		on { print > (lang "." n) }' "$2"
}

@test "the queries of docs/format.md give the answers that stand under them" {
	blocks sql "$ROOT/docs/format.md"
	blocks text "$ROOT/docs/format.md"
	[ -f sql.6 ]
	for query in sql.*; do
		[ "${query#sql.}" -le 3 ] && from=$data || from=$record
		sqlite3 -readonly -box "$from" <"$query" >answer
		diff "text.${query#sql.}" answer
	done
}

# Tables with their columns, as "name(a, b)"; PRAGMA table_info knows views too.
columns() {
	for name in $(sqlite3 fresh.data "SELECT name FROM sqlite_schema WHERE type = '$1'"); do
		sqlite3 fresh.data "SELECT '$name(' || group_concat(name, ', ') || ')'
			FROM (SELECT name FROM pragma_table_info('$name') ORDER BY cid)"
	done
}

@test "docs/format.md names every table, view and column, and no other" {
	# as this version writes it: tables may be added within a version of the format
	"$WAKECOST" run handoff --no-bpf --no-warmup -r 1 -P handoffs=11 -P warmup=0 -o fresh.data \
		>/dev/null
	columns table | sort >there
	grep -oE '`[a-z_]+\([a-z0-9_, ]+\)`' "$ROOT/docs/format.md" | tr -d '`' | sort >named
	diff there named
	columns view | sed 's/(/ /; s/)//; s/,//g' | sort >there
	sed -n 's/^| `\([a-z_]*\)` | [^|]* | `\([a-z0-9_ ]*\)` |$/\1 \2/p' "$ROOT/docs/format.md" |
		sort >named
	diff there named
}

@test "a recording is what docs/format.md says it is" {
	for file in "$data" "$record"; do
		grep -q "application_id. is $(sqlite3 "$file" 'PRAGMA application_id') " \
			"$ROOT/docs/format.md"
		[ "$(sqlite3 "$file" 'PRAGMA integrity_check')" = ok ]
		[ -z "$(sqlite3 "$file" 'PRAGMA foreign_key_check')" ]
	done
	[ "$(sqlite3 "$data" 'PRAGMA user_version')" -eq 1 ]
	[ "$(sqlite3 "$record" 'PRAGMA user_version')" -eq 2 ]
	grep -q 'version of the format, now 2 ' "$ROOT/docs/format.md"
}

# ---- recordings of record ----

@test "report of a recording of record, by pair, process and stack" {
	"$WAKECOST" report "$record" >out
	diff "$golden/record.txt" out
	"$WAKECOST" report --by stack "$record" >out
	diff "$golden/record_stacks.txt" out
	"$WAKECOST" report -v --by process -s find "$record" 2>/dev/null >out
	diff "$golden/record_wide.txt" out
}

@test "report --by and -s: every key, and those of run refused" {
	for by in pair waker wakee process cpu class stack; do
		"$WAKECOST" report --by "$by" "$record" | grep -q "^By $by, largest cost first"
		[ "$("$WAKECOST" report -j --by "$by" "$record" | jq -r .rows.by)" = "$by" ]
	done
	for sort in cost wakes p50 p99 mean blocked find select send enqueue wait pick switch return; do
		"$WAKECOST" report -s "$sort" "$record" | grep -q "largest $sort first"
	done
	run --separate-stderr "$WAKECOST" report --by cell "$record"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == *"--by cell is not for recordings of record"* ]]
	run --separate-stderr "$WAKECOST" report --by waker "$data"
	[ "$status" -eq 2 ]
	[[ $stderr == *"--by waker is not for recordings of run"* ]]
	run --separate-stderr "$WAKECOST" report -s find "$data"
	[ "$status" -eq 2 ]
}

@test "report -n and --fold-names of a recording of record" {
	[ "$("$WAKECOST" report -j -n 2 "$record" | jq '.rows.items | length')" -eq 2 ]
	[ "$("$WAKECOST" report -j "$record" | jq '.rows.items | length')" -eq 6 ]
	[ "$("$WAKECOST" report -j --by wakee --fold-names "$record" | jq .rows.count)" -eq 3 ]
}

@test "export of a recording of record" {
	for format in json csv prom; do
		"$WAKECOST" export --format "$format" "$record" >out
		diff "$golden/record.$format" out
	done
	"$WAKECOST" report -j "$record" | diff "$golden/record.json" -
}

@test "a hostile name comes out harmless, and can be had back" {
	for args in "report" "report -v --by waker" "report -j" "export --format csv" \
		"export --format prom"; do
		# shellcheck disable=SC2086 # words
		"$WAKECOST" $args "$record" 2>/dev/null >out
		[ -z "$(LC_ALL=C tr -d '\n -~' <out)" ]
	done
	name=$(sqlite3 "$record" 'SELECT hex(comm) FROM task WHERE id = 9')
	[ "$name" = 613B622C22630A1B5B33316D80 ]
	shown=$("$WAKECOST" report "$record" | grep -o 'a;b,"c[^ ]* 100 -> pong' | head -1)
	[ "$(printf '%b' "${shown% 100 -> pong}" | od -An -tx1 | tr -d ' \n')" = "${name,,}" ]
	export=$("$WAKECOST" export --format csv "$record" |
		python3 -c 'import csv, sys; print([r["waker"] for r in csv.DictReader(sys.stdin)
			if r["waker_tid"] == "100"][0])')
	[ "$(printf '%b' "$export" | od -An -tx1 | tr -d ' \n')" = "${name,,}" ]
}
