// SPDX-License-Identifier: BSD-2-Clause
#include "user/output/list.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "user/util/text.h"

#define LIST_SCHEMA	"wakecost.list/1"
#define WORKLOAD_SCHEMA "wakecost.workload-list/1"

int wc_list__add(struct wc_list *list, const char *group, const char *name, const char *detail,
		 const char *help)
{
	struct wc_list_item *items, *item;

	items = reallocarray(list->items, list->cnt + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	list->items = items;
	item = &items[list->cnt];
	item->group = strdup(group);
	item->name = strdup(name);
	item->detail = strdup(detail);
	item->help = strdup(help);
	list->cnt++; /* counted even when incomplete, so that it is freed */
	return item->group && item->name && item->detail && item->help ? 0 : -ENOMEM;
}

void wc_list__free(struct wc_list *list)
{
	size_t i;

	for (i = 0; i < list->cnt; i++) {
		free(list->items[i].group);
		free(list->items[i].name);
		free(list->items[i].detail);
		free(list->items[i].help);
	}
	free(list->items);
	list->items = NULL;
	list->cnt = 0;
}

static const char *member(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

static int add_named(struct wc_list *list, const json_t *root, const char *group)
{
	const json_t *array = json_object_get(root, group), *item;
	size_t i;
	int err = 0;

	if (!json_is_array(array))
		return -EBADMSG;
	json_array_foreach(array, i, item) {
		if (!*member(item, "name"))
			return -EBADMSG;
		err = wc_list__add(list, group, member(item, "name"), "", member(item, "help"));
		if (err)
			break;
	}
	return err;
}

/* " (server, ceiling only)", unless it is one of all that hand off. */
static size_t param__shapes(const json_t *param, char *dst, size_t sz)
{
	const json_t *shapes = json_object_get(param, "shapes"), *shape;
	size_t len = 0, i;

	json_array_foreach((json_t *)shapes, i, shape) {
		if (!json_is_string(shape) || len >= sz)
			continue;
		if (!strcmp(json_string_value(shape), "handoff"))
			return 0;
		len += (size_t)snprintf(dst + len, sz - len, "%s%s", i ? ", " : " (",
					json_string_value(shape));
	}
	if (len && len < sz)
		len += (size_t)snprintf(dst + len, sz - len, " only)");
	return len;
}

/* "futex, condvar; default futex" */
static void param__detail(const json_t *param, char *dst, size_t sz)
{
	const json_t *values = json_object_get(param, "values"), *value;
	char *standard = json_dumps(json_object_get(param, "default"), JSON_ENCODE_ANY);
	const char *plain = member(param, "default");
	json_t *min = json_object_get(param, "min"), *max = json_object_get(param, "max");
	size_t len = 0, i;

	dst[0] = '\0';
	if (json_is_integer(min) && json_is_integer(max))
		len += (size_t)snprintf(dst, sz, "%lld to %lld; ",
					(long long)json_integer_value(min),
					(long long)json_integer_value(max));
	json_array_foreach(values, i, value) {
		if (len < sz && json_is_string(value))
			len += (size_t)snprintf(dst + len, sz - len, "%s%s",
						json_string_value(value),
						i + 1 < json_array_size(values) ? ", " : "; ");
	}
	if (len < sz)
		len += (size_t)snprintf(dst + len, sz - len, "default %s",
					*plain ? plain : (standard ? standard : "none"));
	if (len < sz && !param__shapes(param, dst + len, sz - len))
		dst[len] = '\0';
	free(standard);
}

static int add_params(struct wc_list *list, const json_t *root)
{
	const json_t *array = json_object_get(root, "params"), *param;
	char detail[512];
	size_t i;
	int err = 0;

	if (!json_is_array(array))
		return -EBADMSG;
	json_array_foreach(array, i, param) {
		if (!*member(param, "name"))
			return -EBADMSG;
		param__detail(param, detail, sizeof(detail));
		err = wc_list__add(list, "", member(param, "name"), detail, member(param, "help"));
		if (err)
			break;
	}
	return err;
}

int wc_list__add_workloads(struct wc_list *list, const char *json, bool params)
{
	static const char *const groups[] = { "shapes", "mechanisms", "backgrounds" };
	json_t *root = json_loads(json, 0, NULL);
	size_t i;
	int err = 0;

	if (!root || strcmp(member(root, "schema"), WORKLOAD_SCHEMA) != 0)
		err = -EBADMSG;
	else if (params)
		err = add_params(list, root);
	else
		for (i = 0; !err && i < sizeof(groups) / sizeof(groups[0]); i++)
			err = add_named(list, root, groups[i]);
	json_decref(root);
	return err;
}

static void print_safe(FILE *f, const char *text, size_t width)
{
	char safe[512];
	size_t at;

	wc_text__safe(safe, sizeof(safe), text);
	fputs(safe, f);
	for (at = wc_text__width(safe); at < width; at++)
		fputc(' ', f);
}

int wc_list__print(FILE *f, const struct wc_list *list)
{
	const char *group = "";
	size_t i, width, widest = 10;

	for (i = 0; i < list->cnt; i++) {
		width = wc_text__width(list->items[i].name);
		if (width > widest && width <= 30)
			widest = width;
	}
	for (i = 0; i < list->cnt; i++) {
		const struct wc_list_item *item = &list->items[i];

		if (strcmp(group, item->group) != 0) {
			group = item->group;
			fprintf(f, "%s%s\n", i ? "\n" : "", group);
		}
		fputs(*group ? "  " : "", f);
		print_safe(f, item->name, widest + 2);
		print_safe(f, item->help, 0);
		fputc('\n', f);
		if (*item->detail) {
			fprintf(f, "%*s", (int)widest + 2 + (*group ? 2 : 0), "");
			print_safe(f, item->detail, 0);
			fputc('\n', f);
		}
	}
	return ferror(f) ? -EIO : 0;
}

int wc_list__print_json(FILE *f, const struct wc_list *list, const char *topic)
{
	json_t *items = json_array(), *root;
	size_t i;
	int err = 0;

	for (i = 0; items && !err && i < list->cnt; i++) {
		const struct wc_list_item *item = &list->items[i];

		/* A file name may be any bytes; JSON may not. */
		char name[512];

		wc_text__safe(name, sizeof(name), item->name);
		err = json_array_append_new(items, json_pack("{s:s, s:s, s:s, s:s}", "group",
							     item->group, "name", name, "detail",
							     item->detail, "help", item->help));
	}
	root = json_pack("{s:s, s:s, s:o}", "schema", LIST_SCHEMA, "topic", topic, "items", items);
	if (!root || err)
		err = -ENOMEM;
	else if (json_dumpf(root, f, JSON_INDENT(2)) || fputc('\n', f) == EOF)
		err = -EIO;
	json_decref(root);
	return err;
}
