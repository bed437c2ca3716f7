/* SPDX-License-Identifier: BSD-2-Clause */
#include "fail.h"
#include "registry.h"
#include "turns.h"

static int ring__check(const struct wl_run *run)
{
	if (run->p.threads < 2)
		return fail__usage(
			"threads: a ring needs at least 2; see wakecost-workload --list");
	return 0;
}

static u32 ring__actor_cnt(const struct wl_run *run)
{
	return (u32)run->p.threads;
}

static const char *ring__role(u32 idx)
{
	(void)idx;
	return "ring";
}

const struct wl_shape shape_ring = {
	.name = "ring",
	.help = "K threads wake the next one in turn: every wakee has gone cold",
	.check = ring__check,
	.actor_cnt = ring__actor_cnt,
	.box_cnt = turns__box_cnt,
	.box_waiter_cnt = turns__box_waiter_cnt,
	.attach = turns__attach,
	.id_cnt = turns__id_cnt,
	.body = turns__body,
	.role = ring__role,
};
