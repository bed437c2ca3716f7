/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One block an interval. Figures first and in us throughout, names last: every column is where it
 * was in the block before, for the eye and for awk.
 */
#include "user/output/interval.h"

#include <errno.h>
#include <string.h>

#include "user/output/grid.h"
#include "user/util/text.h"
#include "user/util/units.h"

#define COLUMN_MIN 7

static void put_us(FILE *f, int width, bool any, double ns)
{
	double us = ns / 1000;

	if (any)
		fprintf(f, " %*.*f", width, us < 99.995 ? 2 : us < 9999.95 ? 1 : 0, us);
	else
		fprintf(f, " %*s", width, "-");
}

static int width_of(const struct wc_interval_stage *st)
{
	int len = (int)strlen(st->name);

	return len > COLUMN_MIN ? len : COLUMN_MIN;
}

static void put_stages(FILE *f, const struct wc_interval *in)
{
	struct wc_interval_stage all[WC_STAGE_CNT + 1];
	size_t cnt = 0;

	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		if (in->stages[i].name && *in->stages[i].name)
			all[cnt++] = in->stages[i];
	all[cnt] = in->total;
	all[cnt++].name = "total";
	fprintf(f, "%s  us ", WC_BOLD(in->colour));
	for (size_t i = 0; i < cnt; i++)
		fprintf(f, " %*s", width_of(&all[i]), all[i].name);
	fprintf(f, "%s\n  p50", WC_PLAIN(in->colour));
	for (size_t i = 0; i < cnt; i++)
		put_us(f, width_of(&all[i]), all[i].count, all[i].p50_ns);
	fputs("\n  p99", f);
	for (size_t i = 0; i < cnt; i++)
		put_us(f, width_of(&all[i]), all[i].count, all[i].p99_ns);
	fputc('\n', f);
}

/* A name of a task is at most 15 bytes; escaped, four times that. */
static void put_task(FILE *f, const char *name, unsigned int tid)
{
	char safe[64];

	wc_text__safe(safe, sizeof(safe), name ? name : "");
	fprintf(f, "%s %u", *safe ? safe : "[unknown]", tid);
}

static void put_pair(FILE *f, const struct wc_interval *in, const struct wc_interval_pair *p)
{
	char part[48] = "-";

	if (p->stage)
		snprintf(part, sizeof(part), "%s %.0f%%", p->stage, p->stage_share * 100);
	fprintf(f, "  %10.0f", in->interval_s > 0 ? (double)p->wakes / in->interval_s : 0);
	put_us(f, 9, p->wakes, p->mean_ns);
	fprintf(f, "  %-18s  ", part);
	if (p->context == WC_CTX_TASK)
		put_task(f, p->waker, p->waker_tid);
	else
		fprintf(f, "[%s]", wc_context__name(p->context));
	fputs(" -> ", f);
	put_task(f, p->wakee, p->wakee_tid);
	fputc('\n', f);
}

int wc_out_interval(FILE *f, const struct wc_interval *in)
{
	char count[WC_UNITS_BUF_SZ];
	double rate = in->interval_s > 0 ? (double)in->wakes / in->interval_s : 0;

	fprintf(f, "%s%8.1f s%s  %10.0f wakes/s", WC_BOLD(in->colour), in->t_s,
		WC_PLAIN(in->colour), rate);
	if (in->lost)
		fprintf(f, "  %slost %s%s", WC_YELLOW(in->colour),
			wc_units__format_count(count, sizeof(count), in->lost),
			WC_PLAIN(in->colour));
	fputc('\n', f);
	put_stages(f, in);
	if (in->pair_cnt)
		fprintf(f, "%s     wakes/s   mean us  most in             waker -> wakee%s\n",
			WC_BOLD(in->colour), WC_PLAIN(in->colour));
	for (size_t i = 0; i < in->pair_cnt && i < WC_INTERVAL_PAIR_MAX; i++)
		put_pair(f, in, &in->pairs[i]);
	fputc('\n', f);
	errno = 0;
	if (fflush(f) || ferror(f))
		return errno ? -errno : -EIO;
	return 0;
}
