/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A futex handoff with a known cost put into it, in the user's part of find and of return: whoever
 * measures must find it there, and as much of it.
 */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "registry.h"
#include "wake.h"

static void busy__for(u64 ns)
{
	u64 until_ns = ns ? clock__now_ns() + ns : 0;

	while (ns && clock__now_ns() < until_ns)
		cpu__relax();
}

static void busy__post(struct wl_actor *me, struct wl_box *box, u64 id)
{
	struct wl_mail *mail = box->mail;
	u32 next = mail->word + 1;

	wake__begin(me, mail, id);
	busy__for(me->run->p.find_ns);
	__atomic_store_n(&mail->word, next, __ATOMIC_RELEASE);
	syscall(SYS_futex, &mail->word, FUTEX_WAKE_PRIVATE, box->wake_cnt, NULL, NULL, 0);
	wake__end(me);
}

static u64 busy__wait(struct wl_actor *me, struct wl_box *box, u32 parity)
{
	struct wl_mail *mail = box->mail;
	u32 seen = me->seen[parity], word;
	bool slept = false;

	wake__announce(me);
	do {
		if (__atomic_load_n(&mail->word, __ATOMIC_ACQUIRE) == seen &&
		    !syscall(SYS_futex, &mail->word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0))
			slept = true;
		word = __atomic_load_n(&mail->word, __ATOMIC_ACQUIRE);
	} while (word == seen);
	busy__for(me->run->p.return_ns);
	me->seen[parity] = word;
	me->unslept_cnt += !slept;
	return clock__now_ns();
}

const struct wl_mech mech_busy = {
	.name = "futex-busy",
	.help = "as futex, and busy for find_ns before the call and return_ns after it: for tests",
	.multicast = true,
	.sleeps = true,
	.sees_unslept = true,
	.post = busy__post,
	.wait = busy__wait,
};
