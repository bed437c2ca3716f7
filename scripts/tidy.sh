#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# clang-tidy on the files named on stdin, two at a time: tidy.sh COMPILER-FLAGS...
# Prints only what it found, and not what it found in generated skeletons. With TIDY_CACHE=DIR what
# passed once is not looked at again until it changes. TIDY_MODE: how far the analyzer follows calls
# (shallow, or deep: three times as long).
set -eu
if [ "${1:-}" != --one ]; then
	[ -z "${TIDY_CACHE:-}" ] || mkdir -p "$TIDY_CACHE"
	exec xargs -r -P 2 -I '{}' "$0" --one '{}' "$@"
fi
file=$2
shift 2

# The analyzer takes a hundred times the rest; a leak in a test harms nobody, and ASan sees it.
checks='--checks='
case $file in
tests/*) checks='--checks=-clang-analyzer-*' ;;
esac

mode=mode=${TIDY_MODE:-shallow}
passed=
if [ -n "${TIDY_CACHE:-}" ] && text=$("${CLANG:-clang}" -E -C "$@" "$file" 2>/dev/null); then
	key=$({ cat .clang-tidy "$0" && printf '%s' "$mode $* $text"; } | sha256sum)
	passed=$TIDY_CACHE/${key%% *}
	[ ! -e "$passed" ] || exit 0
fi

out=$(clang-tidy --quiet --warnings-as-errors='*' "$checks" --extra-arg=-Xclang \
	--extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg="$mode" \
	"$file" -- "$@" 2>&1) || {
	found=$(printf '%s\n' "$out" | grep -E ':[0-9]+:[0-9]+: (error|warning):') || true
	if [ -z "$found" ] || printf '%s\n' "$found" | grep -qv '\.skel\.h:'; then
		printf '%s\n' "$out" | grep -v 'warnings\? generated\.$'
		exit 1
	fi
}
[ -z "$passed" ] || : >"$passed"
