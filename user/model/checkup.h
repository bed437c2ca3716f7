/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `doctor` found, in memory: findings, each with a mark and where it is not ok what to do;
 * how many threads could be parked; what futexes hash into. Filled by user/probe, printed by
 * user/output.
 */
#ifndef WC_MODEL_CHECKUP_H
#define WC_MODEL_CHECKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/model/result.h"

enum wc_mark {
	WC_MARK_OK = 0,
	WC_MARK_DEGRADED = 1, /* less than it could be */
	WC_MARK_MISSING = 2,  /* not there */
	WC_MARK_UNKNOWN = 3,  /* could not be found out */
	WC_MARK_NOTE = 4,     /* a fact, neither good nor bad */
};

enum wc_section {
	WC_SEC_BOUNDARIES = 0, /* the kernel's events a wake is cut at */
	WC_SEC_PROBES = 1,     /* kinds of program and map, by trial */
	WC_SEC_KERNEL = 2,     /* what its types and settings say */
	WC_SEC_RIGHTS = 3,     /* of this process */
	WC_SEC_FUTEX = 4,      /* what futexes hash into */
	WC_SEC_PMU = 5,	       /* hardware counters */
	WC_SEC_THREADS = 6,    /* limits on how many may be parked */
	WC_SEC_CNT = 7,
};

/* Strings are owned; why and todo are empty where there is nothing to say. */
struct wc_finding {
	enum wc_section section;
	enum wc_mark mark;
	char *name;
	char *value;
	char *why;
	char *todo;
};

/* One limit on the number of threads. */
struct wc_limit {
	char *name;	/* "kernel.pid_max" */
	uint64_t value; /* in the limit's own unit; UINT64_MAX: none */
	uint64_t used;
	uint64_t per_thread; /* what one parked thread takes of it */
	uint64_t room;	     /* further threads; UINT64_MAX: does not bind */
	bool fds_only;	     /* binds only where each thread is parked on a descriptor */
	char *todo;	     /* how to raise it */
};

enum wc_futex_kind {
	WC_FUTEX_UNKNOWN = 0,
	WC_FUTEX_GLOBAL = 1,  /* one table for the whole machine */
	WC_FUTEX_PRIVATE = 2, /* one for each process */
};

struct wc_futex_table {
	enum wc_futex_kind kind;
	unsigned int slots_two;	   /* private: with two threads */
	unsigned int slots_most;   /* private: most the kernel gives by itself */
	unsigned int threads_most; /* private: threads from which on it gives that */
	unsigned int global_slots; /* 0: unknown */
	const char *global_from;   /* "kernel log", "formula" */
};

enum wc_verdict {
	WC_VERDICT_FULL = 0,	 /* every stage exact */
	WC_VERDICT_DEGRADED = 1, /* measures, with stages merged or missing */
	WC_VERDICT_UNABLE = 2,	 /* cannot measure */
};

struct wc_checkup {
	enum wc_verdict verdict;
	bool have_stages;
	struct wc_stage_info stages[WC_STAGE_CNT];
	char *session_error; /* why there are no stages; NULL otherwise */
	struct wc_finding *findings;
	size_t finding_cnt;
	struct wc_limit *limits;
	size_t limit_cnt;
	struct wc_futex_table futex;
	struct wc_result *host; /* facts in host->host, doubts in host->warnings */
};

struct wc_checkup *wc_checkup__new(void);    /* NULL: no memory */
void wc_checkup__free(struct wc_checkup *c); /* NULL allowed */

/* Each 0 or -ENOMEM; NULL strings are taken as empty and copied. */
int wc_checkup__add(struct wc_checkup *c, enum wc_section section, enum wc_mark mark,
		    const char *name, const char *value, const char *why, const char *todo);
int wc_checkup__add_limit(struct wc_checkup *c, const struct wc_limit *limit);
/* The limit that stops first; NULL: none binds. */
const struct wc_limit *wc_checkup__first_limit(const struct wc_checkup *c, bool with_fds);
/* Sets the verdict from the stage table. */
void wc_checkup__judge(struct wc_checkup *c);

const char *wc_mark__name(unsigned int mark);
const char *wc_section__name(unsigned int section);  /* "probes" */
const char *wc_section__title(unsigned int section); /* as a heading */
const char *wc_verdict__name(unsigned int verdict);
const char *wc_futex_kind__name(unsigned int kind);

#endif
