#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# clang-tidy on the files named on stdin, two at a time: tidy.sh COMPILER-FLAGS...
# Prints only what it found: clang-tidy's count of warnings in system headers is no finding.
set -eu
if [ "${1:-}" != --one ]; then
	exec xargs -r -P 2 -I '{}' "$0" --one '{}' "$@"
fi
file=$2
shift 2
if ! out=$(clang-tidy --quiet --warnings-as-errors='*' "$file" -- "$@" 2>&1); then
	printf '%s\n' "$out" | grep -v 'warnings\? generated\.$'
	exit 1
fi
