/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/output/ceiling.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "user/output/grid.h"
#include "user/util/units.h"

#define SCHEMA "wakecost.ceiling/1"

static const char *text(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

static uint64_t number(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static bool is_true(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

static json_t *parse(const char *document)
{
	json_t *root = json_loads(document, 0, NULL);

	if (!strcmp(text(root, "schema"), SCHEMA) &&
	    json_is_object(json_object_get(root, "threads")) &&
	    json_is_object(json_object_get(root, "refusal")) &&
	    json_is_array(json_object_get(root, "limits")))
		return root;
	json_decref(root);
	return NULL;
}

/* In the limit's own unit. */
static const char *amount(char *buf, size_t sz, const json_t *limit, const char *key)
{
	const json_t *value = json_object_get(limit, key);

	if (!json_is_integer(value))
		snprintf(buf, sz, "none");
	else if (!strcmp(text(limit, "unit"), "bytes"))
		wc_units__format_bytes(buf, sz, (uint64_t)json_integer_value(value));
	else
		wc_units__format_count(buf, sz, (uint64_t)json_integer_value(value));
	return buf;
}

static void print_head(FILE *f, const json_t *root, bool colour)
{
	const json_t *threads = json_object_get(root, "threads");
	const json_t *refusal = json_object_get(root, "refusal");
	char n[WC_UNITS_BUF_SZ], t[WC_UNITS_BUF_SZ];
	char line[1024];

	fprintf(f, "%s%s threads", WC_BOLD(colour),
		wc_units__format_count(n, sizeof(n), number(threads, "created")));
	if (*text(refusal, "limit"))
		fprintf(f, ", then no more: %s", text(refusal, "limit"));
	fprintf(f, "%s\n", WC_PLAIN(colour));
	wc_grid__paragraph(f, "  ", text(refusal, "why"));
	if (*text(refusal, "where")) {
		snprintf(line, sizeof(line), "it is that of %s", text(refusal, "where"));
		wc_grid__paragraph(f, "  ", line);
	}
	if (*text(refusal, "todo"))
		wc_grid__paragraph(f, "  to have more: ", text(refusal, "todo"));
	fprintf(f, "  made in %s, held for %s; tasks of the machine: %llu before, %llu with them, ",
		wc_units__format_ns(n, sizeof(n), (double)number(threads, "elapsed_ns")),
		wc_units__format_ns(t, sizeof(t), (double)number(threads, "held_ns")),
		(unsigned long long)number(threads, "tasks_before"),
		(unsigned long long)number(threads, "tasks_at"));
	fprintf(f, "%llu after\n\n", (unsigned long long)number(threads, "tasks_after"));
}

static int print_limits(FILE *f, const json_t *root, bool colour)
{
	struct wc_grid *g = wc_grid__new("llrrrr");
	static const char *const heads[] = { "",	  "limit",
					     "allows",	  "used before",
					     "used then", "threads by\nit alone" };
	const json_t *limits = json_object_get(root, "limits"), *limit;
	char buf[WC_UNITS_BUF_SZ];
	size_t i;

	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		wc_grid__head(g, heads[i]);
	json_array_foreach(limits, i, limit) {
		bool binds = is_true(limit, "binds");

		wc_grid__put(g, "%s", is_true(limit, "reached") ? ">" : "");
		wc_grid__put(g, "%s%s%s", text(limit, "name"), *text(limit, "where") ? " of " : "",
			     text(limit, "where"));
		wc_grid__put(g, "%s", amount(buf, sizeof(buf), limit, "limit"));
		wc_grid__put(g, "%s", amount(buf, sizeof(buf), limit, "before"));
		wc_grid__put(g, "%s", amount(buf, sizeof(buf), limit, "at"));
		if (!binds)
			wc_grid__put(g, "not for root");
		else if (json_is_null(json_object_get(limit, "threads")))
			wc_grid__put(g, "no limit");
		else
			wc_grid__put(
				g, "%s",
				wc_units__format_count(buf, sizeof(buf), number(limit, "threads")));
	}
	return wc_grid__print(g, f, "", colour);
}

static void print_coroutines(FILE *f, const json_t *root)
{
	const json_t *k = json_object_get(root, "coroutines");
	char n[WC_UNITS_BUF_SZ], t[WC_UNITS_BUF_SZ], m[WC_UNITS_BUF_SZ];

	if (!json_is_object(k))
		return;
	fprintf(f,
		"\n%s coroutines beside: entered in %s, %s of memory, %llu thread for the kernel",
		wc_units__format_count(n, sizeof(n), number(k, "entered")),
		wc_units__format_ns(t, sizeof(t), (double)number(k, "elapsed_ns")),
		wc_units__format_bytes(m, sizeof(m), number(k, "memory_bytes")),
		(unsigned long long)number(k, "kernel_threads"));
	if (number(k, "entered") < number(k, "asked"))
		fprintf(f, "\n  %s were asked for, and %s",
			wc_units__format_count(n, sizeof(n), number(k, "asked")),
			is_true(k, "killed") ? "the kernel killed it for want of memory"
			: is_true(k, "memory_spared")
				? "the little memory that is left is for others"
				: text(k, "errno"));
	fputc('\n', f);
}

int wc_out_ceiling_text(FILE *f, const char *document, bool colour)
{
	json_t *root = parse(document);
	int err;

	if (!root)
		return -EBADMSG;
	print_head(f, root, colour);
	err = print_limits(f, root, colour);
	print_coroutines(f, root);
	json_decref(root);
	if (err)
		return err;
	return fflush(f) || ferror(f) ? -EIO : 0;
}

int wc_out_ceiling_json(FILE *f, const char *document, const char *tool_version)
{
	json_t *root = parse(document);
	int err = 0;

	if (!root)
		return -EBADMSG;
	if (json_object_set_new(
		    root, "tool",
		    json_pack("{s:s,s:s}", "name", "wakecost", "version", tool_version)))
		err = -ENOMEM;
	else if (json_dumpf(root, f, JSON_INDENT(1) | JSON_ENSURE_ASCII) || fputc('\n', f) == EOF ||
		 fflush(f))
		err = -EIO;
	json_decref(root);
	return err;
}
