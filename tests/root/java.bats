#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# A Java program whose threads hand off by LockSupport, beside many that are parked: the pair is
# named, `find` takes the growth, methods stand over unpark. Ratios, never absolute times.
# WAKECOST_JAVA_PARKED=4000 parks more.

bats_require_minimum_version 1.5.0
load ../lib
load root

PARKED=${WAKECOST_JAVA_PARKED:-1000}
PRCTL=$(case $(uname -m) in x86_64) echo 157 ;; *) echo 167 ;; esac)

setup_file() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	command -v javac >/dev/null || skip "no JDK (java, javac)"
	cd "$BATS_FILE_TMPDIR"
	javac -d . "$ROOT/tests/root/java/Park.java" || skip "javac does not work here"
	local cpu n round
	cpu=$(taskset -cp $$ | sed 's/.*[:,-] *//')
	# one CPU, so that every handoff sleeps; by turns, as the machine is not alone
	for round in 1 2 3; do
		for n in 0 "$PARKED"; do
			timeout 60 "$WAKECOST" record -o "$n.$round.data" -- nice -n -19 \
				taskset -c "$cpu" java -Xmx256m \
				-XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions \
				-XX:+DumpPerfMapAtExit -XX:CompileCommand=quiet \
				-XX:CompileCommand=dontinline,Park::ping* -cp . Park "$n" 1 \
				>"$n.$round.out" 2>"$n.$round.err" 3>&- || return
			"$WAKECOST" export --format json -o "$n.$round.json" "$n.$round.data"
			jq .wakes "$n.$round.json" >"$n.$round.wakes"
		done
	done
	cat ./*.out # their own clocks
}

setup() {
	need_probe
	cd "$BATS_FILE_TMPDIR"
}

# of the stage that is called $2, or the whole: the least p50 of the recordings with $1 parked, as what
# else runs can only add
p50() {
	jq -s --arg stage "$2" '[.[] | if $stage == "total" then .p50_ns
		else .stages[] | select(.name == $stage).p50_ns end] | min' "$1".?.wakes
}

@test "the two that hand off are the pairs with most wakes, beside a pair for each parked thread" {
	local file
	for file in ./*.json; do
		jq -e '.lost.no_pair == 0 and (.rows.items | sort_by(-.wakes)[:2]
			| map([.waker.name, .wakee.name]) | sort) == [["ping", "pong"], ["pong", "ping"]]
			and (.rows.items | sort_by(-.wakes)[:2] | all(.p50_ns > 0))' "$file" || {
			jq -c '.lost, (.rows.items | sort_by(-.wakes)[:3])' "$file"
			return 1
		}
	done
	jq -e --argjson parked "$PARKED" '.threads.count >= $parked + 2
		and .wakes.kinds.new >= $parked + 2' "$PARKED.1.json"
}

@test "find takes the growth with $PARKED parked" {
	# slots of its own make a process' chains as long as it has threads (6.17); before, all of
	# the machine's share a table, and so few threads do not show
	[ "$(perl -e "printf '%d', syscall($PRCTL, 78, 1, 64, 0, 0)")" = 0 ] ||
		skip "this kernel gives processes no futex slots (Linux 6.17)"
	local stage grown whole find
	find=$(($(p50 "$PARKED" find) - $(p50 0 find)))
	whole=$(($(p50 "$PARKED" total) - $(p50 0 total)))
	echo "find grows by $find ns, from $(p50 0 find); the whole by $whole, from $(p50 0 total)"
	cat ./*.out
	# half as long again at least: a walk of 60 or more
	[ $((find * 2)) -gt "$(p50 0 find)" ]
	[ $((find * 2)) -gt "$whole" ]
	for stage in $(jq -r '.stages[] | select(.name != "find" and .p50_ns).name' 0.1.wakes); do
		grown=$(($(p50 "$PARKED" "$stage") - $(p50 0 "$stage")))
		echo "$stage grows by $grown ns"
		[ "$grown" -lt "$find" ]
	done
}

@test "flame graph: methods of Java over unpark, futex_wake below, find on top" {
	"$WAKECOST" export --format folded --view stage --force -o stage.folded "$PARKED.1.data"
	# waker's process at the root, the stage as leaf
	grep -E 'Park\.ping[AB]\(.*;Unsafe_Unpark;.*;futex_wake_\[k\];.*;find [0-9]+$' stage.folded \
		>find.folded || {
		grep unpark stage.folded | head -c 2000
		return 1
	}
	grep -q 'Park.pingA' find.folded
	grep -q 'Park.pingB' find.folded
	"$WAKECOST" flame -q --view stage -o stage.svg "$PARKED.1.data"
	! command -v xmllint >/dev/null || xmllint --noout stage.svg
	grep -q 'Park.pingA' stage.svg
}
