/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connections to a database that requests share: so many, opened before, each used by one request
 * at a time. Who finds none waits, first come first served: it is handed the next that is free.
 */
#ifndef WORKLOADS_NET_DBPOOL_H
#define WORKLOADS_NET_DBPOOL_H

#include "call.h"

struct dbpool;

/* Of the time since dbpool__reset(). */
struct dbpool_counts {
	u64 connection_cnt;
	u64 window_ns;	/* from the first to the last time one was asked for or given back */
	u64 busy_ns;	/* connections in use, times how long */
	u64 waiting_ns; /* who waits, times how long */
	u64 waited_ns;	/* at least one waited */
	u64 waiting_cnt, waiting_peak_cnt;
	u64 taken_cnt, given_cnt;
	u64 held_ns; /* of those given back, handing over to giving back */
	u64 held_max_ns;
};

/* carriers: more than one may use them in turn. 0 or -errno with the failure set. */
int dbpool__new(struct dbpool **out, u64 cnt, bool carriers);
/* In a thread: opens those that are missing. */
void dbpool__open(struct dbpool *pool, u16 port);
/* Waits as whoever calls it can. */
struct call *dbpool__take(struct dbpool *pool);
void dbpool__give(struct dbpool *pool, struct call *call);
void dbpool__reset(struct dbpool *pool);
void dbpool__counts(struct dbpool *pool, struct dbpool_counts *out);
/* When nobody uses it any more. NULL allowed. */
void dbpool__free(struct dbpool *pool);

#endif
