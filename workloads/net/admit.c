/* SPDX-License-Identifier: BSD-2-Clause */
#include "admit.h"

static u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

void admit__bounds(const struct admit_limits *limits, u64 client_cnt, u64 service_ns,
		   struct admit_bounds *out)
{
	u64 left_cnt = client_cnt, served_cnt;

	out->backlog = least(limits->accept_count, limits->somaxconn);
	/* A thread without a connection has nothing to serve. */
	out->at_a_time_cnt = least(limits->max_threads, limits->max_connections);
	out->at_once_cnt = least(left_cnt, out->at_a_time_cnt);
	left_cnt -= out->at_once_cnt;
	out->queued_cnt = least(left_cnt, limits->max_connections - out->at_a_time_cnt);
	left_cnt -= out->queued_cnt;
	/* Linux refuses the next once there are more in it than the backlog, not as many. */
	out->backlog_cnt = least(left_cnt, out->backlog + 1);
	left_cnt -= out->backlog_cnt;
	out->unserved_cnt = left_cnt;
	served_cnt = client_cnt - left_cnt;
	out->wave_cnt =
		out->at_a_time_cnt ? (served_cnt + out->at_a_time_cnt - 1) / out->at_a_time_cnt : 0;
	out->drain_ns = out->wave_cnt * service_ns;
}
