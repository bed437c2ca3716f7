/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "limit.h"
#include "registry.h"
#include "wake.h"

static int eventfd__init(struct wl_run *run, struct wl_box *box, u32 waiter_cnt)
{
	(void)run;
	(void)waiter_cnt;
	box->fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
	if (box->fd < 0)
		return limit__refused(LIMIT_FD, errno, 0, 0, "eventfds between the threads");
	return 0;
}

static void eventfd__post(struct wl_actor *me, struct wl_box *box, u64 id)
{
	u64 value = box->wake_cnt;
	ssize_t len;

	wake__begin(me, box->mail, id);
	len = write(box->fd, &value, sizeof(value));
	wake__end(me);
	while (len < 0)
		len = write(box->fd, &value, sizeof(value));
}

static u64 eventfd__wait(struct wl_actor *me, struct wl_box *box, u32 parity)
{
	u64 value, ret_ns;
	ssize_t len;

	(void)parity;
	wake__announce(me);
	do {
		len = read(box->fd, &value, sizeof(value));
		ret_ns = clock__now_ns();
	} while (len < 0);
	return ret_ns;
}

const struct wl_mech mech_eventfd = {
	.name = "eventfd",
	.help = "write and read of an eventfd (EFD_SEMAPHORE)",
	.multicast = true,
	.sleeps = true,
	.box_init = eventfd__init,
	.post = eventfd__post,
	.wait = eventfd__wait,
};
