/* SPDX-License-Identifier: BSD-2-Clause */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "registry.h"
#include "wake.h"

static void futex__post(struct wl_actor *me, struct wl_box *box, u64 id)
{
	struct wl_mail *mail = box->mail;
	u32 next = mail->word + 1;

	wake__begin(me, mail, id);
	__atomic_store_n(&mail->word, next, __ATOMIC_RELEASE);
	syscall(SYS_futex, &mail->word, FUTEX_WAKE_PRIVATE, box->wake_cnt, NULL, NULL, 0);
	wake__end(me);
}

static u64 futex__wait(struct wl_actor *me, struct wl_box *box, u32 parity)
{
	struct wl_mail *mail = box->mail;
	u32 seen = me->seen[parity], word;
	bool slept = false;
	u64 ret_ns;

	wake__announce(me);
	do {
		if (__atomic_load_n(&mail->word, __ATOMIC_ACQUIRE) == seen &&
		    !syscall(SYS_futex, &mail->word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0))
			slept = true;
		ret_ns = clock__now_ns();
		word = __atomic_load_n(&mail->word, __ATOMIC_ACQUIRE);
	} while (word == seen);
	me->seen[parity] = word;
	me->unslept_cnt += !slept;
	return ret_ns;
}

const struct wl_mech mech_futex = {
	.name = "futex",
	.help = "FUTEX_WAKE and FUTEX_WAIT on a private word, by syscall",
	.multicast = true,
	.sleeps = true,
	.sees_unslept = true,
	.post = futex__post,
	.wait = futex__wait,
};
