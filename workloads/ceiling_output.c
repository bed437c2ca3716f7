/* SPDX-License-Identifier: BSD-2-Clause */
/* wakecost.ceiling/1: docs/json-ceiling.md. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ceiling.h"
#include "json.h"

static void number_or_null(struct json *j, const char *key, u64 value)
{
	if (value == UINT64_MAX)
		json__null(j, key);
	else
		json__u64(j, key, value);
}

static void text_or_null(struct json *j, const char *key, const char *text)
{
	if (text && *text)
		json__string(j, key, text);
	else
		json__null(j, key);
}

static void print__limit(struct json *j, const struct ceiling *c, const struct reading *one)
{
	u64 per = reading__per_thread(one, c->threads.cnt), room = reading__room(one);

	json__open_object(j, NULL);
	json__string(j, "name", one->name);
	text_or_null(j, "where", one->where);
	json__string(j, "unit", one->unit);
	json__bool(j, "binds", one->binds);
	json__bool(j, "reached", one == c->stop);
	number_or_null(j, "limit", one->limit);
	json__u64(j, "before", one->before);
	json__u64(j, "at", one->at);
	json__u64(j, "per_thread", per);
	/* the threads there would have been, had this been the only limit */
	number_or_null(j, "threads", room == UINT64_MAX ? UINT64_MAX : c->threads.cnt + room / per);
	number_or_null(j, "refusals_before", one->refused_before);
	number_or_null(j, "refusals_at", one->refused_at);
	json__close_object(j);
}

static void print__refusal(struct json *j, const struct ceiling *c)
{
	const struct ceiling_child *t = &c->threads;

	json__open_object(j, "refusal");
	text_or_null(j, "limit", c->stop ? c->stop->name : NULL);
	text_or_null(j, "where", c->stop ? c->stop->where : NULL);
	text_or_null(j, "call", t->call);
	text_or_null(j, "errno", t->call_err ? strerrorname_np(t->call_err) : NULL);
	text_or_null(j, "pthread_create", t->err ? strerrorname_np(t->err) : NULL);
	json__bool(j, "counted_by_kernel", c->certain);
	json__bool(j, "killed", c->threads_killed);
	json__bool(j, "memory_spared", t->spared);
	json__string(j, "why", c->why);
	text_or_null(j, "todo", c->todo);
	json__close_object(j);
}

static void print__coroutines(struct json *j, const struct ceiling *c)
{
	const struct ceiling_child *k = &c->coroutines;

	if (!c->run->p.coroutines) {
		json__null(j, "coroutines");
		return;
	}
	json__open_object(j, "coroutines");
	json__u64(j, "asked", c->run->p.coroutines);
	json__u64(j, "entered", k->cnt);
	json__u64(j, "stack_bytes", k->stack_sz);
	json__u64(j, "elapsed_ns", k->elapsed_ns);
	json__u64(j, "kernel_threads", c->coroutine_threads);
	json__u64(j, "memory_bytes", c->coroutine_rss_sz);
	json__bool(j, "killed", c->coroutines_killed);
	json__bool(j, "memory_spared", k->spared);
	text_or_null(j, "errno", k->err ? strerrorname_np(k->err) : NULL);
	json__close_object(j);
}

int ceiling__print(const struct ceiling *c)
{
	struct json j;
	int i;

	json__begin(&j, stdout);
	json__open_object(&j, NULL);
	json__string(&j, "schema", "wakecost.ceiling/1");
	json__open_object(&j, "threads");
	json__u64(&j, "created", c->threads.cnt);
	json__u64(&j, "seen", c->seen_cnt);
	json__string(&j, "stacks", c->run->p.stacks == STACKS_SLAB ? "slab" : "pthread");
	json__u64(&j, "stack_bytes", c->threads.stack_sz);
	json__u64(&j, "elapsed_ns", c->threads.elapsed_ns);
	json__u64(&j, "held_ns", c->held_ns);
	json__u64(&j, "tasks_before", c->tasks_before);
	json__u64(&j, "tasks_at", c->tasks_at);
	json__u64(&j, "tasks_after", c->tasks_after);
	json__close_object(&j);
	print__refusal(&j, c);
	json__open_array(&j, "limits");
	for (i = 0; i < c->readings.cnt; i++)
		print__limit(&j, c, &c->readings.items[i]);
	json__close_array(&j);
	print__coroutines(&j, c);
	json__close_object(&j);
	return json__finish(&j);
}
