// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/shape.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/util/capture.h"

#define LIST_MAX_BYTES (1u << 20)

static char *copy_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return strdup(text ? text : "");
}

static int add_gauge(struct wc_result *r, const json_t *o)
{
	struct wc_gauge *g = wc_result__add_gauge(r);

	if (!g)
		return -ENOMEM;
	g->name = copy_of(o, "name");
	g->unit = copy_of(o, "unit");
	g->better = copy_of(o, "better");
	g->group = copy_of(o, "group");
	g->label = copy_of(o, "label");
	g->help = copy_of(o, "help");
	return g->name && g->unit && g->better && g->group && g->label && g->help ? 0 : -ENOMEM;
}

static int take(struct wc_result *r, const json_t *list, const char *shape)
{
	const json_t *shapes = json_object_get(list, "shapes"), *item, *gauges;
	const char *work = NULL, *name;
	size_t i;
	int err = 0;

	json_array_foreach((json_t *)shapes, i, item) {
		name = json_string_value(json_object_get(item, "name"));
		if (name && !strcmp(name, shape))
			work = json_string_value(json_object_get(item, "work"));
	}
	if (!work)
		return 0;
	gauges = json_object_get(json_object_get(list, "gauges"), shape);
	if (!json_array_size(gauges))
		return -EPROTO;
	r->work = strdup(work);
	json_array_foreach((json_t *)gauges, i, item)
		err = err ? err : add_gauge(r, item);
	return r->work ? err : -ENOMEM;
}

int wc_shape__ask(struct wc_result *r, const char *workload_path, const char *shape, char *error,
		  size_t error_sz)
{
	char *argv[] = { (char *)workload_path, "--list", "-j", NULL };
	int status, err = -EPROTO;
	json_t *list;
	char *text;

	error[0] = '\0';
	text = wc_capture__run(argv, LIST_MAX_BYTES, &status);
	list = text ? json_loads(text, 0, NULL) : NULL;
	free(text);
	if (list)
		err = take(r, list, shape);
	json_decref(list);
	if (err == -EPROTO)
		snprintf(error, error_sz,
			 "%s says nothing of its shapes: is it of this version, and installed "
			 "whole?",
			 workload_path);
	return err;
}
