/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of what there is: names with their meaning, in groups. */
#ifndef WC_OUTPUT_LIST_H
#define WC_OUTPUT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct wc_list_item {
	char *group; /* "shapes"; empty: none */
	char *name;
	char *detail; /* a second line: values, default; empty: none */
	char *help;
};

struct wc_list {
	struct wc_list_item *items; /* of one group side by side */
	size_t cnt;
};

/* 0 or -ENOMEM; all strings are copied. */
int wc_list__add(struct wc_list *list, const char *group, const char *name, const char *detail,
		 const char *help);
/* From `wakecost-workload --list -j`: what can be run, or with params its parameters.
 * 0, -ENOMEM, or -EBADMSG when it is not that.
 */
int wc_list__add_workloads(struct wc_list *list, const char *json, bool params);
void wc_list__free(struct wc_list *list);

/* 0 or -errno. */
int wc_list__print(FILE *f, const struct wc_list *list);
/* {"schema":"wakecost.list/1","topic":TOPIC,"items":[{"group","name","detail","help"}]} */
int wc_list__print_json(FILE *f, const struct wc_list *list, const char *topic);

#endif
