/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server that takes in so many and no more: threads, some spare, more as requests come up to a
 * most; connections up to a most, beyond which nobody accepts and the kernel's queue fills.
 */
#ifndef WORKLOADS_NET_ADMISSION_H
#define WORKLOADS_NET_ADMISSION_H

#include "server.h"

/* Each client that was answered is of one of the first three. */
struct admission_counts {
	u64 at_once_cnt; /* a thread was free for it */
	u64 queued_cnt;	 /* accepted at once, waited for a thread */
	u64 backlog_cnt; /* waited in the accept queue for somebody to go, and then as it came */
	u64 accepted_cnt;
	u64 spare_cnt; /* threads before the first request */
};

/* s->data of model_admission; of the last round until the next begins. */
struct admission {
	struct admission_counts n;
	struct load_gate *gate; /* also told what is accepted */
	u64 max_threads, min_spare, max_connections;
	/* the model's own */
	int epoll_fd;
	struct service *service;
	pthread_mutex_t lock;
	u64 open_cnt;
	u64 waited_cnt; /* of those in the accept queue, still to come: were there before room was */
	bool full;	/* nobody accepts */
};

extern const struct server_model model_admission;

#endif
