/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting until a program that starts has as many parked threads as it will have. */
#ifndef WC_EXPERIMENT_STEADY_H
#define WC_EXPERIMENT_STEADY_H

#include "user/experiment/program.h"

#define WC_STEADY_NS   2000000000ull /* so long, and the number has not changed */
#define WC_STEADY_LOOK 16

/* The counts of the last WC_STEADY_NS, oldest first. */
struct wc_steady {
	struct {
		uint64_t at_ns, cnt;
	} looks[WC_STEADY_LOOK];
	size_t cnt;
};

/* One more look, in order of time. True: none of that long differs by more than 1 %, or 1. */
bool wc_steady__add(struct wc_steady *s, uint64_t at_ns, uint64_t cnt);

enum wc_steady_end {
	WC_STEADY_YES,
	WC_STEADY_TOO_LONG, /* most_ns are over and it still changes */
	WC_STEADY_ENDED,    /* the program has, or *stop was set */
};

/*
 * Looks at p and those below it until the number of their threads that sleep is steady. progress
 * is called with it after each look; may be NULL.
 */
enum wc_steady_end wc_steady__wait(struct wc_program *p, uint64_t most_ns,
				   const volatile sig_atomic_t *stop,
				   void (*progress)(uint64_t parked));

#endif
