// SPDX-License-Identifier: BSD-2-Clause
/* What a picture is of: its title, and the facts below it. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/flame_impl.h"
#include "user/util/units.h"

int flame__fact(struct flame *fl, const char *fmt, ...)
{
	char *text, *safe;
	va_list ap;
	int n;

	if (fl->fact_cnt == FLAME_FACT_MAX)
		return 0;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	safe = flame__safe(text);
	free(text);
	if (!safe)
		return -ENOMEM;
	fl->facts[fl->fact_cnt++] = safe;
	return 0;
}

static const char *metric_phrase(const struct flame *fl, char *buf, size_t sz)
{
	unsigned int stage = fl->opts.weigh - WC_WEIGH_STAGE;
	const char *shown;

	switch (fl->opts.weigh) {
	case WC_WEIGH_COST:
		return "cost of wakes";
	case WC_WEIGH_BLOCKED:
		return "time asleep before wakes";
	case WC_WEIGH_COUNT:
		return "number of wakes";
	case WC_WEIGH_WAIT:
		stage = WC_STAGE_WAIT;
	}
	if (stage >= WC_STAGE_CNT)
		return "wakes";
	shown = fl->r->stages[stage].shown_as;
	snprintf(buf, sz, "stage %s of wakes", shown && *shown ? shown : wc_stage__name(stage));
	return buf;
}

static int make_title(struct flame *fl)
{
	static const char *const views[] = {
		[WC_VIEW_CHAIN] = "by wakee and waker",
		[WC_VIEW_WAKEE] = "by wakee",
		[WC_VIEW_WAKER] = "by waker",
		[WC_VIEW_STAGE] = "by waker and stage",
	};
	const char *command = fl->r->command_line;
	char phrase[96], *text;
	int n;

	if (fl->opts.title) {
		fl->title = flame__safe(fl->opts.title);
		return fl->title ? 0 : -ENOMEM;
	}
	n = asprintf(&text, "%s%s %s%s%s", fl->base ? "Change in " : "",
		     metric_phrase(fl, phrase, sizeof(phrase)), views[fl->opts.view],
		     command && *command ? " \xe2\x80\x94 " : "", command ? command : "");
	if (n < 0)
		return -ENOMEM;
	if (*text >= 'a' && *text <= 'z')
		*text ^= 0x20;
	fl->title = flame__safe(text);
	free(text);
	return fl->title ? 0 : -ENOMEM;
}

uint64_t flame__wakes(const struct wc_profile *p)
{
	uint64_t wakes = 0;

	for (size_t i = 0; i < p->edge_cnt; i++)
		for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
			wakes += p->edges[i].wakes[c];
	/* made without pairs, or by another hand */
	for (size_t i = 0; i < p->chain_cnt && !p->edge_cnt; i++)
		wakes += p->chains[i].weight;
	return wakes;
}

static int total_fact(struct flame *fl)
{
	char all[WC_UNITS_BUF_SZ], exact[WC_UNITS_BUF_SZ];
	char cnt[WC_UNITS_BUF_SZ], each[WC_UNITS_BUF_SZ];
	uint64_t total = fl->tree.nodes[0].value[FLAME_NEW], wakes = flame__wakes(fl->r->profile);

	wc_units__format_count(cnt, sizeof(cnt), wakes);
	if (fl->opts.weigh == WC_WEIGH_COUNT)
		return flame__fact(fl, "%s wakes", cnt);
	flame__format(fl, all, sizeof(all), total);
	wc_units__format_count(exact, sizeof(exact), total);
	if (!wakes)
		return flame__fact(fl, "%s (%s ns)", all, exact);
	wc_units__format_ns(each, sizeof(each), (double)total / (double)wakes);
	return flame__fact(fl, "%s (%s ns) in %s wakes, %s each", all, exact, cnt, each);
}

static int host_facts(struct flame *fl)
{
	const struct wc_kvs *host = &fl->r->host;
	const char *kernel = wc_kvs__get(host, "kernel"), *cpus = wc_kvs__get(host, "cpus");
	const char *scheduler = wc_kvs__get(host, "scheduler");
	char buf[WC_UNITS_BUF_SZ];
	int err = 0;

	if (kernel)
		err = flame__fact(fl, "kernel %s", kernel);
	if (!err && scheduler)
		err = flame__fact(fl, "%s", scheduler);
	if (!err && cpus)
		err = flame__fact(fl, "%s CPU%s", cpus, strcmp(cpus, "1") ? "s" : "");
	if (!err && fl->r->profile->window_ns)
		err = flame__fact(
			fl, "recorded for %s",
			wc_units__format_ns(buf, sizeof(buf), (double)fl->r->profile->window_ns));
	return err;
}

