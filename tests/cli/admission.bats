#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Admission and the load generator: every client's outcome counted. Clients come in turn, or the
# server stands still, so that no count hangs on who gets a CPU when.

bats_require_minimum_version 1.5.0

W=${WORKLOAD:-$BATS_TEST_DIRNAME/../../.output/wakecost-workload}
WC=${WAKECOST:-$BATS_TEST_DIRNAME/../../.output/wakecost}

setup() {
	cd "$BATS_TEST_TMPDIR"
	export ASAN_OPTIONS=detect_leaks=0
}

teardown() {
	[ -z "${SERVER:-}" ] || kill -KILL "$SERVER" 2>/dev/null || true
}

# so FILTER: true of the gauges of every round in $output
so() {
	jq -e "all(.results[].gauges; $1)" <<<"$output" >/dev/null ||
		{ echo "not so: $1"; jq -c '.results[].gauges' <<<"$output"; false; }
}

admission() {
	run --separate-stderr timeout 120 "$W" admission -P "$1"
	[ "$status" -eq 0 ] || { echo "$1: status $status: $stderr"; false; }
}

load() {
	run --separate-stderr timeout 120 "$W" load -P "$1"
	[ "$status" -eq 0 ] || { echo "$1: status $status: $stderr"; false; }
}

# Each client is in one place, and the server's word and the clients' are the same.
all_told='.served_at_once + .served_queued + .served_backlog == .requests and
	.requests + .unserved == .sent and
	.refused + .reset + .timed_out + .bad_reply + .unsent == .unserved'

# Skips where the kernel does not say how long an accept queue is.
need_sock_diag() {
	so '.accept_queue_samples > 0' || skip "no sock_diag: $(jq -c .warnings <<<"$output")"
}

@test "beyond the limits: as many at once, queued, in the backlog and dropped as they say" {
	admission max_threads=4,min_spare=2,max_connections=5,accept_count=2,clients=10,arrival=in-turn,connect_timeout=200ms
	so "$all_told"
	so '.served_at_once == 4 and .served_queued == 1 and .served_backlog == 3'
	so '.unserved == 2 and .unserved_share == 0.2 and .connect_timed_out == 2'
	so '.syn_dropped >= 2 and .refused == 0 and .unaccepted == 0'
	so '.bound_at_once == 4 and .bound_queued == 1 and .bound_backlog == 3'
	so '.bound_unserved == 2 and .bound_waves == 2 and .bound_drain == 10000000000'
	so '.threads_spare == 2 and .threads_created == 4 and .os_threads == 5'
	so '.connections_peak == 5'
	so '.elapsed >= .bound_drain'
	need_sock_diag
	so '.accept_backlog == 2 and .accept_queue_peak == 3 and .accept_queue_full > 0'
	so '.listen_overflows >= 2'
}

@test "within the limits: nobody is dropped and nobody queued, round after round" {
	admission clients=40,arrival=in-turn,scale=0.02,rounds=2
	so "$all_told"
	so '.requests == 40 and .served_at_once == 40 and .unserved == 0'
	so '.syn_dropped == 0 and .threads_spare == 10 and .bound_waves == 1'
	so '.threads_created <= 40 and .threads_created >= 10'
	[ "$(jq '.results | length' <<<"$output")" -eq 2 ]
}

@test "threads: some spare, more as requests come, no more than the most" {
	admission max_threads=3,min_spare=3,clients=12,arrival=in-turn,scale=0.02
	so "$all_told"
	so '.requests == 12 and .threads_created == 3 and .os_threads == 4 and .threads_spare == 3'
	so '.bound_waves == 4'
	# Two at a time never need a third thread.
	admission max_threads=9,min_spare=4,max_connections=2,clients=6,arrival=in-turn,scale=0.02
	so '.requests == 6 and .threads_created == 4 and .connections_peak == 2'
}

@test "a SYN that is dropped is sent again, and served then by a server that has room" {
	admission max_threads=1,min_spare=1,max_connections=1,accept_count=0,clients=3,arrival=in-turn,connect_timeout=0,scale=0.18
	so "$all_told"
	so '.requests == 3 and .unserved == 0 and .syn_retried == 1 and .syn_dropped >= 1'
	jq -e 'any(.warnings[]; test("sent again after a second"))' <<<"$output"
}

@test "clients that give up are told from those that never had a connection" {
	# The queue holds one, the server one: the third is dropped, the second waits too long.
	admission max_threads=1,min_spare=1,max_connections=1,accept_count=0,clients=3,arrival=in-turn,connect_timeout=200ms,timeout=1500ms
	so '.requests == 0 and .sent == 3 and .timed_out == 3 and .connect_timed_out == 1'
	so '.unserved_share == 1 and .unaccepted == 1'
}

