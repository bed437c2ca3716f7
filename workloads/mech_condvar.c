/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sched.h>

#include "registry.h"
#include "wake.h"

static int condvar__init(struct wl_run *run, struct wl_box *box, u32 waiter_cnt)
{
	(void)run;
	(void)waiter_cnt;
	pthread_mutex_init(&box->lock, NULL);
	pthread_cond_init(&box->cond, NULL);
	return 0;
}

/*
 * The signal comes after unlocking, the stamp just before the signal: a wakee that was not asleep
 * yet may have the word before the stamp is there, and waits for `posted`.
 */
static void condvar__post(struct wl_actor *me, struct wl_box *box, u64 id)
{
	struct wl_mail *mail = box->mail;
	u32 next, wake_cnt = box->wake_cnt;

	pthread_mutex_lock(&box->lock);
	next = mail->word + 1;
	__atomic_store_n(&mail->word, next, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&box->lock);
	wake__begin(me, mail, id);
	__atomic_store_n(&mail->posted, next, __ATOMIC_RELEASE);
	if (wake_cnt > 1)
		pthread_cond_broadcast(&box->cond);
	else
		pthread_cond_signal(&box->cond);
	wake__end(me);
}

static u64 condvar__wait(struct wl_actor *me, struct wl_box *box, u32 parity)
{
	struct wl_mail *mail = box->mail;
	u32 seen = me->seen[parity], word;
	bool slept = false;
	u64 ret_ns = 0;

	pthread_mutex_lock(&box->lock);
	wake__announce(me);
	while ((word = mail->word) == seen) {
		pthread_cond_wait(&box->cond, &box->lock);
		ret_ns = clock__now_ns();
		slept = true;
	}
	if (!slept)
		ret_ns = clock__now_ns();
	pthread_mutex_unlock(&box->lock);
	while (__atomic_load_n(&mail->posted, __ATOMIC_ACQUIRE) != word)
		sched_yield();
	me->seen[parity] = word;
	me->unslept_cnt += !slept;
	return ret_ns;
}

const struct wl_mech mech_condvar = {
	.name = "condvar",
	.help = "pthread condition, signalled after the mutex is unlocked",
	.multicast = true,
	.sleeps = true,
	.sees_unslept = true,
	.box_init = condvar__init,
	.post = condvar__post,
	.wait = condvar__wait,
};
