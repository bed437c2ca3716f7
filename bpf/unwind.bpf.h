/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * User stacks, walked here and not by the kernel, which can follow nothing but frame pointers.
 * Where code has none, a hint says how its frame is left: the user side finds it in the file's own
 * unwind tables. It is asked once for each address that a walk meets, so what the tables of all
 * programs hold need not be read, only what is slept in and woken from.
 *
 * A hint that is wrong costs a stack that ends too early: nothing is read but user memory, upwards.
 */
#ifndef WAKECOST_UNWIND_BPF_H
#define WAKECOST_UNWIND_BPF_H

#include "bpf/stack.bpf.h"

#define WC_UNWIND_DEPTH	    (WC_STACK_DEPTH - 1) /* and the mark of its end */
#define WC_UNWIND_NONE	    0xffffffffu		 /* not walked: it is the kernel's to do */
#define WC_UNWIND_FRAME_MAX (1u << 20)		 /* bytes; larger ones are no frames */
#define WC_X86_USER_CS	    0x33		 /* 64-bit code */
#define WC_X86_USER_MAX	    (1ull << 56)

const volatile bool cfg_unwind = false;

/* No place for another hint: no more is asked until the user side has made some. */
__u32 unwind_full = 0;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set before load when used */
	__type(key, struct wc_hint_key);
	__type(value, struct wc_hint);
} unwind_hints SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096); /* set before load when used */
} unwind_asked SEC(".maps");

#ifdef __TARGET_ARCH_x86

static __always_inline struct mm_struct___x86 *unwind__mm(void)
{
	struct task_struct___x86 *task = (void *)bpf_get_current_task_btf();

	return task->mm;
}

/* On its own, so that the verifier looks at it once and not for every frame. */
__noinline int unwind__ask(u32 site, u64 ip, u32 leaf)
{
	struct wc_stack_scratch *at = bpf_map_lookup_elem(&stack_scratch, &site);
	struct wc_hint_key key = { .ip = ip };
	static const struct wc_hint unknown;
	struct mm_struct___x86 *mm;
	struct wc_hint_ask *ask;
	long err;

	if (!cfg_unwind || !at || unwind_full)
		return 0;
	key.space = at->space;
	mm = unwind__mm();
	if (!mm)
		return 0;
	err = bpf_map_update_elem(&unwind_hints, &key, &unknown, BPF_NOEXIST);
	if (err == -7) /* E2BIG */
		unwind_full = 1;
	if (err)
		return 0;
	ask = bpf_ringbuf_reserve(&unwind_asked, sizeof(*ask), 0);
	if (!ask) { /* another time */
		bpf_map_delete_elem(&unwind_hints, &key);
		return 0;
	}
	ask->key = key;
	ask->sp = at->sp;
	ask->bp = at->bp;
	ask->stack_start = mm->start_stack;
	ask->tgid = bpf_get_current_pid_tgid() >> 32;
	ask->leaf = leaf;
	bpf_ringbuf_submit(ask, BPF_RB_NO_WAKEUP);
	return 0;
}

union wc_hint_word {
	u64 word;
	struct wc_hint hint;
};

static __always_inline struct wc_hint unwind__hint(struct wc_stack_scratch *at, u32 site, u32 i)
{
	struct wc_hint_key key = { .ip = at->ips[i], .space = at->space };
	union wc_hint_word h = {};
	u64 *known = bpf_map_lookup_elem(&unwind_hints, &key);

	if (known)
		h.word = *(volatile u64 *)known;
	else
		unwind__ask(site, key.ip, i == 0);
	if (h.hint.kind == WC_HINT_FP) {
		h.hint.cfa_off = 2 * sizeof(u64);
		h.hint.bp_words = -2;
	}
	return h.hint;
}

enum wc_unwind_step {
	WC_UNWIND_ON = 0,
	WC_UNWIND_CUT = 1,
	WC_UNWIND_END = 2,
};

