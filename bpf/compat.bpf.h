/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Every difference between kernels, once: a flavour of the type, a getter, the commit.
 * Decided by BTF when the program is loaded, never by version: distributions move changes back.
 *
 * "raw" is a constant in every caller: true where p is a plain number (raw_tp, kprobe), whose
 * fields need a probe read; false where the verifier knows its type and a load is free.
 */
#ifndef WAKECOST_COMPAT_BPF_H
#define WAKECOST_COMPAT_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define WC_READ(raw, p, field) ((raw) ? BPF_CORE_READ(p, field) : (p)->field)

/*
 * Makes the compiler forget what it knows of x, so that a test of x stays right before its use:
 * verifiers before 6.3 lose what was found out about a copy of it.
 */
#define WC_OPAQUE(x) asm volatile("" : "+r"(x))

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

/* 152e11f6df29 (6.12): a sleeper may stay queued. */
struct sched_entity___v612 {
	unsigned char sched_delayed;
};

struct task_struct___v612 {
	struct sched_entity___v612 se;
};

/* bcf9033e5449 (5.16): the CPU moved from task_struct into thread_info. */
struct thread_info___v516 {
	u32 cpu;
};

struct task_struct___v516 {
	struct thread_info___v516 thread_info;
};

struct task_struct___pre516 {
	unsigned int cpu;
};

/* 2f064a59a11f (5.14): state became __state; some vendors' older kernels have either. */
struct task_struct___v514 {
	unsigned int __state;
};

struct task_struct___pre514 {
	long state;
};

/* 7f203bc89eb6 (6.1): ancestors are pointers, no longer ids. */
struct cgroup___v61 {
	struct cgroup *ancestors[1];
};

struct cgroup___pre61 {
	u64 ancestor_ids[1];
};

/* Through a task to its run queue, which is a per-CPU variable (see compat__preempt_count). */
struct rq;

struct cfs_rq___group {
	struct rq *rq;
};

struct sched_entity___group {
	struct cfs_rq___group *cfs_rq;
};

struct task_struct___group {
	struct sched_entity___group se;
};

/* x86: what a thread was doing in user space; cs became a short in a union in 6.9. */
struct pt_regs___x86 {
	unsigned long bp, ip, sp;
	unsigned short cs;
};

/* f39681ed0f48 (4.14): a number for each address space, never used again. */
struct mm_struct___x86 {
	unsigned long start_stack;
	struct {
		u64 ctx_id;
	} context;
};

struct task_struct___x86 {
	struct mm_struct___x86 *mm;
};

/* arm64 and others: in thread_info of the running task. */
struct thread_info___arm64 {
	union {
		u64 preempt_count;
	};
};

struct task_struct___arm64 {
	struct thread_info___arm64 thread_info;
};

#pragma clang attribute pop

/* task_struct.flags of a kernel thread: include/linux/sched.h, the same since 2.6. */
#define WC_PF_KTHREAD 0x00200000

/* Bits of preempt_count, the same since 5.15: include/linux/preempt.h. */
#define WC_SOFTIRQ_SERVING 0x00000100
#define WC_HARDIRQ_BITS	   0x000f0000
#define WC_NMI_BITS	   0x00f00000

/*
 * x86 keeps preempt_count in a per-CPU variable (__preempt_count; from 6.2 to 6.14 a member of
 * pcpu_hot). As a ksym it cannot be had where kallsyms lists no data (KALLSYMS_ALL=n), but BTF
 * gives its distance from another per-CPU variable, and a task leads to that one: its run queue.
 */
const volatile __s64 cfg_preempt_dist = 0; /* 0: not known */

/* Where this CPU's preempt_count is, or 0. It never moves: look once. */
static __always_inline u64 compat__preempt_count_at(void)
{
	struct task_struct *cur = (void *)bpf_get_current_task();
	struct task_struct___group *t = (void *)cur;

	if (!cfg_preempt_dist || !bpf_core_field_exists(t->se.cfs_rq))
		return 0;
	return (u64)BPF_CORE_READ(t, se.cfs_rq, rq) + cfg_preempt_dist;
}

/*
 * fd264ca02094 (6.2): a plain load of any address, as cheap as one. Only in programs that are
 * loaded where it exists: kernels before 5.16 refuse the mere call.
 */
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

