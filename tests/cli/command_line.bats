#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Commands, help, exit statuses, completion.

load ../lib
bats_require_minimum_version 1.5.0

@test "bare wakecost says what it is: a line a command, and three more, on at most 15" {
	run "$WAKECOST"
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -ge 5 ]
	[ "$("$WAKECOST" | wc -l)" -eq $(($(commands | wc -l) + 3)) ]
	[ "$("$WAKECOST" | wc -l)" -le 15 ]
	[ "$output" = "$("$WAKECOST" --help)" ]
	[ "$output" = "$("$WAKECOST" help)" ]
}

@test "every command is in the overview" {
	for cmd in $(commands); do
		"$WAKECOST" | grep -q "^  $cmd "
	done
}

@test "--version names the version, libbpf and the formats" {
	run "$WAKECOST" --version
	[ "$status" -eq 0 ]
	[[ ${lines[0]} =~ ^wakecost\ [0-9]+\.[0-9]+\.[0-9]+ ]]
	[[ ${lines[1]} =~ ^libbpf\ [0-9]+\.[0-9]+$ ]]
	[[ ${lines[2]} =~ ^formats:\ recording\ [0-9]+,\ wakecost\.run/[0-9]+$ ]]
	[ "$output" = "$("$WAKECOST" -V)" ]
}

@test "the help of every command: use, at most 20 options of its own, three examples, 80 columns" {
	for cmd in $(commands); do
		run "$WAKECOST" "$cmd" --help
		echo "$output"
		[ "$status" -eq 0 ]
		[[ ${lines[0]} == "wakecost $cmd"* ]]
		[ "$(grep -c '^  .*--' <<<"${output%%examples:*}")" -le 23 ]
		[ "$(sed '1,/^examples:/d' <<<"$output" | wc -l)" -eq 3 ]
		[ "$(wc -L <<<"$output")" -le 80 ]
		[ "$output" = "$("$WAKECOST" help "$cmd")" ]
	done
}

# Where "a stage" is named, each of them is.
names() { # TEXT VALUE
	grep -qw -- "$2" <<<"$1" && return
	tr -s ' \n' ' ' <<<"$1" | grep -qw 'a stage' && "$WAKECOST" list stages | grep -qw -- "$2"
}

@test "help names every value that completion offers" {
	for cmd in $(commands); do
		# Those with a value: an upper-case word follows.
		for opt in $("$WAKECOST" "$cmd" --help | grep -oE -- '--[a-z-]+ [A-Z]' | cut -d' ' -f1); do
			for value in $("$WAKECOST" --complete "$cmd" "$opt" ''); do
				names "$("$WAKECOST" "$cmd" --help | grep -A 3 -- "$opt ")" "$value"
			done
		done
	done
	# There is something to compare.
	[ "$("$WAKECOST" --complete export --format '' | wc -l)" -ge 3 ]
}

@test "a command can be shortened while it is the only one" {
	[ "$("$WAKECOST" hel list)" = "$("$WAKECOST" help list)" ]
	run "$WAKECOST" r
	[ "$status" -eq 2 ]
}

@test "an unknown command: a suggestion and status 2" {
	run "$WAKECOST" dcotor
	[ "$status" -eq 2 ]
	[[ $output == *"did you mean 'doctor'?"* ]]
	run "$WAKECOST" frobnicate
	[ "$status" -eq 2 ]
	[[ $output == *"'wakecost help' lists them"* ]]
	run "$WAKECOST" help frobnicate
	[ "$status" -eq 2 ]
	run "$WAKECOST" ''
	[ "$status" -eq 2 ]
}

@test "a wrong option of any command: status 2, on stderr only" {
	for cmd in $(commands); do
		run --separate-stderr "$WAKECOST" "$cmd" --no-such-option
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[[ $stderr == *"unknown option --no-such-option"* ]]
	done
	run "$WAKECOST" --no-such-option
	[ "$status" -eq 2 ]
	run "$WAKECOST" list stages more
	[ "$status" -eq 2 ]
	[[ $output == *"'more' is one argument too many"* ]]
}

