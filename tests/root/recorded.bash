# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# For tests of recordings: load ../lib; load root; load recorded

need_sqlite() {
	command -v sqlite3 >/dev/null || skip "needs sqlite3"
}

# How often process 1 has had a CPU: there are kernels that run no BPF while it is current.
process1_ran() {
	cat /proc/1/task/*/schedstat | awk '{ n += $3 } END { print n }'
}

# await_lines FILE N: until it has so many, written by the job just started.
await_lines() {
	local _
	for _ in {1..600}; do
		[ "$(wc -l <"$1")" -ge "$2" ] && return
		kill -0 "$!" || break
		sleep 0.1
	done 2>/dev/null
	[ "$(wc -l <"$1")" -ge "$2" ] && return
	echo "no line $2 in $1"
	cat ./*.err
	return 1
}

# record_begin OPTION...: r.data is being written from here on; the probes are attached.
record_begin() {
	rm -f r.data r.json tool.err
	env --default-signal=INT "$WAKECOST" record -o r.data "$@" >tool.out 2>tool.err 3>&- &
	TOOL=$!
	await_lines tool.err 1
	RAN1=$(process1_ran)
}

# .. and is complete, and r.json is all of it.
record_end() {
	RAN1=$(($(process1_ran) - RAN1))
	kill -INT "$TOOL"
	wait "$TOOL" || { cat tool.err; return 1; }
	TOOL=
	"$WAKECOST" export --format json --force -o r.json r.data
}

# An independent sum: what sqlite3 says of the file.
ask() {
	sqlite3 r.data "$1"
}

# The recording's own counts, when a condition does not hold.
say_counts() {
	jq -c '.wakes | {count, kinds, contexts}' r.json
	jq -c '(.counters | with_entries(select(.value > 0))), .lost' r.json
	jq -c '.threads, (.rows.items[:4][] | {waker, wakee, wakes})' r.json | cut -c -600
}
