/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the limits of a server say will become of clients that come all at once: arithmetic, with
 * nothing measured in it.
 */
#ifndef WORKLOADS_NET_ADMIT_H
#define WORKLOADS_NET_ADMIT_H

#include "workloads/types.h"

struct admit_limits {
	u64 max_threads;     /* requests served at a time */
	u64 max_connections; /* connections accepted at a time */
	u64 accept_count;    /* backlog listen() is given */
	u64 somaxconn;	     /* what the system caps it to */
};

struct admit_bounds {
	u64 backlog;	  /* as capped */
	u64 at_once_cnt;  /* a thread for each */
	u64 queued_cnt;	  /* accepted, without a thread */
	u64 backlog_cnt;  /* in the accept queue, which holds one more than its backlog */
	u64 unserved_cnt; /* no room anywhere */
	u64 at_a_time_cnt;
	u64 wave_cnt; /* one after the other, until all with room are served */
	u64 drain_ns;
};

void admit__bounds(const struct admit_limits *limits, u64 client_cnt, u64 service_ns,
		   struct admit_bounds *out);

#endif
