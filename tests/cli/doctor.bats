#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# doctor where little is allowed: mock trees, no rights, wrong use.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	mock=$BATS_TEST_TMPDIR/mock
	mkdir -p "$mock/proc/sys/kernel" "$mock/proc/self"
	echo 6.1.0-mock >"$mock/proc/sys/kernel/osrelease"
	echo '0.00 0.00 0.00 1/100 9' >"$mock/proc/loadavg"
	echo 32768 >"$mock/proc/sys/kernel/pid_max"
	echo 900 >"$mock/proc/sys/kernel/threads-max"
}

# As nobody, when the tests run as root: without any capability.
unprivileged() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# A copy that anybody may run: the tree may be below a closed directory.
open_copy() {
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR"
	copy=/tmp/wakecost-doctor-$$-$BATS_TEST_NUMBER
	install -m 755 "$WAKECOST" "$copy"
}

teardown() {
	[ -z "${copy:-}" ] || rm -f "$copy"
}

@test "without rights: cannot run, says which are missing, and still finds out the rest" {
	open_copy
	cd /
	run unprivileged "$copy" doctor
	echo "$output"
	[ "$status" -eq 2 ]
	[[ ${lines[0]} == "cannot run:"* ]]
	[[ $output == *"missing   CAP_BPF"*"not held"* ]]
	[[ $output == *"do:  run as root"* ]]
	[[ $output == *"private futexes"* ]]
	[[ $output == *"stops first"* ]]
}

@test "without rights: JSON says the same" {
	open_copy
	cd /
	run --separate-stderr unprivileged "$copy" doctor -j
	echo "$output"
	[ "$status" -eq 2 ]
	jq -e '.schema == "wakecost.doctor/1" and .verdict == "unable" and .exit == 2' <<<"$output"
	jq -e '.error | length > 0' <<<"$output"
	jq -e '.stages == []' <<<"$output"
	jq -e '.findings[] | select(.name == "CAP_BPF") | .mark == "missing"' <<<"$output"
	jq -e '.threads.room > 0 and (.threads.stopped_by | length > 0)' <<<"$output"
}

@test "a machine without BTF is told so, with what to do" {
	WAKECOST_SYSROOT=$mock run "$WAKECOST" doctor
	echo "$output"
	[[ $output == *"missing   BTF"* ]]
	[[ $output == *"shows no types of its own"* ]]
	[[ $output == *"CONFIG_DEBUG_INFO_BTF"* ]]
	[[ $output == *"CFS (going by the version)"* ]]
}

@test "limits come from the machine: the tightest is named" {
	WAKECOST_SYSROOT=$mock run --separate-stderr "$WAKECOST" doctor -j
	echo "$output"
	jq -e '.threads.stopped_by == "kernel.threads-max" and .threads.room == 800' <<<"$output"
	jq -e '.findings[] | select(.section == "threads") | .mark == "degraded" and
		(.todo | startswith("sysctl -w kernel.threads-max="))' <<<"$output"
}

@test "a file that is no BTF is refused by name" {
	echo nonsense >"$mock/btf"
	run "$WAKECOST" doctor --btf "$mock/btf"
	echo "$output"
	[[ $output == *"missing   BTF"*"$mock/btf"* ]]
}

@test "an unknown word of --disable is a wrong command line" {
	run "$WAKECOST" doctor --disable tp_btf,nosuch
	echo "$output"
	[ "$status" -eq 2 ]
	[[ $output == *nosuch* ]]
	[[ $output == *"tp_btf, raw_tp, fentry, kprobe"* ]]
}

@test "what is not ok says why or what to do" {
	run --separate-stderr "$WAKECOST" doctor -j
	jq -e '[.findings[] | select(.mark == "degraded" or .mark == "missing")
		| select(.why == "" and .todo == "")] == []' <<<"$output"
}

@test "a full disk is not a success" {
	[ -w /dev/full ] || skip "no /dev/full"
	run bash -c '"$1" doctor -j >/dev/full' - "$WAKECOST"
	echo "$output"
	[ "$status" -eq 2 ]
	[[ $output == *"cannot write the answer"* ]]
}

@test "every key of the JSON is in its documentation" {
	run --separate-stderr "$WAKECOST" doctor -j
	jq -r 'del(.host) | [paths | map(select(type == "string")) | last] | unique | .[] | strings' \
		<<<"$output" >"$BATS_TEST_TMPDIR/keys"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/keys")" -gt 20 ]
	while read -r key; do
		grep -q "\`$key\`" "$ROOT/docs/json-doctor.md" || {
			echo "docs/json-doctor.md lacks $key"
			return 1
		}
	done <"$BATS_TEST_TMPDIR/keys"
}
