/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording as a whole, for Prometheus: no names of tasks, so that series stay few. */
#include <errno.h>
#include <stdlib.h>

#include "user/model/profile_overall.h"
#include "user/output/prom_impl.h"
#include "user/output/record.h"
#include "user/output/summaries.h"

static int put_stages(FILE *f, const struct wc_result *r, const struct wc_overall *o)
{
	struct wc_hist h;

	prom__help(f, "wakecost_wake_stage_seconds", "histogram", "Stages of wakes.");
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		char *labels = NULL;
		size_t len;
		FILE *m;

		if (!o->stages[i].present)
			continue;
		m = open_memstream(&labels, &len);
		if (!m)
			return -ENOMEM;
		fputs("stage=\"", m);
		prom__value(m, o->stages[i].name);
		fputc('"', m);
		if (fclose(m)) {
			free(labels);
			return -ENOMEM;
		}
		wc_overall__pool(r, i, &h);
		prom__hist(f, "wakecost_wake_stage_seconds", labels, &h);
		free(labels);
	}
	return 0;
}

static void put_counts(FILE *f, const struct wc_overall *o)
{
	prom__help(f, "wakecost_wakes_total", "counter", "Wakes by kind.");
	for (unsigned int c = 0; c < WC_CLASS_CNT; c++)
		fprintf(f, "wakecost_wakes_total{kind=\"%s\"} %llu\n", wc_class__name(c),
			(unsigned long long)o->classes[c]);
	prom__help(f, "wakecost_wakers_total", "counter", "Wakes by the context of the waker.");
	for (unsigned int c = 0; c < WC_CTX_CNT; c++)
		fprintf(f, "wakecost_wakers_total{context=\"%s\"} %llu\n", wc_context__name(c),
			(unsigned long long)o->contexts[c]);
}

int wc_out_record_prom(FILE *f, const struct wc_result *r)
{
	struct wc_overall o;
	struct wc_hist h;
	int err;

	if (!r->profile)
		return -ENODATA;
	wc_overall__of(r, &o);
	wc_overall__pool(r, WC_METRIC_TOTAL, &h);
	prom__help(f, "wakecost_wake_seconds", "histogram",
		   "Wakes but timed-out sleeps and first runs, from the waking on.");
	prom__hist(f, "wakecost_wake_seconds", "shape=\"record\"", &h);
	err = put_stages(f, r, &o);
	put_counts(f, &o);
	prom__help(f, "wakecost_window_seconds", "gauge", "Length of the recording.");
	fprintf(f, "wakecost_window_seconds %.9g\n", (double)r->profile->window_ns / 1e9);
	prom__end(f, r, o.counters);
	return err ? err : wc_summaries__finish(f);
}
