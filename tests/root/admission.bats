#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Admission under the probes: outcomes are counted, in every cell and in both phases of every round.
# Clients come in turn, so that none hangs on who gets a CPU when.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_probe
	cd "$BATS_TEST_TMPDIR" || return
}

# so CONDITION: of $OUT; in it g("NAME"; VALUE) is true of cell $c where a gauge had that value always
so() {
	# shellcheck disable=SC2016
	jq -e --argjson c "$1" 'def g($n; $v): .cells[$c].gauges[$n] |
		.min == $v and .max == $v and .bare_median == $v;
		'"$2" run.json >/dev/null && return
	echo "cell $1: not so: $2"
	jq -c '.cells[] | {params: (.params | {accept_count}), gauges: (.gauges | map_values([.min, .max, .bare_median])),
		wakes_per_work, timed_wakes_per_work, lost}' run.json
	return 1
}

@test "admission: what becomes of each client, cell by cell, probes attached and not" {
	timeout 300 "$WAKECOST" run admission -j -P max_threads=4 -P min_spare=2 -P max_connections=5 \
		-P accept_count=2,9 -P clients=10 -P arrival=in-turn -P connect_timeout=200ms -P scale=0.6 \
		--rounds 1 --no-warmup -o a.data >run.json 2>err || { cat err; false; }
	[ "$(jq '.cells | length' run.json)" -eq 2 ]
	[ "$(jq -r .work run.json)" = request ]
	so 0 '.cells[0].params.accept_count == 2 and g("requests"; 8) and g("unserved"; 2)
		and g("served_at_once"; 4) and g("served_queued"; 1) and g("served_backlog"; 3)
		and g("connect_timed_out"; 2) and g("bound_unserved"; 2) and g("bound_waves"; 2)'
	so 1 '.cells[1].params.accept_count == 9 and g("requests"; 10) and g("unserved"; 0)
		and g("served_at_once"; 4) and g("served_queued"; 1) and g("served_backlog"; 5)
		and g("syn_dropped"; 0) and g("bound_unserved"; 0) and g("bound_waves"; 3)'
	# A request is a sleep that a timer ends, of a thread that somebody woke for it or made for it.
	so 0 '.cells[0] | .wakes_per_work > 0 and .timed_wakes_per_work > 0.8 and .timed_wakes_per_work < 1.2'
	jq -e '.cells[0].gauges.accept_queue_samples.min > 0' run.json ||
		skip "no sock_diag: $(jq -c .warnings run.json)"
	so 0 'g("accept_queue_peak"; 3) and g("accept_backlog"; 2)'
	so 1 'g("accept_queue_peak"; 5) and g("accept_backlog"; 9)'
}

@test "admission: the recording says the same, as a table, CSV, for Prometheus and beside the post" {
	timeout 300 "$WAKECOST" run -q admission -P clients=40 -P arrival=in-turn -P scale=0.02 \
		--rounds 1 --no-warmup -o a.data >run.txt
	grep -q '^What became of the clients$' run.txt
	"$WAKECOST" report a.data >report.txt
	grep -q '^The accept queue of the kernel, sampled' report.txt
	"$WAKECOST" export a.data --format csv | grep -q ',served_at_once,1,.*40'
	"$WAKECOST" export a.data --format prom | grep -q '^wakecost_work_unserved{shape="admission"} 0'
	# 40 clients are not the post's 100.
	"$WAKECOST" compare --book -j a.data | jq -e 'all(.rows[]; .here.figure == null)'
}
