/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clients of a server, in a process of their own. The first round's plan is written before its
 * go; the answers to be had are in the memory both share.
 *
 *	load__start -> (load__go -> wait for load__done_fd -> load__take -> load__release)...
 */
#ifndef WORKLOADS_NET_LOAD_H
#define WORKLOADS_NET_LOAD_H

#include <sys/types.h>

#include "workloads/params.h"
#include "workloads/run.h"

struct load;

struct load_plan {
	u64 mode;    /* enum wl_mode */
	u32 address; /* network order; 0: the loopback */
	u16 port;
	u64 client_cnt, idle_cnt, hostile_cnt;
	u64 rate;		/* open: a second */
	u64 duration_ns;	/* closed and open */
	u64 timeout_ns;		/* of a request, from its intended sending */
	u64 ramp_ns;		/* burst: from the first client to the last */
	bool close_after;	/* burst: a connection serves one request, and is closed then */
	bool connect_with;	/* the connection is part of the (first) request */
	u64 connect_timeout_ns; /* of a connection; 0: that of the request */
	bool watch_handshake;	/* SYNs nothing answered, and the accept queue */
	/* burst: the next once the one before is accepted, or none is any more; NULL: by the clock */
	const struct load_gate *gate;
};

/* What a server tells clients that come in turn. */
struct load_gate {
	u64 accepted_cnt;
	u32 accepting;
};

/*
 * The accept queue, sampled every millisecond, or as often as the clients' process gets a CPU: each
 * sample stands for the time since the one before.
 */
struct load_queue {
	u64 sample_cnt, peak_len, backlog;
	u64 last_ns;	      /* when the last was taken */
	u64 over_ns, full_ns; /* time they cover; of it with a full queue */
	double len_ns;	      /* length times time */
};

struct load_result {
	u64 sent, served, refused, reset, timed_out, bad_reply, unsent;
	u64 connected;		     /* connections that came about */
	u64 connect_timed_out;	     /* of timed_out: no connection had come about */
	u64 syn_dropped;	     /* SYNs that nothing answered */
	u64 syn_retried;	     /* connections that came about nevertheless, by another SYN */
	struct load_queue queue;     /* sample_cnt 0: not watched, or not to be had */
	u64 hostile_done;	     /* what the bad clients brought to an end, to be seen at all */
	u64 first_ns, last_ns;	     /* first sending, last answer */
	struct wl_quantiles latency; /* of those served */
};

/* Forks it. 0 or -errno with the failure set. */
int load__start(struct load **out, int keep_fd);
pid_t load__pid(const struct load *load);
/* For plans; the server's to write. */
struct load_gate *load__gate(struct load *load);
/* -errno: it is gone. */
int load__go(struct load *load, const struct load_plan *plan);
/* Readable once all requests have ended; the connections are still open. */
int load__done_fd(const struct load *load);
/* Takes the result; -errno with the failure set: what the clients could not do. */
int load__take(struct load *load, struct load_result *out);
/* Closes all connections, and returns when they are. */
int load__release(struct load *load);
void load__stop(struct load *load); /* NULL allowed */

#endif
