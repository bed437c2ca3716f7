/* SPDX-License-Identifier: BSD-2-Clause */
/* What this kernel can do, as findings of a checkup. */
#ifndef WC_PROBE_FEATURES_H
#define WC_PROBE_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

#include "user/model/checkup.h"
#include "user/probe/trial.h"

/* Kinds of program and map, kernel types and settings, hardware counters. 0 or -ENOMEM. */
int wc_features__check(struct wc_checkup *c);

/*
 * A trial's failure in the user's words: what was refused, and why as far as errno, rights and
 * build options tell. may_trace: the rights are there, so a refusal is somebody's policy.
 * Returns buf.
 */
const char *wc_features__explain(char *buf, size_t sz, enum wc_trial_kind kind, struct wc_trial t,
				 bool may_trace);
/* What to do about it; "" where nothing can be done from here. */
const char *wc_features__todo(enum wc_trial_kind kind, struct wc_trial t, bool may_trace);

#endif
