/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WC_MODEL_RUNNING_SAY_H
#define WC_MODEL_RUNNING_SAY_H

#include "user/model/running.h"

/* Adds the sentences to what has been computed. 0 or -ENOMEM. */
int wc_running__say(struct wc_running *run);
/* The look that counts: the later one. NULL: there is none. */
const struct wc_chains *wc_running__chains(const struct wc_running *run);
/* Waiters a wake walks past: of those really woken where enough were seen, else the mean. */
double wc_running__ahead(const struct wc_chains *c);

#endif
