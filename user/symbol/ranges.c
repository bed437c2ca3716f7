// SPDX-License-Identifier: BSD-2-Clause
/*
 * The ranges' ends cut the addresses into pieces; from the highest rank down each range takes the
 * pieces that are still free. next[] leads over the taken ones, shortened on the way.
 */
#include <errno.h>
#include <stdlib.h>

#include "user/symbol/ranges.h"

#define NOBODY UINT32_MAX

int wc_ranges__add(struct wc_ranges *r, uint64_t start, uint64_t end, uint64_t rank, uint32_t value)
{
	struct wc_range *bigger;
	size_t cap;

	free(r->pieces);
	r->pieces = NULL;
	r->piece_cnt = 0;
	if (start >= end)
		return 0;
	if (r->cnt == r->cap) {
		cap = r->cap ? r->cap * 2 : 64;
		if (cap >= NOBODY / 4)
			return -ENOMEM;
		bigger = reallocarray(r->ranges, cap, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		r->ranges = bigger;
		r->cap = cap;
	}
	r->ranges[r->cnt++] = (struct wc_range){ start, end, rank, value };
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

struct ranked {
	uint64_t rank;
	uint32_t range;
};

/* The highest first, of equals the last added. */
static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return x->range > y->range ? -1 : 1;
}

static size_t cuts_of(const struct wc_ranges *r, uint64_t *cuts)
{
	size_t i, cnt = 0;

	for (i = 0; i < r->cnt; i++) {
		cuts[2 * i] = r->ranges[i].start;
		cuts[2 * i + 1] = r->ranges[i].end;
	}
	qsort(cuts, 2 * r->cnt, sizeof(*cuts), by_address);
	for (i = 0; i < 2 * r->cnt; i++) {
		if (!cnt || cuts[cnt - 1] != cuts[i])
			cuts[cnt++] = cuts[i];
	}
	return cnt;
}

/* The last cut that is not above at, which is not below the first. */
static size_t cut_at(const uint64_t *cuts, size_t cnt, uint64_t at)
{
	size_t lo = 0, hi = cnt, mid;

	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (cuts[mid] <= at)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static uint32_t first_free(uint32_t *next, uint32_t at)
{
	while (next[at] != at) {
		next[at] = next[next[at]];
		at = next[at];
	}
	return at;
}

static void take_pieces(const struct wc_ranges *r, const struct ranked *order, const uint64_t *cuts,
			size_t cut_cnt, uint32_t *next, uint32_t *owner)
{
	size_t i;
	uint32_t at, end;

	for (i = 0; i < cut_cnt; i++) {
		next[i] = (uint32_t)i;
		owner[i] = NOBODY;
	}
	for (i = 0; i < r->cnt; i++) {
		const struct wc_range *range = &r->ranges[order[i].range];

		at = (uint32_t)cut_at(cuts, cut_cnt, range->start);
		end = (uint32_t)cut_at(cuts, cut_cnt, range->end);
		for (at = first_free(next, at); at < end; at = first_free(next, at)) {
			owner[at] = order[i].range;
			next[at] = at + 1;
		}
	}
}

static int gather(struct wc_ranges *r, const uint64_t *cuts, size_t cut_cnt, const uint32_t *owner)
{
	size_t i;

	r->pieces = calloc(cut_cnt + 1, sizeof(*r->pieces));
	if (!r->pieces)
		return -ENOMEM;
	for (i = 0; i + 1 < cut_cnt; i++) {
		struct wc_piece *last = r->piece_cnt ? &r->pieces[r->piece_cnt - 1] : NULL;

		if (owner[i] == NOBODY)
			continue;
		if (last && last->range == owner[i] && last->end == cuts[i])
			last->end = cuts[i + 1];
		else
			r->pieces[r->piece_cnt++] =
				(struct wc_piece){ cuts[i], cuts[i + 1], owner[i] };
	}
	return 0;
}

int wc_ranges__build(struct wc_ranges *r)
{
	size_t n = r->cnt, i, cut_cnt;
	uint64_t *cuts = calloc(2 * n + 1, sizeof(*cuts));
	struct ranked *order = calloc(n + 1, sizeof(*order));
	uint32_t *next = calloc(2 * n + 1, sizeof(*next));
	uint32_t *owner = calloc(2 * n + 1, sizeof(*owner));
	int err = -ENOMEM;

	free(r->pieces);
	r->pieces = NULL;
	r->piece_cnt = 0;
	if (cuts && order && next && owner) {
		cut_cnt = cuts_of(r, cuts);
		for (i = 0; i < n; i++)
			order[i] = (struct ranked){ r->ranges[i].rank, (uint32_t)i };
		qsort(order, n, sizeof(*order), by_rank);
		take_pieces(r, order, cuts, cut_cnt, next, owner);
		err = gather(r, cuts, cut_cnt, owner);
	}
	free(cuts);
	free(order);
	free(next);
	free(owner);
	return err;
}

const struct wc_range *wc_ranges__find(const struct wc_ranges *r, uint64_t at)
{
	size_t lo = 0, hi = r->piece_cnt, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (at >= r->pieces[mid].end)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == r->piece_cnt || at < r->pieces[lo].start)
		return NULL;
	return &r->ranges[r->pieces[lo].range];
}

void wc_ranges__clear(struct wc_ranges *r)
{
	free(r->ranges);
	free(r->pieces);
	*r = (struct wc_ranges){ 0 };
}