static uint64_t lost_wakes(const struct wc_result *r)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < r->cell_cnt; i++)
		for (size_t j = 0; j < r->cells[i].round_cnt; j++)
			for (unsigned int c = 0; c < WC_CNT_CNT; c++)
				if (wc_counter__is_loss(c))
					lost += r->cells[i].rounds[j].counters[c];
	return lost;
}

static int stack_facts(struct flame *fl)
{
	const struct wc_profile *p = fl->r->profile;
	char a[WC_UNITS_BUF_SZ], b[WC_UNITS_BUF_SZ];
	uint64_t lost = p->stacks_full_cnt + p->stacks_failed_cnt + p->chains_full_cnt;
	int err;

	if (!p->stack_every)
		err = flame__fact(fl, "no stacks taken");
	else if (p->stack_every == 1)
		err = flame__fact(fl, "stacks of every wake");
	else if (p->slow_ns)
		err = flame__fact(fl, "stacks of 1 wake in %u and of all over %s", p->stack_every,
				  wc_units__format_ns(a, sizeof(a), (double)p->slow_ns));
	else
		err = flame__fact(fl, "stacks of 1 wake in %u", p->stack_every);
	if (!err && p->user_stack_cnt)
		err = flame__fact(fl, "%s of user stacks cut: no frame pointers",
				  wc_units__format_percent(a, sizeof(a),
							   (double)p->user_truncated_cnt /
								   (double)p->user_stack_cnt));
	if (!err)
		err = flame__fact(fl, "lost: %s wakes, %s stacks",
				  wc_units__format_count(a, sizeof(a), lost_wakes(fl->r)),
				  wc_units__format_count(b, sizeof(b), lost));
	return err;
}

static int base_facts(struct flame *fl)
{
	static const char *const per[] = {
		[WC_PER_WAKE] = "to the same number of wakes",
		[WC_PER_SECOND] = "to the same length",
		[WC_PER_SHARE] = "to the same total",
		[WC_PER_NONE] = "by nothing",
	};
	const struct flame_node *root = &fl->tree.nodes[0];
	char cnt[WC_UNITS_BUF_SZ], total[WC_UNITS_BUF_SZ];
	int err;

	err = flame__fact(fl, "before: %s",
			  fl->base->command_line ? fl->base->command_line : "another recording");
	if (!err)
		err = flame__fact(
			fl, "%s wakes before",
			wc_units__format_count(cnt, sizeof(cnt), flame__wakes(fl->base->profile)));
	if (!err)
		err = flame__fact(fl, "before scaled %s: x %.4g = %s", per[fl->opts.per],
				  (double)fl->num / (double)fl->den,
				  flame__format(fl, total, sizeof(total), root->value[FLAME_BASE]));
	if (!err)
		err = flame__fact(fl, "colour: change of %s",
				  fl->opts.self ? "the frame itself"
						: "the frame and what it leads to");
	if (!err)
		err = flame__fact(fl, "below %.3g %% of all: no change", fl->opts.min_delta_pct);
	return err;
}

int flame__describe(struct flame *fl)
{
	char cnt[WC_UNITS_BUF_SZ];
	const struct flame_node *root = &fl->tree.nodes[0];
	int err = make_title(fl);

	if (!err)
		err = total_fact(fl);
	if (!err && fl->base)
		err = base_facts(fl);
	else if (!err)
		err = flame__fact(fl, "not scaled");
	if (!err)
		err = host_facts(fl);
	if (!err)
		err = stack_facts(fl);
	if (!err && fl->hidden_cnt)
		err = flame__fact(fl, "+%s hidden: frames below %.3g %%",
				  wc_units__format_count(cnt, sizeof(cnt), fl->hidden_cnt),
				  root->width ? (double)fl->width_min * 100 / (double)root->width
					      : 0);
	if (!err)
		err = flame__fact(fl, "wakecost %s",
				  fl->r->tool_version ? fl->r->tool_version : "?");
	return err;
}
