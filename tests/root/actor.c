// SPDX-License-Identifier: BSD-2-Clause
/*
 * Workloads whose wakes are known beforehand: actor NAME [key=value...]. Says a line of JSON when
 * all its threads are still, begins at a line on stdin, says "done" when all are still again.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "tests/root/still.h"

static int arg_cnt;
static char **args;

static const char *text(const char *key, const char *absent)
{
	size_t len = strlen(key);
	int i;

	for (i = 0; i < arg_cnt; i++) {
		if (!strncmp(args[i], key, len) && args[i][len] == '=')
			return args[i] + len + 1;
	}
	return absent;
}

static long number(const char *key, long absent)
{
	const char *value = text(key, NULL);

	return value ? strtol(value, NULL, 10) : absent;
}

static void say(const char *line)
{
	size_t len = strlen(line);

	if (write(STDOUT_FILENO, line, len) != (ssize_t)len)
		exit(1);
}

/* The word to go; without one (the prober is gone) all ends. */
static void await_go(void)
{
	char c = 0;

	while (c != '\n') {
		if (read(STDIN_FILENO, &c, 1) != 1)
			exit(0);
	}
}

static void say_done(void)
{
	say("{}\n");
	await_go();
}

static void join_cgroup(const char *dir)
{
	char path[512];
	int fd;

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		fail(path);
	close(fd);
}

/* ---- pair: one process wakes another n times, each time from a proven sleep, and is not woken */

struct shared {
	unsigned long switches; /* of the wakee, before it went to sleep */
	unsigned long ready;	/* sleeps it has announced */
};

static void pair__wakee(struct shared *sh, int fd)
{
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	join_cgroup(text("wakee_cgroup", NULL));
	prctl(PR_SET_NAME, text("wakee_name", "wc-wakee"));
	if (number("wakee_cpu", -1) >= 0)
		pin((int)number("wakee_cpu", -1));
	if (number("fifo", 0))
		set_policy(SCHED_FIFO);
	for (;;) {
		__atomic_store_n(&sh->switches, own_switches(), __ATOMIC_RELAXED);
		__atomic_add_fetch(&sh->ready, 1, __ATOMIC_RELEASE);
		if (read(fd, &c, 1) != 1)
			_exit(0);
	}
}

static void pair__await(struct shared *sh, pid_t wakee, unsigned long ready)
{
	while (__atomic_load_n(&sh->ready, __ATOMIC_ACQUIRE) < ready)
		sched_yield();
	await_sleep(wakee, __atomic_load_n(&sh->switches, __ATOMIC_RELAXED));
}

static void pair(void)
{
	struct shared *sh =
		mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned long n = (unsigned long)number("n", 1009), i;
	long from = number("from", -1), to = number("to", -1);
	char line[128];
	cpu_set_t set;
	int fds[2];
	pid_t wakee;

	if (sh == MAP_FAILED || pipe(fds))
		fail("pair");
	wakee = fork();
	if (!wakee)
		pair__wakee(sh, fds[0]);
	join_cgroup(text("waker_cgroup", NULL));
	prctl(PR_SET_NAME, text("waker_name", "wc-waker"));
	if (number("waker_cpu", -1) >= 0)
		pin((int)number("waker_cpu", -1));
	pair__await(sh, wakee, 1);
	snprintf(line, sizeof(line), "{\"waker\":%d,\"wakee\":%d}\n", getpid(), wakee);
	say(line);
	await_go();
	for (i = 0; i < n; i++) {
		/* asleep on CPU from, from where it may not return; must come back at to */
		if (from >= 0) {
			CPU_ZERO(&set);
			CPU_SET(i & 1 ? from : to, &set);
			if (sched_setaffinity(wakee, sizeof(set), &set))
				fail("affinity");
		}
		if (write(fds[1], "", 1) != 1)
			fail("write");
		pair__await(sh, wakee, i + 2);
	}
	say_done();
}

/* ---- timer: a thread sleeps n times by the clock, beside one that never lets its CPU go */

static int quit;
static unsigned long slept_cnt; /* by the kernel's count of the sleeper's switches */

static void spin(struct thread *me)
{
	(void)me;
	while (!__atomic_load_n(&quit, __ATOMIC_RELAXED))
		;
}

static void sleeper(struct thread *me)
{
	long i, n = number("n", 101);

	gate__wait(me);
	slept_cnt = own_switches();
	for (i = 0; i < n; i++)
		nap_us(1000);
	slept_cnt = own_switches() - slept_cnt;
	__atomic_store_n(&quit, 1, __ATOMIC_RELAXED);
}

