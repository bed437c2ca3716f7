#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A server below a CPU limit, as published and beyond: cpu-limited.sh [FOLDER] measures (root), about
# 25 minutes on a machine that does nothing else; ROUNDS and DURATION shorten it. See docs/servers.md.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
wakecost=${WAKECOST:-$root/.output/wakecost}
out=${1:-cpu-limited}
rounds=${ROUNDS:-6}
duration=${DURATION:-5s}

# part NAME PARAM...: a recording and its table
part() {
	local name=$1 args=()
	shift
	for param in threads=kernel,user "duration=$duration" "$@"; do args+=(-P "$param"); done
	echo "== $name: wakecost run cpu-limited ${args[*]}"
	"$wakecost" run cpu-limited "${args[@]}" --rounds "$rounds" -o "$out/$name.data" |
		tee "$out/$name.txt"
}

mkdir -p "$out"
# the post: 4 connections, 40 users
part post connections=4 users=40
# more connections, 64 users
part sweep connections=4,8,16,32 users=64
# the same question where a request takes little CPU time of its own
part small connections=4,32 users=64 query=1ms work=100us held_work=50us
# without a limit: what is the limit's doing
part free connections=4,32 users=64 cpu_limit=0
# waiting for a slow upstream, and for nothing else
part upstream users=80,150 transactions=0 work=1ms upstream=500ms
"$wakecost" compare --book "$out/post.data" "$out/sweep.data" "$out/upstream.data" |
	tee "$out/book.txt"
