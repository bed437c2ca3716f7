#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Filters: one process wakes another 101 times; each filter shows all of it, its complement none.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_probe
}

all='wakes(.ready.waker; .ready.wakee) == 101'
none='wakes(.ready.waker; .ready.wakee) == 0'
# .. of what the filter leaves there is nothing else
only="$all and .counters.waking == 101 and .counters.completed == 101 and (.pairs | length) == 1"

pair() {
	local condition=$1
	shift
	counted "$condition" "$@" -- "$ACTOR" pair n=101 "${actor_args[@]}"
}

@test "process of the wakee, one or several" {
	pair "$only" --tgid wakee
	pair "$none and wakes(.self; .ready.waker) == 1" --tgid waker
	pair "$all and wakes(.self; .ready.waker) == 1" --tgid waker --tgid wakee
}

@test "thread of the wakee" {
	pair "$only" --tid wakee
	pair "$none" --tid waker
}

@test "name of the wakee, whole and by its beginning" {
	actor_args=(wakee_name=wc-abcdefghijkl waker_name=wc-abcdefghijkm)
	pair "$only" --comm wc-abcdefghijkl
	pair "$none" --comm wc-abcdefghijk
	pair "$none" --comm wc-abcdefghijkm
	pair "$all" --comm 'wc-abc*'
	pair "$none" --comm 'wc-abd*'
}

@test "a name with another wildcard is refused" {
	run "$PROBE" --comm 'w*c' -- "$ACTOR" pair n=1
	echo "$output"
	[ "$status" -eq 3 ]
	[[ $output == *"wildcard"* ]]
}

@test "CPU the wakee ran on" {
	need_two_cpus
	actor_args=("waker_cpu=$CPU_A" "wakee_cpu=$CPU_B")
	pair "$all" --tid wakee --cpu "$CPU_B"
	pair "$none and .counters.other_cpu == 101 and .counters.completed == 0" \
		--tid wakee --cpu "$CPU_A"
	pair "$only" --tid wakee --cpu "$CPU_A" --cpu "$CPU_B"
}

@test "all filters must hold" {
	pair "$only" --tgid wakee --tid wakee --comm 'wc-w*'
	pair "$none" --tgid wakee --tid waker
	pair "$none" --tid wakee --comm other
}

make_cgroups() {
	CGROUP=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$CGROUP" ] || skip "no cgroup v2 mounted"
	CGROUP=$CGROUP/wakecost-test.$$
	mkdir "$CGROUP" "$CGROUP/a" "$CGROUP/b" "$CGROUP/b/deep" || skip "no cgroup can be made"
	actor_args=("waker_cgroup=$CGROUP/a" "wakee_cgroup=$CGROUP/b/deep")
}

teardown() {
	local dir
	[ -n "$CGROUP" ] || return 0
	for dir in "$CGROUP/b/deep" "$CGROUP/b" "$CGROUP/a" "$CGROUP"; do
		[ -d "$dir" ] || continue
		for _ in {1..20}; do
			rmdir "$dir" 2>/dev/null && break
			sleep 0.1
		done
	done
}

@test "waker in cgroup a, wakee below cgroup b: the wakee's cgroup is asked, or the waker's" {
	make_cgroups
	pair "$only" --cgroup "$CGROUP/b"
	pair "$only" --cgroup "$CGROUP/b/deep"
	pair "$none" --cgroup "$CGROUP/a"
	pair "$all" --waker-cgroup "$CGROUP/a"
	pair "$none and .counters.waking == 0" --waker-cgroup "$CGROUP/b"
	pair "$only" --cgroup "$CGROUP/b" --waker-cgroup "$CGROUP/a"
	pair "$all" --cgroup "$CGROUP"
}

@test "the same with the depth of the cgroup known" {
	make_cgroups
	depth=$(($(tr -cd / <<<"${CGROUP#"$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)"}" |
		wc -c)))
	pair "$only" --cgroup "$CGROUP/b:$((depth + 1))"
	pair "$none" --cgroup "$CGROUP/a:$((depth + 1))"
	pair "$all" --waker-cgroup "$CGROUP/a:$((depth + 1))"
}
