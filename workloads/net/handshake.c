/* SPDX-License-Identifier: BSD-2-Clause */
/* What the clients see of the handshake: SYNs that were dropped, and the queue that was full. */
#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "acceptq.h"
#include "clients_impl.h"

void handshake__count(struct client *c, bool connected)
{
	struct load_result *r = c->all->result;
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	if (!c->all->plan->watch_handshake || getsockopt(c->fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		return;
	/* Up to its connection a client retransmits nothing but its SYN. */
	r->syn_dropped += info.tcpi_total_retrans + !connected;
	r->syn_retried += connected && info.tcpi_total_retrans;
}

void handshake__sample(struct clients *all)
{
	struct load_queue *q = &all->result->queue;
	u32 address = all->plan->address ? all->plan->address : htonl(INADDR_LOOPBACK);
	struct acceptq now;
	u64 now_ns, since_ns;

	/* Another machine's, or a kernel without it: then there is no sample. */
	if (all->diag_fd < 0 || acceptq__read(all->diag_fd, address, all->plan->port, &now))
		return;
	now_ns = clock__now_ns();
	since_ns = q->sample_cnt++ ? now_ns - q->last_ns : 0;
	q->last_ns = now_ns;
	q->over_ns += since_ns;
	q->len_ns += (double)now.len * (double)since_ns;
	if (now.len > now.backlog)
		q->full_ns += since_ns;
	q->backlog = now.backlog;
	if (now.len > q->peak_len)
		q->peak_len = now.len;
}
