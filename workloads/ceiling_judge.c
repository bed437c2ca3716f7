/* SPDX-License-Identifier: BSD-2-Clause */
/* From the refused call and the readings to the limit. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ceiling.h"

#define U(x) ((unsigned long long)(x))

static bool counted(const struct reading *one)
{
	return one->refused_at != UINT64_MAX && one->refused_at > one->refused_before;
}

/* A group's count may rise for a limit further up: only one that is full refused. */
static const struct reading *judge__counted(const struct readings *r)
{
	bool any = false;
	int i;

	for (i = 0; i < r->cnt; i++)
		any |= counted(&r->items[i]);
	for (i = 0; any && i < r->cnt; i++) {
		if (!strcmp(r->items[i].name, "pids.max") && !reading__room(&r->items[i]))
			return &r->items[i];
	}
	return NULL;
}

/* Of those as near to their limit as a refusal may be, the nearest. */
static const struct reading *judge__nearest(const struct readings *r, int call)
{
	const struct reading *one, *best = NULL;
	int i;

	for (i = 0; i < r->cnt; i++) {
		one = &r->items[i];
		if (!(one->calls & call) || !one->binds || reading__room(one) > one->slack)
			continue;
		if (!best || (double)reading__room(one) / (double)(one->slack + 1) <
				     (double)reading__room(best) / (double)(best->slack + 1))
			best = one;
	}
	return best;
}

static const struct reading *judge__named(const struct readings *r, const char *name)
{
	int i;

	for (i = 0; i < r->cnt; i++) {
		if (!strcmp(r->items[i].name, name))
			return &r->items[i];
	}
	return NULL;
}

static void judge__say(struct ceiling *c)
{
	const struct reading *stop = c->stop;
	const struct ceiling_child *t = &c->threads;

	if (!stop) {
		snprintf(c->why, sizeof(c->why),
			 "%s said %s, and no limit read is that near; dmesg may tell",
			 t->call[0] ? t->call : "pthread_create",
			 strerror(t->call[0] ? t->call_err : t->err));
		snprintf(c->todo, sizeof(c->todo),
			 "look at dmesg, and at seccomp and security modules");
		return;
	}
	if (c->certain)
		snprintf(c->why, sizeof(c->why),
			 "the kernel counted the refusal (pids.events rose by %llu), and the group "
			 "is full: %llu of %llu tasks",
			 U(stop->refused_at == UINT64_MAX
				   ? 0
				   : stop->refused_at - stop->refused_before),
			 U(stop->at), U(stop->limit));
	else if (c->threads_killed)
		snprintf(c->why, sizeof(c->why),
			 "the kernel killed the process for want of memory");
	else if (t->spared)
		snprintf(c->why, sizeof(c->why),
			 "stopped by itself: the little memory that is left is for others");
	else
		snprintf(c->why, sizeof(c->why),
			 "%s said %s, which this limit makes it say, and %llu of %llu %s are used",
			 t->call, strerror(t->call_err), U(stop->at), U(stop->limit), stop->unit);
	reading__todo(stop, c->todo, sizeof(c->todo));
}

void ceiling__judge(struct ceiling *c)
{
	const struct ceiling_child *t = &c->threads;
	bool clone = !strcmp(t->call, "clone");

	if (!t->err && !t->spared && !c->threads_killed) {
		snprintf(c->why, sizeof(c->why), "nothing refused: as many as were asked for");
		return;
	}
	if (t->spared || c->threads_killed) {
		c->stop = judge__named(&c->readings, "memory");
	} else {
		c->stop = clone ? judge__counted(&c->readings) : NULL;
		c->certain = c->stop != NULL;
		if (!c->stop && t->call[0])
			c->stop = judge__nearest(&c->readings, clone ? READING_CLONE : READING_MAP);
		if (!c->stop && t->call_err == ENOMEM && clone)
			c->stop = judge__named(&c->readings, "memory");
	}
	judge__say(c);
}
