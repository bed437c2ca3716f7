/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session counted, as one JSON document. */
#ifndef TESTS_ROOT_SHOW_H
#define TESTS_ROOT_SHOW_H

#include <stdio.h>
#include <string.h>

#include "user/probe/session.h"

static inline void show__text(const char *text, size_t sz)
{
	size_t i;

	putchar('"');
	for (i = 0; i < sz && text[i]; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < ' ' || c > '~' || c == '"' || c == '\\')
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static inline void show__string(const char *key, const char *text)
{
	printf("\"%s\":", key);
	show__text(text ? text : "", text ? strlen(text) : 0);
}

static inline void show__sum(const char *key, const struct wc_sum *s)
{
	printf("\"%s\":{\"count\":%llu,\"sum\":%llu}", key, s->count, s->sum);
}

static inline void show__counts(const char *key, const uint64_t *counts, unsigned int cnt,
				const char *(*name)(unsigned int))
{
	unsigned int i;

	printf("\"%s\":{", key);
	for (i = 0; i < cnt; i++)
		printf("%s\"%s\":%llu", i ? "," : "", name(i), (unsigned long long)counts[i]);
	printf("},\n");
}

/* Histograms: how many of each kind, and each metric's sum over the kinds. */
static inline void show__hists(const struct wc_round *r)
{
	uint64_t kinds[WC_CLASS_CNT] = { 0 }, others[WC_CLASS_CNT] = { 0 };
	unsigned int c, m;

	for (c = 0; c < WC_CLASS_CNT; c++) {
		const struct wc_hist *h = r->hists[c][WC_METRIC_TOTAL];

		kinds[c] = h ? h->count : 0;
		others[c] = r->other[c].count;
	}
	show__counts("classes", kinds, WC_CLASS_CNT, wc_class__name);
	show__counts("other", others, WC_CLASS_CNT, wc_class__name);
	printf("\"metrics\":{");
	for (m = 0; m < WC_METRIC_CNT; m++) {
		struct wc_sum sum = { 0, 0 };

		for (c = 0; c < WC_CLASS_CNT; c++) {
			sum.count += r->hists[c][m] ? r->hists[c][m]->count : 0;
			sum.sum += r->hists[c][m] ? r->hists[c][m]->sum : 0;
		}
		printf("%s", m ? "," : "");
		show__sum(wc_stage__name(m), &sum);
	}
	printf("},\n\"send_by_class\":{");
	for (c = 0; c < WC_CLASS_CNT; c++) {
		const struct wc_hist *h = r->hists[c][WC_STAGE_SEND];

		printf("%s\"%s\":%llu", c ? "," : "", wc_class__name(c), h ? h->count : 0);
	}
	printf("},\n");
}

static inline void show__pair(const struct wc_pair *p)
{
	unsigned long long wakes = 0;
	unsigned int i;

	printf("{\"waker\":%u,\"waker_tgid\":%u,\"context\":\"%s\",\"wakee\":%u,\"wakee_tgid\":%u,",
	       p->key.waker_tid, p->waker_tgid, wc_context__name(p->key.waker_context),
	       p->key.wakee_tid, p->wakee_tgid);
	printf("\"waker_comm\":");
	show__text(p->waker_comm, sizeof(p->waker_comm));
	printf(",\"wakee_comm\":");
	show__text(p->wakee_comm, sizeof(p->wakee_comm));
	for (i = 0; i < WC_CLASS_CNT; i++) {
		printf(",\"%s\":%llu", wc_class__name(i), p->wakes[i]);
		wakes += p->wakes[i];
	}
	printf(",\"wakes\":%llu,\"handoffs\":%llu,", wakes, p->handoff_cnt);
	show__sum("total", &p->total);
	printf(",\"stages\":{");
	for (i = 0; i < WC_STAGE_CNT; i++) {
		printf("%s", i ? "," : "");
		show__sum(wc_stage__name(i), &p->stages[i]);
	}
	printf("}}");
}

static inline void show__event(const struct wc_event *e)
{
	static const char *const bounds[WC_BND_CNT] = { "call",	   "waking", "chosen",
							"handled", "wakeup", "entry",
							"switch",  "exit",   "return" };
	unsigned int i;

	printf("{\"waker\":%u,\"wakee\":%u,\"waker_cpu\":%u,\"prev\":%u,\"chosen\":%u,\"ran\":%u,",
	       e->waker_tid, e->wakee_tid, e->waker_cpu, e->prev_cpu, e->chosen_cpu, e->ran_cpu);
	printf("\"class\":\"%s\",\"context\":\"%s\",\"at\":{", wc_class__name(e->wake_class),
	       wc_context__name(e->context));
	for (i = 0; i < WC_BND_CNT; i++)
		printf("%s\"%s\":%llu", i ? "," : "", bounds[i], e->at_ns[i]);
	printf("}}");
}

static inline void show__stage_table(const struct wc_session *s)
{
	struct wc_stage_info rows[WC_STAGE_CNT] = { 0 };
	unsigned int i;

	printf("\"stage_table\":[");
	if (!wc_session__stages(s, rows)) {
		for (i = 0; i < WC_STAGE_CNT; i++) {
			printf("%s{\"stage\":\"%s\",\"status\":\"%s\",", i ? "," : "",
			       wc_stage__name(i), wc_status__name(rows[i].status));
			show__string("shown_as", rows[i].shown_as);
			printf(",");
			show__string("probe", rows[i].probe);
			printf("}");
		}
	}
	printf("],\n\"boundaries\":[");
	for (i = 0; i < wc_session__boundary_cnt(s); i++) {
		const struct wc_boundary_info *b = wc_session__boundary(s, i);

		printf("%s{\"have\":%s,", i ? "," : "", b->have ? "true" : "false");
		show__string("name", b->name);
		printf(",");
		show__string("source", b->have ? wc_source__name(b->source) : "");
		printf("}");
	}
	printf("],\n");
}

#endif
