#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Fetches Debian's cloud kernels and unpacks them: kernels.sh DIR SERIES...
# DIR/SERIES gets vmlinuz, vmlinux (for its BTF) and version; what is there is not fetched again.
# Nothing is installed and the machine's apt is left as it is: host and key are read from its own
# sources, lists and packages lie in DIR/apt.
#
#	kernels.sh DIR list	the series there are
set -euo pipefail

dir=$1
shift

# The release whose main archive or backports have a series.
suite_of() {
	case $1 in
	5.10) echo bullseye ;;
	6.1 | 6.12) echo bookworm ;;
	*) echo trixie ;;
	esac
}

die() {
	echo "kernels: $1" >&2
	exit 1
}

# The machine's Debian entries, asked of apt so that either form of sources file will do.
sources() {
	local uri codename security='' archive=''

	# shellcheck disable=SC2016 # apt's own words
	while read -r uri codename; do
		case $codename in
		*-security) security=$uri ;;
		*-updates | *-backports) ;;
		*) archive=${archive:-$uri} ;;
		esac
	done < <(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' \
		'Component: main' | grep -E 'debian(-security)?/? ' | sort -u)
	[ -n "$archive" ] || return 1
	printf 'Types: deb\nURIs: %s\nSuites: %s %s-backports\nComponents: main\n' \
		"$archive" "$suite" "$suite"
	echo 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg'
	[ -n "$security" ] || return 0
	printf '\nTypes: deb\nURIs: %s\nSuites: %s-security\nComponents: main\n' \
		"$security" "$suite"
	echo 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg'
}

apt_do() {
	local cmd=$1

	shift
	"$cmd" -qq -o Dir::Etc::sourcelist="$apt/lab.sources" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$apt/lists" -o Dir::Cache::archives="$apt/archives" \
		-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root "$@"
}

# use SUITE: what follows is asked of it. Lists once in an hour: the packages named in older ones
# may be gone.
use() {
	suite=${LAB_SUITE:-$1}
	apt=$dir/apt/$suite
	[ -z "$(find "$apt/updated" -mmin -60 2>/dev/null)" ] || return 0
	mkdir -p "$apt/lists/partial" "$apt/archives/partial"
	sources >"$apt/lab.sources" || die "apt has no Debian archive among its sources"
	# a suite that is not there is found out below, by what it lacks
	apt_do apt-get update >"$apt/update.log" 2>&1 || true
	touch "$apt/updated"
}

# The newest package of a series.
newest() {
	apt_do apt-cache search --names-only "^linux-image-$1\.[0-9].*-cloud-amd64\$" |
		awk '{ print $1 }' | sort -V | tail -1
}

# The package with the kernel itself: since 7.2 another than the one that is installed by name.
holder() {
	local binary=linux-binary-${1#linux-image-}

	if apt_do apt-cache show "$binary" >/dev/null 2>&1; then
		echo "$binary"
	else
		echo "$1"
	fi
}

# A field of the boot header (Documentation/arch/x86/boot.rst): offset, bytes.
field() {
	od -An -v -j "$2" -N "$3" "-tu$3" "$1" | tr -d ' '
}

# The header says where in vmlinuz the compressed vmlinux lies; its first bytes say by what.
unpack() {
	local from=$1 to=$2 at len tool

	at=$((($(field "$from" 0x1f1 1) + 1) * 512 + $(field "$from" 0x248 4)))
	len=$(($(field "$from" 0x24c 4) - 4)) # the last four are the length unpacked
	case $(od -An -tx1 -j $at -N 4 "$from" | tr -d ' ') in
	02214c18) tool=lz4 ;;
	28b52ffd) tool=zstd ;;
	fd377a58) tool=xz ;;
	1f8b08*) tool=gzip ;;
	*) return 1 ;;
	esac
	head -c $((at + len)) "$from" | tail -c +$((at + 1)) | $tool -dc >"$to" || return 1
	[ "$(head -c 4 "$to" | tail -c 3)" = ELF ]
}

fetch() {
	local series=$1 to=$dir/$1 package deb

	[ ! -s "$to/version" ] || return 0
	command -v apt-get >/dev/null || die "not a Debian system: put vmlinuz into $to by hand"
	use "$(suite_of "$series")"
	package=$(newest "$series")
	[ -n "$package" ] || die "no cloud kernel $series in $suite: see $apt/update.log; \
or leave it out with LAB_KERNELS"
	rm -rf "$to"
	mkdir -p "$to"
	(cd "$to" && apt_do apt-get download "$(holder "$package")") ||
		die "$package could not be fetched (network, or $(df -Ph "$to" | awk 'NR == 2 {
			print $4 }') of disk too little)"
	deb=$(echo "$to"/*.deb)
	dpkg-deb --fsys-tarfile "$deb" | tar -x -O --wildcards '*/vmlinuz*' >"$to/vmlinuz"
	rm "$deb"
	unpack "$to/vmlinuz" "$to/vmlinux" || die "no kernel found inside vmlinuz of $package"
	echo "${package#linux-image-}" >"$to/version"
}

# Every series of every release that this script knows.
list() {
	for suite in bullseye bookworm trixie; do
		use $suite
		apt_do apt-cache search --names-only '^linux-image-[0-9].*-cloud-amd64$' |
			sed -nE "s/^linux-image-([0-9]+\.[0-9]+)\..*/\1	$suite/p"
	done | sort -Vu
}

mkdir -p "$dir/apt"
dir=$(realpath "$dir")
if [ "${1:-}" = list ]; then
	list
	exit
fi
for series in "$@"; do
	fetch "$series"
done
