/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WORKLOADS_NET_MODELS_H
#define WORKLOADS_NET_MODELS_H

#include "server.h"

/* A poller reads requests, threads of a pool serve them: no thread for an idle connection. */
extern const struct server_model model_request;
/* A thread of the pool for as long as a connection is open. */
extern const struct server_model model_connection;
/* All in the main thread. */
extern const struct server_model model_loop;
/* A coroutine for each connection, over a few threads. */
extern const struct server_model model_coroutine;

#endif
