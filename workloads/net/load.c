/* SPDX-License-Identifier: BSD-2-Clause */
/* The process of the clients: its life, and what passes between it and the server's. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clients.h"
#include "load.h"
#include "workloads/fail.h"

struct shared {
	struct load_plan plan;
	struct load_result result;
	struct load_gate gate;
	int err;
	char error[256];
};

struct load {
	pid_t pid;
	int order_fd, done_fd; /* a byte there, a byte back */
	struct shared *shared;
};

static bool byte__read(int fd)
{
	ssize_t got;
	char c;

	do {
		got = read(fd, &c, 1);
	} while (got < 0 && errno == EINTR);
	return got == 1;
}

static bool byte__write(int fd)
{
	ssize_t put;

	do {
		put = write(fd, "", 1);
	} while (put < 0 && errno == EINTR);
	return put == 1;
}

static void child__main(struct load *load, int order_fd, int done_fd)
{
	struct clients *clients;
	struct shared *shared = load->shared;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "wakecost-load");
	for (;;) {
		if (!byte__read(order_fd))
			_exit(0);
		clients = clients__run(&shared->plan, &shared->result, shared->error,
				       sizeof(shared->error), &shared->err);
		if (!byte__write(done_fd) || !byte__read(order_fd))
			_exit(0);
		clients__close(clients);
		if (!byte__write(done_fd))
			_exit(0);
	}
}

int load__start(struct load **out, int keep_fd)
{
	struct load *load = calloc(1, sizeof(*load));
	int order[2], done[2];

	*out = load;
	if (!load)
		return fail__set(ENOMEM, "memory", "out of memory; free some and try again");
	load->order_fd = load->done_fd = -1;
	load->shared = mmap(NULL, sizeof(*load->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (load->shared == MAP_FAILED || pipe2(order, O_CLOEXEC) || pipe2(done, O_CLOEXEC))
		return fail__set(errno, NULL, "clients: %s; free some and try again",
				 strerror(errno));
	load->pid = fork();
	if (load->pid < 0)
		return fail__set(errno, NULL, "clients: no process for them: fork: %s; end some",
				 strerror(errno));
	if (!load->pid) {
		close(order[1]);
		close(done[0]);
		if (keep_fd >= 0)
			close(keep_fd);
		child__main(load, order[0], done[1]);
	}
	close(order[0]);
	close(done[1]);
	load->order_fd = order[1];
	load->done_fd = done[0];
	return 0;
}

pid_t load__pid(const struct load *load)
{
	return load->pid;
}

struct load_gate *load__gate(struct load *load)
{
	return &load->shared->gate;
}

static int load__gone(void)
{
	return fail__set(ECHILD, NULL,
			 "the clients' process ended early (out of memory?); try fewer clients");
}

int load__go(struct load *load, const struct load_plan *plan)
{
	load->shared->plan = *plan;
	load->shared->err = 0;
	memset(&load->shared->result, 0, sizeof(load->shared->result));
	return byte__write(load->order_fd) ? 0 : load__gone();
}

int load__done_fd(const struct load *load)
{
	return load->done_fd;
}

int load__take(struct load *load, struct load_result *out)
{
	if (!byte__read(load->done_fd))
		return load__gone();
	*out = load->shared->result;
	load->shared->error[sizeof(load->shared->error) - 1] = '\0';
	if (load->shared->err)
		return fail__set(-load->shared->err, NULL, "clients: %s", load->shared->error);
	return 0;
}

int load__release(struct load *load)
{
	if (!byte__write(load->order_fd) || !byte__read(load->done_fd))
		return load__gone();
	return 0;
}

void load__stop(struct load *load)
{
	if (!load)
		return;
	if (load->pid > 0) {
		kill(load->pid, SIGKILL);
		while (waitpid(load->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (load->order_fd >= 0)
		close(load->order_fd);
	if (load->done_fd >= 0)
		close(load->done_fd);
	if (load->shared && load->shared != MAP_FAILED)
		munmap(load->shared, sizeof(*load->shared));
	free(load);
}
