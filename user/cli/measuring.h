/* SPDX-License-Identifier: BSD-2-Clause */
/* What run, explain and record do alike: signals, opening the probes, rounds, saving. */
#ifndef WC_CLI_MEASURING_H
#define WC_CLI_MEASURING_H

#include <signal.h>

#include "user/experiment/run.h"

/* Set by the first SIGINT or SIGTERM: stop, keep what is complete. A second one ends at once. */
extern volatile sig_atomic_t wc_measuring__stop;
void wc_measuring__catch_signals(void);
/* Dies of the signal that stopped it, if one did: the shell wants to see that. */
void wc_measuring__die_if_stopped(void);

/*
 * Opens with the sources in disable (NULL: all of them). An exit status: 0, WC_EXIT_USAGE or
 * WC_EXIT_UNABLE with the message printed. *s is to be freed either way.
 */
int wc_measuring__open(struct wc_session_opts *opts, const char *disable, struct wc_session **s);
/* --disable of the option tables. */
#define WC_MEASURING_DISABLE(var) \
	WC_STRING(0, "disable", "LIST", var, "sources not to use, for tests", .hidden = true)

/*
 * Of --counters LIST (NULL: none): into r->counters, and so that the session reads them. 0, or an
 * exit status with the message printed.
 */
int wc_measuring__counters(struct wc_result *r, const char *list, struct wc_session_opts *so);
#define WC_MEASURING_COUNTERS(var)                                             \
	WC_STRING(0, "counters", "LIST", var,                                  \
		  "count these in each stage, up to 4: cycles, instructions, " \
		  "dTLB-load-misses, page-faults, ...")

/* Who, when and where: all of a result but its params and cells. s may be NULL. 0 or -ENOMEM. */
int wc_measuring__describe(struct wc_result *r, struct wc_session *s, const char *schema,
			   const char *shape, const char *command_line);
/* given or drawn; short enough to type again */
uint64_t wc_measuring__seed(bool given, uint64_t seed);
/* "wakecost run handoff ..." from what was parsed; free() it. */
char *wc_measuring__join(const char *head, char *const *words, int cnt);

/* What the shape counts, into r (wc_shape__ask). 0, or -errno with the message printed. */
int wc_measuring__shape(struct wc_result *r, const char *shape);
/* Runs the rounds with progress; ro's path, stop, progress and error are filled in here. */
int wc_measuring__rounds(struct wc_result *r, struct wc_run_opts *ro);
/* 0 or -errno with the message printed. */
int wc_measuring__save(const struct wc_result *r, const char *path);

#endif
