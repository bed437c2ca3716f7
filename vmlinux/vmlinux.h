/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The kernel types wakecost reads, and no more: written by hand so that the build needs no
 * kernel's BTF. Offsets are filled in at load time (CO-RE), so only names and types count here.
 * Shapes that differ between kernels stand in bpf/compat.bpf.h as ___flavours; every field is
 * held against saved kernels' BTF by scripts/check-vmlinux.sh. Enum values are never copied.
 */
#ifndef __VMLINUX_H__
#define __VMLINUX_H__

typedef unsigned char __u8;
typedef short __s16;
typedef unsigned short __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long __s64;
typedef unsigned long long __u64;

typedef __u8 u8;
typedef __u16 u16;
typedef __s32 s32;
typedef __u32 u32;
typedef __s64 s64;
typedef __u64 u64;

/* Used by libbpf's helper declarations only. */
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

typedef int pid_t;
typedef _Bool bool;

enum {
	false = 0,
	true = 1,
};

/* UAPI (linux/bpf.h): stable values. */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
};

enum {
	BPF_F_NO_PREALLOC = 1,
	BPF_F_MMAPABLE = 1024,
};

enum {
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
};

enum {
	BPF_RB_NO_WAKEUP = 1,
};

enum {
	BPF_F_USER_STACK = 256,
};

struct bpf_raw_tracepoint_args {
	__u64 args[0];
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pid_namespace;

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct kernfs_node {
	u64 id;
};

struct cgroup {
	int level;
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct task_struct {
	int on_cpu;
	int on_rq;
	unsigned int flags;
	pid_t pid;
	pid_t tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	char comm[16];
	struct css_set *cgroups;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct hrtimer {
	void *function;
};

struct timer_list {
	void *function;
};

#pragma clang attribute pop

/* Registers as a kprobe sees them: UAPI, never relocated. Only declared: see bpf_tracing.h. */
struct pt_regs;

#endif
