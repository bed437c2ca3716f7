// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/steady.h"

#include <string.h>
#include <time.h>

#include "user/probe/sleepers.h"

#define FAMILY_MAX    256
#define LOOK_EVERY_NS 250000000ull

bool wc_steady__add(struct wc_steady *s, uint64_t at_ns, uint64_t cnt)
{
	uint64_t slack = cnt / 100 > 1 ? cnt / 100 : 1;
	size_t i, old = 0;

	if (s->cnt == WC_STEADY_LOOK) {
		memmove(s->looks, s->looks + 1, sizeof(s->looks) - sizeof(s->looks[0]));
		s->cnt--;
	}
	s->looks[s->cnt].at_ns = at_ns;
	s->looks[s->cnt++].cnt = cnt;
	/* the last one from before that long counts too: it says how many there were then */
	while (old + 1 < s->cnt && at_ns - s->looks[old + 1].at_ns >= WC_STEADY_NS)
		old++;
	if (at_ns - s->looks[old].at_ns < WC_STEADY_NS)
		return false;
	for (i = old; i < s->cnt; i++) {
		uint64_t was = s->looks[i].cnt;

		if ((was > cnt ? was - cnt : cnt - was) > slack)
			return false;
	}
	return true;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Threads that sleep in a call, of pid and those below it. */
static uint64_t parked_cnt(pid_t pid)
{
	pid_t pids[FAMILY_MAX];
	size_t cnt = wc_family__of(pid, pids, FAMILY_MAX), i, k;
	uint64_t parked = 0;
	struct wc_look look;

	for (i = 0; i < cnt; i++) {
		wc_look__take(pids[i], &look);
		for (k = 0; k < look.cnt; k++)
			parked += look.items[k].how != WC_SLEEP_RUNNING &&
				  look.items[k].how != WC_SLEEP_UNREAD;
		wc_look__free(&look);
	}
	return parked;
}

enum wc_steady_end wc_steady__wait(struct wc_program *p, uint64_t most_ns,
				   const volatile sig_atomic_t *stop,
				   void (*progress)(uint64_t parked))
{
	uint64_t begin = now_ns(), at, parked, took;
	struct wc_steady s = {};

	for (;;) {
		at = now_ns();
		parked = parked_cnt(p->pid);
		took = now_ns() - at;
		if (progress)
			progress(parked);
		if (wc_steady__add(&s, at, parked))
			return WC_STEADY_YES;
		if (at - begin >= most_ns)
			return WC_STEADY_TOO_LONG;
		/* looking at thousands takes a while: most of the time it is left alone */
		if (!wc_program__wait(p, LOOK_EVERY_NS + 4 * took, stop) || (stop && *stop))
			return WC_STEADY_ENDED;
	}
}
