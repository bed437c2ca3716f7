#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# One boot of one kernel: boot.sh VMLINUZ INITRD OUT LAB CPUS SECONDS
# OUT gets console (what the guest said) and what it left in /out. Exit status 1, and one line
# why, when the guest oopsed, hung or said nothing.
set -euo pipefail

vmlinuz=$1 initrd=$2 out=$3 lab=$4 cpus=$5 seconds=$6
rm -rf "$out"
mkdir -p "$out"

die() {
	echo "boot: $vmlinuz, $lab: $1; all it said is in $out/console" >&2
	tail -n 15 "$out/console" 2>/dev/null | sed 's/^/    /' >&2
	exit 1
}

qemu=
trap '[ -z "$qemu" ] || kill "$qemu" 2>/dev/null' EXIT
trap 'exit 130' INT TERM HUP

# -cx16: QEMU 7.2 leaves wrong flags behind cmpxchg16b, which the kernel's allocator uses.
# thread=single: with two threads it races with the kernel's patching of its own text.
timeout -k 5 "$seconds" qemu-system-x86_64 -M q35 -accel tcg,thread=single -cpu max,-cx16 \
	-smp "$cpus" -m 1G -kernel "$vmlinuz" -initrd "$initrd" \
	-append "console=ttyS0 quiet panic=-1 oops=panic lab=$lab" \
	-nodefaults -display none -no-reboot \
	-serial "file:$out/console" -serial "file:$out/serial" </dev/null &
qemu=$!
status=0
wait $qemu || status=$?
qemu=

if grep -qE 'Oops|BUG:|Kernel panic|general protection' "$out/console"; then
	die "the guest's kernel failed: $(grep -m1 -oE '(Oops|BUG:|Kernel panic|general prot).*' \
		"$out/console" | tr -d '\r')"
fi
case $status in
0) ;;
124 | 137) die "no end within $seconds s" ;;
*) die "qemu ended with status $status" ;;
esac
tr -d '\r' <"$out/serial" | base64 -d 2>/dev/null | tar -xz -C "$out" 2>/dev/null ||
	die "its results did not come through"
rm "$out/serial"
