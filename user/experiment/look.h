/* SPDX-License-Identifier: BSD-2-Clause */
/* One window over one running program: threads looked at, wakes measured, threads looked at. */
#ifndef WC_EXPERIMENT_LOOK_H
#define WC_EXPERIMENT_LOOK_H

#include <signal.h>

#include "user/experiment/program.h"
#include "user/model/running.h"
#include "user/probe/session.h"

struct wc_look_opts {
	struct wc_session *session;
	uint64_t duration_ns;
	const volatile sig_atomic_t *stop;
	char *error; /* sentence on failure */
	size_t error_sz;
};

struct wc_looked {
	struct wc_result *r; /* described by the caller, for wc_record__run() */
	struct wc_running_facts facts;
	char name[64];
};

/*
 * Of pid and the processes below it; the looks are at the one of them with most threads. slots and
 * basis of the facts are those of the kernel's rule. 0 or -errno with the sentence in error; free
 * it in any case.
 */
int wc_look__window(pid_t pid, const struct wc_look_opts *opts, struct wc_looked *out);
void wc_looked__free(struct wc_looked *l);

/* A file for WAKECOST_FUTEX_REPORT, empty: path is at least 64 bytes. 0 or -errno. */
int wc_look__new_report(char *path, size_t sz);
/* What pid said last, and away with the file; 0: nothing. */
unsigned int wc_look__take_report(const char *path, pid_t pid);

#endif
