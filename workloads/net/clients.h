/* SPDX-License-Identifier: BSD-2-Clause */
/* The clients themselves, all in one thread over one epoll. */
#ifndef WORKLOADS_NET_CLIENTS_H
#define WORKLOADS_NET_CLIENTS_H

#include "load.h"

struct clients;

/*
 * A round: until every request has ended. What is returned holds the connections open; NULL or
 * not, *err says whether it came to that, and error why not.
 */
struct clients *clients__run(const struct load_plan *plan, struct load_result *result, char *error,
			     size_t error_sz, int *err);
void clients__close(struct clients *clients); /* NULL allowed */

#endif
