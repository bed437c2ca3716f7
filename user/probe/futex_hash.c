/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/probe/futex_hash.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/probe/sys.h"

/* linux/prctl.h has them since 6.16 */
#define FUTEX_HASH	     78
#define FUTEX_HASH_GET_SLOTS 2

#define THREADS_MAX	     1024
#define THREAD_STACK_BYTES   (64u << 10)
#define KLOG_READ_ALL	     3
#define KLOG_SIZE_BUFFER     10
#define GLOBAL_SLOTS_PER_CPU 256

unsigned int wc_futex_hash__global_by_rule(unsigned int possible_cpus)
{
	unsigned int want = GLOBAL_SLOTS_PER_CPU * possible_cpus, slots = 1;

	while (slots < want)
		slots *= 2;
	return possible_cpus ? slots : 0;
}

unsigned int wc_futex_hash__parse_log(const char *log)
{
	static const char key[] = "futex hash table entries: ";
	const char *at = strstr(log, key);

	return at ? (unsigned int)strtoul(at + sizeof(key) - 1, NULL, 10) : 0;
}

static unsigned int global_by_log(void)
{
	int size = klogctl(KLOG_SIZE_BUFFER, NULL, 0), len;
	unsigned int slots = 0;
	char *buf;

	if (size <= 0 || wc_sys__is_mock())
		return 0;
	buf = malloc((size_t)size + 1);
	if (!buf)
		return 0;
	len = klogctl(KLOG_READ_ALL, buf, size);
	if (len > 0) {
		buf[len] = '\0';
		slots = wc_futex_hash__parse_log(buf);
	}
	free(buf);
	return slots;
}

static void *park(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* In the child: threads one by one, up to the CPUs, and the slots after each. */
static void count_slots(unsigned int threads_max, struct wc_futex_table *t)
{
	unsigned int threads;
	pthread_attr_t attr;
	pthread_t tid;
	int slots;

	if (pthread_attr_init(&attr) || pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES))
		return;
	for (threads = 2; threads <= threads_max; threads++) {
		if (pthread_create(&tid, &attr, park, NULL))
			return;
		slots = prctl(FUTEX_HASH, FUTEX_HASH_GET_SLOTS, 0, 0, 0);
		if (slots < 0) {
			if (errno == EINVAL || errno == ENOSYS)
				t->kind = WC_FUTEX_GLOBAL;
			return;
		}
		t->kind = slots ? WC_FUTEX_PRIVATE : WC_FUTEX_GLOBAL;
		if (threads == 2)
			t->slots_two = (unsigned int)slots;
		if ((unsigned int)slots > t->slots_most) {
			t->slots_most = (unsigned int)slots;
			t->threads_most = threads;
		}
	}
}

static int ask_child(unsigned int threads_max, struct wc_futex_table *t)
{
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	if (pipe(fds))
		return -errno;
	pid = fork();
	if (pid < 0) {
		n = -errno;
		close(fds[0]);
		close(fds[1]);
		return (int)n;
	}
	if (!pid) {
		count_slots(threads_max, t);
		n = write(fds[1], t, sizeof(*t));
		_exit(n != (ssize_t)sizeof(*t)); /* takes the threads with it */
	}
	close(fds[1]);
	do {
		n = read(fds[0], t, sizeof(*t));
	} while (n < 0 && errno == EINTR);
	close(fds[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return n == (ssize_t)sizeof(*t) ? 0 : -EIO;
}

int wc_futex_hash__measure(struct wc_futex_table *t)
{
	unsigned int cpus = wc_sys__cpu_cnt("online");
	int err;

	memset(t, 0, sizeof(*t));
	cpus = cpus < 2 ? 2 : cpus > THREADS_MAX ? THREADS_MAX : cpus;
	/* One thread more than CPUs, to see that it stops growing there. */
	err = ask_child(cpus + 1, t);
	if (err)
		memset(t, 0, sizeof(*t));
	t->global_slots = global_by_log();
	t->global_from = "kernel log";
	if (!t->global_slots) {
		t->global_slots = wc_futex_hash__global_by_rule(wc_sys__cpu_cnt("possible"));
		t->global_from = "formula";
	}
	return err;
}

static int add_private(struct wc_checkup *c)
{
	const struct wc_futex_table *t = &c->futex;
	char value[160], why[200];

	if (t->slots_most > t->slots_two)
		snprintf(value, sizeof(value),
			 "one table a process: %u slots with 2 threads, %u from %u threads on",
			 t->slots_two, t->slots_most, t->threads_most);
	else
		snprintf(value, sizeof(value),
			 "one table a process: %u slots, however many its threads", t->slots_most);
	snprintf(why, sizeof(why),
		 "N threads parked on futexes of one process make chains of N/%u, and a wake walks "
		 "one",
		 t->slots_most);
	return wc_checkup__add(c, WC_SEC_FUTEX, WC_MARK_NOTE, "private futexes", value, why,
			       "to see what more slots change: wakecost run handoff -P "
			       "background=futex-own -P parked=16000 -P futex_slots=default,4096");
}

int wc_futex_hash__check(struct wc_checkup *c)
{
	struct wc_futex_table *t = &c->futex;
	char value[160], why[64] = "";
	int err;

	err = wc_futex_hash__measure(t);
	if (err)
		snprintf(why, sizeof(why), "%s", strerror(-err));
	if (t->kind == WC_FUTEX_PRIVATE)
		err = add_private(c);
	else if (t->kind == WC_FUTEX_GLOBAL)
		err = wc_checkup__add(c, WC_SEC_FUTEX, WC_MARK_NOTE, "private futexes",
				      "in the machine's one table", "", "");
	else
		err = wc_checkup__add(c, WC_SEC_FUTEX, WC_MARK_UNKNOWN, "private futexes",
				      "could not be asked", why, "");
	if (err || !t->global_slots)
		return err;
	snprintf(value, sizeof(value), "%u slots (%s)%s", t->global_slots, t->global_from,
		 t->kind == WC_FUTEX_PRIVATE ? ", for shared futexes" : "");
	return wc_checkup__add(c, WC_SEC_FUTEX, WC_MARK_NOTE, "machine's table", value, "", "");
}
