/* SPDX-License-Identifier: BSD-2-Clause */
/* One row a pair and stage, its whole first; docs/export.md. */
#include <errno.h>

#include "user/model/phist.h"
#include "user/model/profile_summary.h"
#include "user/output/csv_impl.h"
#include "user/output/record.h"
#include "user/output/summaries.h"

static void put_task(FILE *f, const struct wc_profile *p, uint32_t task)
{
	const struct wc_task *t = task < p->task_cnt ? &p->tasks[task] : NULL;

	if (t) {
		fprintf(f, "%u,%u,", t->tid, t->tgid);
		csv__text(f, t->comm);
		fputc(',', f);
		csv__text(f, t->process);
	} else {
		fputs(",,,", f);
	}
}

static void put_stage(FILE *f, const struct wc_profile *p, size_t edge, unsigned int metric,
		      const char *name)
{
	const struct wc_edge *e = &p->edges[edge];
	const struct wc_sum *sum = metric == WC_METRIC_TOTAL ? &e->total : &e->stages[metric];
	double wakes = e->total.count ? (double)e->total.count : 1;
	struct wc_pooled pooled = { 0 };

	wc_pooled__add(&pooled, e->hists[metric]);
	fprintf(f, "%zu,%s,", edge, wc_context__name(e->context));
	put_task(f, p, e->context == WC_CTX_TASK ? e->waker : WC_NONE);
	fputc(',', f);
	put_task(f, p, e->wakee);
	fprintf(f, ",%llu,", (unsigned long long)wc_edge__wakes(e));
	csv__text(f, name);
	fprintf(f, ",%llu", sum->count);
	csv__ns(f, pooled.count, wc_pooled__quantile(&pooled, 0.50));
	csv__ns(f, pooled.count, wc_pooled__quantile(&pooled, 0.99));
	csv__ns(f, true, (double)sum->sum / wakes);
	csv__share(f, e->total.sum, e->total.sum ? (double)sum->sum / (double)e->total.sum : 0);
}

int wc_out_record_csv(FILE *f, const struct wc_result *r)
{
	const struct wc_profile *p = r->profile;

	if (!p)
		return -ENODATA;
	fputs("pair,waker_context,waker_tid,waker_pid,waker,waker_process,wakee_tid,wakee_pid,"
	      "wakee,wakee_process,wakes,stage,count,p50_ns,p99_ns,mean_ns,share\n",
	      f);
	for (size_t i = 0; i < p->edge_cnt; i++) {
		if (!wc_edge__wakes(&p->edges[i]))
			continue;
		put_stage(f, p, i, WC_METRIC_TOTAL, "total");
		for (unsigned int k = 0; k < WC_STAGE_CNT; k++) {
			const char *shown = r->stages[k].shown_as;

			if (p->edges[i].stages[k].count)
				put_stage(f, p, i, k, shown && *shown ? shown : wc_stage__name(k));
		}
	}
	return wc_summaries__finish(f);
}
