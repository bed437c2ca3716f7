/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One waker, M wakees. Where the mechanism wakes many in one call all of them wait at one box,
 * and at another one in the next turn: a quick wakee cannot take a slow one's message. Else each
 * has a box of its own. The last to answer wakes the waker; that wake is not a handoff.
 */
#include "registry.h"

enum { BOX_WAKER, BOX_WAKEES };

static u32 herd__actor_cnt(const struct wl_run *run)
{
	return (u32)run->p.threads + 1;
}

static u32 herd__box_cnt(const struct wl_run *run)
{
	return BOX_WAKEES + (run->mech->multicast ? 2 : (u32)run->p.threads);
}

static u32 herd__box_waiter_cnt(const struct wl_run *run, u32 box)
{
	return box == BOX_WAKER || !run->mech->multicast ? 1 : (u32)run->p.threads;
}

static int herd__attach(struct wl_run *run)
{
	struct wl_box *boxes = run->boxes;
	struct wl_actor *actors = run->actors;
	u32 i;
	int err;

	if (!run->mech->attach)
		return 0;
	err = run->mech->attach(&actors[0], &boxes[BOX_WAKER], 0);
	for (i = 1; !err && i < run->actor_cnt; i++) {
		if (!run->mech->multicast) {
			err = run->mech->attach(&actors[i], &boxes[BOX_WAKEES + i - 1], 0);
			continue;
		}
		err = run->mech->attach(&actors[i], &boxes[BOX_WAKEES], 0);
		if (!err)
			err = run->mech->attach(&actors[i], &boxes[BOX_WAKEES + 1], 1);
	}
	return err;
}

static u64 herd__turn_cnt(u64 handoff_cnt, u64 wakee_cnt)
{
	return (handoff_cnt + wakee_cnt - 1) / wakee_cnt;
}

static u64 herd__id_cnt(const struct wl_run *run, u64 handoff_cnt)
{
	return run->mech->multicast ? herd__turn_cnt(handoff_cnt, run->p.threads) : handoff_cnt;
}

/* Wakees of a turn: all, but for the last turn the rest. */
static u32 herd__member_cnt(const struct wl_run *run, u64 turn)
{
	u64 left = run->plan.handoff_cnt - turn * run->p.threads;

	return left < run->p.threads ? (u32)left : (u32)run->p.threads;
}

static void herd__wake_all(struct wl_run *run, struct wl_actor *me, u64 turn, u32 member_cnt)
{
	u64 first_id = run->plan.first_id;
	struct wl_box *box;
	u32 i;

	for (i = 0; i < member_cnt; i++)
		actor__settle(me, &run->actors[1 + i]);
	__atomic_store_n(&run->left_cnt, member_cnt, __ATOMIC_RELEASE);
	if (run->mech->multicast) {
		box = &run->boxes[BOX_WAKEES + (turn & 1)];
		box->wake_cnt = member_cnt;
		run->mech->post(me, box, first_id ? first_id + turn : 0);
		return;
	}
	for (i = 0; i < member_cnt; i++)
		run->mech->post(me, &run->boxes[BOX_WAKEES + i],
				first_id ? first_id + turn * run->p.threads + i : 0);
}

static void herd__waker(struct wl_run *run, struct wl_actor *me, u32 expected, u64 turn_cnt)
{
	struct wl_box *box = &run->boxes[BOX_WAKER];
	u64 turn, ret_ns = 0;

	me->seen[0] = __atomic_load_n(&box->mail->word, __ATOMIC_RELAXED);
	actor__await_arrivals(run, expected);
	actor__begin(me);
	run->start_ns = clock__now_ns();
	for (turn = 0; turn < turn_cnt; turn++) {
		herd__wake_all(run, me, turn, herd__member_cnt(run, turn));
		ret_ns = run->mech->wait(me, box, 0);
		actor__receive(me, box->mail, ret_ns, NULL);
	}
	run->end_ns = ret_ns;
}

static void herd__wakee(struct wl_run *run, struct wl_actor *me, u32 expected, u64 turn_cnt)
{
	u32 i = me->idx - 1, parity = 0;
	u64 wakee_cnt = run->p.threads, turn, ret_ns;
	struct wl_box *box = &run->boxes[BOX_WAKEES + i];

	for (parity = 0; parity < 2; parity++) {
		if (run->mech->multicast)
			box = &run->boxes[BOX_WAKEES + parity];
		me->seen[parity] = __atomic_load_n(&box->mail->word, __ATOMIC_RELAXED);
		/* One call wakes those too that have no part in the last turn. */
		if (run->mech->reset)
			run->mech->reset(me, parity);
	}
	if (i < expected)
		actor__arrive(run, expected);
	actor__begin(me);
	for (turn = 0, parity = 0; turn < turn_cnt && i < herd__member_cnt(run, turn); turn++) {
		if (run->mech->multicast) {
			parity = turn & 1;
			box = &run->boxes[BOX_WAKEES + parity];
		}
		ret_ns = run->mech->wait(me, box, parity);
		actor__receive(me, box->mail, ret_ns,
			       run->plan.first_id ? &run->samples[turn * wakee_cnt + i] : NULL);
		actor__work(me);
		if (__atomic_sub_fetch(&run->left_cnt, 1, __ATOMIC_ACQ_REL))
			continue;
		actor__settle(me, &run->actors[0]);
		run->mech->post(me, &run->boxes[BOX_WAKER], 0);
	}
}

static void herd__body(struct wl_run *run, struct wl_actor *me)
{
	u64 cnt = run->plan.handoff_cnt, turn_cnt = herd__turn_cnt(cnt, run->p.threads);
	u32 expected = cnt < run->p.threads ? (u32)cnt : (u32)run->p.threads;

	if (me->idx)
		herd__wakee(run, me, expected, turn_cnt);
	else
		herd__waker(run, me, expected, turn_cnt);
	actor__end(me);
}

static const char *herd__role(u32 idx)
{
	return idx ? "wakee" : "waker";
}

const struct wl_shape shape_herd = {
	.name = "herd",
	.help = "one thread wakes M at once and waits until all have answered",
	.actor_cnt = herd__actor_cnt,
	.box_cnt = herd__box_cnt,
	.box_waiter_cnt = herd__box_waiter_cnt,
	.attach = herd__attach,
	.id_cnt = herd__id_cnt,
	.body = herd__body,
	.role = herd__role,
	.waker_0 = true,
};
