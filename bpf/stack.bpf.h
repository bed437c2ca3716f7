/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Stacks, each kept once. bpf_get_stackid() loses exactly the hot ones of a herd (two that fall
 * into one bucket cannot both stay); here a slot is found by a 64-bit hash, compared word by word,
 * and another is tried when it differs. What finds no place is counted.
 */
#ifndef WAKECOST_STACK_BPF_H
#define WAKECOST_STACK_BPF_H

#include "bpf/state.bpf.h"

#define WC_STACK_PROBE_CNT 8

/* One at sched_waking and one in the wakee: the first may interrupt the second, not itself. */
enum wc_stack_site {
	WC_SITE_WAKER = 0,
	WC_SITE_WAKEE = 1,
	WC_SITE_CNT = 2,
};

struct wc_stack_scratch {
	u64 ips[WC_STACK_DEPTH + 1];
	/* of a walk: unwind.bpf.h */
	u64 sp, bp, space;
	u64 jumped;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WC_SITE_CNT);
	__type(key, u32);
	__type(value, struct wc_stack_scratch);
} stack_scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* cfg_stack_mask + 1 */
	__type(key, u32);
	__type(value, struct wc_stack_slot);
} stacks SEC(".maps");

static __always_inline u64 stack__hash(const struct wc_stack_scratch *from, u32 cnt)
{
	u64 h = 0xcbf29ce484222325ull ^ cnt;
	u32 i;

	for (i = 0; i < WC_STACK_DEPTH; i++) {
		if (i >= cnt)
			break;
		h = (h ^ from->ips[i]) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	return h ?: 1;
}

/*
 * A function of its own, so that the verifier follows its loop once and not for every try: with
 * both in one it walked 800 000 instructions, and a million are its limit.
 */
__noinline int stack__same(u32 idx, u32 site, u32 cnt)
{
	struct wc_stack_scratch *from = bpf_map_lookup_elem(&stack_scratch, &site);
	struct wc_stack_slot *slot = bpf_map_lookup_elem(&stacks, &idx);
	u32 i;

	if (!from || !slot)
		return 0;
	if (!*(volatile u32 *)&slot->ready) /* being written this moment, with this very hash */
		return 1;
	if (slot->cnt != cnt)
		return 0;
	for (i = 0; i < WC_STACK_DEPTH; i++) {
		if (i >= cnt)
			break;
		if (slot->ips[i] != from->ips[i])
			return 0;
	}
	return 1;
}

/* The id of what lies in the scratch of this site. */
__noinline u32 stack__intern(u32 site, u32 cnt)
{
	struct wc_stack_scratch *from = bpf_map_lookup_elem(&stack_scratch, &site);
	struct wc_cpu *c = cpu__this();
	struct wc_stack_slot *slot;
	u32 i, at, idx;
	u64 h, sz;

	if (!from || !c || !cnt || cnt > WC_STACK_DEPTH)
		return 0;
	h = stack__hash(from, cnt);
	at = (u32)(h >> 32);
	sz = cnt;
	WC_OPAQUE(sz);
	sz = (sz & WC_STACK_DEPTH) * sizeof(u64);
	for (i = 0; i < WC_STACK_PROBE_CNT; i++) {
		idx = (at + i) & cfg_stack_mask;
		slot = bpf_map_lookup_elem(&stacks, &idx);
		if (!slot)
			break;
		if (!slot->hash && !__sync_val_compare_and_swap(&slot->hash, 0, h)) {
			bpf_probe_read_kernel(slot->ips, sz, from->ips);
			slot->cnt = cnt;
			*(volatile u32 *)&slot->ready = 1;
			return idx + 1;
		}
		if (slot->hash == h && stack__same(idx, site, cnt))
			return idx + 1;
	}
	c->counters[WC_CNT_STACK_FULL]++;
	return WC_STACK_LOST;
}

/* The running task's stack, from here. 0: it has none (user side of a kernel thread). */
static __always_inline u32 stack__take(void *ctx, struct wc_cpu *c, u32 site, u64 flags)
{
	struct wc_stack_scratch *to = bpf_map_lookup_elem(&stack_scratch, &site);
	long sz;

	if (!to)
		return WC_STACK_LOST;
	sz = bpf_get_stack(ctx, to->ips, WC_STACK_DEPTH * sizeof(u64), flags);
	if (sz < 0) {
		if (flags & BPF_F_USER_STACK && sz == -14) /* EFAULT: no user side, or unreadable */
			return 0;
		c->counters[WC_CNT_STACK_FAILED]++;
		return WC_STACK_LOST;
	}
	if (!sz)
		return 0;
	return stack__intern(site, (u32)sz / sizeof(u64));
}

#endif
