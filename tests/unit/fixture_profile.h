/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiles made by hand: a Java program that hands off by park and unpark beside a server's
 * threads, and a database under clients on loopback. Every wake of a chain costs its `ns`, of
 * which each stage gets the percent below and 4 % are nobody's.
 */
#ifndef WC_TESTS_FIXTURE_PROFILE_H
#define WC_TESTS_FIXTURE_PROFILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/profile.h"

static const unsigned int prof_pct[2][WC_STAGE_CNT] = {
	{ 52, 4, 0, 6, 8, 10, 6, 10 }, /* many waiters: find */
	{ 8, 12, 14, 10, 24, 12, 8, 8 },
};

static inline void prof_need(bool ok)
{
	if (!ok)
		abort();
}

/* "root;..;leaf", each "[jink:]name[@module]": jit, inlined, note, kernel; NULL: no stack. */
static inline uint32_t prof_stack(struct wc_profile *p, bool user, bool truncated, const char *text)
{
	uint32_t frames[128], cnt = 0, stack;
	char *copy, *rest, *one;

	if (!text)
		return WC_NONE;
	copy = rest = strdup(text);
	prof_need(copy);
	while ((one = strsep(&rest, ";"))) {
		struct wc_frame f = { .kind = user ? WC_FRAME_USER : WC_FRAME_KERNEL };
		char *at = strrchr(one, '@');

		if (at)
			*at = '\0';
		f.module = at ? at + 1 : user ? "" : "[kernel]";
		if (one[0] && one[1] == ':' && one[2] != ':') {
			f.kind = one[0] == 'j'	 ? WC_FRAME_JIT
				 : one[0] == 'i' ? WC_FRAME_INLINED
						 : WC_FRAME_NOTE;
			one += 2;
		}
		f.name = one;
		for (const char *c = one; f.kind != WC_FRAME_NOTE && *c; c++)
			f.addr = f.addr * 31 + (unsigned char)*c;
		prof_need(cnt < 128);
		frames[cnt++] = wc_profile__frame(p, &f);
	}
	for (uint32_t i = 0; i < cnt / 2; i++) {
		uint32_t swap = frames[i];

		frames[i] = frames[cnt - 1 - i];
		frames[cnt - 1 - i] = swap;
	}
	stack = wc_profile__stack(p, frames, cnt, user, truncated);
	prof_need(stack != WC_NONE);
	free(copy);
	return stack;
}

static inline uint32_t prof_task(struct wc_profile *p, uint32_t tid, uint32_t tgid,
				 const char *comm, const char *process, bool kernel)
{
	struct wc_task *t = wc_profile__add_task(p);

	prof_need(t);
	t->tid = tid;
	t->tgid = tgid;
	t->comm = strdup(comm);
	t->process = strdup(process);
	t->kernel_thread = kernel;
	prof_need(t->comm && t->process);
	return (uint32_t)p->task_cnt - 1;
}

static inline uint32_t prof_edge(struct wc_profile *p, uint32_t waker, unsigned int context,
				 uint32_t wakee)
{
	struct wc_edge *e = wc_profile__add_edge(p);

	prof_need(e);
	e->waker = waker;
	e->context = context;
	e->wakee = wakee;
	return (uint32_t)p->edge_cnt - 1;
}

enum prof_how {
	PROF_WAKEE_CUT = 1,
	PROF_WAKER_CUT = 2,
	PROF_WAKER_MISSING = 4,
};

struct prof_path {
	uint32_t edge;
	uint64_t weight, ns;
	unsigned int mix; /* row of prof_pct */
	const char *wakee_user, *wakee_kernel, *waker_kernel, *waker_user;
	unsigned int how; /* enum prof_how */
};

static inline void prof_chain(struct wc_profile *p, const struct prof_path *path)
{
	struct wc_chain *c = wc_profile__add_chain(p);
	struct wc_edge *e = &p->edges[path->edge];

	prof_need(c);
	c->edge = path->edge;
	c->waker_user = prof_stack(p, true, path->how & PROF_WAKER_CUT, path->waker_user);
	c->waker_kernel = prof_stack(p, false, false, path->waker_kernel);
	c->wakee_kernel = prof_stack(p, false, false, path->wakee_kernel);
	c->wakee_user = prof_stack(p, true, path->how & PROF_WAKEE_CUT, path->wakee_user);
	c->waker_missing = path->how & PROF_WAKER_MISSING;
	c->weight = path->weight;
	c->sampled_cnt = path->weight / 16 + 1;
	c->total_ns = path->weight * path->ns;
	c->blocked_ns = c->total_ns * 40;
	e->wakes[WC_CLASS_DELAYED] += c->weight;
	e->total.count += c->weight;
	e->total.sum += c->total_ns;
	e->blocked.count += c->weight;
	e->blocked.sum += c->blocked_ns;
	for (unsigned int s = 0; s < WC_STAGE_CNT; s++) {
		c->stage_ns[s] = c->total_ns / 100 * prof_pct[path->mix][s];
		e->stages[s].count += c->weight;
		e->stages[s].sum += c->stage_ns[s];
	}
	p->user_stack_cnt += c->weight * (path->wakee_user != NULL);
	p->user_truncated_cnt += c->weight * (path->how & PROF_WAKEE_CUT);
}

