/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of connections that do not come about, whoever the server is. */
#ifndef WORKLOADS_NET_HANDSHAKE_H
#define WORKLOADS_NET_HANDSHAKE_H

#include "acceptq.h"
#include "load.h"

/* Warns of what makes other figures here than elsewhere. -errno with the failure set: no socket. */
int handshake__check(const struct wl_net_params *p, const struct acceptq_sysctls *sys);
/* Of the network namespace, now; UINT64_MAX: not to be had. */
u64 handshake__overflows(void);
/* Outcomes, SYNs and the accept queue; `overflows`: at the round's beginning. */
void handshake__gauge(const struct load_result *r, const struct acceptq_sysctls *sys, u64 overflows,
		      struct wl_gauges *g);

#endif
