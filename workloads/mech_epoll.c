/* SPDX-License-Identifier: BSD-2-Clause */
/* Edge-triggered: each write is a new edge, so that no wakee has to read the eventfd. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "limit.h"
#include "registry.h"
#include "wake.h"

static int epoll__init(struct wl_run *run, struct wl_box *box, u32 waiter_cnt)
{
	(void)run;
	(void)waiter_cnt;
	box->fd = eventfd(0, EFD_CLOEXEC);
	if (box->fd < 0)
		return limit__refused(LIMIT_FD, errno, 0, 0, "eventfds between the threads");
	return 0;
}

static int epoll__attach(struct wl_actor *me, struct wl_box *box, u32 parity)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	me->epoll[parity] = epoll_create1(EPOLL_CLOEXEC);
	if (me->epoll[parity] < 0 || epoll_ctl(me->epoll[parity], EPOLL_CTL_ADD, box->fd, &event))
		return limit__refused(LIMIT_FD, errno, 0, me->idx,
				      "epoll instances of the threads");
	return 0;
}

static void epoll__post(struct wl_actor *me, struct wl_box *box, u64 id)
{
	const u64 one = 1;
	ssize_t len;

	wake__begin(me, box->mail, id);
	len = write(box->fd, &one, sizeof(one));
	wake__end(me);
	while (len < 0)
		len = write(box->fd, &one, sizeof(one));
}

static u64 epoll__wait(struct wl_actor *me, struct wl_box *box, u32 parity)
{
	struct epoll_event event;
	u64 ret_ns;
	int cnt;

	(void)box;
	wake__announce(me);
	do {
		cnt = epoll_wait(me->epoll[parity], &event, 1, -1);
		ret_ns = clock__now_ns();
	} while (cnt != 1);
	return ret_ns;
}

static void epoll__reset(struct wl_actor *me, u32 parity)
{
	struct epoll_event event;

	epoll_wait(me->epoll[parity], &event, 1, 0);
}

const struct wl_mech mech_epoll = {
	.name = "epoll",
	.help = "write of an eventfd that each wakee watches through its own epoll, edge-triggered",
	.multicast = true,
	.sleeps = true,
	.box_init = epoll__init,
	.attach = epoll__attach,
	.post = epoll__post,
	.wait = epoll__wait,
	.reset = epoll__reset,
};
