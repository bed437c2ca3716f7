/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <jansson.h>

#include "user/output/doctor.h"
#include "user/util/version.h"

/* Text of the machine may be anything; JSON is UTF-8. */
static json_t *text(const char *s)
{
	json_t *str = json_string(s ? s : "");

	return str ? str : json_string("(not UTF-8)");
}

static json_t *number(uint64_t n)
{
	return n > INT64_MAX ? json_null() : json_integer((json_int_t)n);
}

static json_t *stages(const struct wc_checkup *c)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; c->have_stages && i < WC_STAGE_CNT; i++) {
		const struct wc_stage_info *s = &c->stages[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o, s:o}", "name",
						      wc_stage__name((unsigned int)i), "status",
						      wc_status__name(s->status), "shown_as",
						      text(s->shown_as), "probe", text(s->probe),
						      "why", text(s->why)));
	}
	return list;
}

static json_t *findings(const struct wc_checkup *c)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < c->finding_cnt; i++) {
		const struct wc_finding *f = &c->findings[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "section",
						      wc_section__name(f->section), "mark",
						      wc_mark__name(f->mark), "name", text(f->name),
						      "value", text(f->value), "why", text(f->why),
						      "todo", text(f->todo)));
	}
	return list;
}

static json_t *threads(const struct wc_checkup *c)
{
	const struct wc_limit *first = wc_checkup__first_limit(c, false);
	const struct wc_limit *first_fds = wc_checkup__first_limit(c, true);
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < c->limit_cnt; i++) {
		const struct wc_limit *l = &c->limits[i];

		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "name",
						      text(l->name), "value", number(l->value),
						      "used", number(l->used), "per_thread",
						      number(l->per_thread), "room",
						      number(l->room), "descriptors_only",
						      l->fds_only, "todo", text(l->todo)));
	}
	return json_pack("{s:o, s:o, s:o, s:o}", "room", first ? number(first->room) : json_null(),
			 "stopped_by", first ? text(first->name) : json_null(),
			 "room_on_descriptors", first_fds ? number(first_fds->room) : json_null(),
			 "limits", list);
}

static json_t *futex(const struct wc_futex_table *t)
{
	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:o}", "kind", wc_futex_kind__name(t->kind),
			 "slots_two_threads", (int)t->slots_two, "slots_most", (int)t->slots_most,
			 "threads_most", (int)t->threads_most, "machine_slots",
			 (int)t->global_slots, "machine_slots_from", text(t->global_from));
}

static json_t *host(const struct wc_kvs *kvs)
{
	json_t *obj = json_object();
	size_t i;

	for (i = 0; i < kvs->cnt; i++)
		json_object_set_new(obj, kvs->items[i].key, text(kvs->items[i].value));
	return obj;
}

static json_t *warnings(const struct wc_result *r)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < r->warning_cnt; i++)
		json_array_append_new(list, text(r->warnings[i]));
	return list;
}

int wc_doctor__print_json(FILE *f, const struct wc_checkup *c)
{
	json_t *doc;
	int err;

	doc = json_pack(
		"{s:s, s:{s:s, s:s}, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
		"wakecost.doctor/1", "tool", "name", "wakecost", "version", wc_version(), "verdict",
		wc_verdict__name(c->verdict), "exit", (int)c->verdict, "error",
		c->session_error ? text(c->session_error) : json_null(), "stages", stages(c),
		"findings", findings(c), "threads", threads(c), "futex", futex(&c->futex), "host",
		host(&c->host->host), "warnings", warnings(c->host));
	if (!doc)
		return -ENOMEM;
	err = json_dumpf(doc, f, JSON_INDENT(2)) ? -EIO : 0;
	json_decref(doc);
	if (!err && fputc('\n', f) == EOF)
		err = -EIO;
	return err;
}