#define PROF_ENTRY "entry_SYSCALL_64_after_hwframe;do_syscall_64;x64_sys_call;"
#define PROF_SLEEP ";schedule;__schedule"
#define PROF_FWAIT \
	PROF_ENTRY "__x64_sys_futex;do_futex;futex_wait;__futex_wait;futex_do_wait" PROF_SLEEP
#define PROF_FWAKE PROF_ENTRY "__x64_sys_futex;do_futex;futex_wake;wake_up_q;try_to_wake_up"
#define PROF_EWAIT PROF_ENTRY "__x64_sys_epoll_wait;do_epoll_wait;ep_poll" PROF_SLEEP
#define PROF_SOCKS                                                                              \
	"sock_sendmsg;tcp_sendmsg;tcp_sendmsg_locked;__tcp_push_pending_frames;tcp_write_xmit;" \
	"__tcp_transmit_skb;ip_queue_xmit;ip_output;ip_finish_output2;__dev_queue_xmit"
#define PROF_RX                                                                                   \
	"handle_softirqs;net_rx_action;__napi_poll;process_backlog;__netif_receive_skb_one_core;" \
	"ip_rcv;ip_local_deliver_finish;tcp_v4_rcv;tcp_v4_do_rcv;tcp_rcv_established;"            \
	"tcp_data_queue;sock_def_readable;__wake_up_sync_key;"
#define PROF_EPCB \
	"ep_poll_callback;__wake_up;autoremove_wake_function;default_wake_function;try_to_wake_up"
#define PROF_TIMER                                                                               \
	"asm_sysvec_apic_timer_interrupt;hrtimer_interrupt;__hrtimer_run_queues;hrtimer_wakeup;" \
	"wake_up_process;try_to_wake_up"
#define PROF_JTHR                                                                  \
	"__clone3@libc.so.6;start_thread@libc.so.6;thread_native_entry@libjvm.so;" \
	"Thread::call_run@libjvm.so;JavaThread::thread_main_inner@libjvm.so;"      \
	"JavaCalls::call_helper@libjvm.so;StubRoutines (1)@[jit];j:java.lang.Thread.run@[jit];"
#define PROF_JPARK                                                                                   \
	"j:java.util.concurrent.locks.LockSupport.park@[jit];j:jdk.internal.misc.Unsafe.park@[jit];" \
	"Unsafe_Park@libjvm.so;Parker::park@libjvm.so;pthread_cond_wait@@GLIBC_2.3.2@libc.so.6"
#define PROF_JUNPARK                                                                                     \
	"j:java.util.concurrent.locks.LockSupport.unpark@[jit];j:jdk.internal.misc.Unsafe.unpark@[jit];" \
	"Unsafe_Unpark@libjvm.so;Parker::unpark@libjvm.so;pthread_cond_signal@@GLIBC_2.3.2@libc.so.6"
#define PROF_JPOOL                                                              \
	PROF_JTHR "j:java.util.concurrent.ThreadPoolExecutor$Worker.run@[jit];" \
		  "j:java.util.concurrent.ThreadPoolExecutor.runWorker@[jit];"

