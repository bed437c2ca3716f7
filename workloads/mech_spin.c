/* SPDX-License-Identifier: BSD-2-Clause */
/* No sleep and no wake: what the handoff costs when the kernel has no part in it. */
#include <sched.h>

#include "registry.h"
#include "wake.h"

/* Two on one CPU get nowhere without a yield; apart they should not enter the kernel at all. */
#define SPIN_SHARED_CNT 16u
#define SPIN_APART_CNT	65536u

static void spin__post(struct wl_actor *me, struct wl_box *box, u64 id)
{
	struct wl_mail *mail = box->mail;
	u32 next = mail->word + 1;

	wake__begin(me, mail, id);
	__atomic_store_n(&mail->word, next, __ATOMIC_RELEASE);
	wake__end(me);
}

static u64 spin__wait(struct wl_actor *me, struct wl_box *box, u32 parity)
{
	const struct wl_run *run = me->run;
	bool apart = run->cpu_cnt == 2 && run->actor_cnt == 2;
	u32 limit = apart ? SPIN_APART_CNT : SPIN_SHARED_CNT, tries = 0;
	u32 seen = me->seen[parity], word;
	u64 ret_ns;

	wake__announce(me);
	while ((word = __atomic_load_n(&box->mail->word, __ATOMIC_ACQUIRE)) == seen) {
		cpu__relax();
		if (++tries % limit == 0)
			sched_yield();
	}
	ret_ns = clock__now_ns();
	me->seen[parity] = word;
	return ret_ns;
}

const struct wl_mech mech_spin = {
	.name = "spin",
	.help = "polling of a word, with sched_yield where threads share a CPU; never sleeps",
	.multicast = true,
	.post = spin__post,
	.wait = spin__wait,
};
