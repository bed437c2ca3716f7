/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection to a stub, and a request on it: by a thread or a coroutine of its own. */
#ifndef WORKLOADS_NET_CALL_H
#define WORKLOADS_NET_CALL_H

#include "wait.h"

/* Of one call; then whoever waits for it gives up, and with it the run. */
#define CALL_TIMEOUT_NS (600ull * 1000000000ull)

struct call {
	struct wait_fd w;
	struct call *next, *next_of_all;
	size_t in_len;
	char in[512];
};

/* Connected, waiting for it. What cannot be is the end of the process, with its message. */
struct call *call__open(u16 port);
void call__begin(struct call *call);
void call__finish(struct call *call);
/* Closes and frees it. */
void call__drop(struct call *call);

#endif
