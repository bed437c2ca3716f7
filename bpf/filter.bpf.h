/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Which wakes are counted. Of the wakee, unless said otherwise; tested at sched_waking by typed
 * loads, before anything that costs. What one bit does not ask for costs one test.
 */
#ifndef WAKECOST_FILTER_BPF_H
#define WAKECOST_FILTER_BPF_H

#include "bpf/state.bpf.h"

/* The user side sets these between windows (struct wc_filter says what they mean). */
enum wc_filter_bit {
	WC_FILTER_TGID = 1,  /* one process, by the kernel's own id */
	WC_FILTER_TGIDS = 2, /* several, in a map */
	WC_FILTER_TIDS = 4,
	WC_FILTER_COMM = 8,
	WC_FILTER_CGROUP = 16,
	WC_FILTER_WAKER_CGROUP = 32,
	WC_FILTER_CPU = 64,
	WC_FILTER_NOT_TGID = 128, /* all but one process: the tool itself */
};

__u32 filter_bits = 0;
__u32 filter_tgid = 0;
__u32 filter_comm_len = 0; /* compare so many bytes; 16: all of it, with the end */
char filter_comm[16] = {};
__u64 filter_cgroup_id = 0, filter_waker_cgroup_id = 0;
int filter_cgroup_level = 0, filter_waker_cgroup_level = 0;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, u32);
	__type(value, u8);
} filter_tgids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, u32);
	__type(value, u8);
} filter_tids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* possible CPUs */
	__type(key, u32);
	__type(value, u8);
} filter_cpus SEC(".maps");

/*
 * Ids as the caller sees them: in a nested pid namespace they are not the kernel's own. Depth and
 * namespace of the caller are learnt by running self__ns once, as the caller.
 */
__u32 self_level = 0, self_tgid = 0;
void *self_ns = 0;

static __always_inline u32 filter__id(struct task_struct *p, bool process)
{
	void *ns = 0;
	u32 id;

	if (!self_level)
		return process ? BPF_CORE_READ(p, tgid) : BPF_CORE_READ(p, pid);
	if (process)
		id = compat__pid_at(BPF_CORE_READ(p, group_leader, thread_pid), self_level, &ns);
	else
		id = compat__pid_at(BPF_CORE_READ(p, thread_pid), self_level, &ns);
	return ns == self_ns ? id : 0;
}

static __always_inline bool filter__comm(struct task_struct *p)
{
	char comm[16] = {};
	u32 i;

	BPF_CORE_READ_INTO(&comm, p, comm);
	for (i = 0; i < 16; i++) {
		if (i >= filter_comm_len)
			return true;
		if (comm[i] != filter_comm[i])
			return false;
		if (!comm[i])
			return true;
	}
	return true;
}

/*
 * The rarer questions. A function of its own, here and below, is one the verifier looks at once
 * and not again in every caller's every state.
 */
__noinline int filter__slow(u64 task, u32 bits)
{
	struct task_struct *p = (void *)task;
	u32 id;

	if (bits & WC_FILTER_TGIDS) {
		id = filter__id(p, true);
		if (!bpf_map_lookup_elem(&filter_tgids, &id))
			return 0;
	}
	if (bits & WC_FILTER_TIDS) {
		id = filter__id(p, false);
		if (!bpf_map_lookup_elem(&filter_tids, &id))
			return 0;
	}
	if (bits & WC_FILTER_COMM && !filter__comm(p))
		return 0;
	if (bits & WC_FILTER_CGROUP &&
	    !compat__under_cgroup(p, filter_cgroup_id, filter_cgroup_level))
		return 0;
	return 1;
}

/* Is p a wakee we want? Idle never is. */
static __always_inline bool filter__wakee(struct task_struct *p, bool raw)
{
	u32 bits = filter_bits;
	struct wc_cpu *c;

	if (bits & (WC_FILTER_TGID | WC_FILTER_NOT_TGID)) {
		bool is = (u32)WC_READ(raw, p, tgid) == filter_tgid;

		if (bits & WC_FILTER_NOT_TGID ? is : !is && !(bits & WC_FILTER_TGIDS))
			return false;
		if (is) /* with its children: it is one of them, and the map need not be asked */
			bits &= ~WC_FILTER_TGIDS;
	}
	if (!WC_READ(raw, p, pid))
		return false;
	bits &= WC_FILTER_TGIDS | WC_FILTER_TIDS | WC_FILTER_COMM | WC_FILTER_CGROUP;
	if (!bits)
		return true;
	c = cpu__this();
	return c && filter__slow(task__addr(p, c), bits);
}

__noinline int filter__waker_slow(u32 context)
{
	/* asked only in task context: an interrupt has no cgroup, and passes no such filter */
	if (context != WC_CTX_TASK)
		return 0;
	return compat__under_cgroup((void *)bpf_get_current_task(), filter_waker_cgroup_id,
				    filter_waker_cgroup_level);
}

static __always_inline bool filter__waker(u32 context)
{
	return !(filter_bits & WC_FILTER_WAKER_CGROUP) || filter__waker_slow(context);
}

/* A child of a process that is meant is meant. Threads have their process already. */
static __always_inline int filter__follow(struct task_struct *child)
{
	struct task_struct *cur = (void *)bpf_get_current_task();
	u32 parent, id;
	u8 one = 1;

	if (BPF_CORE_READ(child, tgid) == BPF_CORE_READ(cur, tgid))
		return 0;
	parent = filter__id(cur, true);
	if (!bpf_map_lookup_elem(&filter_tgids, &parent) &&
	    !(filter_bits & WC_FILTER_TGID && (u32)BPF_CORE_READ(cur, tgid) == filter_tgid))
		return 0;
	id = filter__id(child, true);
	bpf_map_update_elem(&filter_tgids, &id, &one, BPF_ANY);
	return 0;
}

static __always_inline bool filter__cpu(u32 cpu)
{
	u8 *on;

	if (!(filter_bits & WC_FILTER_CPU))
		return true;
	on = bpf_map_lookup_elem(&filter_cpus, &cpu);
	return on && *on;
}

#endif
