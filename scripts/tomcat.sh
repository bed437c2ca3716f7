#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A real server beside the model: Debian's Tomcat and the workload `admission` with the same limits,
# under the same clients. tomcat.sh [FOLDER]; as root also with what its wakes cost. Wants
# tomcat10-common, a Java runtime and jq. SERVICE_MS (5000), CLIENTS (100), RAMP_MS (1000), ROUNDS (1)
# and MAX_THREADS etc. by CONFIGS. See docs/servers.md.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
wakecost=${WAKECOST:-$root/.output/wakecost}
workload=$(dirname "$wakecost")/wakecost-workload
home=${CATALINA_HOME:-/usr/share/tomcat10}
out=${1:-tomcat}
service_ms=${SERVICE_MS:-5000} clients=${CLIENTS:-100} ramp_ms=${RAMP_MS:-1000} rounds=${ROUNDS:-1}
# name:max_threads:min_spare:max_connections:accept_count
configs=${CONFIGS:-"default:200:10:8192:100 small:20:5:50:30"}

die() {
	echo "tomcat.sh: $*" >&2
	exit 1
}

for tool in java jq "$workload"; do
	command -v "$tool" >/dev/null || die "$tool is not here; apt-get install default-jre-headless jq, and make"
done
[ -r "$home/lib/catalina.jar" ] || die "no Tomcat in $home; apt-get install tomcat10-common, or set CATALINA_HOME"
mkdir -p "$out"
base=$(mktemp -d)
server="" recorder=""
trap 'kill $server $recorder 2>/dev/null || true; rm -rf "$base"' EXIT

# Set for a configuration: $max_threads $min_spare $max_connections $accept_count
start_tomcat() {
	local port=$1 i
	mkdir -p "$base"/{conf,webapps/ROOT,logs,work,temp}
	cp "$root/scripts/tomcat/server.xml" "$root/scripts/tomcat/web.xml" "$base/conf"
	cp "$root/scripts/tomcat/index.jsp" "$base/webapps/ROOT"
	java -cp "$home/bin/bootstrap.jar:$home/bin/tomcat-juli.jar" \
		-XX:+PreserveFramePointer -Xmx256m -Djava.io.tmpdir="$base/temp" \
		-Dcatalina.home="$home" -Dcatalina.base="$base" -Dwakecost.port="$port" \
		-Dwakecost.service_ms="$service_ms" -Dwakecost.max_threads="$max_threads" \
		-Dwakecost.min_spare="$min_spare" -Dwakecost.max_connections="$max_connections" \
		-Dwakecost.accept_count="$accept_count" \
		org.apache.catalina.startup.Bootstrap start >"$base/logs/out" 2>&1 &
	server=$!
	# The first request compiles the page, some more the JVM: none of those counted, and no more
	# at a time than there are spare threads.
	for ((i = 0; i < 60; i++)); do
		kill -0 "$server" 2>/dev/null || die "Tomcat ended: $(tail -3 "$base/logs/out")"
		[ "$("$workload" load -P "port=$port,clients=1,connect_timeout=500ms,timeout=120s" | jq '.results[0].gauges.requests')" = 1 ] && break
		sleep 1
	done
	[ "$i" -lt 60 ] || die "Tomcat does not answer: $(tail -3 "$base/logs/out")"
	"$workload" load -P "port=$port,clients=$min_spare,connect_timeout=500ms,rounds=3" >/dev/null
}

