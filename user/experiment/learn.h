/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers what the probes ask while they walk user stacks: how is the frame of this address left?
 * Each address of each address space is asked for once; a stack is walked one frame further once
 * that is known, so what is asked comes in quick turns at the beginning and seldom later.
 */
#ifndef WC_EXPERIMENT_LEARN_H
#define WC_EXPERIMENT_LEARN_H

#include "user/probe/session.h"
#include "user/symbol/symbol.h"

struct wc_learn;

/* NULL: no memory. Nothing to be done without opts.unwind. */
struct wc_learn *wc_learn__new(struct wc_session *s, struct wc_symbols *syms);
void wc_learn__free(struct wc_learn *l);
/* When the next turn is due (CLOCK_MONOTONIC); UINT64_MAX: never. */
uint64_t wc_learn__due(const struct wc_learn *l);
/* One turn, if it is due: a few milliseconds at most, 1 % of a CPU in the long run. 0 or -errno. */
int wc_learn__turn(struct wc_learn *l);

#endif
