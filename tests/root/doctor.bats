#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# doctor with every right, on the kernel the tests run on.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_root
}

doctor_json() {
	run --separate-stderr "$WAKECOST" doctor -j "$@"
	echo "$output"
	echo "${stderr:-}"
}

@test "verdict, exit status and stage table say the same" {
	doctor_json
	case $status in
	0) jq -e '.verdict == "full" and all(.stages[]; .status == "exact")' <<<"$output" ;;
	1) jq -e '.verdict == "degraded" and any(.stages[]; .status != "exact")' <<<"$output" ;;
	*) return 1 ;;
	esac
	jq -e ".exit == $status" <<<"$output"
	jq -e '[.stages[].name] ==
		["find","select","send","enqueue","wait","pick","switch","return"]' <<<"$output"
}

@test "an exact stage names its probe, any other says why" {
	doctor_json
	jq -e 'all(.stages[]; if .status == "exact" then .probe != "" else .why != "" end)' \
		<<<"$output"
}

@test "tp_btf is granted where its probes serve a stage" {
	doctor_json
	if jq -e 'any(.stages[]; .probe | startswith("tp_btf"))' <<<"$output"; then
		jq -e '.findings[] | select(.section == "probes" and .name == "tp_btf")
			| .mark == "ok"' <<<"$output"
	else
		skip "no stage here comes from tp_btf"
	fi
}

@test "every source disabled: cannot run, and says so" {
	doctor_json --disable tp_btf,raw_tp,fentry,kprobe
	[ "$status" -eq 2 ]
	jq -e '.verdict == "unable" and (.error | length > 0)' <<<"$output"
}

@test "without tp_btf the stages come from something else" {
	doctor_json --disable tp_btf
	[ "$status" -le 1 ] || skip "nothing but tp_btf works here"
	jq -e 'all(.stages[]; .probe | contains("tp_btf") | not)' <<<"$output"
}

@test "nothing stays behind: no program, no map" {
	command -v bpftool >/dev/null || skip "needs bpftool"
	"$WAKECOST" doctor >/dev/null || true
	sleep 0.5 # programs are freed after a grace period
	run bpftool prog show
	[[ $output != *wc_trial* ]]
	run bpftool map show
	[[ $output != *wc_trial* ]]
}

@test "the futex table is this kernel's" {
	doctor_json
	if [ -e /proc/config.gz ] && zcat /proc/config.gz | grep -q '^CONFIG_FUTEX_PRIVATE_HASH=y'; then
		jq -e '.futex.kind == "private" and .futex.slots_most >= .futex.slots_two_threads' \
			<<<"$output"
	else
		jq -e '.futex.kind != "unknown"' <<<"$output"
	fi
}

@test "facts agree with the machine" {
	doctor_json
	jq -e --arg rel "$(uname -r)" --arg cpus "$(getconf _NPROCESSORS_ONLN)" \
		'.host.kernel == $rel and .host.cpus == $cpus' <<<"$output"
	jq -e --argjson max "$(cat /proc/sys/kernel/pid_max)" \
		'.threads.limits[] | select(.name == "kernel.pid_max") | .value == $max' <<<"$output"
}

@test "the text fits 80 columns but for the table of limits' names" {
	run --separate-stderr "$WAKECOST" doctor
	long=$(grep -v 'pids.max of\|memory.*of ' <<<"$output" | awk 'length > 80')
	echo "$long"
	[ -z "$long" ]
}
