// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/memory.h"

#include <math.h>
#include <string.h>

#include "user/util/units.h"

static const char *const level_names[WC_MEM_CNT] = {
	[WC_MEM_L1] = "L1 cache",
	[WC_MEM_L2] = "L2 cache",
	[WC_MEM_LAST] = "last-level cache",
	[WC_MEM_MEMORY] = "memory",
	[WC_MEM_WALK] = "page walk (TLB miss)",
};

static const char *const pattern_names[WC_ACCESS_PATTERN_CNT] = {
	[WC_ACCESS_BYTES] = "bytes",
	[WC_ACCESS_PAGES] = "pages",
};

const char *wc_mem__name(unsigned int level)
{
	return level < WC_MEM_CNT ? level_names[level] : NULL;
}

const char *wc_mem__key(unsigned int level)
{
	static const char *const keys[WC_MEM_CNT] = { "l1", "l2", "last", "memory", "page_walk" };

	return level < WC_MEM_CNT ? keys[level] : NULL;
}

const char *wc_access__pattern_name(unsigned int pattern)
{
	return pattern < WC_ACCESS_PATTERN_CNT ? pattern_names[pattern] : NULL;
}

static uint64_t host_number(const struct wc_result *r, const char *key)
{
	const char *text = wc_kvs__get(&r->host, key);
	uint64_t v = 0;

	return text && !wc_units__parse_unsigned(text, &v) ? v : 0;
}

/* The largest of a series that is not above most; NULL: none. */
static const struct wc_access *largest(const struct wc_result *r, unsigned int pattern, bool huge,
				       uint64_t most)
{
	const struct wc_access *best = NULL;

	for (size_t i = 0; i < r->access_cnt; i++) {
		const struct wc_access *a = &r->accesses[i];

		if (a->pattern == pattern && a->huge == huge && a->bytes <= most &&
		    (!best || a->bytes > best->bytes))
			best = a;
	}
	return best;
}

static void level__fill(struct wc_memory_level *l, const struct wc_access *a)
{
	if (!a)
		return;
	*l = (struct wc_memory_level){ .known = true,
				       .ns = a->ns,
				       .q1 = a->q1,
				       .q3 = a->q3,
				       .bytes = a->bytes,
				       .huge = a->huge };
}

/* One line of each of many pages, less as many lines side by side: the greatest difference. */
static double walk_ns(const struct wc_result *r, bool huge, uint64_t l2, uint64_t *bytes)
{
	double most = NAN;

	for (size_t i = 0; i < r->access_cnt; i++) {
		const struct wc_access *a = &r->accesses[i], *dense;
		uint64_t lines_bytes = a->lines * 64;

		/* beyond that the lines themselves come from further away */
		if (a->pattern != WC_ACCESS_PAGES || a->huge != huge || lines_bytes > l2 / 2)
			continue;
		dense = largest(r, WC_ACCESS_BYTES, huge, lines_bytes);
		if (!dense || dense->bytes != lines_bytes || most >= a->ns - dense->ns)
			continue;
		most = a->ns - dense->ns;
		*bytes = a->bytes;
	}
	return most;
}

bool wc_memory__of(const struct wc_result *r, struct wc_memory *m)
{
	uint64_t l1 = host_number(r, WC_HOST_CACHE_L1), l2 = host_number(r, WC_HOST_CACHE_L2);
	uint64_t last = host_number(r, WC_HOST_CACHE_LAST), bytes = 0;
	bool huge = largest(r, WC_ACCESS_BYTES, true, UINT64_MAX) != NULL;
	double walk;

	memset(m, 0, sizeof(*m));
	m->walk_huge_ns = NAN;
	if (!r->access_cnt)
		return false;
	m->last_cache_bytes = last;
	/* on huge pages where there are any: caches alone, as far as can be */
	level__fill(&m->levels[WC_MEM_MEMORY], largest(r, WC_ACCESS_BYTES, huge, UINT64_MAX));
	m->memory_may_be_cached = last > m->levels[WC_MEM_MEMORY].bytes / 2;
	if (l1)
		level__fill(&m->levels[WC_MEM_L1], largest(r, WC_ACCESS_BYTES, huge, l1 * 3 / 4));
	if (!l2)
		return true;
	level__fill(&m->levels[WC_MEM_L2], largest(r, WC_ACCESS_BYTES, huge, l2 / 2));
	if (last >= 8 * l2)
		level__fill(&m->levels[WC_MEM_LAST], largest(r, WC_ACCESS_BYTES, huge, 4 * l2));
	walk = walk_ns(r, false, l2, &bytes);
	if (walk > 0)
		m->levels[WC_MEM_WALK] =
			(struct wc_memory_level){ .known = true, .ns = walk, .bytes = bytes };
	m->walk_huge_ns = walk_ns(r, true, l2, &bytes);
	return true;
}

double wc_memory__worth(const struct wc_memory *m, unsigned int level, double ns)
{
	double hit = m->levels[WC_MEM_L1].ns, each = m->levels[level].ns;

	if (!m->levels[level].known || !m->levels[WC_MEM_L1].known)
		return NAN;
	if (level != WC_MEM_WALK) /* that is a difference already */
		each -= hit;
	return each > 0 ? ns / each : NAN;
}
