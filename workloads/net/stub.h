/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A server that others call, in a process of its own: an upstream, or a database. Each request
 * takes a time, and CPU time of its own.
 */
#ifndef WORKLOADS_NET_STUB_H
#define WORKLOADS_NET_STUB_H

#include <sys/types.h>

#include "workloads/types.h"

struct stub;

struct stub_plan {
	u64 wait_ns; /* before a request is answered */
	u64 work_ns; /* CPU time of one, in its only thread */
};

struct stub_counts {
	u64 served_cnt, cpu_ns; /* since it began */
	u64 taken_ns;		/* by those served: from the request read to its answer written */
	u64 connection_cnt, connection_peak_cnt;
};

/* 0 or -errno with the failure set. */
int stub__start(struct stub **out);
/* For requests that come from now on. */
void stub__plan(struct stub *stub, const struct stub_plan *plan);
void stub__counts(const struct stub *stub, struct stub_counts *out);
u16 stub__port(const struct stub *stub);
pid_t stub__pid(const struct stub *stub);
void stub__stop(struct stub *stub); /* NULL allowed */

#endif