static void timer(void)
{
	struct thread t = { .fn = sleeper, .name = "wc-sleeper", .cpu = (int)number("cpu", 0) };
	struct thread busy = { .fn = spin, .name = "wc-busy", .cpu = (int)number("cpu", 0) };
	char line[128];

	thread__start(&t);
	thread__start(&busy);
	thread__await_sleep(&t);
	snprintf(line, sizeof(line), "{\"main\":%d,\"sleeper\":%d,\"busy\":%d}\n", getpid(), t.tid,
		 busy.tid);
	say(line);
	await_go();
	gate__open(&t);
	while (!__atomic_load_n(&quit, __ATOMIC_RELAXED))
		nap_us(2000);
	thread__await_sleep(&t);
	snprintf(line, sizeof(line), "{\"slept\":%lu}\n", slept_cnt);
	say(line);
	await_go();
}

/* ---- hogs: two threads on one CPU that never sleep, running since before the window */

static void hogs(void)
{
	struct thread a = { .fn = spin, .name = "wc-hog-a", .cpu = (int)number("cpu", 0) };
	struct thread b = { .fn = spin, .name = "wc-hog-b", .cpu = (int)number("cpu", 0) };
	char line[128];

	thread__start(&a);
	thread__start(&b);
	nap_us(20000);
	snprintf(line, sizeof(line), "{\"a\":%d,\"b\":%d}\n", a.tid, b.tid);
	say(line);
	await_go();
	nap_us(number("ms", 300) * 1000);
	say_done();
}

/* ---- spawn: n threads, one after the other; each may set its own name */

static void *short_life(void *arg)
{
	return arg;
}

static void spawn(void)
{
	long n = number("n", 101), i;
	pthread_t t;

	prctl(PR_SET_NAME, "wc-spawn");
	say("{}\n");
	await_go();
	for (i = 0; i < n; i++) {
		if (pthread_create(&t, NULL, short_life, NULL) || pthread_join(t, NULL))
			fail("pthread_create");
	}
	nap_us(2000);
	say_done();
}

/* ---- awake: n calls that would wake a thread, were it ever asleep */

static void awake(void)
{
	struct thread t = { .fn = spin, .name = "wc-awake", .cpu = -1 };
	long n = number("n", 1009), i;
	static unsigned int word;
	char line[128];

	signal(SIGURG, SIG_IGN);
	thread__start(&t);
	snprintf(line, sizeof(line), "{\"awake\":%d}\n", t.tid);
	say(line);
	await_go();
	for (i = 0; i < n; i++) {
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		syscall(SYS_tgkill, getpid(), t.tid, SIGURG);
	}
	say_done();
}

/* ---- window: asleep before it and woken in it; asleep before it and after it */

static void window(void)
{
	struct thread woken = { .fn = gate__wait, .name = "wc-woken", .cpu = -1 };
	struct thread asleep = { .fn = gate__wait, .name = "wc-asleep", .cpu = -1 };
	char line[128];

	thread__start(&woken);
	thread__start(&asleep);
	thread__await_sleep(&woken);
	thread__await_sleep(&asleep);
	snprintf(line, sizeof(line), "{\"main\":%d,\"woken\":%d,\"asleep\":%d}\n", getpid(),
		 woken.tid, asleep.tid);
	say(line);
	await_go();
	gate__open(&woken);
	nap_us(2000);
	thread__await_sleep(&woken);
	say_done();
}

/* ---- storm: pairs of threads that wake each other as fast as they can, on any CPU */

struct duel {
	struct thread side[2];
	unsigned int word; /* odd: the second one's turn */
	int left;
};

