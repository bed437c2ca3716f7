/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the sections of a record's report and nobody else. */
#ifndef WC_OUTPUT_RECORD_IMPL_H
#define WC_OUTPUT_RECORD_IMPL_H

#include "user/model/profile_overall.h"
#include "user/output/record.h"
#include "user/output/table_impl.h"

struct record {
	struct table t; /* what it has in common with the table of `run` */
	const struct wc_profile *p;
	const struct wc_report_opts *opts;
	const struct wc_overall *all;
	const struct wc_profile_summary *sum;
	const struct wc_census *census;
};

/* "ping 4101", "java 4100" (by process), "[softirq]", "[unknown]". Returns buf. */
#define RECORD_NAME_SZ 160
const char *record__waker(const struct record *rec, const struct wc_profile_row *row,
			  char buf[RECORD_NAME_SZ]);
const char *record__wakee(const struct record *rec, const struct wc_profile_row *row,
			  char buf[RECORD_NAME_SZ]);
/* "52.1", "<0.1", "0" */
const char *record__percent(double share, char buf[TIME_SZ]);

int record__rows(const struct record *rec);
/* Threads and sleeps that have no figure; sampling; nothing when there is nothing to say. */
void record__ends(const struct record *rec);
void record__stacks(const struct record *rec);

#endif
