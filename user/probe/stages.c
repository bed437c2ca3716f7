// SPDX-License-Identifier: BSD-2-Clause
/* From the boundaries that are had to the stage table: exact, merged, missing, and why. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/probe/sources.h"

static int row__set(struct wc_stage_info *row, enum wc_status status, const char *shown_as,
		    const char *probe, const char *why)
{
	row->status = status;
	row->shown_as = strdup(shown_as);
	row->probe = strdup(probe ? probe : "");
	row->why = strdup(why ? why : "");
	return row->shown_as && row->probe && row->why ? 0 : -ENOMEM;
}

/* select, send and enqueue: what is seen between sched_waking and sched_wakeup. */
static int rows__waker_side(const struct wc_candidate *chosen, const struct wc_candidate *handled,
			    const char *why_chosen, const char *why_handled,
			    struct wc_stage_info *rows)
{
	struct wc_stage_info *select = &rows[WC_STAGE_SELECT], *send = &rows[WC_STAGE_SEND];
	struct wc_stage_info *enqueue = &rows[WC_STAGE_ENQUEUE];
	char why[256];
	int err;

	if (!chosen) {
		snprintf(why, sizeof(why), "CPU chosen: %s", why_chosen);
		err = row__set(select, WC_STATUS_MERGED, "select+enqueue",
			       "tp sched_waking, sched_wakeup", why);
		err = err ?: row__set(send, WC_STATUS_MISSING, "send", "", why);
		return err
			       ?: row__set(enqueue, WC_STATUS_MERGED, "select+enqueue", "",
					   "in select");
	}
	if (chosen->partial) {
		snprintf(why, sizeof(why), "CPU chosen is seen for remote wakes only: %s",
			 why_chosen);
		err = row__set(select, WC_STATUS_MERGED, "select+enqueue", chosen->shown, why);
		err = err ?: row__set(enqueue, WC_STATUS_MERGED, "select+enqueue", "", "in select");
	} else {
		err = row__set(select, WC_STATUS_EXACT, "select", chosen->shown, "");
		err = err ?: row__set(enqueue, WC_STATUS_EXACT, "enqueue", "sched_wakeup", "");
	}
	if (handled)
		return err
			       ?: row__set(send, WC_STATUS_EXACT, "send", handled->shown,
					   "remote wakes only");
	snprintf(why, sizeof(why), "handled on the other CPU: %s", why_handled);
	return err ?: row__set(send, WC_STATUS_MISSING, "send", "", why);
}

/* wait, pick and switch. */
static int rows__wakee_side(const struct wc_candidate *entry, const struct wc_candidate *exit_,
			    const char *why_entry, const char *why_exit, struct wc_stage_info *rows)
{
	int err;

	if (entry) {
		err = row__set(&rows[WC_STAGE_WAIT], WC_STATUS_EXACT, "wait", entry->shown, "");
		err = err
			      ?: row__set(&rows[WC_STAGE_PICK], WC_STATUS_EXACT, "pick",
					  "sched_switch", "");
	} else {
		err = row__set(&rows[WC_STAGE_WAIT], WC_STATUS_MERGED, "wait+pick", "sched_switch",
			       why_entry);
		err = err
			      ?: row__set(&rows[WC_STAGE_PICK], WC_STATUS_MERGED, "wait+pick", "",
					  "in wait");
	}
	if (exit_) {
		err = err
			      ?: row__set(&rows[WC_STAGE_SWITCH], WC_STATUS_EXACT, "switch",
					  exit_->shown, "");
		return err
			       ?: row__set(&rows[WC_STAGE_RETURN], WC_STATUS_EXACT, "return",
					   "workload's stamp", "");
	}
	err = err
		      ?: row__set(&rows[WC_STAGE_SWITCH], WC_STATUS_MERGED, "switch+return",
				  "workload's stamp", why_exit);
	return err
		       ?: row__set(&rows[WC_STAGE_RETURN], WC_STATUS_MERGED, "switch+return", "",
				   "in switch");
}

/* find and return: the ends outside the scheduler. */
static int rows__ends(const struct wc_candidate *syscalls, const char *why, bool record,
		      const struct wc_candidate *exit_, struct wc_stage_info *rows)
{
	struct wc_stage_info *find = &rows[WC_STAGE_FIND], *ret = &rows[WC_STAGE_RETURN];
	const char *probe = record ? (syscalls ? syscalls->shown : "") : "workload's stamp";
	int err;

	if (record && !syscalls) {
		why = why[0] ? why : "system calls are not traced: see --syscalls";
		err = row__set(find, WC_STATUS_MISSING, "find", "", why);
		return err ?: row__set(ret, WC_STATUS_MISSING, "return", "", why);
	}
	err = row__set(find, WC_STATUS_EXACT, "find", probe, "");
	if (exit_)
		return err ?: row__set(ret, WC_STATUS_EXACT, "return", probe, "");
	return err ?: row__set(ret, WC_STATUS_MERGED, "switch+return", "", "in switch");
}

int wc_sources__stages(const struct wc_candidate *const chosen[WC_BOUND_CNT],
		       const char *const why[WC_BOUND_CNT], bool record,
		       struct wc_stage_info rows[WC_STAGE_CNT])
{
	int err;

	memset(rows, 0, sizeof(*rows) * WC_STAGE_CNT);
	if (!chosen[WC_BOUND_CORE]) {
		unsigned int i;

		for (i = 0; i < WC_STAGE_CNT; i++) {
			err = row__set(&rows[i], WC_STATUS_MISSING, wc_stage__name(i), "",
				       why[WC_BOUND_CORE]);
			if (err)
				return err;
		}
		return 0;
	}
	err = row__set(&rows[WC_STAGE_FIND], WC_STATUS_EXACT, "find", "workload's stamp", "");
	err = err
		      ?: rows__waker_side(chosen[WC_BOUND_CHOSEN], chosen[WC_BOUND_HANDLED],
					  why[WC_BOUND_CHOSEN], why[WC_BOUND_HANDLED], rows);
	return err
		       ?: rows__wakee_side(chosen[WC_BOUND_ENTRY], chosen[WC_BOUND_EXIT],
					   why[WC_BOUND_ENTRY], why[WC_BOUND_EXIT], rows);
}
