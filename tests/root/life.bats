#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# However a run ends: nothing stays behind, and what was complete is kept or said to be lost.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_probe
	cd "$BATS_TEST_TMPDIR" || return
	long=(run handoff -P handoffs=20011 -P background=futex-own -P parked=100 --rounds 9999)
}

# Starts it in the background, its own signals not ignored, and waits until it measures.
begin() {
	setsid env --default-signal=INT "$WAKECOST" "${long[@]}" "$@" >out 2>err &
	TOOL=$!
	for _ in {1..100}; do
		pgrep -P "$TOOL" -x wakecost-worklo >/dev/null && break
		sleep 0.05
	done
	sleep 2
	kill -0 "$TOOL"
}

# No file but ours in this folder.
only_files() {
	run ls -A
	echo "$output"
	[ "$output" = "$(printf '%s\n' "$@" | sort)" ]
}

ended_with() {
	local status=0
	wait "$TOOL" || status=$?
	echo "status $status"
	cat out err
	[ "$status" -eq "$1" ]
}

@test "kill -9 in the middle: no process, no program in the kernel, no file" {
	begin -o run.data
	kill -9 "$TOOL"
	ended_with 137
	nothing_left
	only_files out err
	[ -z "$(find /sys/fs/bpf -iname '*wakecost*' 2>/dev/null)" ]
}

@test "Ctrl-C: what is complete is printed and kept, the shell sees the signal" {
	begin -o run.data
	kill -INT "$TOOL"
	ended_with 130
	[ -s out ]
	only_files out err run.data
	run --separate-stderr "$WAKECOST" report -j run.data
	jq -e '.run.interrupted and .cells[0].rounds >= 1
		and .cells[0].handoffs == .cells[0].rounds * 20011' <<<"$output"
	nothing_left
}

@test "Ctrl-C twice: it ends at once, and leaves nothing" {
	begin -o run.data
	kill -INT "$TOOL"
	kill -INT "$TOOL"
	ended_with 130
	nothing_left
	[ ! -e run.data ] || "$WAKECOST" report run.data >/dev/null
}

@test "the reader of the table goes away: a clear end" {
	run --separate-stderr bash -c '"$1" run handoff -P handoffs=101 --rounds 1 --no-warmup | true
		echo "${PIPESTATUS[0]}"' - "$WAKECOST"
	echo "$output $stderr"
	[ "$output" -le 1 ] # 1: it had something left to print
	nothing_left
}

@test "disk full: the table is printed, the loss is said, no partial file stays" {
	mkdir small
	# smaller than any recording
	mount -t tmpfs -o size=8k none small || skip "no tmpfs can be mounted"
	run --separate-stderr "$WAKECOST" run handoff -P handoffs=101 --rounds 1 --no-warmup \
		-o small/run.data
	left=$(ls -A small)
	umount small
	echo "$output $stderr"
	[ "$status" -eq 1 ]
	[[ $output == *"Handoff, us"* ]]
	[[ $stderr == *"no space left"*"nothing written"* ]]
	[ -z "$left" ]
}

@test "an older recording survives a disk that is full" {
	mkdir small
	mount -t tmpfs -o size=400k none small || skip "no tmpfs can be mounted"
	"$WAKECOST" run handoff -P handoffs=101 --rounds 1 --no-warmup -o small/run.data >/dev/null
	head -c 1M /dev/zero >small/fill 2>/dev/null || true
	run --separate-stderr "$WAKECOST" run handoff -P handoffs=101 --rounds 1 --no-warmup \
		-o small/run.data
	again=$("$WAKECOST" report -j small/run.data | jq '.cells[0].handoffs')
	left=$(ls -A small)
	umount small
	echo "$output $stderr; left: $left"
	[ "$status" -eq 1 ]
	[ "$again" = 101 ]
	[ "$left" = "$(printf 'fill\nrun.data')" ]
}

@test "not root: status 3, and what to do" {
	command -v setpriv >/dev/null || skip "needs setpriv"
	cp "$WAKECOST" "$WAKECOST_OUT/wakecost-workload" .
	chmod 755 . wakecost wakecost-workload
	chmod o+x "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR/.." 2>/dev/null || true
	setpriv --reuid 65534 --regid 65534 --clear-groups ./wakecost help >/dev/null ||
		skip "nobody cannot reach the program"
	run --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups \
		./wakecost run handoff -P handoffs=101 --rounds 1
	echo "$status $output $stderr"
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	[[ $stderr == *root* || $stderr == *sudo* || $stderr == *CAP_BPF* ]]
	# and without probes it works
	run --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups \
		./wakecost run handoff -P handoffs=101 --rounds 1 --no-warmup --no-bpf
	[ "$status" -eq 0 ]
}

@test "no BTF: status 3, and what to do" {
	WAKECOST_BTF=/nonexistent run --separate-stderr "$WAKECOST" run handoff -P handoffs=101
	echo "$status $output $stderr"
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	[[ $stderr == *BTF* && $stderr == */nonexistent* ]]
}

@test "after all of this nothing is left" {
	nothing_left
}
