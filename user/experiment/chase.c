// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/chase.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/memory.h"
#include "user/util/capture.h"

#define DOCUMENT_MAX_BYTES (1u << 20)
#define SCHEMA		   "wakecost.chase/1"

/* False: not what a chase says. */
static bool take_point(struct wc_access *a, const json_t *o)
{
	const char *pattern = json_string_value(json_object_get(o, "pattern"));
	const json_t *bytes = json_object_get(o, "bytes"), *lines = json_object_get(o, "lines");

	a->pattern = 0;
	while (pattern && a->pattern < WC_ACCESS_PATTERN_CNT &&
	       strcmp(pattern, wc_access__pattern_name(a->pattern)))
		a->pattern++;
	a->huge = json_is_true(json_object_get(o, "huge_pages"));
	a->bytes = (uint64_t)json_integer_value(bytes);
	a->lines = (uint64_t)json_integer_value(lines);
	a->ns = json_number_value(json_object_get(o, "ns"));
	a->q1 = json_number_value(json_object_get(o, "ns_q1"));
	a->q3 = json_number_value(json_object_get(o, "ns_q3"));
	return pattern && a->pattern < WC_ACCESS_PATTERN_CNT && json_integer_value(bytes) > 0 &&
	       json_integer_value(lines) > 0 && a->ns > 0 && a->q1 > 0 && a->q3 >= a->q1;
}

static int take_caches(struct wc_result *r, const json_t *caches)
{
	static const struct {
		const char *said, *key;
	} keys[] = {
		{ "l1d", WC_HOST_CACHE_L1 },
		{ "l2", WC_HOST_CACHE_L2 },
		{ "l3", WC_HOST_CACHE_LAST },
	};
	size_t i;
	int err = 0;

	for (i = 0; !err && i < sizeof(keys) / sizeof(keys[0]); i++) {
		const json_t *v = json_object_get(caches, keys[i].said);

		if (json_is_integer(v))
			err = wc_kvs__setf(&r->host, keys[i].key, "%lld",
					   (long long)json_integer_value(v));
	}
	return err;
}

static int take(struct wc_result *r, const json_t *doc)
{
	const char *schema = json_string_value(json_object_get(doc, "schema"));
	const json_t *points = json_object_get(doc, "points"), *point;
	size_t i;
	int err = 0;

	if (!schema || strcmp(schema, SCHEMA) != 0 || !json_array_size(points))
		return -EBADMSG;
	json_array_foreach(points, i, point) {
		struct wc_access *a = wc_result__add_access(r);

		err = err ? err : !a ? -ENOMEM : take_point(a, point) ? 0 : -EBADMSG;
	}
	return err ? err : take_caches(r, json_object_get(doc, "cache_bytes"));
}

int wc_chase__measure(struct wc_result *r, const char *path, uint64_t reach)
{
	char param[64];
	char *argv[] = { (char *)path, (char *)"chase", (char *)"-P", param, NULL };
	char *text;
	json_t *doc;
	int status, err;

	snprintf(param, sizeof(param), "reach=%llu", (unsigned long long)reach);
	text = wc_capture__run(argv, DOCUMENT_MAX_BYTES, &status);
	if (!text)
		return -errno;
	doc = json_loads(text, 0, NULL);
	err = take(r, doc);
	if (err)
		r->access_cnt = 0;
	json_decref(doc);
	free(text);
	return err;
}
