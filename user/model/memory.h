/* SPDX-License-Identifier: BSD-2-Clause */
/* What an access to memory costs on the machine that measured: levels, from a chase's points. */
#ifndef WC_MODEL_MEMORY_H
#define WC_MODEL_MEMORY_H

#include "user/model/result.h"

enum wc_level_of {
	WC_MEM_L1 = 0,
	WC_MEM_L2 = 1,
	WC_MEM_LAST = 2,   /* a working set of four times the L2 */
	WC_MEM_MEMORY = 3, /* the largest that was measured */
	WC_MEM_WALK = 4,   /* what an access costs more, for a page that no TLB holds */
	WC_MEM_CNT = 5,
};

const char *wc_mem__name(unsigned int level); /* "last-level cache" */
const char *wc_mem__key(unsigned int level);  /* "last" */

struct wc_memory_level {
	bool known;
	double ns, q1, q3; /* an access; of WC_MEM_WALK the difference, without quartiles: 0 */
	uint64_t bytes;	   /* working set it was measured with; of WC_MEM_WALK, touched pages' */
	bool huge;	   /* on huge pages */
};

struct wc_memory {
	struct wc_memory_level levels[WC_MEM_CNT];
	double walk_huge_ns; /* the same on huge pages; NAN: not measured */
	/* the reported last cache is larger than half the largest working set */
	bool memory_may_be_cached;
	uint64_t last_cache_bytes; /* as reported; 0: not */
};

/* Keys of wc_result.host that say what caches are reported. */
#define WC_HOST_CACHE_L1   "cache_l1d_bytes"
#define WC_HOST_CACHE_L2   "cache_l2_bytes"
#define WC_HOST_CACHE_LAST "cache_l3_bytes"

const char *wc_access__pattern_name(unsigned int pattern); /* "bytes"; NULL beyond the end */

/* False: r holds no such points. */
bool wc_memory__of(const struct wc_result *r, struct wc_memory *m);
/* How many accesses that miss to this level, instead of hitting the L1, make ns; NAN: not known. */
double wc_memory__worth(const struct wc_memory *m, unsigned int level, double ns);

#endif
