/* SPDX-License-Identifier: BSD-2-Clause */
/* A JSON document and the page that names its keys say the same, in both directions. */
#ifndef WC_TESTS_JSON_KEYS_H
#define WC_TESTS_JSON_KEYS_H

#include <jansson.h>

#include "tests/unit/fixture.h"

/* Parsed again; ASCII and newlines only. */
static inline json_t *keys__document(const struct wc_result *r,
				     int (*print)(FILE *f, const struct wc_result *r))
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	json_error_t why;
	json_t *document;

	assert_non_null(f);
	assert_int_equal(print(f, r), 0);
	fclose(f);
	for (size_t i = 0; i < len; i++)
		assert_true(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'));
	document = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	assert_non_null(document);
	free(text);
	return document;
}

#define KEY_MAX_CNT 512

struct keys {
	const char *page;
	char *items[KEY_MAX_CNT];
	bool seen[KEY_MAX_CNT];
	size_t cnt;
};

static inline void keys__read(struct keys *p)
{
	char line[512];
	FILE *f = fopen(p->page, "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *end = strncmp(line, "| `", 3) ? NULL : strchr(line + 3, '`');

		if (!end)
			continue;
		*end = '\0';
		assert_true(p->cnt < KEY_MAX_CNT);
		p->items[p->cnt++] = strdup(line + 3);
	}
	fclose(f);
	assert_true(p->cnt > 50);
}

static inline bool keys__mark(struct keys *p, const char *path)
{
	for (size_t i = 0; i < p->cnt; i++)
		if (!strcmp(p->items[i], path))
			return p->seen[i] = true;
	return false;
}

static inline void keys__walk(struct keys *p, const char *path, const json_t *value);

static inline void keys__walk_object(struct keys *p, const char *path, const json_t *value)
{
	void *it = json_object_iter((json_t *)value);
	char inner[256];

	for (; it; it = json_object_iter_next((json_t *)value, it)) {
		snprintf(inner, sizeof(inner), "%s%s%s", path, *path ? "." : "",
			 json_object_iter_key(it));
		keys__walk(p, inner, json_object_iter_value(it));
	}
}

/* A leaf stands under its own name, or with * for one part of it. */
static inline void keys__leaf(struct keys *p, const char *path)
{
	const char *dot, *end;
	char star[256];

	if (keys__mark(p, path))
		return;
	for (dot = strchr(path, '.'); dot; dot = strchr(dot + 1, '.')) {
		end = strchr(dot + 1, '.');
		snprintf(star, sizeof(star), "%.*s.*%s", (int)(dot - path), path, end ? end : "");
		if (keys__mark(p, star))
			return;
	}
	print_error("%s lacks %s\n", p->page, path);
	fail();
}

static inline void keys__walk(struct keys *p, const char *path, const json_t *value)
{
	char inner[256];
	size_t i;
	const json_t *item;

	if (json_is_object(value)) {
		keys__walk_object(p, path, value);
	} else if (json_is_array(value)) {
		snprintf(inner, sizeof(inner), "%s[]", path);
		json_array_foreach((json_t *)value, i, item)
			keys__walk(p, inner, item);
	} else if (!json_is_null(value)) { /* an array or number that is not there */
		keys__leaf(p, path);
	}
}

static inline void keys__all_seen(struct keys *p)
{
	for (size_t i = 0; i < p->cnt; i++) {
		if (!p->seen[i])
			print_error("no document has %s\n", p->items[i]);
		assert_true(p->seen[i]);
		free(p->items[i]);
	}
}

#endif
