/* SPDX-License-Identifier: BSD-2-Clause */
/* record's -p, -t, --comm, -G, -C, -a and --: from the user's words to a filter. */
#ifndef WC_CLI_RECORD_WHO_H
#define WC_CLI_RECORD_WHO_H

#include "user/probe/session.h"

/* As given; NULL where not. */
struct wc_who_words {
	const char *pids, *tids, *comm, *cgroup, *waker_cgroup, *cpus;
	bool all, command;
};

struct wc_who {
	struct wc_filter filter;
	pid_t *pids, *tids; /* of pids, the first named_cnt were named, the others are below them */
	size_t pid_cnt, named_cnt, tid_cnt;
	uint8_t cpus[1024];
};

/* 0; -EINVAL with the message printed (usage); -ESRCH likewise (no such process, group). */
int wc_who__parse(struct wc_who *who, const struct wc_who_words *words);
void wc_who__free(struct wc_who *who); /* what it holds */

#endif