/*
 * From one frame to its caller's, which becomes the next address. A frame pointer may lead to
 * another stack, as a runtime that switches them leaves it: once, and if what it leads to looks
 * like a frame, since a register put to other uses leads anywhere.
 */
__noinline u32 unwind__step(u32 site, u32 i)
{
	struct wc_stack_scratch *at = bpf_map_lookup_elem(&stack_scratch, &site);
	u64 saved[2], cfa; /* bp, return address: most often side by side */
	struct wc_hint h;
	bool far;

	if (!cfg_unwind || !at || i >= WC_UNWIND_DEPTH)
		return WC_UNWIND_CUT;
	h = unwind__hint(at, site, i);
	if (h.kind == WC_HINT_END)
		return WC_UNWIND_END;
	cfa = (h.kind == WC_HINT_SP ? at->sp : at->bp) + h.cfa_off;
	far = cfa - at->sp - sizeof(u64) > WC_UNWIND_FRAME_MAX;
	if (cfa % sizeof(u64) || (far && (h.kind != WC_HINT_FP || at->jumped)))
		return WC_UNWIND_CUT;
	if (h.bp_words == -2) {
		if (bpf_probe_read_user(saved, sizeof(saved), (void *)(cfa - sizeof(saved))) ||
		    (far && saved[0] - cfa > WC_UNWIND_FRAME_MAX))
			return WC_UNWIND_CUT;
		at->bp = saved[0];
	} else {
		if (bpf_probe_read_user(&saved[1], sizeof(u64), (void *)(cfa - sizeof(u64))))
			return WC_UNWIND_CUT;
		if (h.bp_words &&
		    bpf_probe_read_user(&at->bp, sizeof(u64),
					(void *)(cfa + h.bp_words * (long)sizeof(u64))))
			return WC_UNWIND_CUT;
	}
	at->jumped |= far;
	at->sp = cfa;
	at->ips[i + 1] = saved[1];
	return saved[1] - 1 < WC_X86_USER_MAX ? WC_UNWIND_ON : WC_UNWIND_CUT;
}

/* Addresses put into the scratch of this site; 0: there is no user side. */
__noinline u32 unwind__walk(u32 site)
{
	struct wc_stack_scratch *at = bpf_map_lookup_elem(&stack_scratch, &site);
	u32 i, step = WC_UNWIND_ON;
	struct mm_struct___x86 *mm;
	struct pt_regs___x86 *regs;
	struct task_struct *task;

	if (!cfg_unwind || !at)
		return WC_UNWIND_NONE;
	task = bpf_get_current_task_btf();
	mm = unwind__mm();
	if (task->flags & WC_PF_KTHREAD || !mm)
		return 0;
	regs = (void *)bpf_task_pt_regs(task);
	if (regs->cs != WC_X86_USER_CS)
		return WC_UNWIND_NONE;
	at->ips[0] = regs->ip;
	if (!at->ips[0]) /* a worker of the kernel's in this process */
		return 0;
	at->sp = regs->sp;
	at->bp = regs->bp;
	at->space = mm->context.ctx_id;
	at->jumped = 0;
	for (i = 0; i < WC_UNWIND_DEPTH && step == WC_UNWIND_ON; i++)
		step = unwind__step(site, i);
	if (step == WC_UNWIND_END && i < WC_STACK_DEPTH)
		at->ips[i++] = 0;
	return i;
}

#else

static __always_inline u32 unwind__walk(u32 site)
{
	return WC_UNWIND_NONE;
}

#endif

/* The running task's user stack. 0: it has none. */
static __always_inline u32 unwind__take(void *ctx, struct wc_cpu *c, u32 site)
{
	u32 cnt = cfg_unwind ? unwind__walk(site) : WC_UNWIND_NONE;

	if (cnt > WC_STACK_DEPTH)
		return stack__take(ctx, c, site, BPF_F_USER_STACK);
	return cnt ? stack__intern(site, cnt) : 0;
}

#endif
