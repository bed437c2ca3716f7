// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * Entry points, one to a source of a boundary; user/probe/sources.c says which are alternatives.
 * All are optional ("?"): the user side loads and attaches each on its own. What they do stands
 * in the headers: filter (which wakes), wake (waker's half), run (wakee's half), account.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

#include "bpf/account.bpf.h"
#include "bpf/filter.bpf.h"
#include "bpf/record.bpf.h"
#include "bpf/run.bpf.h"
#include "bpf/wake.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Callbacks told apart by address; 0 where kallsyms hides it. */
extern const void sched_ttwu_pending __ksym __weak;
extern const void hrtimer_wakeup __ksym __weak;
extern const void process_timeout __ksym __weak;

__u64 bench_sink = 0;

/* The bench's two kinds of nothing; a constant at load, so the rest is then dead code. */
#define WC_BENCH_GATE()                                  \
	do {                                             \
		if (cfg_mode == WC_MODE_EMPTY)           \
			return 0;                        \
		if (cfg_mode == WC_MODE_CLOCK) {         \
			bench_sink = bpf_ktime_get_ns(); \
			return 0;                        \
		}                                        \
	} while (0)

#define ARG(i) ((void *)ctx->args[i])

/* A function pointer among the arguments, which the verifier lets nobody load. */
static __always_inline void *arg_func(u64 *ctx, u32 i)
{
	void *fn = 0;

	bpf_probe_read_kernel(&fn, sizeof(fn), &ctx[i]);
	return fn;
}

static __always_inline bool is_timeout(void *fn, const void *ksym)
{
	return !ksym || fn == ksym;
}

/* Run once by the user side, in its own context. */
SEC("?raw_tp/sched_switch")
int self__ns(void *ctx)
{
	struct task_struct *cur = (void *)bpf_get_current_task();
	struct pid *pid = BPF_CORE_READ(cur, thread_pid);

	self_tgid = BPF_CORE_READ(cur, tgid);
	self_level = BPF_CORE_READ(pid, level);
	compat__pid_at(pid, self_level, &self_ns);
	return 0;
}

/* The three events of every wake. */

SEC("?tp_btf/sched_waking")
int tp_btf__waking(u64 *ctx)
{
	WC_BENCH_GATE();
	return wake__waking(ctx, (void *)ctx[0], false, false);
}

SEC("?tp_btf/sched_waking")
int tp_btf__waking_cast(u64 *ctx)
{
	WC_BENCH_GATE();
	return wake__waking(ctx, (void *)ctx[0], false, true);
}

SEC("?raw_tp/sched_waking")
int raw_tp__waking(struct bpf_raw_tracepoint_args *ctx)
{
	WC_BENCH_GATE();
	return wake__waking(ctx, ARG(0), true, false);
}

SEC("?tp_btf/sched_wakeup")
int tp_btf__wakeup(u64 *ctx)
{
	WC_BENCH_GATE();
	return wake__wakeup((void *)ctx[0], false);
}

SEC("?raw_tp/sched_wakeup")
int raw_tp__wakeup(struct bpf_raw_tracepoint_args *ctx)
{
	WC_BENCH_GATE();
	return wake__wakeup(ARG(0), true);
}

SEC("?tp_btf/sched_wakeup_new")
int tp_btf__wakeup_new(u64 *ctx)
{
	return wake__new((void *)ctx[0], false);
}

SEC("?raw_tp/sched_wakeup_new")
int raw_tp__wakeup_new(struct bpf_raw_tracepoint_args *ctx)
{
	return wake__new(ARG(0), true);
}

/*
 * Preempted in the kernel, a task may have set its state and not have blocked: preempt is the
 * first argument, and such a task stays queued.
 *
 * fa2c3254d7cf, 9c2136be0878 (5.18): prev_state came as the fourth argument. Without it the
 * field is read, which may already say "waking": not zero all the same.
 */
SEC("?tp_btf/sched_switch")
int tp_btf__switch(u64 *ctx)
{
	WC_BENCH_GATE();
	return run__switch((void *)ctx[1], (void *)ctx[2], !ctx[0] && ctx[3] != 0, false);
}

