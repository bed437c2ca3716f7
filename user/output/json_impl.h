/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the JSON documents and nobody else. */
#ifndef WC_OUTPUT_JSON_IMPL_H
#define WC_OUTPUT_JSON_IMPL_H

#include <jansson.h>
#include <stdio.h>

#include "user/model/result.h"

/*
 * No memory shows as NULL from any of jansson's functions; json_object_set_new() and
 * json_array_append_new() take NULL for a failure and tell it. Only that is watched.
 */
void json__set(json_t *object, const char *key, json_t *value, int *err);
void json__add(json_t *array, json_t *value, int *err);

json_t *json__string_of(const char *text); /* bytes that are no UTF-8 become \xNN */
json_t *json__count_of(uint64_t count);
json_t *json__ns_of(double ns);
json_t *json__object_of(const struct wc_kvs *kvs, int *err);
/* Names and counts, those that want says (NULL: all). */
json_t *json__named_counts(const uint64_t *counts, unsigned int cnt,
			   const char *(*name)(unsigned int), bool (*want)(unsigned int), int *err);
/* For each counter and span what was counted in a cell; empty without counters. */
json_t *json__counted_of(const struct wc_result *r, const struct wc_cell *cell, int *err);
json_t *json__tool_of(const struct wc_result *r, int *err);
json_t *json__stage_table_of(const struct wc_result *r, int *err);
/* Prints and frees it, unless err. 0 or -errno. */
int json__print(FILE *f, json_t *document, int err);

#endif
