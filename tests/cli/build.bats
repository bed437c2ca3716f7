#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# The build does not depend on the kernel of the machine that builds.

load ../lib

setup() {
	cd "$ROOT"
	out=$BATS_TEST_TMPDIR/out
}

# What is made of the probes, and how.
probes() {
	local src

	for src in bpf/*.bpf.c; do
		src=${src##*/}
		echo "$out/${src%.bpf.c}.skel.h"
	done
}

@test "no step opens the BTF of the running kernel" {
	mapfile -t skels < <(probes)
	[ "${#skels[@]}" -ge 1 ]
	run strace -f -qq -e trace=open,openat,openat2 -o "$BATS_TEST_TMPDIR/opens" \
		make O="$out" "${skels[@]}"
	if [[ $output == *"Operation not permitted"* ]]; then
		skip "strace may not trace here"
	fi
	echo "$output"
	[ "$status" -eq 0 ]
	[ -s "${skels[0]}" ]
	# The trace saw the work ...
	grep -q 'vmlinux/vmlinux.h' "$BATS_TEST_TMPDIR/opens"
	# ... and no look at the kernel.
	run grep -E '/sys/kernel/btf|/boot/vmlinux|/lib/modules' "$BATS_TEST_TMPDIR/opens"
	echo "$output"
	[ "$status" -eq 1 ]
}

@test "the probes build the same where /sys is empty" {
	need_root
	mapfile -t skels < <(probes)
	make O="$out" "${skels[@]}"
	cp -r "$out" "$out.seen"
	rm -r "$out"
	unshare -m sh -c 'mount -t tmpfs none /sys && [ ! -e /sys/kernel/btf ] && exec make "$@"' \
		sh O="$out" "${skels[@]}"
	for skel in "${skels[@]}"; do
		cmp "$skel" "$out.seen/${skel##*/}"
	done
}

@test "nothing is rebuilt when nothing changed" {
	make O="$WAKECOST_OUT" all
	run make O="$WAKECOST_OUT" all
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output != *CC* && $output != *LINK* && $output != *BPF* ]]
}

@test "install puts each file in its place" {
	make O="$WAKECOST_OUT" DESTDIR="$BATS_TEST_TMPDIR/root" PREFIX=/usr install
	cd "$BATS_TEST_TMPDIR/root/usr"
	[ -x bin/wakecost ]
	[ -x libexec/wakecost/wakecost-workload ]
	[ -f share/bash-completion/completions/wakecost ]
	if command -v rst2man rst2man.py >/dev/null; then
		grep -q '^\.TH' share/man/man1/wakecost.1
	fi
	# The installed program finds the installed workload.
	run env PATH=/usr/bin:/bin bin/wakecost list workloads
	[ "$status" -eq 0 ]
	[[ $output == *handoff* ]]
}

@test "what root builds under sudo belongs to the caller" {
	need_root
	mkdir -p "$out/deep"
	touch "$out/deep/file"
	SUDO_UID=12345 SUDO_GID=23456 scripts/give-back.sh "$out"
	[ "$(stat -c %u:%g "$out/deep/file")" = 12345:23456 ]
}
