// SPDX-License-Identifier: BSD-2-Clause
#include "user/lab/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/util/file.h"

#define DOCUMENT_MAX  (64u << 20)
#define RELEASE_WORDS "lab: release "

int wc_report__kernel(const char *path, char **release, char **scheduler, char *error,
		      size_t error_sz)
{
	char *text = wc_file__slurp(path, DOCUMENT_MAX, NULL);
	const char *said = text ? strstr(text, RELEASE_WORDS) : NULL, *name;

	*release = *scheduler = NULL;
	if (!said || !strstr(text, "lab: status 0")) {
		free(text);
		snprintf(error, error_sz, "the guest did not send its kernel's functions");
		return -EPROTO;
	}
	said += strlen(RELEASE_WORDS);
	name = strstr(text, " pick_eevdf\n") || strstr(text, " avg_vruntime\n") ? "EEVDF"
	       : strstr(text, " pick_next_task_fair\n")				? "CFS"
										: "unknown";
	*release = strndup(said, strcspn(said, "\r\n"));
	*scheduler = strdup(name);
	free(text);
	return *release && *scheduler ? 0 : -ENOMEM;
}

/* The number after the last "key": of a document whose keys this one program writes. */
static int number_of(const char *text, const char *key, double *value)
{
	char pattern[64];
	const char *at = text, *found = NULL;

	snprintf(pattern, sizeof(pattern), "\"%s\":", key);
	while ((at = strstr(at, pattern)))
		found = at += strlen(pattern);
	if (!found || sscanf(found, "%lf", value) != 1)
		return -EPROTO;
	return 0;
}

/* Quoted "message" of the workload's error, if there is one. */
static void why_not(const char *text, char *error, size_t sz)
{
	const char *at = strstr(text, "\"message\":\"");
	const char *from = at ? at + strlen("\"message\":\"") : text;

	snprintf(error, sz, "the workload did not measure in the guest: %.*s",
		 (int)strcspn(from, at ? "\"" : "\r\n"), from);
}

int wc_report__workload(struct wc_lab_cell *cell, const char *path, char *error, size_t error_sz)
{
	char *text = wc_file__slurp(path, DOCUMENT_MAX, NULL);
	const char *status = text ? strstr(text, "lab: status ") : NULL;
	double handoffs = 0, threads = 0;
	int err = -EPROTO;

	if (!text || !status)
		snprintf(error, error_sz, "the guest sent no result");
	else if (strncmp(status, "lab: status 0", 13))
		why_not(text, error, error_sz);
	else if (number_of(text, "waits_per_handoff", &cell->waits_per_handoff))
		snprintf(error, error_sz, "the workload's document is not understood");
	else
		err = 0;
	/* the first of this name is the parameter, which is also what one round measures */
	if (!err &&
	    (sscanf(strstr(text, "\"handoffs\":") ?: "", "\"handoffs\":%lf", &handoffs) != 1 ||
	     number_of(text, "threads_cnt", &threads) || handoffs <= 2 * threads)) {
		snprintf(error, error_sz, "the workload handed off too seldom to be counted");
		err = -EPROTO;
	}
	if (!err)
		cell->handoffs = (uint64_t)(handoffs - 2 * threads); /* see workloads/turns.c */
	free(text);
	return err;
}

static int row__parse(struct wc_lab_cell *cell, const char *line)
{
	char stage[32], function[256];
	uint64_t n[WC_LAB_COUNT_CNT];
	struct wc_lab_row *row;

	if (sscanf(line,
		   "%31s %255s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64,
		   stage, function, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6]) != 9)
		return -EPROTO;
	row = wc_lab_cell__add_row(cell);
	if (!row)
		return -ENOMEM;
	row->stage = strdup(stage);
	row->function = strdup(function);
	memcpy(row->counts, n, sizeof(n));
	return row->stage && row->function ? 0 : -ENOMEM;
}

int wc_report__plugin(struct wc_lab_cell *cell, const char *path, char *error, size_t error_sz)
{
	FILE *f = fopen(path, "re");
	char line[512];
	bool ended = false;
	int err = 0;

	while (f && !err && !ended && fgets(line, sizeof(line), f)) {
		ended = !strcmp(line, "end\n");
		if (!ended)
			err = row__parse(cell, line);
	}
	if (f)
		fclose(f);
	if (!err && (!ended || !cell->row_cnt))
		err = -EPROTO;
	if (err)
		snprintf(error, error_sz, "the counts did not come: the markers were not passed");
	return err;
}
