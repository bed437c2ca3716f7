/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The accept queue of a listening TCP socket, as the kernel says it: connections that are complete
 * and that nobody has accepted yet. Of any process of this machine and network namespace.
 */
#ifndef WORKLOADS_NET_ACCEPTQ_H
#define WORKLOADS_NET_ACCEPTQ_H

#include "workloads/types.h"

struct acceptq {
	u64 len;     /* connections in it */
	u64 backlog; /* what listen() was given, as the system capped it: it holds one more */
};

/* A socket of NETLINK_SOCK_DIAG, or -errno. */
int acceptq__open(void);
/* Of the socket that listens at address (network order) and port. -ENOENT: none does. */
int acceptq__read(int diag_fd, u32 address, u16 port, struct acceptq *out);

/* What the system sets of it; UINT64_MAX: not readable. */
struct acceptq_sysctls {
	u64 somaxconn, abort_on_overflow, syn_retries;
};
void acceptq__sysctls(struct acceptq_sysctls *out);

/*
 * Handshakes the kernel dropped because an accept queue was full, of all of this network namespace
 * since it began. -errno.
 */
int acceptq__overflows(u64 *out);

#endif