SEC("?tp_btf/sched_switch")
int tp_btf__switch_pre518(u64 *ctx)
{
	WC_BENCH_GATE();
	return run__switch((void *)ctx[1], (void *)ctx[2],
			   !ctx[0] && compat__state((void *)ctx[1]) != 0, false);
}

SEC("?raw_tp/sched_switch")
int raw_tp__switch(struct bpf_raw_tracepoint_args *ctx)
{
	WC_BENCH_GATE();
	return run__switch(ARG(1), ARG(2), !ctx->args[0] && ctx->args[3] != 0, true);
}

SEC("?raw_tp/sched_switch")
int raw_tp__switch_pre518(struct bpf_raw_tracepoint_args *ctx)
{
	WC_BENCH_GATE();
	return run__switch(ARG(1), ARG(2), !ctx->args[0] && compat__state(ARG(1)) != 0, true);
}

/* Records by thread id are not freed with their task. */
SEC("?raw_tp/sched_process_exit")
int raw_tp__process_exit(struct bpf_raw_tracepoint_args *ctx)
{
	return run__forget(ARG(0));
}

/* Scheduler entered and left. */

SEC("?tp_btf/sched_entry_tp")
int tp_btf__entry(void *ctx)
{
	WC_BENCH_GATE();
	return run__entry();
}

SEC("?raw_tp/sched_entry_tp")
int raw_tp__entry(void *ctx)
{
	WC_BENCH_GATE();
	return run__entry();
}

SEC("?fentry/schedule")
int fentry__schedule(void *ctx)
{
	return run__entry();
}

SEC("?fentry/schedule_idle")
int fentry__schedule_idle(void *ctx)
{
	return run__entry();
}

SEC("?kprobe/schedule")
int kprobe__schedule(void *ctx)
{
	return run__entry();
}

SEC("?kprobe/schedule_idle")
int kprobe__schedule_idle(void *ctx)
{
	return run__entry();
}

SEC("?tp_btf/sched_exit_tp")
int tp_btf__exit(void *ctx)
{
	WC_BENCH_GATE();
	return run__exit(ctx);
}

SEC("?raw_tp/sched_exit_tp")
int raw_tp__exit(void *ctx)
{
	WC_BENCH_GATE();
	return run__exit(ctx);
}

SEC("?fexit/schedule")
int fexit__schedule(void *ctx)
{
	return run__exit(ctx);
}

/* Not a kretprobe of schedule(): it keeps one record a sleeper, and runs out with thousands. */
SEC("?kprobe/finish_task_switch")
int kprobe__finish_switch(void *ctx)
{
	return run__exit(ctx);
}

/* CPU chosen: called with the choice, for every wake that makes one (inlined nowhere). */

SEC("?fentry/ttwu_queue_wakelist")
int fentry__chosen(void *ctx)
{
	return wake__chosen();
}

SEC("?kprobe/ttwu_queue_wakelist")
int kprobe__chosen(void *ctx)
{
	return wake__chosen();
}

/* 949fa3f11ced, bf5a8c26ad7c (6.5): wakes queued to another CPU, and nothing but those. */
SEC("?tp_btf/csd_queue_cpu")
int tp_btf__csd_queue(u64 *ctx)
{
	if (&sched_ttwu_pending && arg_func(ctx, 2) != &sched_ttwu_pending)
		return 0;
	return wake__chosen();
}

SEC("?raw_tp/csd_queue_cpu")
int raw_tp__csd_queue(struct bpf_raw_tracepoint_args *ctx)
{
	if (&sched_ttwu_pending && ARG(2) != &sched_ttwu_pending)
		return 0;
	return wake__chosen();
}

/* Handled on the other CPU. */

SEC("?fentry/sched_ttwu_pending")
int fentry__handled(void *ctx)
{
	return wake__handled();
}

SEC("?kprobe/sched_ttwu_pending")
int kprobe__handled(void *ctx)
{
	return wake__handled();
}

SEC("?tp_btf/csd_function_entry")
int tp_btf__csd_function(u64 *ctx)
{
	if (&sched_ttwu_pending && arg_func(ctx, 0) != &sched_ttwu_pending)
		return 0;
	return wake__handled();
}

