#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Packs a root file system for the guests: initramfs.sh OUT FILE...
# busybox, what stands in guest/, and the given programs with the libraries they ask for.
set -euo pipefail

here=$(dirname "${BASH_SOURCE[0]}")
out=$1
shift
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

mkdir -p "$root"/{bin,dev,lab,lib64,out,proc,sys,tmp,etc}
install -m 755 "$(command -v busybox)" "$root/bin/busybox"
while read -r applet; do
	[ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
done < <(busybox --list)
install -m 755 "$here/guest/init" "$root/init"
cp "$here"/guest/* "$root/lab/"

for program in "$@"; do
	install -m 755 "$program" "$root/bin/${program##*/}"
	# "name => /path (address)", and the loader, which has no arrow
	ldd "$program" 2>/dev/null | grep -oE '/[^ ]+' | while read -r library; do
		install -D -m 755 "$library" "$root$library"
	done || true
done

(cd "$root" && find . -print0 | LC_ALL=C sort -z |
	cpio --quiet --null -o -H newc --reproducible --owner 0:0) | gzip -1 >"$out.new"
mv "$out.new" "$out"
