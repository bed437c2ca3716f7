/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ceiling.h"
#include "fail.h"
#include "proc.h"
#include "registry.h"

#define GONE_WAIT_US 20000
#define GONE_TRIES   250

struct child {
	pid_t pid;
	int go_fd, done_fd;
	struct ceiling_child *page;
};

typedef void make_fn(const struct wl_params *p, struct ceiling_child *me);

/* If memory must be had from somebody, then from here. */
static void oom__offer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0)
		fail__hint("oom_score_adj: %s", strerror(errno));
	close(fd);
}

static void child__main(const struct child *child, make_fn *make, const struct wl_params *p)
{
	char c = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	oom__offer();
	if (read(child->go_fd, &c, 1) != 1)
		_exit(0);
	make(p, child->page);
	if (write(child->done_fd, &c, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static int child__start(struct child *child, make_fn *make, const struct wl_params *p)
{
	int go[2], done[2];

	child->page = mmap(NULL, sizeof(*child->page), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (child->page == MAP_FAILED || pipe2(go, O_CLOEXEC) || pipe2(done, O_CLOEXEC))
		return fail__set(errno, NULL, "ceiling: %s; free some and try again",
				 strerror(errno));
	child->pid = fork();
	if (child->pid < 0)
		return fail__set(errno, NULL,
				 "ceiling: not even one process more: fork: %s; end some",
				 strerror(errno));
	if (!child->pid) {
		close(go[1]);
		close(done[0]);
		child->go_fd = go[0];
		child->done_fd = done[1];
		child__main(child, make, p);
	}
	close(go[0]);
	close(done[1]);
	child->go_fd = go[1];
	child->done_fd = done[0];
	return 0;
}

/* Lets it make them; whether it was killed meanwhile. */
static bool child__run(struct child *child)
{
	char c = 0;
	ssize_t got;

	if (write(child->go_fd, &c, 1) != 1)
		return true;
	do {
		got = read(child->done_fd, &c, 1);
	} while (got < 0 && errno == EINTR);
	return got != 1;
}

static void child__end(struct child *child, struct ceiling_child *said)
{
	kill(child->pid, SIGKILL);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*said = *child->page;
	said->call[sizeof(said->call) - 1] = '\0';
	munmap(child->page, sizeof(*child->page));
	close(child->go_fd);
	close(child->done_fd);
}

static void child__status(const struct child *child, const char *key, u64 *out)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", child->pid);
	*out = 0;
	proc__read_key(path, key, out);
}

/* The last threads leave the books a little after the process. */
static void wait__gone(struct ceiling *c)
{
	int i;

	for (i = 0; i < GONE_TRIES; i++) {
		c->tasks_after = proc__task_cnt();
		if (c->tasks_after < c->tasks_before + c->threads.cnt / 100 + 16)
			return;
		usleep(GONE_WAIT_US);
	}
}

static int ceiling__threads(struct ceiling *c)
{
	struct child child;
	u64 refused_ns;
	int err = child__start(&child, ceiling__make_threads, &c->run->p);

	if (err)
		return err;
	readings__take(&c->readings, child.pid, false);
	c->tasks_before = c->readings.task_cnt;
	c->threads_killed = child__run(&child);
	refused_ns = clock__now_ns();
	c->readings.stack_sz = child.page->stack_sz;
	child__status(&child, "Threads:", &c->seen_cnt);
	readings__take(&c->readings, child.pid, true);
	c->tasks_at = c->readings.task_cnt;
	child__end(&child, &c->threads);
	c->held_ns = clock__now_ns() - refused_ns;
	wait__gone(c);
	return 0;
}

static int ceiling__coroutines(struct ceiling *c)
{
	struct child child;
	int err = child__start(&child, ceiling__make_coroutines, &c->run->p);

	if (err)
		return err;
	c->coroutines_killed = child__run(&child);
	child__status(&child, "Threads:", &c->coroutine_threads);
	child__status(&child, "VmRSS:", &c->coroutine_rss_sz);
	c->coroutine_rss_sz *= 1024;
	child__end(&child, &c->coroutines);
	return 0;
}

static int ceiling__alone(struct wl_run *run)
{
	static struct ceiling c;
	int err;

	c.run = run;
	err = ceiling__threads(&c);
	if (!err && run->p.coroutines)
		err = ceiling__coroutines(&c);
	if (err)
		return err;
	ceiling__judge(&c);
	return ceiling__print(&c);
}

const struct wl_shape shape_ceiling = {
	.name = "ceiling",
	.help = "threads until one is refused, and which limit that was (wakecost ceiling)",
	.alone = ceiling__alone,
};
