/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When the clients of a burst come: by the clock, or in turn. In turn none overtakes the server's
 * accept(), so what its limits say is what happens, however late its threads get a CPU.
 */
#include "clients_impl.h"

#define LOOK_NS 1000000ull
/* No server is that late; rather one too early than none at all. */
#define TURN_MOST_NS 5000000000ull

bool turns__left(const struct clients *all)
{
	return all->started && all->plan->mode == MODE_BURST && !all->err &&
	       all->turn_idx < all->plan->client_cnt;
}

static u64 turns__intended_ns(const struct clients *all)
{
	return all->begin_ns +
	       (u64)((unsigned __int128)all->turn_idx * all->plan->ramp_ns / all->plan->client_cnt);
}

u64 turns__at_ns(const struct clients *all)
{
	if (!turns__left(all))
		return UINT64_MAX;
	return all->plan->gate ? clock__now_ns() + LOOK_NS : turns__intended_ns(all);
}

static bool turns__accepted(const struct clients *all)
{
	const struct load_gate *gate = all->plan->gate;

	if (!all->turn_idx)
		return true;
	if (all->items[all->turn_idx - 1].state == CLIENT_CONNECTING)
		return false;
	return !__atomic_load_n(&gate->accepting, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(&gate->accepted_cnt, __ATOMIC_ACQUIRE) >= all->result->connected ||
	       clock__now_ns() - all->turn_ns > TURN_MOST_NS;
}

void turns__next(struct clients *all)
{
	while (turns__left(all)) {
		u64 now_ns = clock__now_ns(), intended_ns = now_ns;

		if (!all->plan->gate)
			intended_ns = turns__intended_ns(all);
		if (all->plan->gate ? !turns__accepted(all) : intended_ns > now_ns)
			return;
		all->turn_ns = now_ns;
		clients__begin_request(&all->items[all->turn_idx++], intended_ns);
	}
}
