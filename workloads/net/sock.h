/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets on the loopback, never blocking, and the limits they meet. */
#ifndef WORKLOADS_NET_SOCK_H
#define WORKLOADS_NET_SOCK_H

#include <sys/types.h>

#include "workloads/types.h"

/* A free port of its own. The descriptor, or -errno with the failure set. */
int sock__listen(u32 backlog, u16 *port);
/* A connection begun (-EINPROGRESS is none here), or -errno. */
int sock__connect(u16 port);
int sock__connect_to(u32 address, u16 port); /* network order; 0: the loopback */
/* What became of it: 0 or -errno. */
int sock__error(int fd);
/* The next connection, or -errno; -EAGAIN: none waits. */
int sock__accept(int listen_fd);
/* Closes without leaving a port waiting: the other side gets a reset. */
void sock__drop(int fd);

/*
 * Are there descriptors for fd_cnt and local ports for connection_cnt? Raises what it may; else
 * -errno with the failure set and the limit named.
 */
int sock__check_limits(u64 fd_cnt, u64 connection_cnt);

/* Bytes read into buf[*len..sz); 0: all that was there for now; 1: end; -errno. */
int sock__fill(int fd, char *buf, size_t sz, size_t *len);
/* Bytes written of bytes[*at..len); 0: all; -EAGAIN; -errno. */
int sock__flush(int fd, const char *bytes, size_t len, size_t *at);

#endif
