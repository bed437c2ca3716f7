/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "json.h"
#include "registry.h"

struct list_row {
	const char *name, *help;
};

static bool list__row(int kind, size_t i, struct list_row *row)
{
	const struct wl_shape *shape = kind == 0 ? registry__shape(i) : NULL;
	const struct wl_mech *mech = kind == 1 ? registry__mech(i) : NULL;
	const struct wl_bg *bg = kind == 2 ? registry__bg(i) : NULL;

	if (shape)
		*row = (struct list_row){ shape->name, shape->help };
	else if (mech)
		*row = (struct list_row){ mech->name, mech->help };
	else if (bg)
		*row = (struct list_row){ bg->name, bg->help };
	return shape || mech || bg;
}

static const char *const kinds[] = { "shapes", "mechanisms", "backgrounds" };

/* Names alone, but of shapes also what they count: null where that is handoffs, stamped. */
static void list__row_json(int kind, const struct list_row *row, const struct wl_shape *shape,
			   struct json *j)
{
	json__open_object(j, NULL);
	json__string(j, "name", row->name);
	json__string(j, "help", row->help);
	if (!kind && shape->work)
		json__string(j, "work", shape->work);
	else if (!kind)
		json__null(j, "work");
	json__close_object(j);
}

static void list__gauge_json(const struct wl_gauge *g, struct json *j)
{
	json__open_object(j, NULL);
	json__string(j, "name", g->name);
	json__string(j, "unit", g->unit);
	json__string(j, "better", g->better);
	json__string(j, "group", g->group);
	json__string(j, "label", g->label);
	json__string(j, "help", g->help);
	json__close_object(j);
}

/* By shape, in the order in which they are to be shown; the first counts the work. */
static void list__gauges_json(struct json *j)
{
	const struct wl_shape *shape;
	size_t i, k;

	json__open_object(j, "gauges");
	for (i = 0; (shape = registry__shape(i)); i++) {
		if (!shape->work)
			continue;
		json__open_array(j, shape->name);
		for (k = 0; k < shape->gauge_cnt; k++)
			list__gauge_json(gauges__at(shape->gauges[k]), j);
		json__close_array(j);
	}
	json__close_object(j);
}

static bool param__has_range(const struct wl_param *p)
{
	return p->type == PARAM_INT || p->type == PARAM_SIZE;
}

static void list__param_json(const struct wl_param *p, struct json *j)
{
	const char *word, *shape;
	size_t i;

	json__open_object(j, NULL);
	json__string(j, "name", p->name);
	json__string(j, "type", params__type_name(p->type));
	params__write_value(p, params__default(p), j, "default");
	json__open_array(j, "values");
	for (i = 0; (word = params__word(p, i)); i++)
		json__string(j, NULL, word);
	json__close_array(j);
	if (param__has_range(p)) {
		json__u64(j, "min", p->min);
		json__u64(j, "max", p->max);
	} else {
		json__null(j, "min");
		json__null(j, "max");
	}
	json__open_array(j, "shapes");
	for (i = 0; (shape = registry__shape_name(i)); i++) {
		if (params__applies(p, shape))
			json__string(j, NULL, shape);
	}
	json__close_array(j);
	json__string(j, "help", p->help);
	json__close_object(j);
}

static int list__print_json(void)
{
	const struct wl_param *params;
	struct list_row row;
	struct json j;
	size_t cnt, i;
	int kind;

	params = params__table(&cnt);
	json__begin(&j, stdout);
	json__open_object(&j, NULL);
	json__string(&j, "schema", "wakecost.workload-list/1");
	for (kind = 0; kind < (int)ARRAY_CNT(kinds); kind++) {
		json__open_array(&j, kinds[kind]);
		for (i = 0; list__row(kind, i, &row); i++) {
			list__row_json(kind, &row, registry__shape(i), &j);
		}
		json__close_array(&j);
	}
	list__gauges_json(&j);
	json__open_array(&j, "params");
	for (i = 0; i < cnt; i++)
		list__param_json(&params[i], &j);
	json__close_array(&j);
	json__close_object(&j);
	return json__finish(&j);
}

static void list__param(const struct wl_param *p)
{
	const char *word;
	size_t i;

	printf("  %-14s %-5s %-8s %s", p->name, params__type_name(p->type), p->def, p->help);
	if (p->shapes)
		printf(" [%s]", p->shapes);
	if (param__has_range(p))
		printf("\n%31s%" PRIu64 " to %" PRIu64, "", p->min, p->max);
	else if (p->type == PARAM_ENUM)
		printf("\n%31s", "");
	for (i = 0; (word = params__word(p, i)); i++)
		printf("%s%s", i ? ", " : param__has_range(p) ? ", or " : "", word);
	putchar('\n');
}

int list__print(bool as_json)
{
	const struct wl_param *params;
	struct list_row row;
	size_t cnt, i;
	int kind;

	if (as_json)
		return list__print_json();
	for (kind = 0; kind < (int)ARRAY_CNT(kinds); kind++) {
		printf("%s:\n", kinds[kind]);
		for (i = 0; list__row(kind, i, &row); i++)
			printf("  %-14s %s\n", row.name, row.help);
	}
	params = params__table(&cnt);
	printf("params (-P name=value): type, default, meaning\n");
	for (i = 0; i < cnt; i++)
		list__param(&params[i]);
	return fflush(stdout) ? -5 : 0;
}
