#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Installs the Debian packages that are missing: deps.sh GROUP... (see below)
# Nothing is asked of the network when nothing is missing. DEPS=0: never install.
set -euo pipefail

build=(gcc libc6-dev make pkg-config clang bpftool libbpf-dev libelf-dev libdw-dev liblzma-dev
	zlib1g-dev libsqlite3-dev libjansson-dev libprotobuf-c-dev protobuf-c-compiler)
test=(libcmocka-dev bats perl jq sqlite3 strace shellcheck cppcheck clang-tidy clang-format
	python3-docutils libxml2-utils python3 protobuf-compiler)
# For the tests of flame graphs, which are skipped without; node may have come from elsewhere.
browser=()
command -v chromium >/dev/null || browser+=(chromium)
command -v npm >/dev/null || browser+=(nodejs npm)
lab=(qemu-system-x86 busybox-static cpio lz4 zstd xz-utils bats jq perl)
# What `make bench` compares with; it measures what is there.
bench=(libbpf-tools linux-perf)

if [ "${DEPS:-1}" = 0 ]; then
	exit 0
fi

installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

wanted=()
optional=()
for group in "$@"; do
	case $group in
	build) wanted+=("${build[@]}") ;;
	test) wanted+=("${test[@]}") ;;
	lab) wanted+=("${lab[@]}") ;;
	lab-if-possible) optional+=("${lab[@]}") ;;
	bench) optional+=("${bench[@]}") ;;
	browser) optional+=("${browser[@]}") ;;
	*)
		echo "deps.sh: no group '$group' (build, test, browser, lab, lab-if-possible, bench)" >&2
		exit 2
		;;
	esac
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
	cat >&2 <<-EOF
		This is not a Debian system, so nothing was installed. By their Debian names, needed are:
		    ${wanted[*]} ${optional[*]}
		Install them by your own means, then add DEPS=0: make DEPS=0 ...
	EOF
	exit 1
fi

missing=()
for package in "${wanted[@]}"; do
	installed "$package" || missing+=("$package")
done
extra=()
for package in "${optional[@]}"; do
	installed "$package" || extra+=("$package")
done
if [ ${#missing[@]} -eq 0 ] && [ ${#extra[@]} -eq 0 ]; then
	exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
	if [ ${#missing[@]} -eq 0 ]; then
		echo "Going on without ${extra[*]}: only root can install them" >&2
		exit 0
	fi
	cat >&2 <<-EOF
		Missing packages: ${missing[*]} ${extra[*]}
		Only root can install them: sudo make deps
		(or add DEPS=0 to go on without them)
	EOF
	exit 1
fi

echo "Installing: ${missing[*]} ${extra[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq || [ ${#missing[@]} -eq 0 ]
if [ ${#missing[@]} -gt 0 ]; then
	apt-get install -qq -y --no-install-recommends "${missing[@]}"
fi
for package in "${extra[@]}"; do
	apt-get install -qq -y --no-install-recommends "$package" ||
		echo "$package could not be installed; going on without it" >&2
done
