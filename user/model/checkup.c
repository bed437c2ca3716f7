/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/model/checkup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A name for every value, or NULL beyond the end. */
#define NAME_OF(names, i) ((i) < sizeof(names) / sizeof(*(names)) ? (names)[i] : NULL)

const char *wc_mark__name(unsigned int mark)
{
	static const char *const names[] = { "ok", "degraded", "missing", "unknown", "note" };

	return NAME_OF(names, mark);
}

const char *wc_section__name(unsigned int section)
{
	static const char *const names[] = { "boundaries", "probes", "kernel", "rights",
					     "futex",	   "pmu",    "threads" };

	_Static_assert(sizeof(names) / sizeof(*names) == WC_SEC_CNT, "a name for every section");
	return NAME_OF(names, section);
}

const char *wc_section__title(unsigned int section)
{
	static const char *const names[] = {
		"Boundaries",
		"Probes, by trial",
		"Kernel",
		"Rights",
		"Futex hash",
		"Hardware counters",
		"Threads that could be parked now",
	};

	_Static_assert(sizeof(names) / sizeof(*names) == WC_SEC_CNT, "a name for every section");
	return NAME_OF(names, section);
}

const char *wc_verdict__name(unsigned int verdict)
{
	static const char *const names[] = { "full", "degraded", "unable" };

	return NAME_OF(names, verdict);
}

const char *wc_futex_kind__name(unsigned int kind)
{
	static const char *const names[] = { "unknown", "global", "private" };

	return NAME_OF(names, kind);
}

struct wc_checkup *wc_checkup__new(void)
{
	struct wc_checkup *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->host = wc_result__new();
	if (c->host)
		return c;
	free(c);
	return NULL;
}

void wc_checkup__free(struct wc_checkup *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < WC_STAGE_CNT; i++) {
		free(c->stages[i].shown_as);
		free(c->stages[i].probe);
		free(c->stages[i].why);
	}
	for (i = 0; i < c->finding_cnt; i++) {
		free(c->findings[i].name);
		free(c->findings[i].value);
		free(c->findings[i].why);
		free(c->findings[i].todo);
	}
	for (i = 0; i < c->limit_cnt; i++) {
		free(c->limits[i].name);
		free(c->limits[i].todo);
	}
	free(c->findings);
	free(c->limits);
	free(c->session_error);
	wc_result__free(c->host);
	free(c);
}

/* One more zeroed element at the end of an array, or NULL. */
static void *grow(void **items, size_t cnt, size_t size)
{
	void *more = realloc(*items, (cnt + 1) * size);

	if (!more)
		return NULL;
	*items = more;
	return memset((char *)more + cnt * size, 0, size);
}

static char *copy(const char *s)
{
	return strdup(s ? s : "");
}

int wc_checkup__add(struct wc_checkup *c, enum wc_section section, enum wc_mark mark,
		    const char *name, const char *value, const char *why, const char *todo)
{
	struct wc_finding *f;

	f = grow((void **)&c->findings, c->finding_cnt, sizeof(*f));
	if (!f)
		return -ENOMEM;
	c->finding_cnt++;
	f->section = section;
	f->mark = mark;
	f->name = copy(name);
	f->value = copy(value);
	f->why = copy(why);
	f->todo = copy(todo);
	return f->name && f->value && f->why && f->todo ? 0 : -ENOMEM;
}

int wc_checkup__add_limit(struct wc_checkup *c, const struct wc_limit *limit)
{
	struct wc_limit *l;

	l = grow((void **)&c->limits, c->limit_cnt, sizeof(*l));
	if (!l)
		return -ENOMEM;
	c->limit_cnt++;
	*l = *limit;
	l->name = copy(limit->name);
	l->todo = copy(limit->todo);
	return l->name && l->todo ? 0 : -ENOMEM;
}

const struct wc_limit *wc_checkup__first_limit(const struct wc_checkup *c, bool with_fds)
{
	const struct wc_limit *first = NULL;
	size_t i;

	for (i = 0; i < c->limit_cnt; i++) {
		const struct wc_limit *l = &c->limits[i];

		if (l->room == UINT64_MAX || (l->fds_only && !with_fds))
			continue;
		if (!first || l->room < first->room)
			first = l;
	}
	return first;
}

void wc_checkup__judge(struct wc_checkup *c)
{
	size_t i;

	c->verdict = c->have_stages ? WC_VERDICT_FULL : WC_VERDICT_UNABLE;
	for (i = 0; c->have_stages && i < WC_STAGE_CNT; i++)
		if (c->stages[i].status != WC_STATUS_EXACT)
			c->verdict = WC_VERDICT_DEGRADED;
}