static __always_inline u32 compat__preempt_count(u64 at, bool cast)
{
#ifdef __TARGET_ARCH_x86
	u32 count = 0;

	if (!at)
		return 0;
	if (cast) /* struct upid: any that begins with an int */
		return ((struct upid *)bpf_rdonly_cast((void *)at,
						       bpf_core_type_id_kernel(struct upid)))
			->nr;
	bpf_probe_read_kernel(&count, sizeof(count), (void *)at);
	return count;
#else
	struct task_struct___arm64 *t = (void *)bpf_get_current_task();

	if (!bpf_core_field_exists(t->thread_info.preempt_count))
		return 0;
	return (u32)BPF_CORE_READ(t, thread_info.preempt_count);
#endif
}

static __always_inline bool compat__sched_delayed(struct task_struct *p, bool raw)
{
	struct task_struct___v612 *t = (void *)p;

	if (!bpf_core_field_exists(t->se.sched_delayed))
		return false;
	return WC_READ(raw, t, se.sched_delayed);
}

static __always_inline unsigned int compat__task_cpu(struct task_struct *p, bool raw)
{
	struct task_struct___v516 *t = (void *)p;
	struct task_struct___pre516 *o = (void *)p;

	if (bpf_core_field_exists(t->thread_info.cpu))
		return WC_READ(raw, t, thread_info.cpu);
	if (bpf_core_field_exists(o->cpu))
		return WC_READ(raw, o, cpu);
	return 0;
}

static __always_inline u32 compat__state(struct task_struct *p)
{
	struct task_struct___v514 *t = (void *)p;
	struct task_struct___pre514 *o = (void *)p;

	if (bpf_core_field_exists(t->__state))
		return BPF_CORE_READ(t, __state);
	return BPF_CORE_READ(o, state);
}

/* Id of a task in the pid namespace at this depth; 0: not in one so deep. */
static __always_inline u32 compat__pid_at(struct pid *pid, u32 level, void **ns)
{
	struct upid at = {};
	void *from;

	if (!pid || BPF_CORE_READ(pid, level) < level)
		return 0;
	from = __builtin_preserve_access_index(&pid->numbers[0]);
	from += level * bpf_core_type_size(struct upid);
	bpf_probe_read_kernel(&at, sizeof(at), from);
	*ns = at.ns;
	return at.nr;
}

/* Thread id in the task's own (innermost) pid namespace: what its gettid() says. */
static __always_inline u32 compat__own_tid(struct task_struct *p)
{
	struct pid *pid = BPF_CORE_READ(p, thread_pid);
	void *ns;

	return pid ? compat__pid_at(pid, BPF_CORE_READ(pid, level), &ns) : 0;
}

static __always_inline u64 compat__ancestor_id(struct cgroup *cg, int level)
{
	struct cgroup___v61 *v61 = (void *)cg;
	struct cgroup___pre61 *pre = (void *)cg;
	struct cgroup *a = 0;
	void *slot;
	u64 id = 0;

	if (bpf_core_field_exists(v61->ancestors)) {
		slot = __builtin_preserve_access_index(&v61->ancestors[0]);
		bpf_probe_read_kernel(&a, sizeof(a), slot + level * sizeof(a));
		return BPF_CORE_READ(a, kn, id);
	}
	slot = __builtin_preserve_access_index(&pre->ancestor_ids[0]);
	bpf_probe_read_kernel(&id, sizeof(id), slot + level * sizeof(id));
	return id;
}

#define WC_CGROUP_DEPTH_MAX 32

/* Is p in the cgroup (v2) with this id, or below it? level: its depth, -1 when not known. */
static __always_inline bool compat__under_cgroup(struct task_struct *p, u64 id, int level)
{
	struct cgroup *cg = BPF_CORE_READ(p, cgroups, dfl_cgrp);
	int own = BPF_CORE_READ(cg, level), i;

	if (level >= 0)
		return own >= level && compat__ancestor_id(cg, level) == id;
	for (i = 0; i < WC_CGROUP_DEPTH_MAX; i++) {
		if (i > own)
			return false;
		if (compat__ancestor_id(cg, i) == id)
			return true;
	}
	return false;
}

#endif
