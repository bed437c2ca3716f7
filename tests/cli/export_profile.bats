#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# pprof and Perfetto, from made-up recordings: read by protoc and by a reader of our own.

# shellcheck disable=SC2154 # stderr is set by run --separate-stderr

load ../lib
bats_require_minimum_version 1.5.0

setup_file() {
	make -s -C "$ROOT" O="$WAKECOST_OUT" "$WAKECOST_OUT/tests/helpers/made_up"
	cd "$BATS_FILE_TMPDIR" || return
	for kind in jvm db hostile bare; do
		"$WAKECOST_OUT/tests/helpers/made_up" $kind $kind.data >$kind.sums
	done
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

reader() {
	"$ROOT/tests/helpers/read_export.py" "$@"
}

# decoded MESSAGE SCHEMA: protoc's text of stdin, which must know every field.
decoded() {
	command -v protoc >/dev/null || skip "no protoc"
	protoc --decode="$1" -I "$ROOT/tests/proto" "$2" >decoded
	[ -s decoded ]
	run grep -nE '^ *[0-9]+(:| \{)' decoded
	echo "$output"
	[ "$status" -eq 1 ]
}

@test "pprof: every column adds up to what the profile holds, in every view" {
	for kind in jvm db hostile bare; do
		for view in chain wakee waker stage; do
			"$WAKECOST" export --format pprof --view $view $kind.data >out.pb.gz
			reader pprof out.pb.gz >out.json
			diff <(jq -S . $kind.sums) <(jq -S .totals out.json)
		done
	done
}

@test "pprof: protoc knows every field" {
	for kind in jvm hostile; do
		"$WAKECOST" export --format pprof $kind.data | gzip -dc |
			decoded perftools.profiles.Profile pprof.proto
	done
}

@test "pprof: columns, units, and which comes first" {
	"$WAKECOST" export --format pprof jvm.data >out.pb.gz
	reader pprof out.pb.gz >out.json
	[ "$(jq -c '.types[:4]' out.json)" = '[["wakes","count"],["cost","nanoseconds"],["wait","nanoseconds"],["blocked","nanoseconds"]]' ]
	[ "$(jq -c '[.types[4:][][0]]' out.json)" = '["find","select","send","enqueue","pick","switch","return"]' ]
	[ "$(jq -r .default out.json)" = cost ]
	[ "$(jq -c .period out.json)" = '["wakes","count",16]' ]
	jq -e '.time_ns == 1700000000000000000 and .duration_ns == 10000000000' out.json
	jq -e '.comments[0] == "wakecost 0.0.1: wakecost record -- '"'a b'"' \\xff\\x0a"' out.json
	jq -e '.comments | any(test("one wake in 16"))' out.json
	jq -e '.comments | any(. == "lost: 7 stacks or paths")' out.json
	jq -e '.modules | contains(["[kernel]", "[wakecost]", "libjvm.so"])' out.json
}

@test "pprof: a chain begins at its leaf with the waker and ends with the wakee" {
	"$WAKECOST" export --format pprof jvm.data >out.pb.gz
	reader pprof out.pb.gz |
		jq '.samples[] | select(.labels.waker == "ping" and .labels.wakee == "pong")' >one.json
	[ "$(jq -c .labels one.json)" = '{"waker":"ping","waker_process":"java","wakee":"pong","process":"java","class":"delayed"}' ]
	[ "$(jq -c '[.stack[:3][], .stack[-2:][]]' one.json)" = '["java","ping","__clone3","pong","java"]' ]
	[ "$(jq '.stack | map(select(. == "--")) | length' one.json)" -eq 1 ]
	jq -e '(.stack | index("futex_wake")) < (.stack | index("--"))' one.json
	jq -e '(.stack | index("futex_wait")) > (.stack | index("--"))' one.json
	[ "$(jq '.values[0]' one.json)" -eq 50000 ]
}

@test "pprof: a view of one side holds nothing of the other; stages stand at the leaf" {
	"$WAKECOST" export --format pprof --view wakee jvm.data >out.pb.gz
	reader pprof out.pb.gz >out.json
	jq -e '[.samples[].stack[]] | index("futex_wake") == null and index("--") == null' out.json
	"$WAKECOST" export --format pprof --view waker jvm.data >out.pb.gz
	reader pprof out.pb.gz >out.json
	jq -e '[.samples[].stack[]] | index("futex_wait") == null and index("--") == null' out.json
	"$WAKECOST" export --format pprof --view stage jvm.data >out.pb.gz
	reader pprof out.pb.gz >out.json
	# find is column 4, cost column 1
	jq -e '[.samples[] | select(.stack[0] == "find")] | length > 0 and
		all(.values[4] == .values[1] and .values[0] == 0)' out.json
	jq -e '[.samples[] | select(.stack[0] != "find")] | all(.values[4] == 0)' out.json
}

@test "pprof: names come out harmless and can be had back" {
	"$WAKECOST" export --format pprof hostile.data >out.pb.gz
	reader pprof out.pb.gz >out.json
	jq -e '.samples[0].labels.waker == "a;b c\\x0a\\x1b[31m"' out.json
	jq -e '.samples[0].labels.wakee == "\\x80\\xff\\xfe"' out.json
	jq -e '.samples[0].stack | index("caf\\xc3")' out.json
	jq -e '[.. | strings | explode[]] | all(. >= 32)' out.json
}

@test "pprof: the same file for the same recording" {
	"$WAKECOST" export --format pprof jvm.data >a
	"$WAKECOST" export --format pprof jvm.data >b
	cmp a b
}

@test "pprof: what reads it for a living reads it" {
	command -v go >/dev/null || skip "no go"
	"$WAKECOST" export --format pprof --view stage jvm.data >out.pb.gz
	HOME=$BATS_TEST_TMPDIR run go tool pprof -raw out.pb.gz
	[ "$status" -eq 0 ]
	[[ $output == *"wakes/count cost/nanoseconds[dflt]"* ]]
}

@test "perfetto: protoc knows every field" {
	for kind in jvm hostile; do
		"$WAKECOST" export --format perfetto $kind.data |
			decoded perfetto.protos.Trace perfetto.proto
	done
}

# The slices of a thread, "begin end depth name", in ns after the start.
slices() {
	jq -r --argjson tid "$1" '(.tracks[] | select(.thread.tid == $tid).uuid) as $t |
		.slices[] | select(.track == $t) |
		"\(.begin - 5000000000000) \(.end - 5000000000000) \(.depth) \(.name)"' out.json
}

@test "perfetto: each side of a wake on its thread, stages inside" {
	"$WAKECOST" export --format perfetto jvm.data >out.pftrace
	reader perfetto out.pftrace >out.json
	diff <(slices 4101) - <<-'EOF'
		500 1100 0 wake pong
		500 1000 1 find
		1000 1100 1 enqueue
		3400 3900 0 woken by pong
		3400 3500 1 wait
		3500 3600 1 pick
		3600 3650 1 switch
		3650 3900 1 return
		10200 15100 0 woken by pool-1-thread-1
		10200 15000 1 wait+pick
		15000 15100 1 switch
	EOF
	# a wake within the return of another is inside it, and what would stick out is cut
	diff <(slices 4102 | head -8) - <<-'EOF'
		1100 2100 0 woken by ping
		1100 1500 1 wait
		1500 1700 1 pick
		1700 1800 1 switch
		1800 2100 1 return
		2000 2100 2 wake G1 Conc#0
		2000 2050 3 find
		2050 2100 3 enqueue
	EOF
	# handed to another CPU: the waker is done when that is chosen
	diff <(slices 15) - <<-'EOF'
		20100 22000 0 woken by [softirq]
		20100 21000 1 send
		21000 21100 1 enqueue
		21100 22000 1 wait+pick
		30000 33000 0 woken by [idle]
		30000 31000 1 select+enqueue
		31000 32000 1 pick
		32000 33000 1 switch+return
	EOF
}

@test "perfetto: one call that wakes three is three wakes side by side, with a flow each" {
	"$WAKECOST" export --format perfetto jvm.data >out.pftrace
	reader perfetto out.pftrace >out.json
	diff <(slices 4110 | grep ' 0 wake ') - <<-'EOF'
		10000 10200 0 wake ping
		10200 10400 0 wake pong
		10400 10600 0 wake G1 Conc#0
	EOF
	[ "$(jq '[.slices[].flows[]] | unique | length' out.json)" -eq 9 ]
	# from the waker's slice to the wakee's, and from no stage
	jq -e '[.slices[] | select(.flows != []) | .name | startswith("wake ")] | all' out.json
	jq -e '[.slices[] | select(.ending_flows != []) | .name | startswith("woken by ")] | all' out.json
	jq -e '[.slices[] | select(.depth == 0)] | all(.flows + .ending_flows != [])' out.json
}

@test "perfetto: tracks, processes, clocks and notes" {
	"$WAKECOST" export --format perfetto jvm.data >out.pftrace
	reader perfetto out.pftrace >out.json
	jq -e '.clocks == {"3": 5000000000000, "1": 1700000000000000000}' out.json
	jq -e '.tracks[] | select(.thread == {"pid": 4100, "tid": 4110, "name": "pool-1-thread-1"})' out.json
	jq -e '.tracks[] | select(.process == {"pid": 4100, "name": "java"})' out.json
	[ "$(jq -r '.tracks[] | select(.parent != 0).name' out.json | sort)" = $'[idle] CPU 1\n[softirq] CPU 1' ]
	# idle is nobody
	run jq -e '.tracks[] | select(.thread.tid == 0)' out.json
	[ "$status" -ne 0 ]
	[ "$(jq -c '.slices[] | select(.name == "woken by [softirq]").notes' out.json)" = \
		'{"class":"remote","waker_cpu":1,"prev_cpu":0,"chosen_cpu":0,"ran_cpu":0}' ]
}

@test "perfetto: names come out harmless and can be had back" {
	"$WAKECOST" export --format perfetto hostile.data >out.pftrace
	reader perfetto out.pftrace >out.json
	jq -e '.slices[0].name == "wake \\x80\\xff\\xfe"' out.json
	jq -e '[.. | strings | explode[]] | all(. >= 32)' out.json
}

@test "what a recording does not hold cannot be exported, and it is said how it would be" {
	run --separate-stderr "$WAKECOST" export --format perfetto bare.data
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ $stderr == *"no single wakes"*"record --events"* ]]
	for format in pprof perfetto; do
		run --separate-stderr "$WAKECOST" export --format $format \
			"$ROOT/tests/golden/v1.wakecost" -o none
		[ "$status" -eq 1 ]
		[[ $stderr == *"wakecost record"* ]]
		[ ! -e none ]
	done
}

@test "binary is not written to a terminal" {
	command -v script >/dev/null || skip "no script(1)"
	run script -qec "$WAKECOST export --format pprof jvm.data" /dev/null
	[ "$status" -eq 2 ]
	[[ $output == *"binary"*"-o FILE"* ]]
}
