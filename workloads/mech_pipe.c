/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A herd is one write of M bytes, each wakee reads one. The kernel wakes pipe readers one by one:
 * the write wakes the first, each reader on its way out the next.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "fail.h"
#include "limit.h"
#include "registry.h"
#include "wake.h"

static const char bytes[16384]; /* as many as a herd may have */

static int pipe__init(struct wl_run *run, struct wl_box *box, u32 waiter_cnt)
{
	int fds[2];

	(void)run;
	(void)waiter_cnt;
	if (pipe2(fds, O_CLOEXEC))
		return limit__refused(LIMIT_FD, errno, 0, 0, "pipes between the threads");
	box->fd = fds[0];
	box->fd_write = fds[1];
	return 0;
}

static void pipe__post(struct wl_actor *me, struct wl_box *box, u64 id)
{
	size_t left = box->wake_cnt;
	ssize_t len;

	wake__begin(me, box->mail, id);
	len = write(box->fd_write, bytes, left);
	wake__end(me);
	while (len < 0 || (size_t)len < left) {
		left -= len > 0 ? (size_t)len : 0;
		len = write(box->fd_write, bytes, left);
	}
}

static u64 pipe__wait(struct wl_actor *me, struct wl_box *box, u32 parity)
{
	ssize_t len;
	u64 ret_ns;
	char c;

	(void)parity;
	wake__announce(me);
	do {
		len = read(box->fd, &c, 1);
		ret_ns = clock__now_ns();
	} while (len != 1);
	return ret_ns;
}

const struct wl_mech mech_pipe = {
	.name = "pipe",
	.help = "a byte through a pipe; a herd is one write, whose readers wake each other on",
	.multicast = true,
	.sleeps = true,
	.box_init = pipe__init,
	.post = pipe__post,
	.wait = pipe__wait,
};
