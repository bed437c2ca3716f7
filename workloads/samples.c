/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fail.h"
#include "limit.h"
#include "run.h"

int samples__create(struct wl_run *run)
{
	size_t sz = run->p.handoffs * sizeof(u64);

	/* Populated now: no page fault may fall between handoffs. */
	run->samples = mmap(NULL, sz, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (run->samples == MAP_FAILED)
		return limit__refused(LIMIT_MMAP, errno, sz, 0, "memory for the handoff times");
	return 0;
}

static int u64__compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* Nearest rank: the smallest value with at least pct % of the samples at or below it. */
static u64 samples__rank(const u64 *sorted, u64 cnt, u64 pct)
{
	u64 rank = (cnt * pct + 99) / 100;

	return sorted[rank ? rank - 1 : 0];
}

void samples__summarize(u64 *samples, u64 cnt, struct wl_quantiles *q)
{
	u64 i;

	memset(q, 0, sizeof(*q));
	if (!cnt)
		return;
	qsort(samples, cnt, sizeof(*samples), u64__compare);
	for (i = 0; i < cnt; i++)
		q->sum += samples[i];
	q->count = cnt;
	q->p50 = samples__rank(samples, cnt, 50);
	q->p90 = samples__rank(samples, cnt, 90);
	q->p95 = samples__rank(samples, cnt, 95);
	q->p99 = samples__rank(samples, cnt, 99);
	q->min = samples[0];
	q->max = samples[cnt - 1];
	q->mean = (double)q->sum / (double)cnt;
}
