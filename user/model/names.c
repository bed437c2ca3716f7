/* SPDX-License-Identifier: BSD-2-Clause */
/* Names as printed and stored, and what each counter means in the user's words. */
#include "user/model/result.h"

#define ARRAY_CNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const stage_names[] = {
	[WC_STAGE_FIND] = "find",	[WC_STAGE_SELECT] = "select", [WC_STAGE_SEND] = "send",
	[WC_STAGE_ENQUEUE] = "enqueue", [WC_STAGE_WAIT] = "wait",     [WC_STAGE_PICK] = "pick",
	[WC_STAGE_SWITCH] = "switch",	[WC_STAGE_RETURN] = "return", [WC_METRIC_TOTAL] = "total",
};
_Static_assert(ARRAY_CNT(stage_names) == WC_METRIC_CNT, "a name for every metric");

static const char *const class_names[] = {
	[WC_CLASS_LOCAL] = "local", [WC_CLASS_DELAYED] = "delayed",   [WC_CLASS_REMOTE] = "remote",
	[WC_CLASS_RACED] = "raced", [WC_CLASS_MIGRATED] = "migrated", [WC_CLASS_NEW] = "new",
	[WC_CLASS_TIMED] = "timed",
};
_Static_assert(ARRAY_CNT(class_names) == WC_CLASS_CNT, "a name for every kind of wake");

static const char *const context_names[] = {
	[WC_CTX_TASK] = "task", [WC_CTX_SOFTIRQ] = "softirq", [WC_CTX_HARDIRQ] = "hardirq",
	[WC_CTX_NMI] = "nmi",	[WC_CTX_TIMER] = "timer",
};
_Static_assert(ARRAY_CNT(context_names) == WC_CTX_CNT, "a name for every context");

static const char *const span_names[] = {
	[WC_SPAN_FIND] = "find", [WC_SPAN_SELECT] = "select+enqueue", [WC_SPAN_WAIT] = "wait",
	[WC_SPAN_PICK] = "pick", [WC_SPAN_SWITCH] = "switch",	      [WC_SPAN_RETURN] = "return",
	[WC_SPAN_USER] = "user",
};
_Static_assert(ARRAY_CNT(span_names) == WC_SPAN_CNT, "a name for every span");

static const char *const status_names[] = {
	[WC_STATUS_EXACT] = "exact",
	[WC_STATUS_MERGED] = "merged",
	[WC_STATUS_MISSING] = "missing",
};

static const struct {
	const char *name;
	bool loss;
	const char *meaning;
} counters[] = {
	[WC_CNT_WAKING] = { "waking", false, "wakes begun" },
	[WC_CNT_COMPLETED] = { "completed", false, "wakes followed to their end" },
	[WC_CNT_HANDOFF] = { "handoff", false, "wakes with both stamps of one handoff" },
	[WC_CNT_NOOP] = { "noop", false, "not wakes: the wakee had not slept" },
	[WC_CNT_PREEMPTED] = { "preempted", false, "not wakes: a runnable task went on" },
	[WC_CNT_CENSORED_START] = { "censored_start", false,
				    "wakes that had begun before measuring did" },
	[WC_CNT_SUPERSEDED] = { "superseded", true,
				"wakes followed by another before the wakee had run" },
	[WC_CNT_CLOCK_BACKWARDS] = { "clock_backwards", true,
				     "wakes left out because a stage came out negative" },
	[WC_CNT_NO_STORAGE] = { "no_storage", true,
				"wakes lost because there was no memory for the task's record" },
	[WC_CNT_NO_PAIR] = { "no_pair", true,
			     "wakes in the totals but not in the pairs: pair table full" },
	[WC_CNT_NO_WAKEUP] = { "no_wakeup", true, "wakes lost because sched_wakeup was not seen" },
	[WC_CNT_NO_ENTRY] = { "no_entry", true,
			      "wakes whose pick is inside wait: scheduler entry not seen" },
	[WC_CNT_NO_EXIT] = { "no_exit", true,
			     "wakes whose return is inside switch: scheduler exit not seen" },
	[WC_CNT_NO_CHOSEN] = { "no_chosen", true,
			       "wakes whose send is inside enqueue: CPU chosen was overwritten" },
	[WC_CNT_NO_EVENT] = { "no_event", true, "single wakes not kept: ring buffer full" },
	[WC_CNT_SAME_CPU] = { "same_cpu", false, "wakees that ran where they had last run" },
	[WC_CNT_WAKER_CPU] = { "waker_cpu", false, "wakees that ran on their waker's CPU" },
	[WC_CNT_TASK_SEEN] = { "task_seen", false, "tasks given a record" },
	[WC_CNT_NO_SLOT] = { "no_slot", false, "tasks without stamps: no part in a handoff" },
	[WC_CNT_OTHER_CPU] = { "other_cpu", false, "wakes that ran on a CPU not asked for" },
	[WC_CNT_RECURSION] = { "recursion", true,
			       "events not seen: the same program was running already" },
	[WC_CNT_STACK_FULL] = { "stack_full", true, "stacks not kept: table full" },
	[WC_CNT_STACK_FAILED] = { "stack_failed", true, "stacks that could not be walked" },
	[WC_CNT_CHAIN_FULL] = { "chain_full", true, "paths not kept: table full" },
};
_Static_assert(ARRAY_CNT(counters) == WC_CNT_CNT, "a name for every counter");

const char *wc_stage__name(unsigned int stage)
{
	return stage < ARRAY_CNT(stage_names) ? stage_names[stage] : NULL;
}

const char *wc_class__name(unsigned int wake_class)
{
	return wake_class < ARRAY_CNT(class_names) ? class_names[wake_class] : NULL;
}

const char *wc_context__name(unsigned int context)
{
	return context < ARRAY_CNT(context_names) ? context_names[context] : NULL;
}

const char *wc_span__name(unsigned int span)
{
	return span < WC_SPAN_CNT ? span_names[span] : NULL;
}

const char *wc_status__name(unsigned int status)
{
	return status < ARRAY_CNT(status_names) ? status_names[status] : NULL;
}

const char *wc_counter__name(unsigned int counter)
{
	return counter < ARRAY_CNT(counters) ? counters[counter].name : NULL;
}

bool wc_counter__is_loss(unsigned int counter)
{
	return counter < ARRAY_CNT(counters) && counters[counter].loss;
}

const char *wc_counter__meaning(unsigned int counter)
{
	return counter < ARRAY_CNT(counters) ? counters[counter].meaning : NULL;
}
