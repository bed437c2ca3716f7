/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libwakecost-slots.so, for LD_PRELOAD: gives the process as many futex slots as
 * WAKECOST_FUTEX_SLOTS says. Set once, before the first thread, they stay: the kernel sizes the
 * table by itself only while nobody has asked for a size. A forked child begins without a table
 * and asks again; an executed program loads this library again.
 *
 * With WAKECOST_FUTEX_REPORT=FILE each process appends "PID SLOTS": when it has set them, and when
 * it ends, so that it is known what it really had. Prints nothing but a failure.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define FUTEX_HASH	     78 /* linux/prctl.h has them since 6.16 */
#define FUTEX_HASH_SET_SLOTS 1
#define FUTEX_HASH_GET_SLOTS 2

static unsigned long slots;
static char report[256];

/* Without stdio: the program may be in any state, and its streams are its own. */
static void say(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) < 0)
		return;
}

static void report__append(void)
{
	int had = prctl(FUTEX_HASH, FUTEX_HASH_GET_SLOTS, 0, 0, 0), fd;
	char line[64];

	if (!report[0])
		return;
	fd = open(report, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	snprintf(line, sizeof(line), "%d %d\n", (int)getpid(), had);
	say(fd, line);
	close(fd);
}

static void slots__set(void)
{
	int saved = errno;

	if (slots && prctl(FUTEX_HASH, FUTEX_HASH_SET_SLOTS, slots, 0, 0)) {
		say(STDERR_FILENO, "libwakecost-slots: the kernel refuses the futex slots: ");
		say(STDERR_FILENO, errno == EINVAL ? "not a power of two, or Linux before 6.17\n"
						   : "no memory, or the program set its own\n");
	}
	errno = saved;
}

static void __attribute__((constructor)) slots__load(void)
{
	const char *want = getenv("WAKECOST_FUTEX_SLOTS");
	const char *file = getenv("WAKECOST_FUTEX_REPORT");

	if (file && strlen(file) < sizeof(report))
		strcpy(report, file);
	slots = want ? strtoul(want, NULL, 10) : 0;
	if (!slots)
		return;
	slots__set();
	pthread_atfork(NULL, NULL, slots__set);
	report__append();
}

static void __attribute__((destructor)) slots__unload(void)
{
	report__append();
}
