/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry.h"
#include "turns.h"

static u32 handoff__actor_cnt(const struct wl_run *run)
{
	(void)run;
	return 2;
}

static const char *handoff__role(u32 idx)
{
	return idx ? "b" : "a";
}

const struct wl_shape shape_handoff = {
	.name = "handoff",
	.help = "two threads wake each other in turn",
	.actor_cnt = handoff__actor_cnt,
	.box_cnt = turns__box_cnt,
	.box_waiter_cnt = turns__box_waiter_cnt,
	.attach = turns__attach,
	.id_cnt = turns__id_cnt,
	.body = turns__body,
	.role = handoff__role,
	.pair = true,
};