static void duel__side(struct thread *me)
{
	struct duel *d = me->arg;
	unsigned int mine = me == &d->side[1], n = (unsigned int)number("n", 20011) * 2, seen;

	gate__wait(me);
	for (;;) {
		while ((seen = __atomic_load_n(&d->word, __ATOMIC_ACQUIRE)) < n &&
		       (seen & 1) != mine)
			syscall(SYS_futex, &d->word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
		if (seen >= n)
			break;
		__atomic_store_n(&d->word, seen + 1, __ATOMIC_RELEASE);
		syscall(SYS_futex, &d->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	__atomic_sub_fetch(&d->left, 1, __ATOMIC_RELEASE);
}

static void storm(void)
{
	long cnt = number("pairs", 4), i, k;
	struct duel *duels = calloc((size_t)cnt, sizeof(*duels));

	for (i = 0; i < cnt; i++) {
		duels[i].left = 2;
		for (k = 0; k < 2; k++) {
			duels[i].side[k].fn = duel__side;
			duels[i].side[k].arg = &duels[i];
			duels[i].side[k].name = "wc-storm";
			duels[i].side[k].cpu = -1;
			thread__start(&duels[i].side[k]);
			thread__await_sleep(&duels[i].side[k]);
		}
	}
	say("{}\n");
	await_go();
	for (i = 0; i < cnt * 2; i++)
		gate__open(&duels[i / 2].side[i % 2]);
	for (i = 0; i < cnt; i++) {
		while (__atomic_load_n(&duels[i].left, __ATOMIC_ACQUIRE))
			nap_us(2000);
		thread__await_sleep(&duels[i].side[0]);
		thread__await_sleep(&duels[i].side[1]);
	}
	say_done();
}

/* ---- herd: n threads on one futex, woken by one call, rounds times, each from a proven sleep */

static unsigned int herd_word, herd_ready;

static void *herd__member(void *tid)
{
	unsigned int seen;

	prctl(PR_SET_NAME, "wc-herd");
	__atomic_store_n((pid_t *)tid, own_tid(), __ATOMIC_RELAXED);
	for (;;) {
		seen = __atomic_load_n(&herd_word, __ATOMIC_ACQUIRE);
		__atomic_add_fetch(&herd_ready, 1, __ATOMIC_RELEASE);
		while (__atomic_load_n(&herd_word, __ATOMIC_ACQUIRE) == seen)
			syscall(SYS_futex, &herd_word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
	}
	return NULL;
}

static void herd__await(const pid_t *tids, unsigned int n, unsigned int round)
{
	struct thread t;
	unsigned int i;

	while (__atomic_load_n(&herd_ready, __ATOMIC_ACQUIRE) < n * (round + 1))
		nap_us(1000);
	for (i = 0; i < n; i++) {
		t.tid = tids[i];
		thread__await_state(&t, 'S');
	}
	nap_us(5000);
}

static void herd(void)
{
	unsigned int n = (unsigned int)number("n", 2000), i;
	long rounds = number("rounds", 3), r;
	pid_t *tids = calloc(n, sizeof(*tids));
	pthread_attr_t attr;
	pthread_t handle;
	char line[64];

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 0; i < n; i++) {
		errno = pthread_create(&handle, &attr, herd__member, &tids[i]);
		if (errno)
			fail("pthread_create");
	}
	herd__await(tids, n, 0);
	snprintf(line, sizeof(line), "{\"main\":%d}\n", getpid());
	say(line);
	await_go();
	for (r = 1; r <= rounds; r++) {
		__atomic_add_fetch(&herd_word, 1, __ATOMIC_RELEASE);
		if (syscall(SYS_futex, &herd_word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0) != n)
			fail("not all were asleep");
		herd__await(tids, n, (unsigned int)r);
	}
	say_done();
}

/*
 * ---- ends: in the window a thread never sleeps, one sleeps on, one is woken and sleeps again, and
 * a child is made, woken n times, each time from a proven sleep, and dies
 */

static void ends(void)
{
	struct thread spinner = { .fn = spin, .name = "wc-spinner", .cpu = -1 };
	struct thread parked = { .fn = gate__wait, .name = "wc-parked", .cpu = -1 };
	struct thread once = { .fn = gate__wait, .name = "wc-once", .cpu = -1 };
	struct shared *sh =
		mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned long n = (unsigned long)number("n", 11), i;
	char line[128];
	int fds[2];
	pid_t child;

	if (sh == MAP_FAILED || pipe2(fds, O_CLOEXEC))
		fail("ends");
	thread__start(&spinner);
	thread__start(&parked);
	thread__start(&once);
	thread__await_sleep(&parked);
	thread__await_sleep(&once);
	snprintf(line, sizeof(line), "{\"main\":%d,\"spinner\":%d,\"parked\":%d,\"once\":%d}\n",
		 getpid(), spinner.tid, parked.tid, once.tid);
	say(line);
	await_go();
	child = fork();
	if (!child)
		pair__wakee(sh, fds[0]);
	pair__await(sh, child, 1);
	for (i = 0; i < n; i++) {
		if (write(fds[1], "", 1) != 1)
			fail("write");
		pair__await(sh, child, i + 2);
	}
	kill(child, SIGKILL);
	if (waitpid(child, NULL, 0) != child)
		fail("waitpid");
	gate__open(&once);
	nap_us(2000);
	thread__await_sleep(&once);
	nap_us(200000);
	snprintf(line, sizeof(line), "{\"child\":%d}\n", child);
	say(line);
	await_go();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} acts[] = {
		{ "pair", pair },   { "timer", timer }, { "hogs", hogs },
		{ "spawn", spawn }, { "awake", awake }, { "window", window },
		{ "storm", storm }, { "herd", herd },	{ "ends", ends },
	};
	size_t i;

	args = argv + 1;
	arg_cnt = argc - 1;
	for (i = 0; argc > 1 && i < sizeof(acts) / sizeof(acts[0]); i++) {
		if (!strcmp(acts[i].name, argv[1])) {
			acts[i].fn();
			return 0;
		}
	}
	return 2;
}
