/* SPDX-License-Identifier: BSD-2-Clause */
/* One row a cell and stage, quoted as RFC 4180 has it; docs/export.md. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/csv_impl.h"
#include "user/output/output.h"
#include "user/output/record.h"
#include "user/output/summaries.h"
#include "user/util/text.h"

void csv__text(FILE *f, const char *text)
{
	char safe[1024];

	wc_text__safe(safe, sizeof(safe), text ? text : "");
	if (!strpbrk(safe, ",\"\r\n")) {
		fputs(safe, f);
		return;
	}
	fputc('"', f);
	for (const char *p = safe; *p; p++) {
		if (*p == '"')
			fputc('"', f);
		fputc(*p, f);
	}
	fputc('"', f);
}

/* Parameters of every cell, each once: the first cell may lack what the others have. */
static int collect_keys(const struct wc_result *r, struct wc_kvs *keys)
{
	int err = 0;

	for (size_t i = 0; i < r->cell_cnt && !err; i++)
		for (size_t k = 0; k < r->cells[i].params.cnt && !err; k++)
			err = wc_kvs__set(keys, r->cells[i].params.items[k].key, "");
	return err;
}

static void begin_row(FILE *f, const struct wc_result *r, const struct wc_kvs *keys, size_t cell,
		      unsigned int rounds)
{
	fprintf(f, "%zu", cell);
	for (size_t k = 0; k < keys->cnt; k++) {
		fputc(',', f);
		csv__text(f, wc_kvs__get(&r->cells[cell].params, keys->items[k].key));
	}
	fprintf(f, ",%u,", rounds);
}

void csv__ns(FILE *f, bool any, double ns)
{
	if (any)
		fprintf(f, ",%.1f", ns);
	else
		fputc(',', f);
}

void csv__share(FILE *f, bool any, double share)
{
	if (any)
		fprintf(f, ",%.5f\n", share);
	else
		fputs(",\n", f);
}

static void put_dist(FILE *f, const char *what, const char *status, const struct wc_dist_summary *d)
{
	fprintf(f, "%s,%s,%llu", what, status, (unsigned long long)d->count);
	csv__ns(f, d->p50_ns.n, d->p50_ns.median);
	csv__ns(f, d->p50_ns.has_ci, d->p50_ns.lo);
	csv__ns(f, d->p50_ns.has_ci, d->p50_ns.hi);
	csv__ns(f, d->p99_ns.n, d->p99_ns.median);
	csv__ns(f, d->count, d->total_mean_ns);
}

static void put_stage(FILE *f, const struct wc_stage_summary *st)
{
	csv__text(f, st->name);
	fprintf(f, ",%s,%llu", wc_status__name(st->status), (unsigned long long)st->count);
	csv__ns(f, st->p50_ns.n, st->p50_ns.median);
	csv__ns(f, st->p50_ns.has_ci, st->p50_ns.lo);
	csv__ns(f, st->p50_ns.has_ci, st->p50_ns.hi);
	csv__ns(f, st->p99_ns.n, st->p99_ns.median);
	csv__ns(f, true, st->mean_ns);
	csv__share(f, true, st->share);
}

static void put_cell(FILE *f, const struct wc_result *r, const struct wc_kvs *keys, size_t cell,
		     const struct wc_cell_summary *s)
{
	begin_row(f, r, keys, cell, s->rounds);
	put_dist(f, "handoff", s->slept_cnt ? "probes" : "workload", wc_cell_summary__handoff(s));
	csv__share(f, s->slept_cnt, 1);
	begin_row(f, r, keys, cell, s->rounds);
	put_dist(f, "all", "workload", &s->all);
	csv__share(f, false, 0);
	begin_row(f, r, keys, cell, s->rounds);
	put_dist(f, "bare", "workload", &s->bare);
	csv__share(f, false, 0);
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		if (!s->stages[i].present)
			continue;
		begin_row(f, r, keys, cell, s->rounds);
		put_stage(f, &s->stages[i]);
	}
	if (!s->slept_cnt)
		return;
	begin_row(f, r, keys, cell, s->rounds);
	fprintf(f, "unattributed,exact,%llu,,,,", (unsigned long long)s->slept_cnt);
	csv__ns(f, true, s->unattributed_mean_ns);
	csv__share(f, true, s->unattributed_share);
}

/* ---- work: one row a cell and figure, each in its own unit ---- */

static void put_figure(FILE *f, const struct wc_figure *fig)
{
	if (fig->n)
		fprintf(f, ",%.9g", fig->median);
	else
		fputc(',', f);
	if (fig->has_ci)
		fprintf(f, ",%.9g,%.9g", fig->lo, fig->hi);
	else
		fputs(",,", f);
}

static void put_row(FILE *f, const char *name, const char *unit, const struct wc_figure *probed,
		    const struct wc_figure *bare)
{
	csv__text(f, name);
	fputc(',', f);
	csv__text(f, unit);
	put_figure(f, probed);
	put_figure(f, bare);
	fputc('\n', f);
}

static void put_work_cell(FILE *f, const struct wc_result *r, const struct wc_kvs *keys,
			  size_t cell, const struct wc_cell_summary *s)
{
	const struct wc_figure none = { 0 };

	for (size_t i = 0; i < r->gauge_cnt; i++) {
		struct wc_figure probed = wc_cell__gauge(&r->cells[cell], i, true);
		struct wc_figure bare = wc_cell__gauge(&r->cells[cell], i, false);

		begin_row(f, r, keys, cell, s->rounds);
		put_row(f, r->gauges[i].name, r->gauges[i].unit, &probed, &bare);
	}
	begin_row(f, r, keys, cell, s->rounds);
	put_row(f, "wakes_per_work", "1", &s->wakes_per_work, &none);
	begin_row(f, r, keys, cell, s->rounds);
	put_row(f, "timed_wakes_per_work", "1", &s->timed_per_work, &none);
	begin_row(f, r, keys, cell, s->rounds);
	put_row(f, "wake", "ns", &s->handoff.p50_ns, &none);
	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		if (!s->stages[i].present)
			continue;
		begin_row(f, r, keys, cell, s->rounds);
		put_row(f, s->stages[i].name, "ns", &s->stages[i].p50_ns, &none);
	}
}

int wc_out_csv(FILE *f, const struct wc_result *r)
{
	struct wc_cell_summary *s;
	struct wc_kvs keys = { 0 };
	int err;

	if (r->profile)
		return wc_out_record_csv(f, r);
	s = wc_summaries__of(r);
	err = s ? collect_keys(r, &keys) : -ENOMEM;
	if (!err) {
		fputs("cell", f);
		for (size_t i = 0; i < keys.cnt; i++) {
			fputc(',', f);
			csv__text(f, keys.items[i].key);
		}
		fputs(r->work ? ",rounds,figure,unit,median,lo,hi,bare_median,bare_lo,bare_hi\n"
			      : ",rounds,stage,status,count,p50_ns,p50_lo_ns,p50_hi_ns,p99_ns,"
				"mean_ns,share\n",
		      f);
		for (size_t i = 0; i < r->cell_cnt; i++)
			(r->work ? put_work_cell : put_cell)(f, r, &keys, i, &s[i]);
		err = wc_summaries__finish(f);
	}
	wc_kvs__free(&keys);
	free(s);
	return err;
}
