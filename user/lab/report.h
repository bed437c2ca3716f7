/* SPDX-License-Identifier: BSD-2-Clause */
/* What a guest and the plugin left, read into a cell. */
#ifndef WC_LAB_REPORT_H
#define WC_LAB_REPORT_H

#include "user/model/lab.h"

/*
 * The guest's functions: what kernel it is, and its scheduler, by what it has. -EPROTO when they did
 * not come. Both are allocated.
 */
int wc_report__kernel(const char *path, char **release, char **scheduler, char *error,
		      size_t error_sz);
/* The workload's document: -EPROTO, with the reason in error, when it did not measure. */
int wc_report__workload(struct wc_lab_cell *cell, const char *path, char *error, size_t error_sz);
/* The plugin's rows: -EPROTO when they do not end as they must. */
int wc_report__plugin(struct wc_lab_cell *cell, const char *path, char *error, size_t error_sz);

#endif