@test "an unknown word of a terminal's language is shown harmless" {
	run "$WAKECOST" $'\e[2Jx'
	[ "$status" -eq 2 ]
	[[ $output == *'\x1b[2Jx'* ]]
	[[ $output != *$'\e'* ]]
}

@test "a full disk is no success" {
	[ -c /dev/full ] || skip "no /dev/full"
	run --separate-stderr sh -c '"$WAKECOST" help >/dev/full'
	[ "$status" -eq 1 ]
	[[ $stderr == *"cannot write to standard output: No space left on device"* ]]
}

@test "a closed pipe is no noise" {
	run bash -c '"$WAKECOST" list params | head -n 1'
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 1 ]
}

@test "--quiet keeps errors, and says no more" {
	cd "$BATS_TEST_TMPDIR"
	run "$WAKECOST" list recordings
	[[ $output == *"no recordings here"* ]]
	run "$WAKECOST" list recordings -q
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "every list there is can be listed, as text and as JSON" {
	cd "$BATS_TEST_TMPDIR"
	for topic in $("$WAKECOST" list -j | jq -r '.items[].name'); do
		"$WAKECOST" list "$topic" >text
		"$WAKECOST" list "$topic" -j >json
		jq -e --arg t "$topic" '.schema == "wakecost.list/1" and .topic == $t' json
		[ "$topic" = recordings ] || jq -e '.items | length >= 3' json
		while read -r name; do
			grep -qF -- "$name" text
		done < <(jq -r '.items[].name' json)
		"$WAKECOST" --complete list '' | grep -qx "$topic"
	done
	run "$WAKECOST" list nothing
	[ "$status" -eq 2 ]
}

@test "a file that only looks like a recording is not listed, a broken one is named" {
	cd "$BATS_TEST_TMPDIR"
	sqlite3 other.data 'create table t (x)'
	sqlite3 broken.data 'pragma application_id = 0x776b6373; create table t (x)'
	echo text >text.data
	run "$WAKECOST" list recordings
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ ${lines[0]} == "broken.data"*"cannot be read"* ]]
}

@test "a missing or foreign workload program is named" {
	cp "$WAKECOST" "$BATS_TEST_TMPDIR/wakecost"
	run env PATH=/nowhere "$BATS_TEST_TMPDIR/wakecost" list workloads
	[ "$status" -eq 1 ]
	[[ $output == *"wakecost-workload not found"* ]]
	printf '#!/bin/sh\necho "{}"\n' >"$BATS_TEST_TMPDIR/wakecost-workload"
	chmod +x "$BATS_TEST_TMPDIR/wakecost-workload"
	run "$BATS_TEST_TMPDIR/wakecost" list workloads
	[ "$status" -eq 1 ]
	[[ $output == *"of another version"* ]]
	printf '#!/bin/sh\nexit 7\n' >"$BATS_TEST_TMPDIR/wakecost-workload"
	run "$BATS_TEST_TMPDIR/wakecost" list params
	[ "$status" -eq 1 ]
	[[ $output == *"failed"* ]]
}

@test "completion: commands, options, values" {
	[ "$("$WAKECOST" --complete doc)" = doctor ]
	"$WAKECOST" --complete --v | grep -qx -- --version
	"$WAKECOST" --complete doctor --j | grep -qx -- --json
	"$WAKECOST" --complete list st | grep -qx stages
	"$WAKECOST" --complete help li | grep -qx list
	[ -z "$("$WAKECOST" --complete nothing '')" ]
	for cmd in $(commands); do
		"$WAKECOST" --complete "$cmd" --h | grep -qx -- --help
	done
}

@test "completion: bash has it" {
	run bash -c '
		source "$ROOT/docs/wakecost.bash"
		COMP_WORDS=("$WAKECOST" list "")
		COMP_CWORD=2
		_wakecost
		printf "%s\n" "${COMPREPLY[@]}"
		COMP_WORDS=("$WAKECOST" nothing "")
		_wakecost
		echo "${#COMPREPLY[@]}"'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *stages* ]]
	[ "${lines[-1]}" = 0 ]
	[ "$(wc -l <"$ROOT/docs/wakecost.bash")" -le 40 ]
}
