#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Each limit provoked, and told from the others. None that others on the machine would meet as well.

bats_require_minimum_version 1.5.0
load ../lib

setup() {
	need_root
}

teardown() {
	[ -z "${GROUP:-}" ] || rmdir "$GROUP" || true
	[ -z "${OLD_MAPS:-}" ] || sysctl -qw vm.max_map_count="$OLD_MAPS"
}

said() {
	jq -e "$1" <<<"$output" >/dev/null || {
		echo "not so: $1"
		echo "$output"
		false
	}
}

# It is the only one that is said to have been reached.
only() {
	said "[.limits[] | select(.reached).name] == [\"$1\"]"
}

@test "pid_max, in a pid namespace that has its own" {
	local own
	own=$(unshare -pf --mount-proc sh -c \
		'echo 1201 >/proc/sys/kernel/pid_max && cat /proc/sys/kernel/pid_max' 2>/dev/null) ||
		skip "no pid namespaces here"
	[ "$own" = 1201 ] && [ "$(cat /proc/sys/kernel/pid_max)" != 1201 ] ||
		skip "pid_max is the machine's here (Linux before 6.14)"
	run --separate-stderr unshare -pf --mount-proc sh -c \
		"echo 1201 >/proc/sys/kernel/pid_max; '$WAKECOST' ceiling -j --coroutines 0"
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	said '.refusal | .limit == "kernel.pid_max" and .call == "clone" and .errno == "EAGAIN"'
	only kernel.pid_max
	# ids 1 to 1200, less those of the shell, wakecost and its two processes
	said '.threads.created >= 1190 and .threads.created <= 1197'
}

@test "max_map_count, by the stacks of pthread; not with slabs" {
	OLD_MAPS=$(cat /proc/sys/vm/max_map_count)
	sysctl -qw vm.max_map_count=16411
	run --separate-stderr "$WAKECOST" ceiling -j --coroutines 0
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
	said '.refusal | .limit == "vm.max_map_count" and .errno == "ENOMEM"
		and (.call == "mmap" or .call == "mprotect") and .pthread_create == "EAGAIN"'
	only vm.max_map_count
	said '.threads.created as $n | .limits[] | select(.reached) | .at >= 16407
		and (.threads - $n) <= 4'
	run --separate-stderr "$WAKECOST" ceiling -j --coroutines 0 --stacks slab --threads 9001
	said '.threads.created == 9001 and .refusal.limit == null'
	sysctl -qw vm.max_map_count="$OLD_MAPS"
	[ "$(cat /proc/sys/vm/max_map_count)" = "$OLD_MAPS" ]
	OLD_MAPS=
}

# pids_group DIR...: a group of 211 tasks in the first that has the controller.
pids_group() {
	local top
	for top in "$@"; do
		GROUP=$top/wakecost-ceiling-$$
		mkdir "$GROUP" 2>/dev/null || continue
		echo 211 2>/dev/null >"$GROUP/pids.max" && return
		rmdir "$GROUP"
	done
	GROUP=
	skip "no control group with pids.max can be made here"
}

in_group() {
	run --separate-stderr bash -c 'echo $$ >"$1/cgroup.procs"; exec "$2" ceiling -j --coroutines 0' \
		- "$1" "$WAKECOST"
	[ "$status" -eq 0 ] || { echo "$stderr"; false; }
}

@test "pids.max, of the group itself and of one above; counted by the kernel" {
	pids_group /sys/fs/cgroup/pids /sys/fs/cgroup /sys/fs/cgroup/unified
	in_group "$GROUP"
	said ".refusal | .limit == \"pids.max\" and .where == \"$GROUP\" and .counted_by_kernel"
	only pids.max
	# wakecost, and the two processes of the workload
	said '.threads.created == 208'
	[ "$(cat "$GROUP/pids.current")" -eq 0 ]

	mkdir "$GROUP/below"
	in_group "$GROUP/below"
	rmdir "$GROUP/below"
	said ".refusal | .limit == \"pids.max\" and .where == \"$GROUP\""
	said '.threads.created == 208'
}

@test "RLIMIT_NPROC does not hold root, and says so" {
	run --separate-stderr bash -c "ulimit -u 20; exec '$WAKECOST' ceiling -j --coroutines 0 --threads 97"
	said '.threads.created == 97 and
		(.limits[] | select(.name == "RLIMIT_NPROC") | .limit == 20 and (.binds | not))'
}

@test "the machine is as it was: tasks, limits, processes" {
	local before after
	before=$(cat /proc/sys/vm/max_map_count /proc/sys/kernel/{pid_max,threads-max})
	run --separate-stderr "$WAKECOST" ceiling -j --coroutines 0 --threads 3001
	said '.threads.seen == 3002'
	after=$(cat /proc/sys/vm/max_map_count /proc/sys/kernel/{pid_max,threads-max})
	[ "$before" = "$after" ]
	run pgrep -xf "$WAKECOST_OUT/wakecost-workload ceiling .*"
	[ "$status" -eq 1 ]
}
