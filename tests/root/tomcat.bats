#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# scripts/tomcat.sh end to end, small and quick: a real server and the model under the same clients.
# Tomcat's acceptor comes when it gets a CPU, so of its outcomes only what must be is asserted.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup() {
	need_probe
	command -v java >/dev/null || skip "no Java"
	[ -r "${CATALINA_HOME:-/usr/share/tomcat10}/lib/catalina.jar" ] || skip "no Tomcat (tomcat10-common)"
	cd "$BATS_TEST_TMPDIR" || return
}

@test "tomcat.sh: Tomcat and the model beside each other, outcomes, queue, threads and wakes" {
	SERVICE_MS=2000 CLIENTS=10 RAMP_MS=500 PORT=18180 CONFIGS=tiny:4:2:5:2 \
		timeout 300 "$ROOT/scripts/tomcat.sh" out >table 2>err 3>&- || { cat table err; false; }
	cat table
	grep -q '^tiny: max_threads 4, min_spare 2, max_connections 5, accept_count 2; 10 clients' table
	jq -e '.results[0].gauges | .sent == 10 and .requests + .unserved == 10 and .requests >= 1
		and .refused == 0 and .bad_reply == 0' out/tiny.load.json
	jq -e '.results[0].gauges | .accept_queue_samples == 0
		or (.accept_backlog == 2 and .accept_queue_peak <= 3)' out/tiny.load.json
	jq -e '.results[0].gauges | .requests + .unserved == 10' out/tiny.model.json
	jq -e '.spare >= 1 and .peak <= 4 and .peak >= 1 and .all > .peak' out/tiny.threads.json
	jq -e '.wakes.count > 0 and .wakes.p50_ns > 0' out/tiny.record.json
	grep -q '^wakes a request  *[0-9.]*  *[0-9.]*' table
	# It is gone, with all it had made.
	[ -z "$(pgrep -f 'wakecost.port=18180' || true)" ]
}
