/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loop.h"
#include "sock.h"
#include "stub.h"
#include "wait.h"
#include "workloads/fail.h"

#define STUB_BACKLOG 4096

struct shared {
	struct stub_plan plan;
	struct stub_counts counts;
};

struct stub {
	pid_t pid;
	int listen_fd;
	u16 port;
	struct shared *shared;
	/* in its own process */
	struct loop loop;
	struct conns conns;
};

struct answer {
	struct timer timer;
	struct conn *c;
};

static u64 process__cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (u64)ts.tv_sec * 1000000000ull + (u64)ts.tv_nsec;
}

static int stub__request(void *ctx, struct conn *c)
{
	struct stub *stub = ctx;
	struct answer *answer;
	u64 wait_ns = stub->shared->plan.wait_ns;

	wait__burn(stub->shared->plan.work_ns);
	if (!wait_ns)
		return loop__answer(&stub->loop, c);
	answer = calloc(1, sizeof(*answer));
	if (!answer)
		return -ENOMEM;
	answer->c = c;
	return timers__set(&stub->loop.timers, &answer->timer, c->read_ns + wait_ns);
}

static int stub__due(void *ctx, struct timer *timer)
{
	struct answer *answer = (struct answer *)timer;
	struct stub *stub = ctx;
	struct conn *c = answer->c;

	free(answer);
	return loop__answer(&stub->loop, c);
}

static void stub__answered(void *ctx, struct conn *c)
{
	struct stub_counts *counts = &((struct stub *)ctx)->shared->counts;

	__atomic_store_n(&counts->taken_ns, counts->taken_ns + clock__now_ns() - c->read_ns,
			 __ATOMIC_RELAXED);
	__atomic_store_n(&counts->served_cnt, counts->served_cnt + 1, __ATOMIC_RELAXED);
	/* A reading a request is much; one in 16 is near enough for a rate. */
	if (counts->served_cnt % 16 == 0)
		__atomic_store_n(&counts->cpu_ns, process__cpu_ns(), __ATOMIC_RELAXED);
}

static void stub__end(void *ctx, struct conn *c, enum conn_state how)
{
	struct stub *stub = ctx;

	(void)how;
	conns__remove(&stub->conns, c);
	stub->shared->counts.connection_cnt = stub->conns.cnt;
}

static struct conn *stub__accept(void *ctx, int *err)
{
	struct stub *stub = ctx;
	int fd = sock__accept(stub->listen_fd);
	struct conn *c;

	*err = fd < 0 && fd != -EAGAIN ? fd : 0;
	if (fd < 0)
		return NULL;
	c = conns__add(&stub->conns, fd);
	if (!c) {
		close(fd);
		*err = -ENOMEM;
	}
	stub->shared->counts.connection_cnt = stub->conns.cnt;
	stub->shared->counts.connection_peak_cnt = stub->conns.peak_cnt;
	return c;
}

static const struct loop_ops ops = {
	.request = stub__request,
	.due = stub__due,
	.answered = stub__answered,
	.end = stub__end,
	.accept = stub__accept,
};

static void stub__main(struct stub *stub)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "wakecost-stub");
	signal(SIGPIPE, SIG_IGN);
	pthread_mutex_init(&stub->conns.lock, NULL);
	if (loop__init(&stub->loop, &ops, stub) || loop__listen(&stub->loop, stub->listen_fd))
		_exit(1);
	_exit(loop__run(&stub->loop) ? 1 : 0);
}

int stub__start(struct stub **out)
{
	struct stub *stub = calloc(1, sizeof(*stub));

	*out = stub;
	if (!stub)
		return fail__set(ENOMEM, "memory", "out of memory; free some and try again");
	stub->listen_fd = sock__listen(STUB_BACKLOG, &stub->port);
	if (stub->listen_fd < 0)
		return stub->listen_fd;
	stub->shared = mmap(NULL, sizeof(*stub->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stub->shared == MAP_FAILED)
		return fail__set(errno, "memory", "stub server: %s; free some and try again",
				 strerror(errno));
	stub->pid = fork();
	if (stub->pid < 0)
		return fail__set(errno, NULL, "stub server: no process for it: fork: %s; end some",
				 strerror(errno));
	if (!stub->pid)
		stub__main(stub);
	close(stub->listen_fd);
	stub->listen_fd = -1;
	return 0;
}

void stub__plan(struct stub *stub, const struct stub_plan *plan)
{
	stub->shared->plan = *plan;
}

void stub__counts(const struct stub *stub, struct stub_counts *out)
{
	*out = stub->shared->counts;
}

u16 stub__port(const struct stub *stub)
{
	return stub->port;
}

pid_t stub__pid(const struct stub *stub)
{
	return stub->pid;
}

void stub__stop(struct stub *stub)
{
	if (!stub)
		return;
	if (stub->pid > 0) {
		kill(stub->pid, SIGKILL);
		while (waitpid(stub->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (stub->shared && stub->shared != MAP_FAILED)
		munmap(stub->shared, sizeof(*stub->shared));
	free(stub);
}