static inline void prof_jvm(struct wc_profile *p, uint64_t handoff_ns)
{
	uint32_t ping = prof_task(p, 4101, 4100, "ping", "java", false);
	uint32_t pong = prof_task(p, 4102, 4100, "pong", "java", false);
	uint32_t pool = prof_task(p, 4110, 4100, "pool-1-thread-1", "java", false);
	uint32_t gc = prof_task(p, 4105, 4100, "G1 Conc#0", "java", false);
	uint32_t vm = prof_task(p, 4104, 4100, "VM Thread", "java", false);
	uint32_t rcu = prof_task(p, 15, 15, "rcu_preempt", "rcu_preempt", true);
	struct prof_path paths[] = {
		{ prof_edge(p, ping, WC_CTX_TASK, pong), 50000, handoff_ns, 0,
		  PROF_JTHR "j:Handoff.pong@[jit];i:Handoff.await@[jit];" PROF_JPARK, PROF_FWAIT,
		  PROF_FWAKE, PROF_JTHR "j:Handoff.ping@[jit];" PROF_JUNPARK, 0 },
		{ prof_edge(p, pong, WC_CTX_TASK, ping), 49999, handoff_ns, 0,
		  PROF_JTHR "j:Handoff.ping@[jit];i:Handoff.await@[jit];" PROF_JPARK, PROF_FWAIT,
		  PROF_FWAKE, PROF_JTHR "j:Handoff.pong@[jit];" PROF_JUNPARK, 0 },
		{ prof_edge(p, pool, WC_CTX_TASK, pool), 9000, 21000, 1,
		  PROF_JPOOL "j:java.util.concurrent.LinkedBlockingQueue.take@[jit];" PROF_JPARK,
		  PROF_FWAIT, PROF_FWAKE,
		  PROF_JPOOL "j:com.example.shop.OrderService.place@[jit];"
			     "j:java.util.concurrent.LinkedBlockingQueue.offer@[jit];" PROF_JUNPARK,
		  0 },
		{ prof_edge(p, WC_NONE, WC_CTX_TIMER, pool), 3000, 30000, 1,
		  PROF_JPOOL "j:java.util.concurrent.DelayQueue.poll@[jit];" PROF_JPARK, PROF_FWAIT,
		  PROF_TIMER, "j:Innocent.bystander@[jit]", 0 },
		{ prof_edge(p, vm, WC_CTX_TASK, gc), 700, 90000, 1,
		  "G1ConcurrentMarkThread::run_service@libjvm.so;Monitor::wait@libjvm.so",
		  PROF_FWAIT, PROF_FWAKE,
		  "VMThread::inner_execute@libjvm.so;Monitor::notify@libjvm.so",
		  PROF_WAKEE_CUT | PROF_WAKER_CUT },
		{ prof_edge(p, WC_NONE, WC_CTX_SOFTIRQ, rcu), 4000, 6000, 1, NULL,
		  "ret_from_fork_asm;ret_from_fork;kthread;rcu_gp_kthread;rcu_gp_fqs_loop;"
		  "schedule_timeout" PROF_SLEEP,
		  "handle_softirqs;run_timer_softirq;process_timeout;wake_up_process;try_to_wake_up",
		  NULL, 0 },
		{ prof_edge(p, rcu, WC_CTX_TASK, pool), 40, 2500000, 1,
		  PROF_JPOOL "j:java.util.concurrent.LinkedBlockingQueue.take@[jit];" PROF_JPARK,
		  PROF_FWAIT, NULL, NULL, PROF_WAKER_MISSING },
		{ prof_edge(p, pool, WC_CTX_TASK, vm), 300, 40000, 1, NULL, NULL, PROF_FWAKE,
		  PROF_JPOOL "j:com.example.shop.OrderService.place@[jit]", 0 },
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		prof_chain(p, &paths[i]);
}

#define PROF_PGMAIN                                                                                      \
	"_start@postgres;__libc_start_main@@GLIBC_2.34@libc.so.6;main@postgres;PostmasterMain@postgres;" \
	"ServerLoop@postgres;BackendStartup@postgres;BackendMain@postgres;PostgresMain@postgres;"
#define PROF_PGREAD                                                                       \
	PROF_PGMAIN "ReadCommand@postgres;SocketBackend@postgres;pq_getbyte@postgres;"    \
		    "pq_recvbuf@postgres;secure_read@postgres;WaitEventSetWait@postgres;" \
		    "epoll_wait@libc.so.6"
#define PROF_PGEXEC                                                                        \
	PROF_PGMAIN "exec_simple_query@postgres;PortalRun@postgres;ProcessQuery@postgres;" \
		    "standard_ExecutorRun@postgres;ExecModifyTable@postgres;heap_update@postgres;"
#define PROF_PGSEND                                                                             \
	"main@pgbench;threadRun@pgbench;advanceConnectionState@pgbench;PQsendQuery@libpq.so.5;" \
	"pqFlush@libpq.so.5;send@libc.so.6"

static inline void prof_db(struct wc_profile *p, uint64_t lock_ns)
{
	uint32_t back[3], bench = prof_task(p, 900, 900, "pgbench", "pgbench", false);
	uint32_t wal = prof_task(p, 701, 701, "postgres", "postgres: walwriter", false);
	const char *release =
		PROF_PGEXEC "LWLockRelease@postgres;LWLockWakeup@postgres;"
			    "PGSemaphoreUnlock@postgres;sem_post@@GLIBC_2.34@libc.so.6";

	for (unsigned int i = 0; i < 3; i++) {
		char title[64];

		snprintf(title, sizeof(title), "postgres: app bench 127.0.0.1(%u)", 40000 + i);
		back[i] = prof_task(p, 710 + i, 710 + i, "postgres", title, false);
	}
	for (unsigned int i = 0; i < 3; i++) {
		struct prof_path paths[] = {
			{ prof_edge(p, WC_NONE, WC_CTX_SOFTIRQ, back[i]), 20000 - i * 3000, 9000, 1,
			  PROF_PGREAD, PROF_EWAIT, PROF_RX PROF_EPCB, NULL, 0 },
			{ prof_edge(p, WC_NONE, WC_CTX_SOFTIRQ, bench), 18000 - i * 3000, 7000, 1,
			  "main@pgbench;threadRun@pgbench;wait_on_socket_set@pgbench;poll@libc.so.6",
			  PROF_EWAIT, PROF_RX PROF_EPCB, NULL, 0 },
			{ prof_edge(p, back[(i + 1) % 3], WC_CTX_TASK, back[i]), 4000, lock_ns, 0,
			  PROF_PGEXEC "LWLockAcquire@postgres;PGSemaphoreLock@postgres;"
				      "sem_wait@@GLIBC_2.34@libc.so.6",
			  PROF_FWAIT, PROF_FWAKE, release, 0 },
			{ prof_edge(p, wal, WC_CTX_TASK, back[i]), 1500, 26000, 1,
			  "XLogFlush@postgres;LWLockAcquireOrWait@postgres", PROF_FWAIT, PROF_FWAKE,
			  "WalWriterMain@postgres;XLogBackgroundFlush@postgres;i:LWLockReleaseClearVar"
			  "@postgres",
			  PROF_WAKEE_CUT },
			{ prof_edge(p, WC_NONE, WC_CTX_HARDIRQ, wal), 800, 15000 + i, 1,
			  "WalWriterMain@postgres;issue_xlog_fsync@postgres;fdatasync@libc.so.6",
			  PROF_ENTRY "__x64_sys_fdatasync;ext4_sync_file;submit_bio_wait;"
				     "io_schedule" PROF_SLEEP,
			  "asm_common_interrupt;handle_edge_irq;vring_interrupt;virtblk_done;"
			  "blk_mq_end_request;bio_endio;complete;try_to_wake_up",
			  NULL, 0 },
		};

		for (size_t j = 0; j < sizeof(paths) / sizeof(paths[0]); j++)
			prof_chain(p, &paths[j]);
	}
}

/* What names may hold: all of it must come out harmless. */
static inline void prof_hostile(struct wc_profile *p)
{
	uint32_t a = prof_task(p, 1, 1, "a;b c\n\033[31m", "q\"uo'te<&>]]>", false);
	uint32_t b =
		prof_task(p, 2, 2, "\x80\xff\xfe", "</text><script>alert(1)</script>\r", false);
	struct prof_path path = { prof_edge(p, a, WC_CTX_TASK, b),
				  10,
				  1000,
				  1,
				  "ok\xc3\xa9\xe2\x98\x83;\xed\xa0\x80\xef\xbf\xbf\x01\x0b;--><!--",
				  "x  9;  lead",
				  "k\"]]>&amp;",
				  "caf\xc3",
				  0 };

	prof_chain(p, &path);
}

static inline struct wc_result *prof_result(const char *command)
{
	struct wc_result *r = wc_result__new();
	int err = 0;

	prof_need(r);
	r->profile = wc_profile__new();
	prof_need(r->profile);
	r->tool_version = strdup("0.0.1");
	r->command_line = strdup(command);
	r->started_s = 1700000000;
	err |= wc_kvs__set(&r->host, "kernel", "6.18.0");
	err |= wc_kvs__set(&r->host, "scheduler", "EEVDF");
	err |= wc_kvs__set(&r->host, "cpus", "2");
	prof_need(!err);
	r->profile->window_ns = 10000000000ull;
	r->profile->stack_every = 16;
	r->profile->slow_ns = 1000000;
	r->profile->stacks_full_cnt = 7;
	return r;
}

#endif
