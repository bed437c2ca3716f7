#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# A real server under a real client: PostgreSQL and pgbench on loopback, where they are installed.
# Wakes against the kernel's own counts of the same window.

bats_require_minimum_version 1.5.0
load ../lib
load root
load recorded

COUNTER=$WAKECOST_OUT/tests/root/counter
PORT=54329

as_server() {
	setpriv --reuid=postgres --regid=postgres --clear-groups env HOME="$PG" "$@"
}

bench() {
	as_server "$PG_BIN/pgbench" -h 127.0.0.1 -p "$PORT" "$@" postgres
}

setup_file() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	PG_BIN=$(find /usr/lib/postgresql -path '*/bin/initdb' -printf '%h\n' 2>/dev/null | sort | tail -n 1)
	[ -x "${PG_BIN:-/nowhere}/pgbench" ] || skip "no PostgreSQL (postgresql, with pgbench)"
	getent passwd postgres >/dev/null || skip "no user postgres"
	! pgrep -x postgres >/dev/null || skip "another PostgreSQL runs here"
	PG=$(mktemp -d /tmp/wakecost-pg.XXXXXX)
	chown postgres "$PG"
	CGROUP=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -z "$CGROUP" ] || CGROUP=$CGROUP/wakecost-pg.$$
	[ -z "$CGROUP" ] || mkdir "$CGROUP" || CGROUP=
	export PG_BIN PG CGROUP
	as_server "$PG_BIN/initdb" -D "$PG/data" -A trust --no-sync >"$PG/initdb.log" 2>&1
	(
		[ -z "$CGROUP" ] || echo "$BASHPID" >"$CGROUP/cgroup.procs"
		as_server "$PG_BIN/pg_ctl" -D "$PG/data" -l "$PG/log" -w start \
			-o "-p $PORT -k $PG -c listen_addresses=127.0.0.1 -c autovacuum=off" >/dev/null 3>&-
	)
	bench -i -s 2 -q >/dev/null 2>&1
}

teardown_file() {
	[ -n "${PG:-}" ] || return 0
	as_server "$PG_BIN/pg_ctl" -D "$PG/data" -m immediate stop >/dev/null || true
	[ -z "$CGROUP" ] || rmdir "$CGROUP" || true
	rm -rf "$PG"
}

setup() {
	need_probe
	declare -gA COUNTERS ASKS
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ -z "${TOOL:-}" ] || kill -KILL "$TOOL" 2>/dev/null || true
}

# count_begin NAME .. count_end NAME: leaves NAME.counts: wakes and sleeps of the server's processes.
count_begin() {
	rm -f "$1.fifo"
	mkfifo "$1.fifo"
	"$COUNTER" sched_waking 'comm == "postgres"' \
		sched_switch 'prev_comm == "postgres" && (prev_state == 1 || prev_state == 2)' \
		<"$1.fifo" >"$1.counts" 2>"$1.err" 3>&- &
	COUNTERS[$1]=$!
	exec {ask}>"$1.fifo"
	ASKS[$1]=$ask
	await_lines "$1.counts" 1
}

count_end() {
	local ask=${ASKS[$1]}
	echo >&"$ask"
	exec {ask}>&-
	wait "${COUNTERS[$1]}"
}

# The window lies around the inner counts and inside the outer ones, and so must its wakes.
agrees() {
	local seen sleeps
	{ read -r _; read -r inner; read -r sleeps; } <inner.counts
	{ read -r _; read -r outer; } <outer.counts
	seen=$(jq '.counters.waking - .wakes.kinds.new + .counters.noop + .counters.no_storage' r.json)
	ended=$(jq '.counters.completed - .wakes.kinds.new + ([.lost[]] | add)' r.json)
	echo "wakes: $inner <= $seen <= $outer; sleeps: $sleeps, of them ended: $ended; process 1 ran $RAN1 times"
	[ "$inner" -gt 1000 ] && [ "$seen" -le "$outer" ] || return
	if [ "$RAN1" -eq 0 ]; then
		[ "$seen" -ge "$inner" ]
	else # what was current then, was not seen
		[ $((seen * 100)) -ge $((inner * 99)) ]
	fi || return
	[ $((ended * 100)) -ge $((sleeps * 98)) ] && [ $((ended * 98)) -le $((sleeps * 100)) ]
}

# recorded WHOM...: the server at work.
recorded() {
	count_begin outer
	record_begin "$@"
	count_begin inner
	bench -c 4 -j 1 -t 250 >bench.out 2>&1 || { cat bench.out; return 1; }
	grep -q 'actually processed: 1000/1000' bench.out
	count_end inner
	record_end
	count_end outer
}

@test "record -G: as many wakes as the kernel counts" {
	[ -n "$CGROUP" ] || skip "no control groups of version 2"
	recorded -G "$CGROUP"
	agrees || { say_counts; return 1; }
	# four sessions at least, and nobody from outside among the woken
	jq -e '[.rows.items[].wakee | select(.process == "postgres").pid] | unique | length >= 5' r.json
	jq -e 'all(.rows.items[].wakee; .process == "postgres")' r.json
}

@test "record -p of the first process: those there before and those to come" {
	local first
	first=$(head -n 1 "$PG/data/postmaster.pid")
	recorded -p "$first"
	agrees || { say_counts; return 1; }
	jq -e --argjson first "$first" '[.rows.items[].wakee.pid] | unique
		| length >= 5 and any(. == $first)' r.json
	# a session is a child that came and went
	jq -e '.threads.exited | length >= 4' r.json
}

@test "its pictures: the server's functions by name, valid, and every wake in them" {
	recorded -p "$(head -n 1 "$PG/data/postmaster.pid")" --stacks all
	"$WAKECOST" export --format folded --metric count --force -o r.folded r.data
	[ "$(awk '{ n += $NF } END { print n }' r.folded)" -eq \
		"$(jq '.wakes.count - .lost.chain_full' r.json)" ]
	# sessions sleep for their clients in WaitEventSetWait, below PostgresMain
	awk '/epoll_wait/ { n = $NF; all += n; if (/PostgresMain.*WaitEventSetWait/) some += n }
		END { print some " of " all; exit !(all && some / all > 0.8) }' r.folded
	jq -e '.recording.user_stacks_cut_share < 0.2' r.json
	local view
	for view in chain stage; do
		"$WAKECOST" flame -q --view "$view" -o "$view.svg" r.data
		! command -v xmllint >/dev/null || xmllint --noout "$view.svg"
	done
}
