#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Holds every kernel type the probes name (vmlinux/, bpf/compat.bpf.h) against kernels' BTF:
# check-vmlinux.sh [-v] [BTF...]     without a file: this machine's own kernel
# A test, never part of the build. BTF is /sys/kernel/btf/vmlinux of some kernel, saved, or an
# ELF file with a .BTF section.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${O:-.output}
verbose=
if [ "${1:-}" = -v ]; then
	verbose=-v
	shift
fi
[ $# -gt 0 ] || set -- /sys/kernel/btf/vmlinux
if [ ! -f "$out/wakecost.bpf.o" ]; then
	echo "check-vmlinux: no $out/wakecost.bpf.o: run make first" >&2
	exit 2
fi
source=tests/helpers/check_vmlinux.c
if [ ! "$out/check_vmlinux" -nt $source ]; then
	${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Wshadow -Wmissing-prototypes \
		$source -lbpf -o "$out/check_vmlinux"
fi
exec "$out/check_vmlinux" $verbose "$out/wakecost.bpf.o" "$@"