@test "what cannot be is said" {
	run --separate-stderr "$W" admission -P max_threads=5,min_spare=6
	[ "$status" -eq 2 ] && [[ $stderr == *"min_spare: 6 threads are more than max_threads allows (5)"* ]]
	run --separate-stderr "$W" admission -P port=80
	[ "$status" -eq 2 ] && [[ $stderr == *"port does not apply to the shape admission"* ]]
	run --separate-stderr "$W" load -P address=localhost
	[ "$status" -eq 2 ] && [[ $stderr == *"an IPv4 address in numbers"* ]]
}

# A server of somebody else's, with a backlog; prints its port.
start_server() {
	cat >server.py <<-'EOF'
		import http.server, socketserver, sys
		class H(http.server.BaseHTTPRequestHandler):
		    protocol_version = "HTTP/1.1"
		    def do_GET(self):
		        self.send_response(int(sys.argv[2]))
		        self.send_header("Content-Length", "3")
		        self.end_headers()
		        self.wfile.write(b"ok\n")
		    def log_message(self, *a): pass
		class S(socketserver.ThreadingMixIn, http.server.HTTPServer):
		    request_queue_size = int(sys.argv[1])
		    daemon_threads = True
		s = S(("127.0.0.1", 0), H)
		print(s.server_address[1], flush=True)
		s.serve_forever()
	EOF
	command -v python3 >/dev/null || skip "needs python3"
	rm -f port
	python3 server.py "$@" >port 2>/dev/null 3>&- &
	SERVER=$!
	until [ -s port ]; do sleep 0.05; done
	PORT=$(cat port)
}

@test "load: a server that is there already answers, in a burst and at a rate" {
	start_server 100 200
	load "port=$PORT,clients=30"
	so '.requests == 30 and .sent == 30 and .unserved == 0 and .unserved_share == 0'
	load "port=$PORT,mode=closed,clients=4,duration=300ms,rounds=2"
	so '.requests > 4 and .requests == .sent and .unserved == 0'
	kill -KILL "$SERVER"
	start_server 100 503
	load "port=$PORT,clients=5"
	so '.requests == 0 and .bad_reply == 5'
}

@test "load: of a server that stands still the queue fills, and the rest is dropped" {
	start_server 2 200
	kill -STOP "$SERVER"
	load "port=$PORT,clients=8,ramp=400ms,connect_timeout=200ms,timeout=2s"
	so '.requests == 0 and .timed_out == 8 and .connect_timed_out == 5 and .syn_dropped >= 5'
	need_sock_diag
	so '.accept_backlog == 2 and .accept_queue_peak == 3'
}

@test "load: where nobody listens all are refused" {
	start_server 2 200
	kill -KILL "$SERVER"
	wait "$SERVER" || true
	load "port=$PORT,clients=5"
	so '.refused == 5 and .requests == 0 and .unserved == 5 and .accept_queue_samples == 0'
}

@test "a recording without probes, and beside what was published" {
	command -v "$WC" >/dev/null || skip "no wakecost"
	"$WC" run -q admission --no-bpf --rounds 1 --no-warmup -P arrival=in-turn -P scale=0.02 -o d.data >d.txt
	grep -q '^What the limits say of so many clients at once, computed' d.txt
	"$WC" compare --book d.data >book.txt
	grep -q '^defaults: clients unserved  *0.00 %  *-  *0.00 %' book.txt
	grep -q '^with: sudo wakecost run admission .*max_threads=20' book.txt
	[ "$(wc -L <book.txt)" -lt 180 ]
	"$WC" compare --book -j d.data d.data d.data >book.json
	jq -e '.rows[] | select(.id == "tomcat-default-errors")
		| .here.figure.value == 0 and .book.value == 0 and .comparable == "value"' book.json
	# A rate of another service time is no answer.
	jq -e '.rows[] | select(.id == "tomcat-default-rps") | .here.figure == null' book.json
	"$WC" run -q server --no-bpf --rounds 1 --no-warmup -P service=0 -P clients=5 -o s.data >s.txt
	run "$WC" compare --book d.data s.data
	[ "$status" -eq 1 ]
	[[ $output == *"of one shape"* ]]
	"$WC" run -q load --no-bpf --rounds 1 --no-warmup -P port=1 -P clients=1 -o l.data >l.txt
	run "$WC" compare --book l.data
	[ "$status" -eq 1 ]
	[[ $output == *"nothing was published of the shape load"* ]]
}
