// SPDX-License-Identifier: BSD-2-Clause
/* What a person can act on. */
#include "user/model/running_say.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "user/util/units.h"

/* Shorter chains are walked in less time than the rest of the call takes. */
#define CHAIN_LONG    16
#define ENOUGH_SEEN   0.25
#define NOTICEABLE    0.10
#define TYPICAL_SHARE 0.4
#define LOST_MUCH     0.01

static int __attribute__((format(printf, 2, 3))) say(struct wc_running *run, const char *fmt, ...)
{
	va_list args;
	char *text;
	int len;

	if (run->verdict_cnt == WC_RUNNING_VERDICT_MAX)
		return 0;
	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		return -ENOMEM;
	text[0] = (char)toupper((unsigned char)text[0]);
	run->verdicts[run->verdict_cnt++] = text;
	return 0;
}

const struct wc_chains *wc_running__chains(const struct wc_running *run)
{
	return run->has_after ? &run->after : run->has_before ? &run->before : NULL;
}

double wc_running__ahead(const struct wc_chains *c)
{
	return c->ahead_share >= ENOUGH_SEEN ? c->ahead : c->mean;
}

static int say_top(struct wc_running *run)
{
	const struct wc_part_sum *top = &run->parts[run->top];
	char mean[WC_UNITS_BUF_SZ], all[WC_UNITS_BUF_SZ], sum[WC_UNITS_BUF_SZ];
	char whole[WC_UNITS_BUF_SZ], share[WC_UNITS_BUF_SZ];

	return say(run, "%s %s: %s of the %s a wake takes (%s), %s of %s in the window.",
		   wc_part__name(run->top),
		   run->dominates ? "dominates" : "is the largest part, and stands out little",
		   wc_units__format_ns(mean, sizeof(mean), top->mean_ns),
		   wc_units__format_ns(all, sizeof(all), run->mean_ns),
		   wc_units__format_percent(share, sizeof(share), top->share),
		   wc_units__format_ns(sum, sizeof(sum), top->total_ns),
		   wc_units__format_ns(whole, sizeof(whole), (double)run->total_ns));
}

/* Few long wakes make the sum; whoever waits for most of them waits for something else. */
static int say_typical(struct wc_running *run)
{
	char part[WC_UNITS_BUF_SZ], all[WC_UNITS_BUF_SZ];

	return say(run,
		   "In the middle of the wakes it is another: %s, %s of %s. Few long ones make "
		   "the sum.",
		   wc_part__name(run->typical),
		   wc_units__format_ns(part, sizeof(part), run->parts[run->typical].typical_ns),
		   wc_units__format_ns(all, sizeof(all), run->p50_ns));
}

static int say_walk(struct wc_running *run)
{
	const struct wc_chains *c = wc_running__chains(run);
	unsigned int more;
	double ahead;

	if (!c)
		return say(run, "Whether that is a walk along a futex chain is not known: its "
				"threads could not be looked at, before or after.");
	ahead = wc_running__ahead(c);
	if (run->basis == WC_SLOTS_UNKNOWN)
		return say(
			run,
			"Whether that is a walk along a futex chain is not known: how many slots "
			"its %zu sleepers on private futexes share could not be found out.",
			c->by_sleep[WC_SLEEP_PRIVATE]);
	if (run->basis == WC_SLOTS_GLOBAL || ahead < CHAIN_LONG)
		return say(run,
			   "It is not the walk along a futex chain: %s%.0f others are in a "
			   "slot. A contended lock, or the work of another kind of call before it "
			   "wakes: wakecost record -- and flame --metric find show from where.",
			   run->basis == WC_SLOTS_GLOBAL ? "in the machine's table some " : "",
			   ahead);
	more = wc_running__slots_for(c->by_sleep[WC_SLEEP_PRIVATE]);
	return say(
		run,
		"Each wake walks past %.0f other sleepers, %.1f ns each in the middle: %zu of %zu threads "
		"sleep on private futexes, in %u slots. Give the process more slots, prctl"
		"(PR_FUTEX_HASH, PR_FUTEX_HASH_SET_SLOTS, %u) before its first thread; or let "
		"fewer threads sleep (virtual threads, coroutines), or sleep in epoll. To try "
		"it: wakecost explain --what-if futex-slots=%u -- COMMAND.",
		ahead, run->parts[WC_PART_WALK].typical_ns / ahead, c->by_sleep[WC_SLEEP_PRIVATE],
		c->thread_cnt, run->slots, more, more);
}

