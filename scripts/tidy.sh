#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# clang-tidy on the files named on stdin, two at a time: tidy.sh COMPILER-FLAGS...
# Prints only what it found, and not what it found in generated skeletons.
set -eu
if [ "${1:-}" != --one ]; then
	exec xargs -r -P 2 -I '{}' "$0" --one '{}' "$@"
fi
file=$2
shift 2
out=$(clang-tidy --quiet --warnings-as-errors='*' "$file" -- "$@" 2>&1) && exit 0
found=$(printf '%s\n' "$out" | grep -E ':[0-9]+:[0-9]+: (error|warning):') || true
if [ -n "$found" ] && ! printf '%s\n' "$found" | grep -qv '\.skel\.h:'; then
	exit 0
fi
printf '%s\n' "$out" | grep -v 'warnings\? generated\.$'
exit 1
