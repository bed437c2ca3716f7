// SPDX-License-Identifier: BSD-2-Clause
/* Threads asleep on futexes, by the slot each falls into. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/model/profile_summary.h"
#include "user/model/running.h"

#define HASH_START 0xdeadbeefu

const char *wc_sleep__name(unsigned int how)
{
	static const char *const names[WC_SLEEP_CNT] = {
		"running", "private futex", "shared futex", "poll", "timed", "other", "unread",
	};

	return how < WC_SLEEP_CNT ? names[how] : NULL;
}

const char *wc_slots_basis__name(unsigned int basis)
{
	static const char *const names[] = { "unknown", "rule", "told", "global" };

	return basis < sizeof(names) / sizeof(names[0]) ? names[basis] : NULL;
}

static uint32_t turned(uint32_t word, unsigned int bits)
{
	return word << bits | word >> (32 - bits);
}

/*
 * Since 6.17: jhash2 of the two words of the page address, the offset in the page as its start
 * value. Little endian; the low word first there, the high word first elsewhere.
 */
unsigned int wc_futex__slot(uint64_t addr, unsigned int slots, uint64_t page_sz)
{
	static const unsigned char turns[] = { 14, 11, 25, 16, 4, 14, 24 };
	uint64_t offset = addr & (page_sz - 1), page = addr - offset;
	uint32_t start = HASH_START + (2u << 2) + (uint32_t)offset, words[2], v[3];
	const uint32_t one = 1;
	unsigned int i, big = !*(const unsigned char *)&one;

	if (!slots)
		return 0;
	words[big] = (uint32_t)page;
	words[!big] = (uint32_t)(page >> 32);
	v[0] = start + words[0]; /* a, b, c: each of c, a, b in turn takes its left neighbour in */
	v[1] = start + words[1];
	v[2] = start;
	for (i = 0; i < sizeof(turns); i++) {
		unsigned int to = (i + 2) % 3, from = (i + 1) % 3;

		v[to] = (v[to] ^ v[from]) - turned(v[from], turns[i]);
	}
	return v[2] & (slots - 1);
}

static int compare_tids(const void *a, const void *b)
{
	const struct wc_sleeper *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static const struct wc_sleeper *find(const struct wc_sleeper *sorted, size_t cnt, uint32_t tid)
{
	const struct wc_sleeper key = { .tid = tid };

	return bsearch(&key, sorted, cnt, sizeof(*sorted), compare_tids);
}

/* Who is woken matters, not who sleeps for good. */
static void weigh(const struct wc_sleeper *sorted, size_t cnt, const uint32_t *chains,
		  unsigned int slots, const struct wc_profile *p, struct wc_chains *out)
{
	uint64_t page_sz = (uint64_t)sysconf(_SC_PAGESIZE), all = 0, seen = 0;
	double sum = 0;
	size_t i;

	for (i = 0; i < p->edge_cnt; i++) {
		const struct wc_edge *e = &p->edges[i];
		const struct wc_task *t = e->wakee < p->task_cnt ? &p->tasks[e->wakee] : NULL;
		const struct wc_sleeper *s;
		uint64_t wakes = wc_edge__wakes(e);

		if (!t || !wakes)
			continue;
		all += wakes;
		s = find(sorted, cnt, t->tid);
		if (!s && t->ns_tid)
			s = find(sorted, cnt, t->ns_tid);
		if (!s || s->how != WC_SLEEP_PRIVATE)
			continue;
		seen += wakes;
		sum += (double)wakes * (chains[wc_futex__slot(s->addr, slots, page_sz)] - 1);
	}
	out->ahead = seen ? sum / (double)seen : 0;
	out->ahead_share = all ? (double)seen / (double)all : 0;
}

int wc_chains__of(const struct wc_look *look, unsigned int slots, enum wc_slots_basis basis,
		  const struct wc_profile *p, struct wc_chains *out)
{
	bool own = slots && (basis == WC_SLOTS_RULE || basis == WC_SLOTS_TOLD);
	uint64_t page_sz = (uint64_t)sysconf(_SC_PAGESIZE);
	struct wc_sleeper *sorted;
	uint32_t *chains;
	size_t i;

	memset(out, 0, sizeof(*out));
	sorted = calloc(look->cnt + 1, sizeof(*sorted));
	chains = calloc(own ? slots : 1, sizeof(*chains));
	if (!sorted || !chains) {
		free(sorted);
		free(chains);
		return -ENOMEM;
	}
	out->thread_cnt = look->cnt;
	for (i = 0; i < look->cnt; i++) {
		const struct wc_sleeper *s = &look->items[i];

		sorted[i] = *s;
		out->by_sleep[s->how]++;
		if (own && s->how == WC_SLEEP_PRIVATE) {
			uint32_t len = ++chains[wc_futex__slot(s->addr, slots, page_sz)];

			out->longest = len > out->longest ? len : out->longest;
		}
	}
	if (slots)
		out->mean = (double)out->by_sleep[WC_SLEEP_PRIVATE] / slots;
	if (look->cnt)
		qsort(sorted, look->cnt, sizeof(*sorted), compare_tids);
	if (own && p)
		weigh(sorted, look->cnt, chains, slots, p, out);
	free(sorted);
	free(chains);
	return 0;
}
