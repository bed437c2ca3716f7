/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGUSR1, blocked in every thread since the start, sent by tgkill to one of them. */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "registry.h"
#include "wake.h"

static int signal__attach(struct wl_actor *me, struct wl_box *box, u32 parity)
{
	(void)parity;
	box->target_tid = me->tid;
	return 0;
}

static void signal__post(struct wl_actor *me, struct wl_box *box, u64 id)
{
	pid_t pid = getpid();
	long err;

	wake__begin(me, box->mail, id);
	err = syscall(SYS_tgkill, pid, box->target_tid, SIGUSR1);
	wake__end(me);
	/* EAGAIN: no memory or RLIMIT_SIGPENDING right now. */
	while (err && errno == EAGAIN)
		err = syscall(SYS_tgkill, pid, box->target_tid, SIGUSR1);
}

static u64 signal__wait(struct wl_actor *me, struct wl_box *box, u32 parity)
{
	siginfo_t info;
	sigset_t set;
	u64 ret_ns;
	int sig;

	(void)box;
	(void)parity;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	wake__announce(me);
	do {
		sig = sigwaitinfo(&set, &info);
		ret_ns = clock__now_ns();
		/* Not from one of us: somebody else's kill. */
	} while (sig != SIGUSR1 || info.si_pid != getpid());
	return ret_ns;
}

const struct wl_mech mech_signal = {
	.name = "signal",
	.help = "tgkill to a thread in sigwaitinfo; a herd takes one call for each",
	.sleeps = true,
	.attach = signal__attach,
	.post = signal__post,
	.wait = signal__wait,
};
