#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The probes on real kernels, each in an emulated machine (no KVM, no root needed for that):
#
#	lab.sh [btf|quick]	btf: only save the types these kernels have (tests/vm/btf)
#				quick: the best sources alone, and a word of the counting; what
#				cannot be had is said, and is no failure
#
# LAB_KERNELS: series, "6.1 6.12"; LAB_SECONDS: most that one guest may take;
# LAB_GOLDEN=write: what is measured becomes what is expected.
set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
cd "$here/../.."
out=${WAKECOST_OUT:-$PWD/.output}
lab=$out/lab
space_mb=700
read -ra kernels <<<"${LAB_KERNELS:-6.1 6.12}"
seconds=${LAB_SECONDS:-600}

part=${1:-all}

# What is missing is the machine's, and not the probes': quick goes on without.
die() {
	if [ "$part" = quick ]; then
		echo "lab: skipped: $1" >&2
		exit 0
	fi
	echo "lab: $1" >&2
	exit 1
}

check_machine() {
	local tool free

	for tool in qemu-system-x86_64:qemu-system-x86 busybox:busybox-static cpio:cpio lz4:lz4 \
		zstd:zstd xz:xz-utils bpftool:bpftool bats:bats jq:jq; do
		PATH=$PATH:/usr/sbin command -v "${tool%%:*}" >/dev/null ||
			die "no ${tool%%:*}: install the package ${tool#*:}, or run make lab as root"
	done
	# a dynamic busybox would find no libraries in the guest
	! ldd "$(command -v busybox)" >/dev/null 2>&1 ||
		die "busybox is not static: install the package busybox-static"
	mkdir -p "$lab"
	free=$(df -Pm "$lab" | awk 'NR == 2 { print $4 }')
	[ "$free" -ge $space_mb ] || die "$lab: $free MB free, $space_mb needed"
}

# Field by field what the probes name, and that much of the kernel's types for the other tests.
check_types() {
	local kernel=$1 bpftool

	bpftool=$(PATH=$PATH:/usr/sbin command -v bpftool)
	O=$out scripts/check-vmlinux.sh "$lab/$kernel/vmlinux"
	"$bpftool" gen min_core_btf "$lab/$kernel/vmlinux" "$lab/$kernel/min.btf" \
		"$out/wakecost.bpf.o"
	if [ "${LAB_GOLDEN:-}" = write ]; then
		mkdir -p "$here/btf"
		cp "$lab/$kernel/min.btf" "$here/btf/$kernel.btf"
	fi
}

# judge KERNEL TESTS: of what a guest left in the folder of that name, or of the command itself
judge() {
	LAB_KERNEL=$1 LAB_OUT=$lab/$1/$2 LAB_PART=$part WAKECOST=$out/wakecost \
		prove --directives --exec scripts/tap.sh "$here/$2.bats"
}

# The guest, then what it left.
try() {
	local kernel=$1 guest=$2 started=$SECONDS

	echo "# $(cat "$lab/$kernel/version")"
	"$here/boot.sh" "$lab/$kernel/vmlinuz" "$lab/initrd.gz" "$lab/$kernel/$guest" "$guest" 2 \
		"$seconds" || return
	echo "# the guest took $((SECONDS - started)) s"
	judge "$kernel" "$guest"
}

check_machine
"$here/kernels.sh" "$lab" "${kernels[@]}" || die "no kernels to try it on"
for kernel in "${kernels[@]}"; do
	check_types "$kernel"
done
[ "$part" != btf ] || exit 0

"$here/initramfs.sh" "$lab/initrd.gz" "$out"/wakecost "$out"/wakecost-workload \
	"$out"/tests/root/probe "$out"/tests/root/actor "$out"/tests/vm/verifier
failed=0
for kernel in "${kernels[@]}"; do
	if [ "$part" = quick ]; then
		try "$kernel" quick || failed=1
	else
		try "$kernel" matrix || failed=1
		judge "$kernel" count || failed=1
	fi
done
if [ "$part" = quick ]; then
	judge "${kernels[0]}" count || failed=1
fi
exit $failed
