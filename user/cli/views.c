// SPDX-License-Identifier: BSD-2-Clause
#include "user/cli/views.h"

#include <errno.h>
#include <string.h>

#include "user/util/log.h"

const char *const wc_view_names[] = { "chain", "wakee", "waker", "stage", NULL };

const char *const wc_metric_names[] = {
	"cost", "wait",	   "blocked", "count",	"find",	  "select",
	"send", "enqueue", "pick",    "switch", "return", NULL,
};

static const unsigned int weighs[] = {
	WC_WEIGH_COST,
	WC_WEIGH_WAIT,
	WC_WEIGH_BLOCKED,
	WC_WEIGH_COUNT,
	WC_WEIGH_STAGE + WC_STAGE_FIND,
	WC_WEIGH_STAGE + WC_STAGE_SELECT,
	WC_WEIGH_STAGE + WC_STAGE_SEND,
	WC_WEIGH_STAGE + WC_STAGE_ENQUEUE,
	WC_WEIGH_STAGE + WC_STAGE_PICK,
	WC_WEIGH_STAGE + WC_STAGE_SWITCH,
	WC_WEIGH_STAGE + WC_STAGE_RETURN,
};
_Static_assert(sizeof(weighs) / sizeof(weighs[0]) + 1 ==
		       sizeof(wc_metric_names) / sizeof(wc_metric_names[0]),
	       "a weight for every metric");

unsigned int wc_metric__weigh(unsigned int choice)
{
	return weighs[choice];
}

static int add_value(void *ctx, const struct wc_path *path)
{
	*(uint64_t *)ctx += path->value;
	return 0;
}

/* The stage that stands for this one, when they were measured as one. */
static const char *merged_into(const struct wc_result *r, const char *metric)
{
	unsigned int i, stage;

	for (stage = 0; stage < WC_STAGE_CNT && strcmp(metric, wc_stage__name(stage)); stage++)
		;
	if (stage == WC_STAGE_CNT || r->stages[stage].status != WC_STATUS_MERGED)
		return NULL;
	for (i = 0; i < stage; i++)
		if (r->stages[i].shown_as &&
		    !strcmp(r->stages[i].shown_as, r->stages[stage].shown_as))
			return wc_stage__name(i);
	return NULL;
}

int wc_view__check(const struct wc_result *r, const char *path, enum wc_view view,
		   unsigned int metric)
{
	const char *name = wc_metric_names[metric], *with;
	uint64_t sum = 0;
	int err;

	if (!r->profile) {
		wc_err("%s was left by `wakecost run` and holds no stacks to draw; `wakecost "
		       "record` leaves what can be drawn",
		       path);
		return -ENODATA;
	}
	err = wc_profile__paths(r->profile, view, wc_metric__weigh(metric), false, add_value, &sum);
	if (err || sum)
		return err;
	with = merged_into(r, name);
	if (with)
		wc_err("%s: this kernel shows %s only together with another stage; --metric %s",
		       path, name, with);
	else
		wc_err("%s: nothing to draw of %s", path, name);
	return -ENODATA;
}
