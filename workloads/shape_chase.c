/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an access to memory costs here: a chase through pointers in an order that no prefetcher
 * guesses, each address known only when the one before has come. By size of the working set, and
 * with one line of each page, where the pages and not the lines are what is too many.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fail.h"
#include "json.h"
#include "place.h"
#include "proc.h"
#include "registry.h"

#define PAGE_SZ	     4096ull
#define HUGE_SZ	     (2ull << 20)
#define LEAST_BYTES  (16ull << 10)
#define LEAST_PAGES  64u
#define PASS_CNT     21 /* short, so that most of them are disturbed by nobody */
#define PASS_NS	     150000ull
#define BLOCK_CNT    1024u   /* accesses between two looks at the clock */
#define WARM_CNT_MAX 262144u /* a longer chain does not fit into what could be warm */

enum pattern { BY_BYTES, BY_PAGES };

static const char *const pattern_names[] = { "bytes", "pages" };

struct chase {
	char *area; /* HUGE_SZ aligned */
	size_t area_sz;
	bool huge;
	u32 *order; /* scratch for the largest chain */
	u64 rng;
};

struct point {
	enum pattern pattern;
	bool huge;
	u64 bytes, line_cnt;
	double ns[PASS_CNT]; /* an access, ascending */
};

static u64 chase__random(struct chase *c, u64 below)
{
	c->rng ^= c->rng << 13;
	c->rng ^= c->rng >> 7;
	c->rng ^= c->rng << 17;
	return c->rng % below;
}

/* Another line in each page, by no rule, or all pages would want the same few sets of a cache. */
static char *chase__line(const struct chase *c, const struct point *p, u64 i)
{
	if (p->pattern == BY_PAGES)
		return c->area + i * PAGE_SZ +
		       ((u32)i * 2654435761u >> 16) % (PAGE_SZ / LINE_SZ) * LINE_SZ;
	return c->area + i * LINE_SZ;
}

/* One cycle through all of them, each cycle as likely as any other. */
static void chase__link(struct chase *c, const struct point *p)
{
	u64 i, k;
	u32 swap;

	for (i = 0; i < p->line_cnt; i++)
		c->order[i] = (u32)i;
	for (i = p->line_cnt - 1; i > 0; i--) {
		k = chase__random(c, i);
		swap = c->order[i];
		c->order[i] = c->order[k];
		c->order[k] = swap;
	}
	for (i = 0; i < p->line_cnt; i++)
		*(void **)chase__line(c, p, i) = chase__line(c, p, c->order[i]);
}

static void *chase__run(void *at, u64 cnt)
{
	void **p = at;

	for (; cnt >= 8; cnt -= 8) {
		p = *p;
		p = *p;
		p = *p;
		p = *p;
		p = *p;
		p = *p;
		p = *p;
		p = *p;
	}
	compiler__barrier();
	return p;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void chase__measure(struct chase *c, struct point *p)
{
	u64 warm = p->line_cnt < WARM_CNT_MAX ? p->line_cnt + 8 : WARM_CNT_MAX, start, now, cnt;
	void *at;
	int i;

	chase__link(c, p);
	at = chase__run(chase__line(c, p, 0), warm);
	for (i = 0; i < PASS_CNT; i++) {
		cnt = 0;
		start = clock__now_ns();
		do {
			at = chase__run(at, BLOCK_CNT);
			cnt += BLOCK_CNT;
			now = clock__now_ns();
		} while (now - start < PASS_NS);
		p->ns[i] = (double)(now - start) / (double)cnt;
		/* used, so that the loads are made */
		__asm__ __volatile__("" : : "r"(at) : "memory");
	}
	qsort(p->ns, PASS_CNT, sizeof(p->ns[0]), by_value);
}

/* Of a mapping, so many bytes are on huge pages. */
static u64 huge__bytes(const void *area)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	u64 start, end, kib, sum = 0;
	bool inside = false;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2)
			inside = (u64)(uintptr_t)area >= start && (u64)(uintptr_t)area < end;
		else if (inside && sscanf(line, "AnonHugePages: %" SCNu64 " kB", &kib) == 1)
			sum = kib << 10;
	}
	if (f)
		fclose(f);
	return sum;
}

