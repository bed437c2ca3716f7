// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/running.h"
#include "user/util/units.h"

const char *wc_whatif__name(unsigned int metric)
{
	static const char *const names[WC_WHATIF_CNT] = { "find p50", "wake p50", "wakes/s" };

	return metric < WC_WHATIF_CNT ? names[metric] : NULL;
}

static double value(const struct wc_trial *t, unsigned int metric)
{
	return metric == WC_WHATIF_FIND	  ? t->find_p50_ns
	       : metric == WC_WHATIF_WAKE ? t->wake_p50_ns
					  : t->wakes_per_s;
}

static void fill_metric(const struct wc_trial *without, const struct wc_trial *with,
			struct wc_series *s, unsigned int metric, struct wc_whatif *out)
{
	size_t i;

	for (i = 0; i < s->cnt; i++)
		s->v[i] = value(&without[i], metric);
	wc_effect__of(s, &out->before[metric]);
	for (i = 0; i < s->cnt; i++)
		s->v[i] = value(&with[i], metric);
	wc_effect__of(s, &out->after[metric]);
	for (i = 0; i < s->cnt; i++)
		s->v[i] = value(&with[i], metric) - value(&without[i], metric);
	wc_effect__of(s, &out->change[metric]);
}

/* What all of them said; 0 where one did not, or another. */
static unsigned int agreed_slots(const struct wc_trial *trials, size_t cnt)
{
	size_t i;

	for (i = 1; i < cnt; i++) {
		if (trials[i].slots != trials[0].slots)
			return 0;
	}
	return cnt ? trials[0].slots : 0;
}

static void conclude(struct wc_whatif *w)
{
	const struct wc_effect *wake = &w->change[WC_WHATIF_WAKE];
	double before = w->before[WC_WHATIF_WAKE].ns, after = w->after[WC_WHATIF_WAKE].ns;
	char b[WC_UNITS_BUF_SZ], a[WC_UNITS_BUF_SZ];
	char too_few[96];
	const char *sure = "";

	snprintf(too_few, sizeof(too_few),
		 " Rounds are too few to say how sure that is: --rounds %d.", WC_EFFECT_ROUNDS_MIN);
	if (wake->has_ci && !wc_effect__is_real(wake)) {
		snprintf(
			w->verdict, sizeof(w->verdict),
			"%u slots make no difference that these %u rounds show: %s a wake without, "
			"%s with.",
			w->slots_asked, w->rounds, wc_units__format_ns(b, sizeof(b), before),
			wc_units__format_ns(a, sizeof(a), after));
		return;
	}
	if (!wake->has_ci)
		sure = too_few;
	snprintf(w->verdict, sizeof(w->verdict),
		 "With %u slots a wake takes %s instead of %s (p50, %.3g times), and %.3g times as "
		 "many are made a second.%s",
		 w->slots_asked, wc_units__format_ns(a, sizeof(a), after),
		 wc_units__format_ns(b, sizeof(b), before), before > 0 ? after / before : 0,
		 w->before[WC_WHATIF_RATE].ns > 0
			 ? w->after[WC_WHATIF_RATE].ns / w->before[WC_WHATIF_RATE].ns
			 : 0,
		 sure);
}

int wc_whatif__of(const struct wc_trial *without, const struct wc_trial *with, size_t cnt,
		  unsigned int slots_asked, struct wc_whatif *out)
{
	struct wc_series s = { .v = calloc(cnt + 1, sizeof(double)), .cnt = cnt };
	unsigned int m;

	memset(out, 0, sizeof(*out));
	if (!s.v)
		return -ENOMEM;
	out->rounds = (unsigned int)cnt;
	out->slots_asked = slots_asked;
	out->slots_before = agreed_slots(without, cnt);
	out->slots_after = agreed_slots(with, cnt);
	for (m = 0; m < WC_WHATIF_CNT; m++)
		fill_metric(without, with, &s, m, out);
	wc_series__free(&s);
	conclude(out);
	return 0;
}