static int say_todo(struct wc_running *run, unsigned int part)
{
	char share[WC_UNITS_BUF_SZ];

	switch (part) {
	case WC_PART_WALK:
		return say_walk(run);
	case WC_PART_CHOOSE:
		return say(run, "The kernel looks for a CPU: fewer CPUs to choose from (taskset, "
				"cpuset), or threads bound to one, shorten it.");
	case WC_PART_IDLE:
		wc_units__format_percent(share, sizeof(share), run->shares[WC_CLASS_REMOTE]);
		return say(
			run,
			"%s of the wakes go to another CPU, which must be interrupted or leave "
			"idle. Keep threads that hand off on one CPU (taskset); let the CPUs "
			"sleep less deeply (cpuidle, /dev/cpu_dma_latency); in a virtual machine "
			"the interrupt leaves the guest.",
			share);
	case WC_PART_QUEUE:
		return say(run, "Woken threads wait for their CPU: more are runnable than there "
				"are CPUs, or the waker goes on and keeps it. Fewer busy threads, "
				"more CPUs, a waker that sleeps soon after it wakes; wakecost "
				"report --by cpu and -s wait of a recording show where.");
	case WC_PART_MIGRATE:
		return say(run, "Woken threads are taken over by another CPU before they run: "
				"they waited too long where they were queued. Bind them, or leave "
				"CPUs free.");
	case WC_PART_DELAYED:
		return say(run, "Wakees that the kernel had not yet taken off the queue (6.12+, "
				"delayed dequeue) are put back: wakes in quick succession. The "
				"feature DELAY_DEQUEUE in /sys/kernel/debug/sched/features "
				"turns it off, to compare.");
	case WC_PART_COLD:
		return say(run, "Nothing is chosen there: the switch itself, and a wakee whose "
				"memory is cold. Fewer threads in turn, smaller working sets, "
				"threads bound to a CPU keep it warm. A bare handoff on this "
				"machine to compare with: wakecost run handoff.");
	default:
		return 0;
	}
}

static bool changed(size_t before, size_t after)
{
	size_t more = before > after ? before : after, less = before > after ? after : before;

	return (double)(more - less) > NOTICEABLE * (double)more && more - less > 8;
}

static int say_doubts(struct wc_running *run)
{
	char share[WC_UNITS_BUF_SZ], lost[WC_UNITS_BUF_SZ];
	int err = 0;

	if (!run->find_known)
		err = say(run, "What happens before sched_waking is not in these figures: the "
			       "system calls of the waker were not seen.");
	if (!err && run->basis == WC_SLOTS_RULE &&
	    (run->top == WC_PART_WALK || run->typical == WC_PART_WALK))
		err = say(run,
			  "The %u slots are what this kernel gives such a process by itself; were "
			  "they changed inside the process, chains are others. The process was not "
			  "asked.",
			  run->slots);
	if (!err && run->moved_share >= NOTICEABLE && run->top != WC_PART_MIGRATE)
		err = say(run, "%s of the wakees ran on another CPU than before, with its caches.",
			  wc_units__format_percent(share, sizeof(share), run->moved_share));
	if (!err && run->has_before && run->has_after &&
	    changed(run->before.thread_cnt, run->after.thread_cnt))
		err = say(run,
			  "It had %zu threads before the window and %zu after: what was measured "
			  "is a program that starts or changes. A longer --delay, or -p later.",
			  run->before.thread_cnt, run->after.thread_cnt);
	if (!err && (double)run->lost > LOST_MUCH * (double)run->wakes)
		err = say(run, "%s wakes were lost on the way: figures are of the others.",
			  wc_units__format_count(lost, sizeof(lost), run->lost));
	return err;
}

int wc_running__say(struct wc_running *run)
{
	int err;

	if (run->top == WC_PART_CNT)
		return say(run, "No thread of it was woken in the window: it ran, slept, or its "
				"sleeps timed out. A longer window (-d), or another time.");
	err = say_top(run);
	err = err ? err : say_todo(run, run->top);
	if (!err && run->typical != run->top &&
	    run->parts[run->typical].typical_ns >= TYPICAL_SHARE * run->p50_ns) {
		err = say_typical(run);
		err = err ? err : say_todo(run, run->typical);
	}
	return err ? err : say_doubts(run);
}
