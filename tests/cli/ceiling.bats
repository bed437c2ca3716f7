#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# How many threads, by limits that need no root and leave the machine alone.

bats_require_minimum_version 1.5.0
load ../lib

# said FILTER: true of the document in $output.
said() {
	jq -e "$1" <<<"$output" >/dev/null || {
		echo "not so: $1"
		echo "$output"
		false
	}
}

# As somebody who is held to limits: sets AS, and copies the programs where they can be run.
as_nobody() {
	AS='' DIR=$WAKECOST_OUT
	[ "$(id -u)" -eq 0 ] || return 0
	setpriv --reuid=54321 --clear-groups true 2>/dev/null || skip "cannot become another user here"
	AS="setpriv --reuid=54321 --clear-groups"
	DIR=$(mktemp -d /tmp/wakecost-ceiling.XXXXXX)
	cp "$WAKECOST_OUT/wakecost" "$WAKECOST_OUT/wakecost-workload" "$DIR"
	chmod 755 "$DIR"
}

teardown() {
	[[ ${DIR:-} != /tmp/wakecost-ceiling.* ]] || rm -r "$DIR"
}

@test "as many as asked for, and none is left" {
	run --separate-stderr "$WAKECOST" ceiling --threads 211 --coroutines 10007 -j
	[ "$status" -eq 0 ]
	said '.threads.created == 211 and .threads.seen == 212 and .refusal.limit == null
		and .refusal.call == null and (.limits | all(.reached | not))'
	said '.coroutines.entered == 10007 and .coroutines.kernel_threads == 1'
	said '.threads.tasks_at >= .threads.tasks_before + 150'
}

@test "two mappings a thread with pthread's stacks, none with slabs" {
	run --separate-stderr "$WAKECOST" ceiling --threads 500 --coroutines 0 -j
	said '.limits[] | select(.name == "vm.max_map_count") | .at - .before
		| . >= 500 and . < 1100'
	run --separate-stderr "$WAKECOST" ceiling --threads 500 --stacks slab --stack 64K \
		--coroutines 0 -j
	said '.limits[] | select(.name == "vm.max_map_count") | .at - .before | . < 20'
}

@test "RLIMIT_NPROC is told, by clone" {
	as_nobody
	[ "$(id -u)" -eq 0 ] || skip "this user's other tasks would be counted"
	run --separate-stderr bash -c "ulimit -u 307; exec $AS '$DIR/wakecost' ceiling -j --coroutines 0"
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	said '.refusal | .limit == "RLIMIT_NPROC" and .call == "clone" and .errno == "EAGAIN"
		and (.todo | test("ulimit -u")) and (.counted_by_kernel | not)'
	# the two processes that look on are the user's as well
	said '.threads.created >= 304 and .threads.created <= 306'
	said '[.limits[] | select(.reached)] | length == 1 and .[0].binds'
}

@test "RLIMIT_AS is told, by mmap, and not for memory or mappings" {
	run --separate-stderr bash -c "ulimit -v 3000000; exec '$WAKECOST' ceiling -j --coroutines 0"
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	said '.refusal | .limit == "RLIMIT_AS" and .errno == "ENOMEM" and (.call | test("mmap"))
		and .pthread_create == "EAGAIN"'
	said '.threads as $t | .limits[] | select(.name == "RLIMIT_AS")
		| (.limit - .before) / $t.stack_bytes - $t.created | . > -2 and . < 6'
}

@test "a stack larger than all memory is refused at once" {
	[ "$(cat /proc/sys/vm/overcommit_memory)" = 0 ] || skip "overcommit is not the usual one"
	run --separate-stderr "$WAKECOST" ceiling --stack 1024G --coroutines 0 -j
	said '.threads.created == 0 and .refusal.limit == "vm.overcommit_memory"'
}

@test "text: how many, why, what to do, and every limit" {
	run --separate-stderr "$WAKECOST" ceiling --threads 53 --coroutines 1009
	[ "$status" -eq 0 ]
	[[ $output == "53 threads"* ]]
	[[ $output == *"kernel.threads-max"*"kernel.pid_max"*"vm.max_map_count"*"memory"* ]]
	[[ $output == *"1,009 coroutines beside: "*"1 thread for the kernel"* ]]
	run --separate-stderr bash -c "ulimit -v 3000000; exec '$WAKECOST' ceiling --coroutines 0"
	[[ ${lines[0]} == *"threads, then no more: RLIMIT_AS" ]]
	[[ $output == *"to have more: ulimit -v unlimited"* ]]
}

@test "options that make no sense" {
	run "$WAKECOST" ceiling --stacks none
	[ "$status" -eq 2 ]
	run "$WAKECOST" ceiling --stack 1K
	[ "$status" -eq 2 ]
	run "$WAKECOST" ceiling 7
	[ "$status" -eq 2 ]
	run "$WAKECOST_OUT/wakecost-workload" ceiling --control
	[ "$status" -eq 2 ]
	run "$WAKECOST_OUT/wakecost-workload" ceiling -P handoffs=7
	[ "$status" -eq 2 ]
	run "$WAKECOST_OUT/wakecost-workload" handoff -P coroutines=7
	[ "$status" -eq 2 ]
}

@test "the page and the document agree" {
	local doc=$BATS_TEST_TMPDIR/doc page=$BATS_TEST_TMPDIR/page
	{
		"$WAKECOST" ceiling --threads 7 --coroutines 7 -j
		bash -c "ulimit -v 3000000; exec '$WAKECOST' ceiling -j --coroutines 0"
	} | jq -r 'paths(type | . != "object" and . != "array") | map(if type == "number" then "[]" else . end)
			| join(".") | gsub("\\.\\[\\]"; "[]")' |
		grep -v '^coroutines$' | sort -u >"$doc"
	sed -nE 's/^\| `([^`]+)` \|.*/\1/p' "$ROOT/docs/json-ceiling.md" | sort >"$page"
	diff -u "$page" "$doc"
}
