/* SPDX-License-Identifier: BSD-2-Clause */
/* The words for what is drawn of a profile, the same for every command that draws. */
#ifndef WC_CLI_VIEWS_H
#define WC_CLI_VIEWS_H

#include "user/model/profile.h"

extern const char *const wc_view_names[];   /* in the order of enum wc_view */
extern const char *const wc_metric_names[]; /* choices of --metric */

#define WC_VIEW_HELP   "chain, wakee, waker or stage (chain)"
#define WC_METRIC_HELP "cost, blocked, count or a stage: find .. return (cost)"

/* enum wc_weigh of a choice of --metric. */
unsigned int wc_metric__weigh(unsigned int choice);
/*
 * 0 when there is something to draw, else -ENODATA with the message printed: a recording without
 * a profile, or one whose profile holds nothing of this.
 */
int wc_view__check(const struct wc_result *r, const char *path, enum wc_view view,
		   unsigned int metric);

#endif
