#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The manual and the option tables say the same.

load ../lib

PAGE=$ROOT/docs/wakecost.rst

# The manual's section on a command.
section() {
	awk -v want="wakecost $1" '
		{ if (prev == want && /^-+$/) on = 1
		  else if (on && /^[-=]+$/ && length($0) == length(prev) && prev != "") exit }
		on { print }
		{ prev = $0 }' "$PAGE"
}

# Options of --help, one "-j --json FILE" a line.
options_of_help() {
	"$WAKECOST" "$1" --help | sed '/^examples:/,$d' |
		sed -nE 's/^  (    |-[a-zA-Z], )(--[a-z][a-z-]*)( [^ ]+)?( .*|$)/\1 \2\3/p' | tr -d ',' |
		awk '{ $1 = $1; print }' | sort
}

# Options of the manual: those of the command and those of every command.
options_of_page() {
	{
		section "$1"
		awk '/^Every command takes/ { on = 1; next } on && /^[A-Z@w]/ { exit } on' "$PAGE"
	} | sed -nE 's/^(-[a-zA-Z], )?(--[a-z][a-z-]*)( [^ ]+)?(  .*|$)/\1 \2\3/p' | tr -d ',<>' |
		awk '{ $1 = $1; print }' | sort
}

@test "every option of every command is in the manual, and no other" {
	for cmd in $(commands); do
		options_of_help "$cmd" >"$BATS_TEST_TMPDIR/help"
		options_of_page "$cmd" >"$BATS_TEST_TMPDIR/page"
		grep -q -- '^-h --help$' "$BATS_TEST_TMPDIR/help"
		diff -u "$BATS_TEST_TMPDIR/help" "$BATS_TEST_TMPDIR/page"
	done
}

@test "every command has its section, and every section its command" {
	diff -u <(commands | sort) <(sed -nE 's/^wakecost ([a-z]+)$/\1/p' "$PAGE" | sort)
}

@test "a hidden option is in neither" {
	"$WAKECOST" doctor --btf /dev/null --help
	run "$WAKECOST" doctor --help
	[[ $output != *--btf* ]]
	[ -z "$("$WAKECOST" --complete doctor --bt)" ]
	run grep -- --btf "$PAGE"
	[ "$status" -eq 1 ]
}

@test "stages of the manual are the stages of the program" {
	diff -u <("$WAKECOST" list stages -j | jq -r '.items[].name') \
		<(sed -n '/^The stages, in order/,/^Where a kernel/p' "$PAGE" |
			sed -nE 's/^([a-z]+) +(from|until) .*/\1/p')
}

@test "exit statuses of the manual are those of the program" {
	for status in $(sed -n '/^EXIT STATUS/,/^ENVIRONMENT/p' "$PAGE" | grep -oE '^[0-9]+'); do
		grep -qE "= $status,"  "$ROOT/user/util/exit.h"
	done
	[ "$(sed -n '/^EXIT STATUS/,/^ENVIRONMENT/p' "$PAGE" | grep -cE '^[0-9]+')" -eq 6 ]
}

@test "the manual has its sections and is well formed" {
	command -v rst2man >/dev/null || command -v rst2man.py >/dev/null || skip "no rst2man"
	run make O="$WAKECOST_OUT" -C "$ROOT" man
	echo "$output"
	[ "$status" -eq 0 ]
	for name in SYNOPSIS COMMANDS EXAMPLES OVERHEAD CAVEATS 'EXIT STATUS' FILES 'SEE ALSO'; do
		grep -qE "^\.SH \"?$name\"?\$" "$WAKECOST_OUT/wakecost.1"
	done
	grep -q 'wakecost [0-9]*\.[0-9]*\.[0-9]*' "$WAKECOST_OUT/wakecost.1"
}

@test "commands in the manual's examples parse" {
	for cmd in $(sed -n '/^EXAMPLES/,/^OVERHEAD/p' "$PAGE" |
		sed -nE 's/^    (sudo )?wakecost ([a-z]+).*/\2/p'); do
		commands | grep -qx "$cmd"
	done
}