SEC("?raw_tp/csd_function_entry")
int raw_tp__csd_function(struct bpf_raw_tracepoint_args *ctx)
{
	if (&sched_ttwu_pending && ARG(0) != &sched_ttwu_pending)
		return 0;
	return wake__handled();
}

/* System calls, where the ends of a wake are to be had from them: every task pays for these. */

SEC("?tp_btf/sys_enter")
int tp_btf__sys_enter(void *ctx)
{
	return run__syscall(true);
}

SEC("?raw_tp/sys_enter")
int raw_tp__sys_enter(void *ctx)
{
	return run__syscall(true);
}

SEC("?tp_btf/sys_exit")
int tp_btf__sys_exit(void *ctx)
{
	return run__syscall(false);
}

SEC("?raw_tp/sys_exit")
int raw_tp__sys_exit(void *ctx)
{
	return run__syscall(false);
}

/* Children of the processes meant. */

SEC("?tp_btf/task_newtask")
int tp_btf__newtask(u64 *ctx)
{
	return filter__follow((void *)ctx[0]);
}

SEC("?raw_tp/task_newtask")
int raw_tp__newtask(struct bpf_raw_tracepoint_args *ctx)
{
	return filter__follow(ARG(0));
}

/* Read once, when the window has closed. */
SEC("?iter/task")
int iter__tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *p = ctx->task;
	struct wc_task_out o = {};

	if (!p || !filter__wakee(p, false))
		return 0;
	task__describe(&o, p, bpf_task_storage_get(&recs, p, 0, 0));
	bpf_seq_write(ctx->meta->seq, &o, sizeof(o));
	return 0;
}

/*
 * Records made before the window: memory is hard to have inside a wake, where nothing may sleep, and
 * a wake whose record cannot be had is lost. Nothing is written: reading it is the walk.
 */
static __always_inline int task__prepare(struct task_struct *p)
{
	if (p && filter__wakee(p, false))
		bpf_task_storage_get(&recs, p, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	return 0;
}

SEC("?iter.s/task")
int iter_s__prepare(struct bpf_iter__task *ctx)
{
	return task__prepare(ctx->task);
}

SEC("?iter/task")
int iter__prepare(struct bpf_iter__task *ctx)
{
	return task__prepare(ctx->task);
}

/* Timers: whose callback it is that wakes. */

SEC("?tp_btf/hrtimer_expire_entry")
int tp_btf__hrtimer_entry(u64 *ctx)
{
	struct hrtimer *t = (void *)ctx[0];

	return wake__timer(true, is_timeout(t->function, &hrtimer_wakeup));
}

SEC("?raw_tp/hrtimer_expire_entry")
int raw_tp__hrtimer_entry(struct bpf_raw_tracepoint_args *ctx)
{
	struct hrtimer *t = ARG(0);

	return wake__timer(true, is_timeout(BPF_CORE_READ(t, function), &hrtimer_wakeup));
}

SEC("?tp_btf/hrtimer_expire_exit")
int tp_btf__hrtimer_exit(void *ctx)
{
	return wake__timer(false, false);
}

SEC("?raw_tp/hrtimer_expire_exit")
int raw_tp__hrtimer_exit(void *ctx)
{
	return wake__timer(false, false);
}

SEC("?tp_btf/timer_expire_entry")
int tp_btf__timer_entry(u64 *ctx)
{
	struct timer_list *t = (void *)ctx[0];

	return wake__timer(true, is_timeout(t->function, &process_timeout));
}

SEC("?raw_tp/timer_expire_entry")
int raw_tp__timer_entry(struct bpf_raw_tracepoint_args *ctx)
{
	struct timer_list *t = ARG(0);

	return wake__timer(true, is_timeout(BPF_CORE_READ(t, function), &process_timeout));
}

SEC("?tp_btf/timer_expire_exit")
int tp_btf__timer_exit(void *ctx)
{
	return wake__timer(false, false);
}

SEC("?raw_tp/timer_expire_exit")
int raw_tp__timer_exit(void *ctx)
{
	return wake__timer(false, false);
}