/* False, and nothing kept, where the pages wanted are not to be had. */
static bool chase__map(struct chase *c, bool huge)
{
	size_t sz = c->area_sz + HUGE_SZ;
	char *map = mmap(NULL, sz, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t aligned = ((uintptr_t)map + HUGE_SZ - 1) / HUGE_SZ * HUGE_SZ;

	if (map == MAP_FAILED)
		return false;
	/* what is left over at the ends never becomes memory */
	c->area = (char *)aligned;
	c->huge = huge;
	madvise(map, sz, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	memset(c->area, 1, c->area_sz);
	if (huge && huge__bytes(c->area) < c->area_sz) {
		munmap(map, sz);
		return false;
	}
	return true;
}

static void print__point(struct json *j, const struct point *p)
{
	json__open_object(j, NULL);
	json__string(j, "pattern", pattern_names[p->pattern]);
	json__bool(j, "huge_pages", p->huge);
	json__u64(j, "bytes", p->bytes);
	json__u64(j, "lines", p->line_cnt);
	json__real(j, "ns", p->ns[PASS_CNT / 2]);
	json__real(j, "ns_q1", p->ns[PASS_CNT / 4]);
	json__real(j, "ns_q3", p->ns[PASS_CNT - 1 - PASS_CNT / 4]);
	json__close_object(j);
}

static void chase__series(struct chase *c, struct json *j)
{
	struct point p = { .huge = c->huge };
	u64 pages;

	p.pattern = BY_BYTES;
	for (p.bytes = LEAST_BYTES; p.bytes <= c->area_sz; p.bytes *= 2) {
		p.line_cnt = p.bytes / LINE_SZ;
		chase__measure(c, &p);
		print__point(j, &p);
	}
	p.pattern = BY_PAGES;
	for (pages = LEAST_PAGES; pages * PAGE_SZ <= c->area_sz; pages *= 2) {
		p.bytes = pages * PAGE_SZ;
		p.line_cnt = pages;
		chase__measure(c, &p);
		print__point(j, &p);
	}
}

static void print__cache(struct json *j, const char *key, int name)
{
	long sz = sysconf(name);

	if (sz > 0)
		json__u64(j, key, (u64)sz);
	else
		json__null(j, key);
}

/* Where the pair of a handoff runs too. */
static int chase__pin(void)
{
	cpu_set_t set;
	int cpu, last = -1;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -1;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &set))
			last = cpu;
	}
	return last >= 0 && !place__pin(last) ? last : -1;
}

/* A quarter of what is free, at most: measuring memory must not use it up. */
static size_t chase__reach(u64 wanted)
{
	u64 free_bytes = (u64)sysconf(_SC_AVPHYS_PAGES) * PAGE_SZ, sz = LEAST_BYTES;

	while (sz * 2 <= wanted && sz * 2 <= free_bytes / 4)
		sz *= 2;
	return sz;
}

static int chase__alone(struct wl_run *run)
{
	struct chase c = { .rng = 88172645463325252ull, .area_sz = chase__reach(run->p.reach) };
	int cpu = chase__pin(), huge;
	bool have[2];
	struct json j;

	c.order = malloc(c.area_sz / LINE_SZ * sizeof(*c.order));
	if (!c.order)
		return fail__set(ENOMEM, "memory",
				 "no memory for a chase of %zu bytes; use a "
				 "smaller reach",
				 c.area_sz);
	json__begin(&j, stdout);
	json__open_object(&j, NULL);
	json__string(&j, "schema", "wakecost.chase/1");
	json__u64(&j, "reach_bytes", c.area_sz);
	if (cpu >= 0)
		json__u64(&j, "cpu", (u64)cpu);
	else
		json__null(&j, "cpu");
	json__open_object(&j, "cache_bytes");
	print__cache(&j, "l1d", _SC_LEVEL1_DCACHE_SIZE);
	print__cache(&j, "l2", _SC_LEVEL2_CACHE_SIZE);
	print__cache(&j, "l3", _SC_LEVEL3_CACHE_SIZE);
	json__close_object(&j);
	json__open_array(&j, "points");
	for (huge = 0; huge < 2; huge++) {
		have[huge] = chase__map(&c, huge);
		if (!have[huge])
			continue;
		chase__series(&c, &j);
		munmap(c.area, c.area_sz);
	}
	json__close_array(&j);
	json__bool(&j, "huge_pages_given", have[1]);
	json__close_object(&j);
	free(c.order);
	if (!have[0])
		return fail__set(ENOMEM, "memory", "cannot map %zu bytes; use a smaller reach",
				 c.area_sz);
	return json__finish(&j);
}

const struct wl_shape shape_chase = {
	.name = "chase",
	.help = "no handoff: what an access to memory costs, by working set and by pages",
	.alone = chase__alone,
};
