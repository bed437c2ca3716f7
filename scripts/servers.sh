#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The servers of the published chapter, and what it left out: servers.sh [FOLDER] measures (root),
# servers.sh soak [SECONDS] watches each model under load for leaks (no root). See docs/servers.md.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
wakecost=${WAKECOST:-$root/.output/wakecost}
workload=$(dirname "$wakecost")/wakecost-workload
models=per-request,per-connection,event-loop,coroutine

# part NAME PARAM...: a recording and its table
part() {
	local name=$1 args=()
	shift
	for param in "$@"; do args+=(-P "$param"); done
	echo "== $name: $*"
	"$wakecost" run server "${args[@]}" --rounds "$rounds" -o "$out/$name.data" | tee "$out/$name.txt"
}

measure() {
	out=${1:-servers}
	rounds=${ROUNDS:-7}
	mkdir -p "$out"
	part pool model=per-request pool=50,200,1000 clients=500 service=100ms
	part models model=$models pool=1000 clients=500 service=100ms
	part floor model=$models pool=1000 clients=500 service=0
	part cores model=per-request pool=2,4 clients=500 service=10ms
	part slower model=per-request,coroutine pool=50,200 clients=500 service=1s
	part calls model=per-request,coroutine pool=200 clients=500 service=100ms calls=one,sequence,parallel
	part idle model=$models pool=1200 clients=100 idle=0,1000 mode=closed service=10ms duration=3s
	part steady model=$models pool=200 clients=200 mode=open rate=1000 service=100ms duration=5s
	part loop model=event-loop clients=8000 mode=closed service=1s duration=5s
}

# What of a process should not grow: descriptors, threads, resident kB.
look() {
	local fds threads rss
	fds=("/proc/$1/fd/"*)
	threads=$(awk '/^Threads/ { print $2 }' "/proc/$1/status")
	rss=$(awk '/^VmRSS/ { print $2 }' "/proc/$1/status")
	echo "${#fds[@]} $threads $rss"
}

# Rounds of 2 s one after the other, in one process; the first ones fill what is kept for reuse.
soak() {
	local seconds=$1 model line pid early='' begun
	for model in ${models//,/ }; do
		coproc SERVER { exec "$workload" server --control -P "model=$model,pool=200,clients=100,calls=parallel,service=5ms,mode=closed,duration=2s,idle=50,hostile=10"; }
		pid=$SERVER_PID
		read -r _ <&"${SERVER[0]}"
		begun=$SECONDS early=
		while ((SECONDS < begun + seconds / 4)); do
			echo measure >&"${SERVER[1]}"
			read -r line <&"${SERVER[0]}"
			jq -e '.gauges | .requests == .sent and .requests > 0' <<<"$line" >/dev/null ||
				{ echo "$model: requests were lost: $line"; exit 1; }
			[ -n "$early" ] || ((SECONDS < begun + 10)) || early=$(look "$pid")
		done
		echo "$model: descriptors, threads, RSS in kB: $early after 10 s, $(look "$pid") after $((SECONDS - begun)) s"
		echo quit >&"${SERVER[1]}"
		wait "$pid" || true
	done
}

case ${1:-} in
soak) soak "${2:-600}" ;;
*) measure "$@" ;;
esac
