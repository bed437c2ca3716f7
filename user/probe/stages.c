// SPDX-License-Identifier: BSD-2-Clause
/* From the boundaries that are had to the stage table: exact, merged, missing, and why. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/probe/sources.h"

struct table {
	const struct wc_candidate *const *chosen;
	const char *const *why;
	struct wc_stage_info *rows;
	bool record;
	int err; /* of the first row that failed */
};

static void row__set(struct table *t, enum wc_stage stage, enum wc_status status,
		     const char *shown_as, const char *probe, const char *why)
{
	struct wc_stage_info *row = &t->rows[stage];

	row->status = status;
	row->shown_as = strdup(shown_as);
	row->probe = strdup(probe);
	row->why = strdup(why);
	if (!row->shown_as || !row->probe || !row->why)
		t->err = -ENOMEM;
}

/* Two stages that cannot be told apart: the first holds both. */
static void rows__merge(struct table *t, enum wc_stage first, enum wc_stage second,
			const char *shown_as, const char *probe, const char *why)
{
	char in[32];

	snprintf(in, sizeof(in), "in %s", wc_stage__name(first));
	row__set(t, first, WC_STATUS_MERGED, shown_as, probe, why);
	row__set(t, second, WC_STATUS_MERGED, shown_as, "", in);
}

/* select, send and enqueue: what is seen between sched_waking and sched_wakeup. */
static void rows__waker_side(struct table *t)
{
	const struct wc_candidate *chosen = t->chosen[WC_BOUND_CHOSEN];
	const struct wc_candidate *handled = t->chosen[WC_BOUND_HANDLED];
	bool exact = chosen && !chosen->partial;
	char why[320];

	if (exact) {
		row__set(t, WC_STAGE_SELECT, WC_STATUS_EXACT, "select", chosen->shown, "");
		row__set(t, WC_STAGE_ENQUEUE, WC_STATUS_EXACT, "enqueue", "sched_wakeup", "");
	} else {
		snprintf(why, sizeof(why), "CPU chosen%s: %s",
			 chosen ? " is seen for remote wakes only" : "", t->why[WC_BOUND_CHOSEN]);
		rows__merge(t, WC_STAGE_SELECT, WC_STAGE_ENQUEUE,
			    chosen && handled ? "select+enqueue" : "select+send+enqueue",
			    chosen ? chosen->shown : "sched_waking, sched_wakeup", why);
	}
	if (chosen && handled) {
		row__set(t, WC_STAGE_SEND, WC_STATUS_EXACT, "send", handled->shown,
			 "remote wakes only");
	} else if (exact) {
		snprintf(why, sizeof(why), "in enqueue: handled on the other CPU: %s",
			 t->why[WC_BOUND_HANDLED]);
		row__set(t, WC_STAGE_SEND, WC_STATUS_MISSING, "send", "", why);
	} else {
		row__set(t, WC_STAGE_SEND, WC_STATUS_MERGED, "select+send+enqueue", "",
			 "in select");
	}
}

static void rows__wakee_side(struct table *t)
{
	const struct wc_candidate *entry = t->chosen[WC_BOUND_ENTRY];

	if (entry) {
		row__set(t, WC_STAGE_WAIT, WC_STATUS_EXACT, "wait", entry->shown, "");
		row__set(t, WC_STAGE_PICK, WC_STATUS_EXACT, "pick", "sched_switch", "");
	} else {
		rows__merge(t, WC_STAGE_WAIT, WC_STAGE_PICK, "wait+pick", "sched_switch",
			    t->why[WC_BOUND_ENTRY]);
	}
}

/* find, switch and return: the first and last need an end outside the scheduler. */
static void rows__ends(struct table *t)
{
	const struct wc_candidate *syscalls = t->chosen[WC_BOUND_SYSCALLS];
	const struct wc_candidate *back = t->chosen[WC_BOUND_EXIT];
	const char *probe = "workload's stamp", *why = t->why[WC_BOUND_SYSCALLS];
	bool ends = !t->record || syscalls;

	if (t->record)
		probe = syscalls ? syscalls->shown : "";
	if (!why[0])
		why = "system calls are not traced: see --syscalls";
	row__set(t, WC_STAGE_FIND, ends ? WC_STATUS_EXACT : WC_STATUS_MISSING, "find", probe,
		 ends ? "" : why);
	if (back) {
		row__set(t, WC_STAGE_SWITCH, WC_STATUS_EXACT, "switch", back->shown, "");
		row__set(t, WC_STAGE_RETURN, ends ? WC_STATUS_EXACT : WC_STATUS_MISSING, "return",
			 probe, ends ? "" : why);
	} else if (ends) {
		rows__merge(t, WC_STAGE_SWITCH, WC_STAGE_RETURN, "switch+return", probe,
			    t->why[WC_BOUND_EXIT]);
	} else {
		row__set(t, WC_STAGE_SWITCH, WC_STATUS_MISSING, "switch", "",
			 t->why[WC_BOUND_EXIT]);
		row__set(t, WC_STAGE_RETURN, WC_STATUS_MISSING, "return", "", why);
	}
}

int wc_sources__stages(const struct wc_candidate *const chosen[WC_BOUND_CNT],
		       const char *const why[WC_BOUND_CNT], bool record,
		       struct wc_stage_info rows[WC_STAGE_CNT])
{
	struct table t = { .chosen = chosen, .why = why, .rows = rows, .record = record };
	unsigned int i;

	memset(rows, 0, sizeof(*rows) * WC_STAGE_CNT);
	if (!chosen[WC_BOUND_CORE]) {
		for (i = 0; i < WC_STAGE_CNT; i++)
			row__set(&t, i, WC_STATUS_MISSING, wc_stage__name(i), "",
				 why[WC_BOUND_CORE]);
		return t.err;
	}
	rows__waker_side(&t);
	rows__wakee_side(&t);
	rows__ends(&t);
	return t.err;
}
