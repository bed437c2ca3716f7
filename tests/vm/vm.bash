# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034,SC2164 # jq's own words; for those that load it; under errexit
# SPDX-License-Identifier: BSD-2-Clause
# For the tests of what a guest left behind (boot.sh, guest/): load ../lib; load vm

HANDOFFS=997
# the two directions: one of them wakes first
DIRECTIONS='[498,499]'
STAGES='["find","select","send","enqueue","wait","pick","switch","return"]'

setup() {
	[ -n "${LAB_OUT:-}" ] || skip "run by make lab"
	cd "$LAB_OUT"
}

# A JSON file and what must hold of it; both are shown when it does not.
holds() {
	jq -e --argjson n $HANDOFFS --argjson stages "$STAGES" "$2" "$1" >/dev/null || {
		echo "$1: $2"
		jq -c "${3:-.}" "$1"
		return 1
	}
}

ended_with() {
	[ "$(cat "$1.rc")" = "$2" ] || {
		echo "$1 ended with $(cat "$1.rc"), not $2"
		cat "$1.err"
		return 1
	}
}

# pair_of FILE: as many wakes of the known pair as there were, and at most two more, from setting up
# and when the waker's end ends the wakee; as many calls that woke and returned as there were.
pair_of() {
	holds "$1" '[.rows.items[] | select(.waker.name == "wc-waker" and .wakee.name == "wc-wakee")
		.wakes] | add | . >= $n and . <= $n + 2' .rows.items
	holds "$1" '.counters.handoff == $n and
		([.wakes.stages[] | select(.name == "find").count] == [$n])' .counters
}
