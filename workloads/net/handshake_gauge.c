/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>

#include "handshake.h"
#include "sock.h"
#include "workloads/fail.h"

#define SYN_RETRY_NS 1000000000ull

/* Of a socket of ours: what has no sock_diag says of any that there is none. */
static int queue__try(void)
{
	int diag_fd = acceptq__open(), listen_fd, err;
	struct acceptq q;
	u16 port;

	if (diag_fd < 0)
		return diag_fd;
	listen_fd = sock__listen(1, &port);
	err = listen_fd < 0 ? listen_fd : acceptq__read(diag_fd, htonl(INADDR_LOOPBACK), port, &q);
	if (listen_fd >= 0)
		close(listen_fd);
	close(diag_fd);
	return err;
}

int handshake__check(const struct wl_net_params *p, const struct acceptq_sysctls *sys)
{
	int err = queue__try();

	if (fail__status())
		return err;
	if (err)
		warn__add("the accept queue is not sampled: sock_diag: %s; load the module "
			  "tcp_diag (CONFIG_INET_DIAG)",
			  strerror(-err));
	if (p->connect_timeout_ns >= SYN_RETRY_NS || !p->connect_timeout_ns)
		warn__add("a dropped SYN is sent again after a second: clients that wait as long "
			  "for their connection may get one then");
	if (sys->abort_on_overflow == 1)
		warn__add(
			"net.ipv4.tcp_abort_on_overflow=1: a handshake that ends at a full accept "
			"queue is reset, not dropped");
	return 0;
}

u64 handshake__overflows(void)
{
	u64 cnt;

	return acceptq__overflows(&cnt) ? UINT64_MAX : cnt;
}

static void sysctl__gauge(u64 value, double *out)
{
	if (value != UINT64_MAX)
		*out = (double)value;
}

static void queue__gauge(const struct load_queue *q, struct wl_gauges *g)
{
	g->v[GAUGE_ACCEPTQ_SAMPLES] = (double)q->sample_cnt;
	if (!q->sample_cnt)
		return;
	g->v[GAUGE_ACCEPTQ_BACKLOG] = (double)q->backlog;
	g->v[GAUGE_ACCEPTQ_PEAK] = (double)q->peak_len;
	if (!q->over_ns)
		return;
	g->v[GAUGE_ACCEPTQ_MEAN] = q->len_ns / (double)q->over_ns;
	g->v[GAUGE_ACCEPTQ_FULL] = (double)q->full_ns / (double)q->over_ns;
}

void handshake__gauge(const struct load_result *r, const struct acceptq_sysctls *sys, u64 overflows,
		      struct wl_gauges *g)
{
	u64 unserved_cnt = r->refused + r->reset + r->timed_out + r->bad_reply + r->unsent;
	u64 cnt = unserved_cnt + r->served, now = handshake__overflows();

	g->v[GAUGE_UNSERVED] = (double)unserved_cnt;
	if (cnt)
		g->v[GAUGE_UNSERVED_SHARE] = (double)unserved_cnt / (double)cnt;
	if (r->last_ns > r->first_ns)
		g->v[GAUGE_ENDED_RATE] = (double)cnt * 1e9 / (double)(r->last_ns - r->first_ns);
	g->v[GAUGE_SYN_TIMED_OUT] = (double)r->connect_timed_out;
	g->v[GAUGE_SYN_DROPPED] = (double)r->syn_dropped;
	g->v[GAUGE_SYN_RETRIED] = (double)r->syn_retried;
	queue__gauge(&r->queue, g);
	if (now != UINT64_MAX && overflows != UINT64_MAX)
		g->v[GAUGE_LISTEN_OVERFLOWS] = (double)(now - overflows);
	sysctl__gauge(sys->somaxconn, &g->v[GAUGE_SOMAXCONN]);
	sysctl__gauge(sys->abort_on_overflow, &g->v[GAUGE_ABORT_ON_OVERFLOW]);
	sysctl__gauge(sys->syn_retries, &g->v[GAUGE_SYN_RETRIES]);
}
