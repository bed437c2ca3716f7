/* SPDX-License-Identifier: BSD-2-Clause */
/* The clients alone: load for a server of somebody else's. */
#include <errno.h>
#include <poll.h>

#include "handshake.h"
#include "plan.h"
#include "server.h"
#include "sock.h"
#include "workloads/fail.h"
#include "workloads/registry.h"

static struct {
	struct load *load;
	struct acceptq_sysctls sys;
	bool held; /* connections of the last round are open */
} here;

static int load__check(const struct wl_run *run)
{
	const struct wl_net_params *p = &run->p.net;
	u64 connection_cnt = p->clients + p->idle + p->hostile * 4;
	int err;

	acceptq__sysctls(&here.sys);
	err = handshake__check(p, &here.sys);
	return err ? err : sock__check_limits(connection_cnt + 64, connection_cnt);
}

static int load__open(struct wl_run *run)
{
	(void)run;
	return load__start(&here.load, -1);
}

static int load__end_round(void)
{
	int err = here.held ? load__release(here.load) : 0;

	here.held = false;
	return err;
}

static int load__phase(struct wl_run *run, bool measured)
{
	u64 overflows = handshake__overflows();
	struct load_result r;
	struct load_plan plan;
	struct pollfd done;
	int err;

	/* Somebody else's server is not warmed by us: how long would a request of its take? */
	if (!measured)
		return 0;
	plan__load(&run->p.net, (u16)run->p.net.port, &plan);
	plan.address = (u32)run->p.net.address;
	plan.ramp_ns = run->p.net.ramp_ns;
	plan.connect_timeout_ns = run->p.net.connect_timeout_ns;
	plan.watch_handshake = true;
	err = load__end_round();
	err = err ? err : load__go(here.load, &plan);
	if (err)
		return err;
	here.held = true;
	done = (struct pollfd){ .fd = load__done_fd(here.load), .events = POLLIN };
	while (poll(&done, 1, -1) < 0 && errno == EINTR)
		;
	err = load__take(here.load, &r);
	if (err)
		return err;
	server__gauge_load(&r, &run->gauges);
	handshake__gauge(&r, &here.sys, overflows, &run->gauges);
	run->start_ns = r.first_ns;
	run->end_ns = r.last_ns;
	return 0;
}

static void load__close(struct wl_run *run)
{
	(void)run;
	if (here.load)
		load__end_round();
	load__stop(here.load);
}

static const enum wl_gauge_id gauges[] = {
	GAUGE_REQUESTS,
	GAUGE_THROUGHPUT,
	GAUGE_ELAPSED,
	GAUGE_ENDED_RATE,
	GAUGE_UNSERVED,
	GAUGE_UNSERVED_SHARE,
	GAUGE_SYN_TIMED_OUT,
	GAUGE_SYN_DROPPED,
	GAUGE_SYN_RETRIED,
	GAUGE_ACCEPTQ_BACKLOG,
	GAUGE_ACCEPTQ_PEAK,
	GAUGE_ACCEPTQ_MEAN,
	GAUGE_ACCEPTQ_FULL,
	GAUGE_ACCEPTQ_SAMPLES,
	GAUGE_LISTEN_OVERFLOWS,
	GAUGE_SOMAXCONN,
	GAUGE_ABORT_ON_OVERFLOW,
	GAUGE_SYN_RETRIES,
	GAUGE_LATENCY_P50,
	GAUGE_LATENCY_P90,
	GAUGE_LATENCY_P99,
	GAUGE_LATENCY_MAX,
	GAUGE_SENT,
	GAUGE_REFUSED,
	GAUGE_RESET,
	GAUGE_TIMED_OUT,
	GAUGE_BAD_REPLY,
	GAUGE_UNSENT,
};

const struct wl_shape shape_load = {
	.name = "load",
	.help = "clients alone, for a server that is there already: address and port",
	.work = "request",
	.gauges = gauges,
	.gauge_cnt = ARRAY_CNT(gauges),
	.check = load__check,
	.open = load__open,
	.phase = load__phase,
	.close = load__close,
};
