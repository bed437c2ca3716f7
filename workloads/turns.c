/* SPDX-License-Identifier: BSD-2-Clause */
#include "marker.h"
#include "turns.h"

u32 turns__box_cnt(const struct wl_run *run)
{
	return run->actor_cnt;
}

u32 turns__box_waiter_cnt(const struct wl_run *run, u32 box)
{
	(void)run;
	(void)box;
	return 1;
}

int turns__attach(struct wl_run *run)
{
	u32 i;
	int err = 0;

	for (i = 0; run->mech->attach && !err && i < run->actor_cnt; i++)
		err = run->mech->attach(&run->actors[i], &run->boxes[i], 0);
	return err;
}

u64 turns__id_cnt(const struct wl_run *run, u64 handoff_cnt)
{
	(void)run;
	return handoff_cnt;
}

static void turns__send(struct wl_run *run, struct wl_actor *me, u64 k)
{
	u32 to = me->idx + 1 == run->actor_cnt ? 0 : me->idx + 1;

	actor__settle(me, &run->actors[to]);
	run->mech->post(me, &run->boxes[to], run->plan.first_id ? run->plan.first_id + k : 0);
}

/* Without the first turn and the last, in which threads come from and go to the status files. */
static void turns__mark(const struct wl_run *run, u64 done)
{
	if (done == run->actor_cnt)
		MARKER_BEGIN;
	else if (done + run->actor_cnt == run->plan.handoff_cnt)
		MARKER_END;
}

/* Handoff k goes from thread k to thread k + 1, modulo their number: who has which is arithmetic. */
void turns__body(struct wl_run *run, struct wl_actor *me)
{
	u64 cnt = run->plan.handoff_cnt, k, ret_ns;
	u32 expected = cnt < run->actor_cnt - 1 ? (u32)cnt : run->actor_cnt - 1;
	struct wl_box *box = &run->boxes[me->idx];
	bool keep = run->plan.first_id;

	me->seen[0] = __atomic_load_n(&box->mail->word, __ATOMIC_RELAXED);
	if (me->idx) {
		k = me->idx - 1;
		if (k < cnt)
			actor__arrive(run, expected);
		actor__begin(me);
	} else {
		actor__await_arrivals(run, expected);
		actor__begin(me);
		if (run->p.markers && !keep)
			MARKER_ARM;
		run->start_ns = clock__now_ns();
		turns__send(run, me, 0);
		k = run->actor_cnt - 1;
	}
	for (; k < cnt; k += run->actor_cnt) {
		ret_ns = run->mech->wait(me, box, 0);
		actor__receive(me, box->mail, ret_ns, keep ? &run->samples[k] : NULL);
		if (k + 1 == cnt) {
			run->end_ns = ret_ns;
			break;
		}
		if (run->p.markers && keep)
			turns__mark(run, k + 1);
		actor__work(me);
		turns__send(run, me, k + 1);
	}
	actor__end(me);
}
