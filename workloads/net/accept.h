/* SPDX-License-Identifier: BSD-2-Clause */
/* What the models that wait with epoll have in common. */
#ifndef WORKLOADS_NET_ACCEPT_H
#define WORKLOADS_NET_ACCEPT_H

#include "server.h"

/* What the events of these two point to. */
#define ACCEPT_LISTEN(s) ((void *)&(s)->listen_fd)
#define ACCEPT_DONE(s)	 ((void *)&(s)->load)

/* The listening socket into an epoll; of several that wait for it one is woken. */
int accept__listen(struct server *s, int epoll_fd);
/* That, and the end of the round. */
int accept__watch(struct server *s, int epoll_fd);
/* The next connection; NULL with err 0 when none waits, else with the failure set. */
struct conn *accept__next(struct server *s, int *err);

/*
 * A round of a main thread that waits for all connections: accept for whoever comes, look for a
 * connection there is something of. Until the load is done, or a failure of either.
 */
int accept__serve(struct server *s, int epoll_fd, int (*accept)(struct server *s),
		  int (*look)(struct server *s, struct conn *c));

#endif
