#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# A thread may be called anything. What is printed is harmless, and the name can be had back.

bats_require_minimum_version 1.5.0
load ../lib
load root

# newline, double quote, ESC, a byte that is no UTF-8, semicolon, comma, backslash: 15 bytes
name=$'a\n"\e[31m\xff;,\\bc'
escaped='a\x0a"\x1b[31m\xff;,\x5cbc'

setup_file() {
	[ "$(id -u)" -eq 0 ] || return 0
	# a thread is first called as its program's file is
	cp "$WAKECOST" "$BATS_FILE_TMPDIR/wakecost"
	cp "$WAKECOST_OUT/wakecost-workload" "$BATS_FILE_TMPDIR/$name"
	cat >"$BATS_FILE_TMPDIR/wakecost-workload" <<-'EOS'
		#!/bin/bash
		exec "${0%/*}/"$'a\n"\e[31m\xff;,\\bc' "$@"
	EOS
	chmod +x "$BATS_FILE_TMPDIR/wakecost-workload"
	"$BATS_FILE_TMPDIR/wakecost" run handoff -P handoffs=503 --rounds 1 --no-warmup \
		-o "$BATS_FILE_TMPDIR/names.data" >"$BATS_FILE_TMPDIR/table" 2>&1 || true
}

setup() {
	need_probe
	DATA=$BATS_FILE_TMPDIR/names.data
	cat "$BATS_FILE_TMPDIR/table"
	[ -s "$DATA" ]
}

# No control byte but the newline, nothing beyond ASCII.
harmless() {
	! LC_ALL=C grep -q '[^ -~]' "$1"
}

unescaped() {
	printf '%b' "$(cat)"
}

@test "the recording has the name as it is" {
	command -v sqlite3 >/dev/null || skip "needs sqlite3"
	[ "$(sqlite3 "$DATA" "SELECT count(*) FROM pair WHERE handoffs > 0")" -eq 2 ]
	[ "$(sqlite3 "$DATA" "SELECT DISTINCT hex(waker_comm) FROM pair WHERE handoffs > 0")" = \
		"$(printf %s "$name" | od -An -tx1 | tr -d ' \n' | tr a-f A-F)" ]
}

@test "in the table of pairs: escaped, in one line, and reversible" {
	"$WAKECOST" report --by pair "$DATA" >"$BATS_TEST_TMPDIR/out"
	cat "$BATS_TEST_TMPDIR/out"
	harmless "$BATS_TEST_TMPDIR/out"
	grep -qF "$escaped" "$BATS_TEST_TMPDIR/out"
	[ "$(unescaped <<<"$escaped")" = "$name" ]
}

@test "in JSON: valid, ASCII" {
	"$WAKECOST" report --by pair -j "$DATA" >"$BATS_TEST_TMPDIR/out"
	harmless "$BATS_TEST_TMPDIR/out"
	jq -e . "$BATS_TEST_TMPDIR/out" >/dev/null
	"$WAKECOST" export --format json "$DATA" >"$BATS_TEST_TMPDIR/out"
	harmless "$BATS_TEST_TMPDIR/out"
	jq -e . "$BATS_TEST_TMPDIR/out" >/dev/null
}

@test "in CSV and for Prometheus: no byte that is not printable" {
	local format
	for format in csv prom; do
		"$WAKECOST" export --format "$format" "$DATA" >"$BATS_TEST_TMPDIR/out"
		harmless "$BATS_TEST_TMPDIR/out"
	done
}

@test "the session's pair has the bytes of the name" {
	counted '([.pairs[] | select(.waker_comm == "w\n\"\u001b;\u00ff\\")] | length) == 1' \
		--tid wakee -- "$ACTOR" pair n=11 waker_name=$'w\n"\e;\xff\\'
}
