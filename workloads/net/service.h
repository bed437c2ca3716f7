/* SPDX-License-Identifier: BSD-2-Clause */
/* What a request does before it is answered, by a thread or a coroutine of its own. */
#ifndef WORKLOADS_NET_SERVICE_H
#define WORKLOADS_NET_SERVICE_H

#include "server.h"

struct service; /* connections to the stub, taken and given back */

int service__new(struct service **out, struct server *s);
void service__free(struct service *service); /* NULL allowed */
/* The sleep or the calls, and the work. */
void service__do(struct service *service);
/* Calls of the stub, one after the other. */
void service__call(struct service *service, u32 cnt);
/* Sends the answer, waiting for a client that does not read: CONN_DONE, CONN_END or CONN_LOST. */
enum conn_state service__answer(struct server *s, struct conn *c);
/* All requests of a connection, to its end; the first waited so long for who calls this. */
void service__connection(struct server *s, struct service *service, struct conn *c, u64 waited_ns);

#endif