threads() { awk '/^Threads:/ { print $2 }' "/proc/$1/status"; }
# Those of the connector are named alike; two of them are its acceptor and its poller.
pooled() {
	local cnt
	cnt=$(cat /proc/"$1"/task/*/comm 2>/dev/null | grep -c '^http-ni' || true)
	echo $((cnt > 2 ? cnt - 2 : 0))
}

# The load, and of the process meanwhile the most threads and what its wakes cost.
load_tomcat() {
	local name=$1 port=$2 peak=0 now load
	jq -n --argjson spare "$(pooled "$server")" --argjson all "$(threads "$server")" \
		'{spare: $spare, before: $all}' >"$out/$name.threads.json"
	if [ "$(id -u)" -eq 0 ]; then
		"$wakecost" record -q -p "$server" -o "$out/$name.data" >/dev/null &
		recorder=$!
		until [ -e "/proc/$recorder/fd" ] && bpf_ready "$recorder"; do sleep 0.1; done
	fi
	"$workload" load -P "port=$port,clients=$clients,ramp=${ramp_ms}ms,connect_timeout=1ms" \
		-P "timeout=600s,rounds=$rounds" >"$out/$name.load.json" &
	load=$!
	while kill -0 "$load" 2>/dev/null; do
		now=$(pooled "$server")
		[ "$now" -gt "$peak" ] && peak=$now
		sleep 0.2
	done
	wait "$load" || die "the load failed"
	jq --argjson peak "$peak" --argjson all "$(threads "$server")" '. + {peak: $peak, all: $all}' \
		"$out/$name.threads.json" >"$base/t" && mv "$base/t" "$out/$name.threads.json"
	if [ -n "$recorder" ]; then
		kill -INT "$recorder"
		wait "$recorder" || true
		recorder=""
		"$wakecost" report -j "$out/$name.data" >"$out/$name.record.json"
	else
		echo '{}' >"$out/$name.record.json"
	fi
}

# Its probes are attached once a program of BPF is among its descriptors, and soon after.
bpf_ready() {
	kill -0 "$1" 2>/dev/null || die "wakecost record ended"
	readlink "/proc/$1/fd/"* 2>/dev/null | grep -q bpf_link && sleep 1
}

stop_tomcat() {
	kill "$server"
	wait "$server" 2>/dev/null || true
	server=""
	rm -rf "${base:?}"/*
}

run_model() {
	local name=$1
	local params=(-P "max_threads=$max_threads" -P "min_spare=$min_spare"
		-P "max_connections=$max_connections" -P "accept_count=$accept_count"
		-P "service=${service_ms}ms" -P "clients=$clients" -P "ramp=${ramp_ms}ms")
	"$workload" admission "${params[@]}" -P "rounds=$rounds" >"$out/$name.model.json"
	if [ "$(id -u)" -eq 0 ]; then
		"$wakecost" run -q admission "${params[@]}" --rounds 1 --no-warmup -j \
			-o "$out/$name.model.data" >"$out/$name.run.json"
	else
		echo '{}' >"$out/$name.run.json"
	fi
}

# Of each its median over rounds.
print_table() {
	local name=$1
	printf '\n%s: max_threads %s, min_spare %s, max_connections %s, accept_count %s; %s clients over %s ms, %s ms each\n' \
		"$name" "$max_threads" "$min_spare" "$max_connections" "$accept_count" "$clients" "$ramp_ms" "$service_ms"
	jq -rn --slurpfile t "$out/$name.load.json" --slurpfile m "$out/$name.model.json" \
		--slurpfile n "$out/$name.threads.json" --slurpfile w "$out/$name.record.json" \
		--slurpfile r "$out/$name.run.json" '
		def median: sort | if length == 0 then null else .[length / 2 | floor] end;
		def of($doc; key): [$doc[0].results[].gauges[key] | values] | median;
		def digits: if . == null then "-" elif . == floor then tostring
			else (. * 100 | round / 100 | tostring) end;
		def us: if . == null then null else . / 1000 end;
		def us(f): f | us;
		def row($what; $key; $scale): [$what, of($t; $key), of($m; $key)]
			| [.[0], (.[1:][] | if . == null then null else . / $scale end)];
		["", "Tomcat", "model"],
		(row("served"; "requests"; 1), row("unserved"; "unserved"; 1),
		 row("unserved, %"; "unserved_share"; 0.01), row("no connection"; "connect_timed_out"; 1),
		 row("SYNs dropped"; "syn_dropped"; 1), row("accept queue: backlog"; "accept_backlog"; 1),
		 row("accept queue: peak"; "accept_queue_peak"; 1), row("accept queue: full, % of time"; "accept_queue_full"; 0.01),
		 row("took, s"; "elapsed"; 1e9), row("served per second"; "throughput"; 1),
		 row("ended per second"; "ended_rate"; 1), row("latency p50, s"; "latency_p50"; 1e9),
		 row("latency max, s"; "latency_max"; 1e9),
		 ["served at once", null, of($m; "served_at_once")], ["queued", null, of($m; "served_queued")],
		 ["in the backlog", null, of($m; "served_backlog")],
		 ["threads of the pool before", $n[0].spare, of($m; "threads_spare")],
		 ["threads of the pool at peak", $n[0].peak, of($m; "threads_created")],
		 ["threads of the process", $n[0].all, of($m; "os_threads")],
		 ["wakes a request", (if $w[0].wakes then $w[0].wakes.count / ([$t[0].results[].gauges.requests] | add) else null end),
			$r[0].cells[0].wakes_per_work],
		 ["wake p50, us", us($w[0].wakes.p50_ns), us($r[0].cells[0].wake_ns.p50)],
		 ["wake p99, us", us($w[0].wakes.p99_ns), us($r[0].cells[0].wake_ns.p99)]
		| [.[0], (.[1:][] | digits)]) | @tsv' | column -t -s "$(printf '\t')"
}

exec > >(tee "$out/tomcat.txt")
port=${PORT:-18080}
for config in $configs; do
	IFS=: read -r name max_threads min_spare max_connections accept_count <<<"$config"
	start_tomcat "$port"
	load_tomcat "$name" "$port"
	stop_tomcat
	run_model "$name"
	print_table "$name"
done
